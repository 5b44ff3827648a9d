// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/capture_types.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/error/errc.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {

/// What a status of a runtime means here: a row of a backend's table. A status without a row is
/// Errc::runtime_failed.
struct StatusMeaning {
  int status;
  Errc code;
  Severity severity = Severity::recoverable;
};
template <std::size_t N>
[[nodiscard]] constexpr StatusMeaning meaning_of(int status,
                                                 const StatusMeaning (&rows)[N]) noexcept {
  for (const StatusMeaning& row : rows) {
    if (row.status == status) return row;
  }
  return {status, Errc::runtime_failed};
}

}  // namespace detail

/// The only dispatch layer. A backend is a struct with these static members. All are `noexcept`,
/// none is overloaded, and none clears the runtime's last error. Each call returns the runtime's
/// own status as an int, 0 for success. The rest of the library is written once over these names.
/// The members are those that the concept names.
///
/// Optional members, each with its default:
/// * `const DeviceLimits& floor`: the documented limits of every device (CUDA's)
/// * `bool runs_host_kernels`: kernels are functions of the host compiler, called through
///   KernelEntry::invoke (false: code of a device compiler)
/// * `bool limits_may_change`: limits of devices and kernels are queried every time (false: once)
/// * `bool device_count_is_fixed`: the number of devices is queried once, and in a process with one
///   device no call asks which one is current (false)
/// * `int illegal_state`: the status of a capture's begin on a stream that captures, and of its end
///   on one that does not; `int unknown_function`: the status of a query about a function that is
///   not a kernel (none)
/// * `launch_plain`: `launch` of a shape without attributes (`launch`)
/// * `bool waits_for_predecessor(const KernelLimits&)`: whether the kernel's loaded code waits for
///   its predecessor. If not, a dependent launch of it becomes an ordinary one (all code waits)
/// * `Name device_name(int device)`: the name alone (`limits_of`)
/// * `caller`, `enter_call`, `leave_call`: the backend records the user's line of each call, and
///   what the kernel of a launch may access (detail/call_scope.hpp)
/// * `bool is_scheduled()`: work runs only inside calls now, so repeated queries do not advance it
///   (false)
/// * `stream_id(native_stream, uint64_t& number)`: the runtime's own number of a stream, which no
///   other stream gets in the life of the program. Not called for streams that this library made,
///   for default streams and while the stream captures (streams that other code makes are known by
///   their handles, which may be used again)
/// * `bool default_is_per_thread`: the stream 0 is the calling thread's (false: the legacy stream)
/// * `native_stream legacy_stream()`: the handle of the current device's legacy stream (the value
/// 1)
/// * `bool event_ended(native_event)`: whether the work before the event's record has ended. It is
///   no call of the program: nothing runs in it, and it orders nothing (false)
/// * `symbol_address(void*&, const void* symbol)`: where a `__device__` variable is, for
///   WARPSAFE_DEVICE_CHECK (none)
/// * `can_access(int device, const void* memory, int memory_device, bool& answer)`: whether work of
///   `device` can access memory of another device, whichever is current (all memory can be
///   accessed)
/// * `pool_access(int device, int memory_device, bool& answer)`: the same for memory that the other
///   device's current pool allocates now. Called in the relaxed capture mode, when a capture
///   allocates (`can_access` is asked about such memory, too)
/// * `profile(bool on)`: starts or stops a profiler that waits for this call (none)
/// * `versions(int& driver, int& runtime)` and `toolkit_version`, for descriptions of a run (none)
///
/// Then write WARPSAFE_DECLARE_LAUNCH (declare_launch.hpp) for the backend.
template <class B>
concept Backend = requires(const KernelEntry& entry, const LaunchShape& shape, void** args,
                           void* memory, const void* source, typename B::native_stream& stream,
                           typename B::native_event& event, DeviceLimits& device_limits,
                           KernelLimits& kernel_limits, std::size_t& bytes, int& number, float& ms,
                           bool& flag, MemoryKind& kind, Vendor& vendor, Name& name, Errc& code,
                           Severity& severity, typename B::native_graph& graph,
                           typename B::native_graph_exec& exec, CaptureInfo& capture,
                           GraphChange& change) {
  // Facts.
  vendor = B::vendor;
  name = B::name;
  number = B::not_ready;       // the status of an unfinished query
  bytes = B::parameter_bytes;  // the most that a kernel's parameters may take
  flag = B::has_clusters;      // whether any device of the backend can have clusters of blocks

  // Errors.
  name = B::error_name(number);
  name = B::error_text(number);
  code = B::classify(number);  // this library's code for the runtime's status
  severity = B::severity_of(number);
  number = B::peek_last_error();

  // Devices.
  number = B::device_count(number);
  number = B::current_device(number);
  number = B::set_device(number);
  number = B::limits_of(number, device_limits);  // raw: 0 where the runtime reports nothing
  number = B::device_synchronize();
  number = B::memory_info(bytes, bytes);  // free, then in all

  // Kernels.
  number = B::attributes_of(entry, kernel_limits);
  number = B::raise_dynamic_shared(entry, std::uint64_t{});  // bytes
  // threads and dynamic bytes of a block; the number of blocks per multiprocessor
  number = B::resident_blocks(entry, std::uint32_t{}, std::uint64_t{}, number);
  number = B::max_cluster_blocks(entry, shape, number);
  number = B::launch(entry, shape, args, stream);

  // Streams, which are never ordered with the default stream, and events.
  number = B::stream_create(stream, number);  // the priority
  number = B::stream_destroy(stream);
  number = B::stream_synchronize(stream);
  number = B::stream_query(stream);
  number = B::stream_device(stream, number);
  number = B::stream_capturing(stream, flag);
  number = B::stream_wait(stream, event);
  number = B::event_create(event, flag);  // whether it is timed
  number = B::event_destroy(event);
  number = B::event_record(event, stream);
  number = B::event_synchronize(event);
  number = B::event_query(event);
  number = B::event_elapsed(ms, event, event);  // begin, end

  // Captures and graphs. In the mode `relaxed_capture`, no call of the thread breaks a capture of
  // another stream; exchange_capture_mode sets the calling thread's and returns the one before.
  number = B::capture_begin(stream, CaptureMode{});
  number = B::capture_end(stream, graph);
  number = B::capture_info(stream, capture);  // not while another thread uses the stream
  number = B::capture_state(stream, capture.state);
  number = B::graph_nodes(graph, bytes);
  number = B::graph_destroy(graph);
  number = B::graph_instantiate(exec, graph);
  number = B::graph_exec_destroy(exec);
  number = B::graph_launch(exec, stream);
  number = B::graph_update(exec, graph, change);
  number = B::relaxed_capture;
  number = B::exchange_capture_mode(number);

  // Memory. Sizes and pitches are in bytes; the target comes first.
  number = B::allocate(memory, bytes, stream);
  number = B::deallocate(memory, stream);
  number = B::host_allocate(memory, bytes);  // pinned
  number = B::host_deallocate(memory);
  number = B::copy(memory, source, bytes, CopyKind{}, stream);
  // to, to_pitch, from, from_pitch, width, rows
  number = B::copy_2d(memory, bytes, source, bytes, bytes, bytes, CopyKind{}, stream);
  number = B::fill(memory, static_cast<unsigned char>(0), bytes, stream);
  number = B::copy_peer(memory, number, source, number, bytes, stream);  // with the devices
  number = B::pointer_kind(source, kind, number);                        // and the device

  // Memory in no stream's order, on the current device.
  number = B::has_memory_pools(number, flag);  // whether `allocate` works on that device
  number = B::allocate_unordered(memory, bytes);
  number = B::allocate_managed(memory, bytes);
  number = B::deallocate_unordered(memory);  // for both
};

/// A backend's calls about modules. Its specialisation is in a header of the backend, such as
/// backend/cuda/module_calls.hpp. The static members are all noexcept, and statuses are the
/// runtime's own:
/// * `native_module`, a pointer or a small value; `per_device`, whether a module belongs to the
///   device that was current; `kernel_calls`, the backend itself, or what takes its place where a
///   function of a module is passed; `is_image_of<Element>`, whether an image may consist of such
///   elements
/// * `module_load(native_module&, const unsigned char* image, size_t bytes, char* log, size_t
///   log_bytes)`: zeros follow the image, which stays in place until `module_unload(native_module)`
/// * `module_function(native_module, const char* name, KernelEntry&)` sets `function` and `invoke`;
///   `not_found(int status)` tells whether the module lacks that function
/// * `lists_names`: whether the runtime lists a module's kernels. If it does,
///   `module_names(native_module, visit)` calls `visit(Name)` for each one
/// * `kernel_parameter(const KernelEntry&, size_t index, size_t& offset, size_t& size)`: where a
///   parameter lies in the block that the device reads, in bytes; 0 if there is one.
///   `tells_parameters()`: whether the runtime can be asked
template <class B>
struct ModuleCalls;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
