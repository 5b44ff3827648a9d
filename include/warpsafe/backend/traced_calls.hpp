// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/detail/calls_at.hpp>

// nvcc's device compiler makes no calls of the host (calls_at.hpp).
#if !defined(__CUDA_ARCH__)

#include <warpsafe/detail/runtime_call.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::detail {

/// The questions that a launch may ask of a backend, told as TracedCalls tells all calls. The three
/// that every launch has are told by the tracer's own functions, which are compiled where it is.
template <class Raw>
struct TracedQuestions : Raw {
  static int current_device(int& device) noexcept {
    const CallTracer* const tracer = call_tracer();
    if (tracer == nullptr) [[likely]]
      return Raw::current_device(device);
    return tracer->number(*tracer, call_of<Raw>(RuntimeCall::current_device), &Raw::current_device,
                          device);
  }
  static int limits_of(int device, DeviceLimits& limits) noexcept {
    const CallTracer* const tracer = call_tracer();
    if (tracer == nullptr) [[likely]]
      return Raw::limits_of(device, limits);
    return tracer->limits(*tracer, call_of<Raw>(RuntimeCall::limits_of), &Raw::limits_of, device,
                          limits);
  }
  static int attributes_of(const KernelEntry& kernel, KernelLimits& limits) noexcept {
    const CallTracer* const tracer = call_tracer();
    if (tracer == nullptr) [[likely]]
      return Raw::attributes_of(kernel, limits);
    return tracer->kernel(*tracer, call_of<Raw>(RuntimeCall::attributes_of), &Raw::attributes_of,
                          kernel, limits);
  }
  static int raise_dynamic_shared(const KernelEntry& kernel, std::uint64_t bytes) noexcept {
    return traced<Raw>(RuntimeCall::raise_dynamic_shared, &Raw::raise_dynamic_shared, kernel,
                       bytes);
  }
  static int resident_blocks(const KernelEntry& kernel, std::uint32_t threads,
                             std::uint64_t dynamic_bytes, int& per_multiprocessor) noexcept {
    return traced<Raw>(RuntimeCall::resident_blocks, &Raw::resident_blocks, kernel, threads,
                       dynamic_bytes, per_multiprocessor);
  }
  static int max_cluster_blocks(const KernelEntry& kernel, const LaunchShape& shape,
                                int& blocks) noexcept {
    return traced<Raw>(RuntimeCall::max_cluster_blocks, &Raw::max_cluster_blocks, kernel, shape,
                       blocks);
  }
  static int pointer_kind(const void* memory, MemoryKind& kind, int& device) noexcept {
    return traced<Raw>(RuntimeCall::pointer_kind, &Raw::pointer_kind, memory, kind, device);
  }
};

/// The calls of a backend (backend.hpp) through which WARPSAFE_LOG=trace sees them, for code of
/// level full alone (CallsAt). While the trace is off that is a load and a test beside each call.
template <class Raw>
struct TracedCalls : TracedQuestions<Raw> {
  using native_stream = typename Raw::native_stream;
  using native_event = typename Raw::native_event;
  using native_graph = typename Raw::native_graph;
  using native_graph_exec = typename Raw::native_graph_exec;

