// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// What went wrong. These codes are the library's own, because a vendor's codes for one mistake
/// differ between vendors and releases. LaunchError also holds the raw code. The numbers never
/// change, and none is 0. docs/reference/errors.md explains each code's cause and remedy.
enum class Errc : std::uint8_t {
  // docs/site/error_rows.py writes these lines from the rows in detail/.
  // clang-format off
  size_zero = 1,  ///< the size to cover is zero
  size_negative = 2,  ///< the size to cover is negative
  size_overflow = 3,  ///< the product of the extents does not fit in 64 bits
  bytes_overflow = 4,  ///< the size in bytes does not fit in 64 bits
  size_mismatch = 5,  ///< two sizes that must be equal are not
  size_not_multiple = 6,  ///< the size is not a multiple of the block
  grid_zero = 7,  ///< a grid axis is zero
  grid_too_large = 8,  ///< a grid axis is over its limit
  block_zero = 9,  ///< a block or cluster axis is zero
  block_axis_too_large = 10,  ///< a block or cluster axis is over its limit
  block_too_large = 11,  ///< too many threads per block
  dimension_negative = 12,  ///< a dimension is negative
  axis_threads_too_many = 13,  ///< 2^32 or more threads along one axis
  index_overflow = 14,  ///< more threads than the kernel's index type counts
  kernel_threads_exceeded = 15,  ///< more threads per block than this kernel allows
  block_not_multiple = 16,  ///< the block is not a multiple of what the kernel requires
  warp_size_mismatch = 17,  ///< the device's warp size is not what the kernel requires
  not_a_kernel = 18,  ///< the function is not a kernel that the runtime knows
  no_kernel_image = 19,  ///< there is no code for this device
  shared_negative = 20,  ///< the amount of shared memory is negative
  shared_overflow = 21,  ///< the amount of shared memory does not fit in 64 bits
  shared_too_large = 22,  ///< too much shared memory
  shared_not_opted_in = 23,  ///< the kernel's attribute does not allow this much dynamic shared memory
  shared_missing = 24,  ///< the kernel needs dynamic shared memory and is given too little
  cluster_not_divisor = 25,  ///< the cluster does not divide the grid
  cluster_too_large = 26,  ///< too many blocks in a cluster
  cluster_unsupported = 27,  ///< the device has no clusters
  cooperative_unsupported = 28,  ///< the device has no cooperative launches
  cooperative_too_large = 29,  ///< the cooperative grid cannot be resident at once
  argument_negative = 30,  ///< a negative argument for an unsigned parameter
  argument_host_pointer = 31,  ///< a host pointer was given to a kernel
  argument_misaligned = 32,  ///< a pointer is less aligned than its type
  stream_wrong_device = 33,  ///< the stream belongs to another device
  stream_null = 34,  ///< the default stream was given where a stream is needed
  stream_capturing = 35,  ///< the stream is capturing
  device_invalid = 36,  ///< the device does not exist
  no_device = 37,  ///< no device was found
  module_unreadable = 38,  ///< the file of a module cannot be read
  module_invalid = 39,  ///< the runtime cannot load the module
  module_wrong_device = 40,  ///< the module was loaded on another device
  kernel_not_found = 41,  ///< the module holds no kernel of that name
  signature_mismatch = 42,  ///< the kernel's parameters are not those of the declared signature
  capture_broken = 43,  ///< the capture was broken
  capture_unjoined = 44,  ///< a stream of the capture was not joined
  capture_merged = 45,  ///< two captures would become one
  capture_isolation = 46,  ///< a captured stream would wait for work outside its capture
  captured_event = 47,  ///< the event belongs to a capture
  capture_unmatched = 48,  ///< the stream did not begin a capture
  capture_wrong_thread = 49,  ///< the capture was begun by another thread
  graph_update_refused = 50,  ///< the executable graph cannot be updated with this graph
  graph_memory_freed = 51,  ///< memory that the graph uses was freed
  handle_stream_changed = 52,  ///< a library handle was set to another stream
  handle_busy = 53,  ///< two threads use one library handle at once
  handle_pointer_mode = 54,  ///< a library handle's pointer mode does not fit the scalars
  handle_moved = 55,  ///< a library handle was used after it was moved from or closed
  handle_partly_bound = 56,  ///< a handle inside a library handle is on another stream
  library_failed = 57,  ///< a library's function failed
  reference_differs = 58,  ///< the kernel's results are not those of its reference
  pending_taken = 59,  ///< the value of a Pending was already taken
  launch_refused = 60,  ///< the runtime refused the launch
  execution_failed = 61,  ///< work on the device failed
  device_check_failed = 62,  ///< a check in a kernel failed
  pending_error = 63,  ///< an error was pending before the launch
  wait_timed_out = 64,  ///< a wait lasted too long and was abandoned
  out_of_memory = 65,  ///< out of memory
  unsupported = 66,  ///< the runtime or the device does not support this
  runtime_failed = 67,  ///< a call of the runtime failed
  barrier_divergence = 68,  ///< not every thread of a block reached the same barrier
  part_outside = 69,  ///< a part of a view is outside the view
  copy_overlaps = 70,  ///< the source and the target of a copy overlap
  memory_closed = 71,  ///< a buffer was used after it was closed or moved from
  argument_empty = 72,  ///< a view without elements was given to a pointer parameter
  memory_wrong_device = 73,  ///< the device cannot access memory of another device
  event_moved = 74,  ///< an event was used after it was moved from
  device_not_chosen = 75,  ///< no device was chosen for a new stream
  occupancy_mismatch = 76,  ///< the grid's cap was computed for another launch
  graph_moved = 77,  ///< a graph was used after it was moved from or closed
  events_reversed = 78,  ///< the end event was recorded before the begin event
  priority_range = 79,  ///< the priority is outside of every device's range
  module_moved = 80,  ///< a module was used after it was moved from or closed
  handle_owned = 81,  ///< a library handle was adopted twice
  // clang-format on
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
  // Errc::capture_broken.
  broken_by_call,      ///< by the call that `operation` or `kernel` names
  broken_before_call,  ///< before the call that `operation` or `kernel` names; that call noticed
  // Errc::occupancy_mismatch: what differs; `none` means the kernel.
  cap_device,
  cap_threads,
  cap_bytes,
  // Errc::memory_closed, ::memory_wrong_device.
  in_structure,  ///< the argument is a structure that holds an address of the memory
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
