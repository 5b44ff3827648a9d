// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>

namespace warpsafe {

/// What went wrong. Ours, not a vendor's: the vendors' codes for one mistake differ between vendors
/// and releases; LaunchError keeps the raw code beside it. The numbers never change, and no code
/// is 0. docs/errors.md gives cause and way out of each.
enum class Errc : std::uint8_t {
#define WARPSAFE_ERROR(number, name, meaning, reason) name = (number),
#include <warpsafe/error/detail/launch_rows.hpp>
#include <warpsafe/error/detail/runtime_rows.hpp>
#undef WARPSAFE_ERROR
};

/// Which case of its code an error is, where one code has several.
enum class Subcode : std::uint8_t {
  none,
  // Errc::dimension_negative: which dimensions.
  grid_axis,
  block_axis,
  cluster_axis,
  // Errc::index_overflow: what the kernel's index type cannot count; `none` is the threads.
  elements,              ///< the elements that the grid covers
  threads_assumed_int,   ///< the threads, by a kernel that declares no index type
  elements_assumed_int,  ///< the elements, by a kernel that declares no index type
  // Errc::shared_too_large.
  opt_in_included,  ///< `limit` is the one with the kernel's opt-in attribute raised
  // Errc::no_kernel_image.
  in_module,  ///< a module has no code for the device, not the program
  // Errc::signature_mismatch: what differs.
  parameter_count,
  parameter_size,
  parameter_offset,
  // Errc::stream_null.
  stream_closed,  ///< what is left of a Stream that was moved from or closed
  // Errc::stream_capturing.
  other_stream,  ///< another stream than the call's own captures
  // Errc::capture_broken.
  broken_by_call,      ///< by the call that `operation` or `kernel` names
  broken_before_call,  ///< before the call that `operation` or `kernel` names, which noticed
  // Errc::unsupported.
  managed_memory,  ///< the host may not touch it while a kernel runs
};

/// What an error leaves behind.
enum class Severity : std::uint8_t {
  recoverable,   ///< nothing was launched or the call failed alone; the program can go on
  context_lost,  ///< the device's context is gone: every later call of this process fails
};

/// When the error was noticed.
enum class Stage : std::uint8_t {
  construction,  ///< when the value was made: nothing was launched
  validation,    ///< by our check at the launch: nothing was launched
  launch,        ///< by the runtime, refusing the launch
  completion,    ///< by the runtime, at a synchronising call
  runtime_call,  ///< by any other call of the runtime
};

enum class Axis : std::uint8_t { x = 0, y = 1, z = 2, none = 3 };

/// The letter of an axis; `?` for Axis::none.
[[nodiscard]] constexpr char axis_letter(Axis axis) noexcept {
  return "xyz?"[static_cast<unsigned char>(axis) & 3U];
}

}  // namespace warpsafe
