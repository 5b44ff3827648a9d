// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/error/error.hpp>

#include <cstddef>

#if defined(__CUDA_ARCH__)
namespace warpsafe {
// nvcc's device compiler reads host code and keeps none of it: that this is there is enough.
std::size_t format_error(const LaunchError& error, char* buffer, std::size_t capacity) noexcept;
}  // namespace warpsafe
#else

#include <warpsafe/core/detail/arithmetic.hpp>
#include <warpsafe/core/detail/debug_hooks.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/error/detail/reason.hpp>

#include <cstdint>

namespace warpsafe {
namespace detail {

/// The line that follows a block that is too large: a block that the launch would accept. `extra`
/// holds the threads that it may have, 0 where none is known to be accepted.
inline void put_suggestion(TextBuffer& out, const LaunchError& error) noexcept {
  if (error.code != Errc::block_too_large && error.code != Errc::kernel_threads_exceeded) return;
  if (error.extra == 0) return;
  std::uint32_t fits[3];
  fitting_block(error.block, error.extra, fits);
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

/// Whether a code is about memory or a stream rather than about a launch.
inline bool is_about_data(Errc code) noexcept {
  return code == Errc::size_mismatch || code == Errc::bytes_overflow || code == Errc::stream_null ||
         code == Errc::argument_misaligned || code == Errc::pending_taken;
}

inline void put_launch(TextBuffer& out, const LaunchError& error) noexcept {
  // A count that makes no number of bytes is told as it was given.
  const bool counted = error.code == Errc::shared_negative || error.code == Errc::shared_overflow;
  out << "\n  grid=" << error.grid << ", block=" << error.block
      << ", shared=" << (error.code == Errc::shared_negative ? "-" : "")
      << (counted ? error.value : error.dynamic_shared);
  if (counted && error.limit != 1) out << " elements of " << error.limit;
  out << " bytes";
  if (error.stream != nullptr) out << ", stream " << error.stream;
}

inline void put_site(TextBuffer& out, const LaunchError& error, const char* before) noexcept {
  if (error.site.file != nullptr) out << before << error.site;
}

}  // namespace detail

/// Writes the text of `error` into `buffer` of `capacity` bytes (at least 1; 1024 hold every
/// message of a name of ordinary length, 4096 those with suspects), cut to fit and always
/// terminated; returns the bytes written without the terminator. No allocation. "Not launched" is
/// our check, "launch failed" the runtime's.
inline std::size_t format_error(const LaunchError& error, char* buffer,
                                std::size_t capacity) noexcept {
  detail::TextBuffer out(buffer, capacity);
  const Name kernel = error.kernel.empty() ? Name::of("(unnamed)") : error.kernel;
  const bool has_shape = error.grid[0] != 0 && error.block[0] != 0;
  switch (error.stage) {
    case Stage::construction:
    case Stage::validation:
      if (error.kernel.empty() && !error.operation.empty()) {
        out << error.operation << " not called: ";
      } else if (error.kernel.empty() && error.stage == Stage::construction) {
        out << (detail::is_about_data(error.code) ? "Refused: " : "Launch configuration refused: ");
      } else {
        out << "Kernel '" << kernel << "' not launched: ";
      }
      detail::put_reason(out, error);
      if (has_shape) {
        detail::put_launch(out, error);
        detail::put_site(out, error, ", at ");
      } else {
        detail::put_site(out, error, "\n  at ");
      }
      detail::put_suggestion(out, error);
      break;
    case Stage::launch:
      out << "Kernel '" << kernel << "' launch failed: " << error.raw_name
          << " (grid=" << error.grid << ", block=" << error.block << ')';
      if (error.code != Errc::launch_refused) {
        out << "\n  ";
        detail::put_reason(out, error);
      }
      detail::put_site(out, error, "\n  at ");
      break;
    case Stage::completion:
      if (error.code == Errc::reference_differs) {
        out << "Kernel '" << kernel << "' ran and is wrong: ";
      } else if (error.kernel.empty()) {
        out << "Device synchronization failed: ";
      } else {
        out << "Device synchronization failed after kernel '" << error.kernel << "': ";
      }
      detail::put_reason(out, error);
      detail::put_site(out, error, "\n  at ");
      break;
    case Stage::runtime_call:
      if (error.code == Errc::capture_broken && error.value != 0) {
        out << "Graph capture broken " << (error.value == 1 ? "by " : "before ");
        if (error.kernel.empty()) {
          out << '\'' << error.operation << '\'';
        } else {
          out << "the launch of kernel '" << error.kernel << '\'';
        }
        out << ": ";
      } else if (!error.operation.empty()) {
        out << error.operation << " failed: ";
      }
      detail::put_reason(out, error);
      if (error.raw != 0) {
        out << " (";
        if (!error.raw_name.empty() && !error.raw_text.empty()) out << error.raw_name << ", ";
        out << error.raw << ')';
      }
      detail::put_site(out, error,
                       error.code == Errc::capture_unjoined && error.stream != nullptr
                           ? "\n  it joined at "
                           : "\n  at ");
      break;
  }
  if (error.severity == Severity::context_lost) {
    out << "\n  the device's context is lost: every later call of this process fails; restart it";
  }
  if (error.incident != 0) {
    if (const detail::DebugHooks* const hooks = detail::debug_hooks()) {
      hooks->put_suspects(out, error);
    }
  }
  if (error.blocking_was_on)
    out << "\n  (a launch-blocking mode was on: timing was not the usual one)";
  return out.size();
}

}  // namespace warpsafe

#endif
