// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/capture_types.hpp>
#include <warpsafe/detail/debug_hooks.hpp>
#include <warpsafe/detail/fitting_block.hpp>
#include <warpsafe/detail/text.hpp>
#include <warpsafe/error.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe {
namespace detail {

inline void put_limit_owner(TextBuffer& out, const LaunchError& error) noexcept {
  if (error.device >= 0) {
    out << " of device " << error.device;
    if (!error.device_name.empty()) out << " '" << error.device_name << '\'';
  }
  if (error.limit_is_floor) out << ", documented; the device reports none";
}

inline void put_axis_range(TextBuffer& out, const char* space, const LaunchError& error) noexcept {
  out << space << '.' << axis_letter(error.axis) << ' ' << error.value << " invalid (limit: 1.."
      << error.limit << ')';
}

/// Whether the code stands for a runtime's status, and its own text would need numbers that the
/// runtime did not give.
inline bool lacks_numbers(const LaunchError& error) noexcept {
  if (error.raw == 0 || error.limit != 0) return false;
  switch (error.code) {
    case Errc::kernel_threads_exceeded:
    case Errc::cluster_too_large:
    case Errc::cooperative_too_large:
    case Errc::barrier_divergence:
      return true;
    case Errc::device_invalid:
      return error.device < 0;
    default:
      return false;
  }
}

/// A GraphChange as the update's error carries it.
inline void put_graph_change(TextBuffer& out, std::uint64_t change) noexcept {
  switch (static_cast<GraphChange>(change)) {
    case GraphChange::topology:
      out << "the new graph has other nodes, or other dependencies between them";
      break;
    case GraphChange::node_kind:
      out << "a node became another kind of operation";
      break;
    case GraphChange::function:
      out << "a kernel became one that its node cannot hold";
      break;
    case GraphChange::parameters:
      out << "a parameter changed in a way that cannot be updated";
      break;
    default:
      out << "the runtime cannot make this change";
  }
  out << "; instantiate() the new graph";
}

/// The reasons that are about captures and graphs.
inline void put_graph_reason(TextBuffer& out, const LaunchError& error) noexcept {
  switch (error.code) {
    case Errc::capture_broken:
      // 1: by the call that `operation` or `kernel` names; 2: by another one before it.
      if (error.value == 0) {
        out << "the capture is broken already, by an earlier call";
      } else if (error.value == 1) {
        out << error.raw_text;
      } else {
        out << "it was broken by then, by a call that did not go through this library";
      }
      return;
    case Errc::capture_unjoined:
      if (error.stream != nullptr) {
        out << "stream " << error.stream;
      } else {
        out << "a stream";
      }
      out << " joined the capture, and the stream that captures does not wait for its work; "
             "before the end: wait(stream, other.record())";
      return;
    case Errc::capture_merged:
      out << "the event belongs to another capture: two captures cannot wait for each other";
      return;
    case Errc::capture_isolation:
      out << "the event was recorded outside the capture, and a graph cannot wait for it; wait "
             "before the capture begins, or on the stream that launches the graph";
      return;
    case Errc::captured_event:
      out << "the event was recorded in a capture: nothing will reach it; wait for a launch of the "
             "graph instead";
      return;
    case Errc::capture_unmatched:
      out << "the stream did not begin a capture, or other code has ended it";
      return;
    case Errc::capture_wrong_thread:
      out << "another thread began the capture; only with CaptureMode::relaxed may one thread end "
             "what another began";
      return;
    case Errc::graph_update_refused:
      put_graph_change(out, error.value);
      return;
    default:
      out << "memory at " << reinterpret_cast<const void*>(static_cast<std::uintptr_t>(error.value))
          << ", which a captured kernel uses, was freed; give the buffer to the capture with "
             "keep(), or capture again";
      return;
  }
}

/// What is wrong, in one clause: the value, the limit, the way out where it fits the line.
inline void put_reason(TextBuffer& out, const LaunchError& error) noexcept {
  if (lacks_numbers(error)) {
    out << error.raw_text;
    return;
  }
  switch (error.code) {
    case Errc::size_zero:
      out << "the size to cover is 0; cover_or_empty is for sizes that may be zero";
      return;
    case Errc::size_negative:
      out << "the size is -" << error.value;
      if (error.axis != Axis::none) out << " in " << axis_letter(error.axis);
      out << "; a size is at least 0";
      return;
    case Errc::size_overflow:
      out << "the extent " << error.value << " x " << error.limit << " x " << error.extra
          << " is more than 18446744073709551615 elements; cover a part at a time";
      return;
    case Errc::bytes_overflow:
      out << error.value << " elements of " << error.limit << " bytes do not fit in 64 bits";
      return;
    case Errc::size_mismatch:
      out << error.value << " elements where " << error.limit << " are needed";
      return;
    case Errc::size_not_multiple:
      out << "size " << error.value;
      if (error.axis != Axis::none) out << " in " << axis_letter(error.axis);
      out << " is not a multiple of the " << error.limit
          << " items of one block: " << error.value % error.limit
          << " left over; use cover and check the bound in the kernel";
      return;
    case Errc::grid_zero:
    case Errc::grid_too_large:
      put_axis_range(out, "grid", error);
      if (error.code == Errc::grid_zero) {
        out << "; a grid of no blocks runs nothing, and the runtime refuses it";
      } else if (error.axis == Axis::x) {
        out << "; give each thread more items (items_per_thread<N>), or use grid_stride";
      } else {
        out << "; put the long axis in x (limit 2147483647)";
      }
      return;
    case Errc::block_zero:
    case Errc::block_axis_too_large:
      put_axis_range(out, "block", error);
      if (error.limit_is_floor || error.device >= 0) {
        out << ", a limit";
        put_limit_owner(out, error);
      }
      return;
    case Errc::block_too_large:
      out << "block=" << error.block << " is " << error.value << " threads, limit " << error.limit
          << " (maxThreadsPerBlock";
      put_limit_owner(out, error);
      out << ')';
      return;
    case Errc::dimension_negative:
      out << (error.extra == 0   ? "grid"
              : error.extra == 1 ? "block"
                                 : "cluster")
          << '.' << axis_letter(error.axis) << " is -" << error.value
          << "; a dimension is at least 1";
      return;
    case Errc::axis_threads_too_many:
      out << "grid." << axis_letter(error.axis) << " times block." << axis_letter(error.axis)
          << " is " << error.value << " threads, limit " << error.limit
          << " in each axis on AMD; give each thread more items, or use grid_stride";
      return;
    case Errc::index_overflow:
      out << "the grid has " << error.value
          << " threads, more than the kernel's index type counts (limit " << error.limit
          << "); declare index<std::uint64_t>, or give each thread more items";
      return;
    case Errc::kernel_threads_exceeded:
      out << "block=" << error.block << " is " << error.value << " threads, limit " << error.limit
          << " (this kernel's launch bounds and registers";
      put_limit_owner(out, error);
      out << ')';
      return;
    case Errc::block_not_multiple:
      out << "block=" << error.block << " is " << error.value << " threads, not a multiple of "
          << error.limit << ", which the kernel requires";
      return;
    case Errc::warp_size_mismatch:
      out << "the kernel is written for warps of " << error.limit << " threads, warps";
      put_limit_owner(out, error);
      out << " have " << error.value;
      return;
    case Errc::not_a_kernel:
      out << "the runtime does not know this function as a kernel: it is a plain function, or its code is "
             "in a shared object with another copy of the runtime";
      return;
    case Errc::no_kernel_image:
      out << "the program has no code for";
      if (error.device >= 0) {
        out << " device " << error.device;
        if (!error.device_name.empty()) out << " '" << error.device_name << '\'';
      } else {
        out << " this device";
      }
      if (error.value != 0) out << " (sm_" << error.value << ')';
      out << "; add its architecture to the build";
      return;
    case Errc::shared_negative:
      out << "shared memory for -" << error.value << " elements; a count is at least 0";
      return;
    case Errc::shared_overflow:
      out << "shared memory for " << error.value << " elements of " << error.limit
          << " bytes does not fit in 64 bits";
      return;
    case Errc::shared_too_large:
      out << "Shared memory " << error.value << " bytes exceeds limit " << error.limit << " ("
          << error.extra << " static + " << error.value - error.extra << " dynamic";
      if (!error.opt_in_included) {
        out << ", no opt-in on this device";
      } else {
        out << ", opt-in included";
      }
      out << "): " << error.value - error.limit << " too many";
      return;
    case Errc::shared_not_opted_in:
      out << error.value << " bytes of dynamic shared memory, limit " << error.limit
          << " until the kernel's attribute is raised (cudaFuncSetAttribute, "
             "MaxDynamicSharedMemorySize); launch() raises it by itself";
      return;
    case Errc::shared_missing:
      out << "the kernel needs " << error.limit
          << " bytes of dynamic shared memory, the launch gives " << error.value
          << "; add shared<T>(count) to the configuration";
      return;
    case Errc::cluster_not_divisor:
      out << "grid." << axis_letter(error.axis) << ' ' << error.value
          << " is not a multiple of cluster." << axis_letter(error.axis) << ' ' << error.limit;
      return;
    case Errc::cluster_too_large:
      out << "a cluster of " << error.value << " blocks, limit " << error.limit << " (cluster size";
      put_limit_owner(out, error);
      out << ')';
      return;
    case Errc::cluster_unsupported:
      out << "clusters of blocks do not exist on this device (";
      out << "cluster size limit 0";
      put_limit_owner(out, error);
      out << ')';
      return;
    case Errc::cooperative_unsupported:
      out << "cooperative launches do not exist on this device (";
      out << "cooperativeLaunch 0";
      put_limit_owner(out, error);
      out << ')';
      return;
    case Errc::cooperative_too_large:
      out << "a cooperative grid of " << error.value << " blocks, limit " << error.limit
          << " (blocks that are resident at once";
      put_limit_owner(out, error);
      out << "); use grid_stride with at most that many blocks";
      return;
    case Errc::argument_negative:
      out << "argument " << error.extra << " is -" << error.value
          << ", and the parameter is unsigned";
      return;
    case Errc::argument_host_pointer:
      out << "argument " << error.extra
          << " is host memory, which the device cannot read; pass a device "
             "buffer's view, or pinned or managed memory";
      return;
    case Errc::argument_misaligned:
      out << "a pointer is aligned to " << error.value << " bytes, its type needs " << error.limit;
      return;
    case Errc::stream_wrong_device:
      out << "the stream belongs to device " << error.limit << ", the current device is "
          << error.value << "; make it current with DeviceGuard";
      return;
    case Errc::stream_null:
      out << "stream 0 is the default stream, which other code uses too; create a Stream";
      return;
    case Errc::stream_capturing:
      out << (error.value == 0 ? "the stream is capturing a graph" : "a graph is being captured")
          << ", and this would break the capture";
      return;
    case Errc::capture_broken:
    case Errc::capture_unjoined:
    case Errc::capture_merged:
    case Errc::capture_isolation:
    case Errc::captured_event:
    case Errc::capture_unmatched:
    case Errc::capture_wrong_thread:
    case Errc::graph_update_refused:
    case Errc::graph_memory_freed:
      put_graph_reason(out, error);
      return;
    case Errc::device_invalid:
      out << "device " << error.device << " does not exist";
      return;
    case Errc::no_device:
      out << "no device was found";
      if (error.raw != 0) out << ": " << error.raw_text;
      return;
    case Errc::handle_stream_changed:
      out << "the handle was set to another stream behind the back of its StreamBound; use rebind";
      return;
    case Errc::handle_busy:
      out << "another thread is in this handle right now; give each thread a handle of its own";
      return;
    case Errc::handle_pointer_mode:
      out << "the handle's pointer mode does not fit these scalars: those of one call are all "
             "host_scalar or all device_scalar, and nobody else sets the mode";
      return;
    case Errc::handle_moved:
      out << "this StreamBound was moved from or closed; use the one that it was moved to";
      return;
    case Errc::pending_taken:
      out << "the value of this Pending was handed out or moved away before; it is had once";
      return;
    case Errc::library_failed:
      out << (error.raw_text.empty() ? error.raw_name : error.raw_text);
      return;
    case Errc::launch_refused:
    case Errc::execution_failed:
    case Errc::runtime_failed:
      out << error.raw_text;
      return;
    case Errc::pending_error:
      out << "an error was pending before this call: " << error.raw_text;
      return;
    case Errc::out_of_memory:
      out << "out of memory";
      if (error.value != 0) out << ": " << error.value << " bytes asked";
      if (error.limit != 0) {
        out << ", " << error.extra << " of " << error.limit << " bytes free on the device";
        out << "; this program's buffers hold " << error.held;
      }
      return;
    case Errc::unsupported:
      out << "not supported";
      if (error.raw != 0) out << ": " << error.raw_text;
      return;
    case Errc::barrier_divergence:
      out << "sync_block() was reached by " << error.value << " of " << error.limit
          << " threads of a block; every thread of the block must reach it";
      return;
  }
}

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
  out << "\n  grid=" << error.grid << ", block=" << error.block
      << ", shared=" << error.dynamic_shared << " bytes";
  if (error.stream != nullptr) out << ", stream " << error.stream;
}

inline void put_site(TextBuffer& out, const LaunchError& error, const char* before) noexcept {
  if (error.site.file != nullptr) out << before << error.site;
}

}  // namespace detail

/// Writes the text of `error` into `buffer` of `capacity` bytes (at least 1; 1024 hold every
/// message of a name of ordinary length, 4096 those with suspects), cut to fit and always
/// terminated; returns the bytes written without the terminator. No allocation. "Not launched" is our check, "launch failed" the
/// runtime's.
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
      if (error.kernel.empty()) {
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
