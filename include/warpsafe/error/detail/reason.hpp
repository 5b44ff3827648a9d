// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/capture_types.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/error/error.hpp>

#include <cstdint>

namespace warpsafe::detail {

/// Whether the code stands for a runtime's status, and its own text would need numbers that the
/// runtime did not give.
constexpr bool lacks_numbers(const LaunchError& error) noexcept {
  if (error.raw == 0 || error.limit != 0) return false;
  return error.code == Errc::kernel_threads_exceeded || error.code == Errc::cluster_too_large ||
         error.code == Errc::cooperative_too_large || error.code == Errc::barrier_divergence ||
         (error.code == Errc::device_invalid && error.device < 0);
}

constexpr const char* graph_change_text(GraphChange change) noexcept {
  switch (change) {
    case GraphChange::topology:
      return "the new graph has other nodes, or other dependencies between them; instantiate() the "
             "new graph";
    case GraphChange::node_kind:
      return "a node became another kind of operation; instantiate() the new graph";
    case GraphChange::function:
      return "a kernel became one that its node cannot hold; instantiate() the new graph";
    case GraphChange::parameters:
      return "a parameter changed in a way that cannot be updated; instantiate() the new graph";
    case GraphChange::none:
    case GraphChange::unsupported:
    case GraphChange::unknown:
      break;
  }
  return "the runtime cannot make this change; instantiate() the new graph";
}

/// What is wrong, in one clause: the value, the limit, the way out where it fits the line. The
/// error's own fields stand in braces (put_field).
// Texts with fields, and no code that writes them one by one: that is read, and compiled, in a
// fraction of the time, in each translation unit that launches with checks.
constexpr const char* reason_text(const LaunchError& error) noexcept {
  if (lacks_numbers(error)) return "{runtime}";
  const bool in_x = error.axis == Axis::x;
  switch (error.code) {
    case Errc::size_zero:
      return "the size to cover is 0; cover_or_empty is for sizes that may be zero";
    case Errc::size_negative:
      return "the size is -{value}{in axis}; a size is at least 0";
    case Errc::size_overflow:
      return "the extent {value} x {limit} x {extra} is more than 18446744073709551615 elements; "
             "cover a part at a time";
    case Errc::bytes_overflow:
      return "{value} elements of {limit} bytes do not fit in 64 bits";
    case Errc::size_mismatch:
      return "{value} elements where {limit} are needed";
    case Errc::size_not_multiple:
      return "size {value}{in axis} is not a multiple of the {limit} items of one block: {rest} "
             "left over; use cover and check the bound in the kernel";
    case Errc::grid_zero:
      return "grid.{axis} {value} invalid (limit: 1..{limit}); a grid of no blocks runs nothing, "
             "and the runtime refuses it";
    case Errc::grid_too_large:
      return in_x ? "grid.{axis} {value} invalid (limit: 1..{limit}); give each thread more items "
                    "(items_per_thread<N>), or use grid_stride"
                  : "grid.{axis} {value} invalid (limit: 1..{limit}); put the long axis in x "
                    "(limit 2147483647)";
    case Errc::block_zero:
    case Errc::block_axis_too_large:
      return error.limit_is_floor || error.device >= 0
                 ? "block.{axis} {value} invalid (limit: 1..{limit}), a limit{owner}"
                 : "block.{axis} {value} invalid (limit: 1..{limit})";
    case Errc::block_too_large:
      return "block={block} is {value} threads, limit {limit} (maxThreadsPerBlock{owner})";
    case Errc::dimension_negative:
      return error.extra == 0   ? "grid.{axis} is -{value}; a dimension is at least 1"
             : error.extra == 1 ? "block.{axis} is -{value}; a dimension is at least 1"
                                : "cluster.{axis} is -{value}; a dimension is at least 1";
    case Errc::axis_threads_too_many:
      return "grid.{axis} times block.{axis} is {value} threads, limit {limit} in each axis on "
             "AMD; give each thread more items, or use grid_stride";
    case Errc::index_overflow:
      // extra: 1 where it is the items of the grid that are counted, 2 where the kernel declares no
      // index type.
      switch (error.extra) {
        case 0:
          return "the grid has {value} threads, more than the kernel's index type counts (limit "
                 "{limit}); index in 64 bits and declare index<std::uint64_t>";
        case 1:
          return "the grid covers {value} elements, more than the kernel's index type counts (limit "
                 "{limit}); index in 64 bits and declare index<std::uint64_t>";
        case 2:
          return "the grid has {value} threads, and the kernel does not declare that it counts "
                 "beyond an int (limit {limit}); index in 64 bits, as thread_index() and "
                 "grid_stride(n) do, and declare index<std::uint64_t>";
        default:
          return "the grid covers {value} elements, and the kernel does not declare that it counts "
                 "beyond an int (limit {limit}); index in 64 bits, as thread_index() and "
                 "grid_stride(n) do, and declare index<std::uint64_t>";
      }
    case Errc::kernel_threads_exceeded:
      return "block={block} is {value} threads, limit {limit} (this kernel's launch bounds and "
             "registers{owner})";
    case Errc::block_not_multiple:
      return "block={block} is {value} threads, not a multiple of {limit}, which the kernel "
             "requires";
    case Errc::warp_size_mismatch:
      return "the kernel is written for warps of {limit} threads, warps{owner} have {value}";
    case Errc::not_a_kernel:
      return "the runtime does not know this function as a kernel: it is a plain function, or its "
             "code is in a shared object with another copy of the runtime";
    case Errc::no_kernel_image:
      // A module's: raw_text says what the image holds.
      if (error.extra != 0) {
        return error.value != 0 ? "the module has no code for {device} (sm_{value}): it holds "
                                  "{runtime}; build it for that, or with PTX"
                                : "the module has no code for {device}: it holds {runtime}; build "
                                  "it for that";
      }
      if (error.device < 0) {
        return error.value != 0 ? "the program has no code for this device (sm_{value}); add its "
                                  "architecture to the build"
                                : "the program has no code for this device; add its architecture "
                                  "to the build";
      }
      return error.value != 0 ? "the program has no code for {device} (sm_{value}); add its "
                                "architecture to the build"
                              : "the program has no code for {device}; add its architecture to the "
                                "build";
    case Errc::module_unreadable:
    case Errc::kernel_not_found:
      return "{runtime}";
    case Errc::module_invalid:
      return "the runtime cannot load the image: {runtime}";
    case Errc::module_wrong_device:
      return "the module was loaded on device {limit}, the stream belongs to device {value}; load "
             "it there too, with that device current";
    case Errc::signature_mismatch:
      // extra: the parameter, from 1; held: 0 the number of parameters, 1 bytes, 2 offset.
      return error.held == 0   ? "the kernel takes {limit} parameters, the declared signature has "
                                 "{value}"
             : error.held == 1 ? "parameter {extra} of the kernel takes {limit} bytes, that of the "
                                 "declared signature {value}"
                               : "parameter {extra} of the kernel is at byte {limit}, that of the "
                                 "declared signature at {value}";
    case Errc::shared_negative:
      return "shared memory for -{value} elements; a count is at least 0";
    case Errc::shared_overflow:
      return "shared memory for {value} elements of {limit} bytes does not fit in 64 bits";
    case Errc::shared_too_large:
      return error.opt_in_included
                 ? "Shared memory {value} bytes exceeds limit {limit} ({extra} static + {dynamic} "
                   "dynamic, opt-in included): {too many} too many"
                 : "Shared memory {value} bytes exceeds limit {limit} ({extra} static + {dynamic} "
                   "dynamic, no opt-in on this device): {too many} too many";
    case Errc::shared_not_opted_in:
      return "{value} bytes of dynamic shared memory, limit {limit} until the kernel's attribute "
             "is raised (cudaFuncSetAttribute, MaxDynamicSharedMemorySize); launch() raises it by "
             "itself";
    case Errc::shared_missing:
      return "the kernel needs {limit} bytes of dynamic shared memory, the launch gives {value}; "
             "add shared<T>(count) to the configuration";
    case Errc::cluster_not_divisor:
      return "grid.{axis} {value} is not a multiple of cluster.{axis} {limit}";
    case Errc::cluster_too_large:
      return "a cluster of {value} blocks, limit {limit} (cluster size{owner})";
    case Errc::cluster_unsupported:
      return "clusters of blocks do not exist on this device (cluster size limit 0{owner})";
    case Errc::cooperative_unsupported:
      return "cooperative launches do not exist on this device (cooperativeLaunch 0{owner})";
    case Errc::cooperative_too_large:
      return "a cooperative grid of {value} blocks, limit {limit} (blocks that are resident at "
             "once{owner}); use grid_stride with at most that many blocks";
    case Errc::argument_negative:
      return "argument {extra} is -{value}, and the parameter is unsigned";
    case Errc::argument_host_pointer:
      return "argument {extra} is host memory, which the device cannot read; pass a device "
             "buffer's view, or pinned or managed memory";
    case Errc::argument_misaligned:
      return "a pointer is aligned to {value} bytes, its type needs {limit}";
    case Errc::stream_wrong_device:
      return "the stream belongs to device {limit}, the current device is {value}; make it current "
             "with DeviceGuard";
    case Errc::stream_null:
      return error.extra != 0
                 ? "this Stream was moved from or closed; use the one that it was moved to"
                 : "stream 0 is the default stream, which other code uses too; create a Stream";
    case Errc::stream_capturing:
      return error.value == 0 ? "the stream is capturing a graph, and this would break the capture"
                              : "a graph is being captured, and this would break the capture";
    case Errc::capture_broken:
      // 1: by the call that `operation` or `kernel` names; 2: by another one before it.
      return error.value == 0   ? "the capture is broken already, by an earlier call"
             : error.value == 1 ? "{runtime}"
                                : "it was broken by then, by a call that did not go through this "
                                  "library";
    case Errc::capture_unjoined:
      return error.stream != nullptr
                 ? "stream {stream} joined the capture, and the stream that captures does not wait "
                   "for its work; before the end: wait(stream, other.record())"
                 : "a stream joined the capture, and the stream that captures does not wait for "
                   "its work; before the end: wait(stream, other.record())";
    case Errc::capture_merged:
      return "the event belongs to another capture: two captures cannot wait for each other";
    case Errc::capture_isolation:
      return "the event was recorded outside the capture, and a graph cannot wait for it; wait "
             "before the capture begins, or on the stream that launches the graph";
    case Errc::captured_event:
      return "the event was recorded in a capture: nothing will reach it; wait for a launch of the "
             "graph instead";
    case Errc::capture_unmatched:
      return "the stream did not begin a capture, or other code has ended it";
    case Errc::capture_wrong_thread:
      return "another thread began the capture; only with CaptureMode::relaxed may one thread end "
             "what another began";
    case Errc::graph_update_refused:
      return graph_change_text(static_cast<GraphChange>(error.value));
    case Errc::graph_memory_freed:
      return "memory at {address}, which a captured kernel uses, was freed; give the buffer to the "
             "capture with keep(), or capture again";
    case Errc::device_invalid:
      return "device {ordinal} does not exist";
    case Errc::no_device:
      return error.raw != 0 ? "no device was found: {runtime}" : "no device was found";
    case Errc::handle_stream_changed:
      return "the handle was set to another stream behind the back of its StreamBound; use rebind";
    case Errc::handle_busy:
      return "another thread is in this handle right now; give each thread a handle of its own";
    case Errc::handle_pointer_mode:
      return "the handle's pointer mode does not fit these scalars: those of one call are all "
             "host_scalar or all device_scalar, and nobody else sets the mode";
    case Errc::handle_moved:
      return "this StreamBound was moved from or closed; use the one that it was moved to";
    case Errc::handle_partly_bound:
      return "the stream did not reach inner handle {value} of {limit}, which would run on another; "
             "handle_traits::set_stream has to set each";
    case Errc::reference_differs:
      return "argument {extra} is not what its reference computes: {value} of {limit} numbers differ";
    case Errc::pending_taken:
      return "the value of this Pending was handed out or moved away before; it is had once";
    case Errc::library_failed:
      return "{library}";
    case Errc::launch_refused:
    case Errc::execution_failed:
    case Errc::runtime_failed:
      return "{runtime}";
    case Errc::device_check_failed:
      return "check '{runtime}' failed in block {grid}, thread {block}, at {operation}:{value}";
    case Errc::pending_error:
      return "an error was pending before this call: {runtime}";
    case Errc::wait_timed_out:
      return "the wait was given up after {value} ms (WARPSAFE_TIMEOUT), and the work may still run";
    case Errc::out_of_memory:
      return error.limit != 0   ? "out of memory: {value} bytes asked, {extra} of {limit} bytes "
                                  "free on the device; this program's buffers hold {held}"
             : error.value != 0 ? "out of memory: {value} bytes asked"
                                : "out of memory";
    case Errc::unsupported:
      // Without an answer of the runtime: managed memory.
      return error.raw != 0 ? "not supported: {runtime}"
                            : "the host may not touch managed memory of this device while a kernel "
                              "runs (concurrentManagedAccess is 0); use a DeviceBuffer";
    case Errc::barrier_divergence:
      return "sync_block() was reached by {value} of {limit} threads of a block; every thread of "
             "the block must reach it";
  }
  return "";
}

inline void put_device(TextBuffer& out, const LaunchError& error) noexcept {
  out << "device " << error.device;
  if (!error.device_name.empty()) out << " '" << error.device_name << '\'';
}

/// Writes the field that a text names in braces.
inline void put_field(TextBuffer& out, Name field, const LaunchError& error) noexcept {
  const auto is = [&](const char* text) { return field == Name::of(text); };
  if (is("value")) {
    out << error.value;
  } else if (is("limit")) {
    out << error.limit;
  } else if (is("extra")) {
    out << error.extra;
  } else if (is("axis")) {
    out << axis_letter(error.axis);
  } else if (is("in axis")) {
    if (error.axis != Axis::none) out << " in " << axis_letter(error.axis);
  } else if (is("block")) {
    out << error.block;
  } else if (is("grid")) {
    out << error.grid;
  } else if (is("operation")) {
    out << error.operation;
  } else if (is("owner")) {
    if (error.device >= 0) put_device(out << " of ", error);
    if (error.limit_is_floor) out << ", documented; the device reports none";
  } else if (is("device")) {
    put_device(out, error);
  } else if (is("runtime")) {
    out << error.raw_text;
  } else if (is("library")) {
    out << (error.raw_text.empty() ? error.raw_name : error.raw_text);
  } else if (is("ordinal")) {
    out << error.device;
  } else if (is("rest")) {
    out << (error.limit == 0 ? 0 : error.value % error.limit);
  } else if (is("dynamic")) {
    out << error.value - error.extra;
  } else if (is("too many")) {
    out << error.value - error.limit;
  } else if (is("held")) {
    out << error.held;
  } else if (is("stream")) {
    out << error.stream;
  } else if (is("address")) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): printed, never followed
    out << reinterpret_cast<const void*>(static_cast<std::uintptr_t>(error.value));
  }
}

/// Writes the reason_text with the fields put in.
inline void put_reason(TextBuffer& out, const LaunchError& error) noexcept {
  for (const char* text = reason_text(error); *text != '\0'; ++text) {
    if (*text != '{') {
      out << *text;
      continue;
    }
    const char* const field = ++text;
    while (*text != '}') ++text;
    put_field(out, {field, static_cast<std::size_t>(text - field)}, error);
  }
}

}  // namespace warpsafe::detail
