// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>

namespace warpsafe {

/// What went wrong. Ours, not a vendor's: the vendors' codes for one mistake differ between vendors
/// and releases; LaunchError keeps the raw code beside it. docs/errors.md gives cause and way out
/// of each.
enum class Errc : std::uint8_t {
  // The size that a grid was to cover (SafeGrid).
  size_zero = 1,      ///< nothing to cover; `cover_or_empty` is for sizes that may be zero
  size_negative,      ///< a signed size below zero
  size_overflow,      ///< the product of the extents does not fit in 64 bits
  bytes_overflow,     ///< elements times their size does not fit in 64 bits
  size_mismatch,      ///< two sizes that must be equal are not
  size_not_multiple,  ///< `cover_exact`: the last block would be partial
  // Dimensions.
  grid_zero,              ///< a grid axis of 0 blocks
  grid_too_large,         ///< a grid axis over the limit
  block_zero,             ///< a block axis of 0 threads
  block_axis_too_large,   ///< a block axis over the device's limit for that axis
  block_too_large,        ///< more threads in the block than the device allows
  dimension_negative,     ///< a grid, block or cluster axis (extra: 0, 1, 2) below zero
  axis_threads_too_many,  ///< AMD: gridDim * blockDim of one axis is 2^32 or more
  index_overflow,         ///< more threads than the kernel's index type can count
  // The kernel's own limits and declared needs.
  kernel_threads_exceeded,  ///< over __launch_bounds__, or over what the kernel's registers allow
  block_not_multiple,       ///< the kernel declares block_multiple_of<N>
  warp_size_mismatch,       ///< the kernel declares requires_warp<N>, the device has another
  not_a_kernel,     ///< the function is no kernel of this program, or its image is not loaded
  no_kernel_image,  ///< the program holds no code for this device
  // Dynamic shared memory.
  shared_negative,      ///< a negative count
  shared_overflow,      ///< count * sizeof(T) does not fit in 64 bits
  shared_too_large,     ///< static + dynamic over the device's limit
  shared_not_opted_in,  ///< over what the kernel's attribute allows now (code as written)
  shared_missing,       ///< the kernel declares needs_shared<T>, the launch gives less
  // Clusters, cooperative launches.
  cluster_not_divisor,      ///< the cluster does not divide the grid
  cluster_too_large,        ///< more blocks in a cluster than the device allows
  cluster_unsupported,      ///< the device has no clusters
  cooperative_unsupported,  ///< the device has no cooperative launch
  cooperative_too_large,    ///< more blocks than can be resident at once
  // Arguments.
  argument_negative,      ///< a negative value for an unsigned parameter
  argument_host_pointer,  ///< `trust` was given memory that the device cannot read
  argument_misaligned,    ///< a pointer that is less aligned than its type promises
  // Streams and devices.
  stream_wrong_device,  ///< the stream belongs to another device than the current one
  stream_null,          ///< a default stream (0) where a real stream is needed
  stream_capturing,     ///< an operation that is not allowed while the stream captures
  device_invalid,       ///< no such device
  no_device,            ///< no device, or no driver, at all
  // Modules: kernels that are loaded by name.
  module_unreadable,    ///< the file of the image cannot be read
  module_invalid,       ///< the runtime cannot load the image
  module_wrong_device,  ///< the module was loaded on another device than the stream's
  kernel_not_found,     ///< the module holds no kernel of that name
  signature_mismatch,   ///< the kernel's parameters are others than the signature declares
  // Captures and graphs.
  capture_broken,        ///< a call that captures do not allow has broken the capture
  capture_unjoined,      ///< a stream that joined the capture has work that nothing waits for
  capture_merged,        ///< a wait would tie two captures together
  capture_isolation,     ///< a captured stream was to wait for work outside the capture
  captured_event,        ///< the host was to wait for, or ask about, an event of a capture
  capture_unmatched,     ///< the stream does not capture, or another stream began the capture
  capture_wrong_thread,  ///< the capture was begun by another thread
  graph_update_refused,  ///< the executable graph cannot take over what the other graph does
  graph_memory_freed,    ///< memory that a captured kernel uses was freed
  // Library handles (StreamBound).
  handle_stream_changed,  ///< somebody set another stream on the handle behind its back
  handle_busy,            ///< two threads are in one handle at once
  handle_pointer_mode,    ///< scalars on host and device in one call, or the handle's mode was
                          ///< changed
  handle_moved,           ///< the handle was moved away, or closed
  handle_partly_bound,    ///< setting the stream did not reach every handle inside this one
  library_failed,         ///< the library's function returned an error
  // Comparisons.
  reference_differs,  ///< WARPSAFE_SHADOW: the kernel's results are not those of its reference
  // Copies.
  pending_taken,  ///< the value of a Pending was handed out, or moved away, before
  // What the runtime said.
  launch_refused,       ///< the runtime refused the launch for a reason that is not one above
  execution_failed,     ///< work that was already running failed; the call that noticed is innocent
  device_check_failed,  ///< a WARPSAFE_DEVICE_CHECK in a kernel; the context is whole
  pending_error,   ///< the same, noticed by a launch: it failed before this one, which never ran
  wait_timed_out,  ///< a wait was given up (WARPSAFE_TIMEOUT); the work may still run
  out_of_memory,   ///< the allocation does not fit
  unsupported,     ///< the runtime or the device cannot do this at all
  runtime_failed,  ///< any other call of the runtime failed
  // The host backend's own findings.
  barrier_divergence,  ///< not every thread of the block reached the same sync_block()
};

/// What an error leaves behind.
enum class Severity : std::uint8_t {
  recoverable,   ///< nothing was launched or the call failed alone; the program can go on
  context_lost,  ///< the device's context is gone: every later call of this process fails
};

/// At which moment it was noticed.
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
