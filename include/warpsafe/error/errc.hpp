// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// What went wrong. These codes are the library's own, because a vendor's codes for one mistake
/// differ between vendors and releases. LaunchError also holds the raw code. The numbers never
/// change, and none is 0. The rows of detail/launch_rows.hpp and detail/runtime_rows.hpp are the
/// codes, with number, meaning, text and remedy; docs/reference/errors.md shows them.
enum class Errc : std::uint8_t {
#define WARPSAFE_ERROR(number, name, meaning, reason) name = (number),
#include <warpsafe/error/detail/launch_rows.hpp>
#include <warpsafe/error/detail/runtime_rows.hpp>
#undef WARPSAFE_ERROR
};

/// Distinguishes the cases of a code that has several.
enum class Subcode : std::uint8_t {
  none,
  // Errc::dimension_negative: which dimensions; ::block_zero, ::block_axis_too_large: cluster_axis.
  grid_axis,
  block_axis,
  cluster_axis,
  // Errc::index_overflow: what the kernel's index type cannot count; `none` means the threads.
  elements,              ///< the elements that the grid covers
  threads_assumed_int,   ///< the threads, by a kernel that declares no index type
  elements_assumed_int,  ///< the elements, by a kernel that declares no index type
  // Errc::grid_too_large, ::axis_threads_too_many, of a grid that covers a size.
  block_per_item,  ///< each item of the size has a block
  // Errc::shared_too_large.
  opt_in_included,  ///< `limit` applies with the kernel's opt-in attribute raised
  // Errc::no_kernel_image.
  in_module,  ///< the module, not the program, has no code for the device
  // Errc::signature_mismatch: what differs.
  parameter_count,
  parameter_size,
  parameter_offset,
  parameter_type,
  // Errc::stream_wrong_device.
  two_events,  ///< time between events of two devices
  borrowed,    ///< the device that `StreamRef::borrow` was given
  // Errc::stream_null.
  stream_closed,     ///< the Stream was moved from or closed
  stream_destroyed,  ///< the Stream that a StreamRef refers to was destroyed
  // Errc::stream_capturing.
  other_stream,  ///< a stream other than the call's own captures, or is bound
  host_result,   ///< a library would write its result to the host in each launch of the graph
  // Errc::capture_broken.
  broken_by_call,      ///< by the call that `operation` or `kernel` names
  broken_before_call,  ///< before the call that `operation` or `kernel` names; that call noticed
  // Errc::occupancy_mismatch: what differs; `none` means the kernel.
  cap_device,
  cap_threads,
  cap_bytes,
  // Errc::memory_closed, ::memory_wrong_device.
  in_structure,  ///< the argument is a structure that holds an address of the memory
  at_host,       ///< managed memory that the host has until to_device()
  graph_idle,    ///< a graph allocates the memory, and has not run
  graph_lost,    ///< a graph would have allocated the memory, and cannot run any more
  // Errc::unsupported, then Errc::handle_pointer_mode.
  managed_memory,  ///< the host may not access managed memory while a kernel runs
  in_descriptor,   ///< the mode is that of the call's descriptor
};

/// What an error leaves behind.
enum class Severity : std::uint8_t {
  recoverable,   ///< nothing was launched, or only this call failed; the program can go on
  context_lost,  ///< the device's context is gone: every later call of this process fails
};

/// When the error was noticed.
enum class Stage : std::uint8_t {
  construction,  ///< when the value was made: nothing was launched
  validation,    ///< by a check of this library at the launch: nothing was launched
  launch,        ///< by the runtime, which refused the launch
  completion,    ///< by the runtime, at a synchronising call
  runtime_call,  ///< by any other call of the runtime
};

enum class Axis : std::uint8_t { x = 0, y = 1, z = 2, none = 3 };

/// The letter of an axis; `?` for Axis::none.
[[nodiscard]] constexpr char axis_letter(Axis axis) noexcept {
  return "xyz?"[static_cast<unsigned char>(axis) & 3U];
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
