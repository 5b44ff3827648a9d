// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/error/error.hpp>

#include <cstddef>

#if defined(__CUDA_ARCH__)
namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {
// nvcc's device pass reads host code but keeps none of it, so a declaration is enough.
std::size_t format_error(const LaunchError& error, char* buffer, std::size_t capacity) noexcept;
}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
#else

#include <warpsafe/core/detail/arithmetic.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/error/detail/reason.hpp>

#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {
namespace detail {

/// Suggests a block that the launch would accept in place of one that is too large. Writes nothing
/// if no such block is known.
[[WARPSAFE_DETAIL_RARE]] inline void put_suggestion(TextBuffer& out,
                                                    const LaunchError& error) noexcept {
  if (error.code != Errc::block_too_large && error.code != Errc::kernel_threads_exceeded) return;
  if (error.accepted_threads() == 0) return;
  std::uint32_t fits[3];
  fitting_block(error.block, error.accepted_threads(), fits);
  const int rank = fits[2] > 1 ? 3 : fits[1] > 1 ? 2 : 1;
  const auto put_block = [&] {
    out << "block<" << fits[0];
    for (int axis = 1; axis < rank; ++axis) out << ',' << fits[axis];
    out << '>';
  };
  out << "\n  try ";
  put_block();
  out << " and recompute the grid with cover(" << (rank == 1 ? "n" : "extent") << ", ";
  put_block();
  out << ')';
}

}  // namespace detail

/// Writes the text of `error` into `buffer` of `capacity` bytes, cut to fit and always terminated.
/// `capacity` is at least 1. 1024 bytes hold every message with names of ordinary length, 4096
/// bytes also with suspects. Of a kernel's name that is longer than half of the buffer, only the
/// beginning and the end are written. Returns the bytes written without the terminator. Does not
/// allocate.
/// "Not launched" reports a check of this library, "launch failed" an error of the runtime.
[[WARPSAFE_DETAIL_RARE]] inline std::size_t format_error(const LaunchError& error, char* buffer,
                                                         std::size_t capacity) noexcept {
  // Every field is named, so that a new one does not compile until it is handled here. put_field()
  // writes those that are left out here, except `vendor` and `sequence`, which no text has.
  const auto& [code, stage, severity, axis, vendor, limit_is_floor, subcode, blocking_was_on, raw,
               device, raw_name, raw_text, kernel, device_name, operation, grid, block,
               dynamic_shared, value, limit, extra, held, stream, sequence, incident, site] = error;
  detail::left_out(axis, vendor, limit_is_floor, device, device_name, dynamic_shared, value, limit,
                   extra, held, sequence);
  detail::TextBuffer out(buffer, capacity);
  const auto put = [&](const char* text) { detail::put_text(out, text, error); };
  bool is_of_launch = false;
  const char* const reason = detail::reason_text(error, is_of_launch);
  const bool no_kernel = kernel.empty();
  const char* before_site = "\n  at ";
  switch (stage) {
    case Stage::construction:
    case Stage::validation:
      if (!no_kernel || (stage == Stage::validation && operation.empty())) {
        put("Kernel '{kernel}' not launched: ");
      } else if (!operation.empty()) {
        put("{operation} not called: ");
      } else {
        put(is_of_launch ? "Launch configuration refused: " : "Refused: ");
      }
      put(reason);
      if (grid[0] != 0 && block[0] != 0) {
        put("\n  grid={grid}, block={block}, shared={shared}");
        if (stream != nullptr) put(", stream {stream}");
        before_site = ", at ";
      }
      break;
    case Stage::launch:
      put("Kernel '{kernel}' launch failed: {raw name} (grid={grid}, block={block})");
      if (code != Errc::launch_refused) {
        put("\n  ");
        put(reason);
      }
      break;
    case Stage::completion:
      put(code == Errc::reference_differs ? "Kernel '{kernel}' ran with wrong results: "
          : no_kernel                     ? "Device synchronization failed: "
                      : "Device synchronization failed after kernel '{kernel}': ");
      put(reason);
      break;
    case Stage::runtime_call:
      if (code == Errc::capture_broken && subcode != Subcode::none) {
        put(subcode == Subcode::broken_by_call ? "Graph capture broken by "
                                               : "Graph capture broken before ");
        put(no_kernel ? "'{operation}': " : "the launch of kernel '{kernel}': ");
      } else if (!operation.empty()) {
        put("{operation} failed: ");
      }
      put(reason);
      if (raw != 0) {
        put(raw_name.empty() || raw_text.empty() ? " ({raw})" : " ({raw name}, {raw})");
      }
      if (code == Errc::capture_unjoined && stream != nullptr) {
        before_site = "\n  it joined at ";
      }
      break;
  }
  if (site.file != nullptr) out << before_site << site;
  detail::put_suggestion(out, error);
  if (severity == Severity::context_lost) {
    put("\n  the device's context is lost: every later call of this process fails; restart the "
        "process");
  }
  if (incident != 0) {
    for (const Observer& one : detail::ObserversFrom{detail::observers()}) {
      if (one.explain != nullptr) one.explain(one.user, out, error);
    }
  }
  if (blocking_was_on) out << "\n  (a launch-blocking mode was on, which changes the timing)";
  return out.size();
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION

#endif