  static int versions(int& driver, int& runtime) noexcept {
    return traced<Raw>(RuntimeCall::versions, &Raw::versions, driver, runtime);
  }
  static int device_count(int& count) noexcept {
    return traced<Raw>(RuntimeCall::device_count, &Raw::device_count, count);
  }
  static int set_device(int device) noexcept {
    return traced<Raw>(RuntimeCall::set_device, &Raw::set_device, device);
  }
  static int device_synchronize() noexcept {
    return traced<Raw>(RuntimeCall::device_synchronize, &Raw::device_synchronize);
  }
  static int memory_info(std::size_t& free_bytes, std::size_t& total_bytes) noexcept {
    return traced<Raw>(RuntimeCall::memory_info, &Raw::memory_info, free_bytes, total_bytes);
  }
  static int stream_create(native_stream& stream, int priority) noexcept {
    return traced<Raw>(RuntimeCall::stream_create, &Raw::stream_create, stream, priority);
  }
  static int stream_destroy(native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::stream_destroy, &Raw::stream_destroy, stream);
  }
  static int stream_synchronize(native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::stream_synchronize, &Raw::stream_synchronize, stream);
  }
  static int stream_query(native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::stream_query, &Raw::stream_query, stream);
  }
  static int stream_device(native_stream stream, int& device) noexcept {
    return traced<Raw>(RuntimeCall::stream_device, &Raw::stream_device, stream, device);
  }
  static int stream_capturing(native_stream stream, bool& capturing) noexcept {
    return traced<Raw>(RuntimeCall::stream_capturing, &Raw::stream_capturing, stream, capturing);
  }
  static int stream_wait(native_stream stream, native_event event) noexcept {
    return traced<Raw>(RuntimeCall::stream_wait, &Raw::stream_wait, stream, event);
  }
  static int event_create(native_event& event, bool timed) noexcept {
    return traced<Raw>(RuntimeCall::event_create, &Raw::event_create, event, timed);
  }
  static int event_destroy(native_event event) noexcept {
    return traced<Raw>(RuntimeCall::event_destroy, &Raw::event_destroy, event);
  }
  static int event_record(native_event event, native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::event_record, &Raw::event_record, event, stream);
  }
  static int event_synchronize(native_event event) noexcept {
    return traced<Raw>(RuntimeCall::event_synchronize, &Raw::event_synchronize, event);
  }
  static int event_query(native_event event) noexcept {
    return traced<Raw>(RuntimeCall::event_query, &Raw::event_query, event);
  }
  static int event_elapsed(float& ms, native_event begin, native_event end) noexcept {
    return traced<Raw>(RuntimeCall::event_elapsed, &Raw::event_elapsed, ms, begin, end);
  }
  static int allocate(void*& memory, std::size_t bytes, native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::allocate, &Raw::allocate, memory, bytes, stream);
  }
  static int deallocate(void* memory, native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::deallocate, &Raw::deallocate, memory, stream);
  }
  static int host_allocate(void*& memory, std::size_t bytes) noexcept {
    return traced<Raw>(RuntimeCall::host_allocate, &Raw::host_allocate, memory, bytes);
  }
  static int host_deallocate(void* memory) noexcept {
    return traced<Raw>(RuntimeCall::host_deallocate, &Raw::host_deallocate, memory);
  }
  static int copy(void* to, const void* from, std::size_t bytes, CopyKind kind,
                  native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::copy, &Raw::copy, to, from, bytes, kind, stream);
  }
  static int copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                     std::size_t width, std::size_t rows, CopyKind kind,
                     native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::copy_2d, &Raw::copy_2d, to, to_pitch, from, from_pitch, width,
                       rows, kind, stream);
  }
  static int fill(void* memory, unsigned char value, std::size_t bytes,
                  native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::fill, &Raw::fill, memory, value, bytes, stream);
  }
  static int copy_peer(void* to, int to_device, const void* from, int from_device,
                       std::size_t bytes, native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::copy_peer, &Raw::copy_peer, to, to_device, from, from_device,
                       bytes, stream);
  }
  static int has_memory_pools(int device, bool& answer) noexcept {
    return traced<Raw>(RuntimeCall::has_memory_pools, &Raw::has_memory_pools, device, answer);
  }
  static int allocate_unordered(void*& memory, std::size_t bytes) noexcept {
    return traced<Raw>(RuntimeCall::allocate_unordered, &Raw::allocate_unordered, memory, bytes);
  }
  static int allocate_managed(void*& memory, std::size_t bytes) noexcept {
    return traced<Raw>(RuntimeCall::allocate_managed, &Raw::allocate_managed, memory, bytes);
  }
  static int deallocate_unordered(void* memory) noexcept {
    return traced<Raw>(RuntimeCall::deallocate_unordered, &Raw::deallocate_unordered, memory);
  }
  static int exchange_capture_mode(int& mode) noexcept {
    return traced<Raw>(RuntimeCall::exchange_capture_mode, &Raw::exchange_capture_mode, mode);
  }
  static int capture_begin(native_stream stream, CaptureMode mode) noexcept {
    return traced<Raw>(RuntimeCall::capture_begin, &Raw::capture_begin, stream, mode);
  }
  static int capture_end(native_stream stream, native_graph& graph) noexcept {
    return traced<Raw>(RuntimeCall::capture_end, &Raw::capture_end, stream, graph);
  }
  static int capture_info(native_stream stream, CaptureInfo& info) noexcept {
    return traced<Raw>(RuntimeCall::capture_info, &Raw::capture_info, stream, info);
  }
  static int graph_destroy(native_graph graph) noexcept {
    return traced<Raw>(RuntimeCall::graph_destroy, &Raw::graph_destroy, graph);
  }
  static int graph_nodes(native_graph graph, std::size_t& count) noexcept {
    return traced<Raw>(RuntimeCall::graph_nodes, &Raw::graph_nodes, graph, count);
  }
  static int graph_instantiate(native_graph_exec& exec, native_graph graph) noexcept {
    return traced<Raw>(RuntimeCall::graph_instantiate, &Raw::graph_instantiate, exec, graph);
  }
  static int graph_exec_destroy(native_graph_exec exec) noexcept {
    return traced<Raw>(RuntimeCall::graph_exec_destroy, &Raw::graph_exec_destroy, exec);
  }
  static int graph_launch(native_graph_exec exec, native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::graph_launch, &Raw::graph_launch, exec, stream);
  }
  static int graph_update(native_graph_exec exec, native_graph graph,
                          GraphChange& change) noexcept {
    return traced<Raw>(RuntimeCall::graph_update, &Raw::graph_update, exec, graph, change);
  }
};

}  // namespace warpsafe::detail

#endif
