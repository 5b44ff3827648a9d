// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// The launch and the backend of the current compiler. A host compiler gets a host backend that
// consists only of declarations: a misuse is compiled many times and never linked, and the real
// backend would take two thirds of each compilation.

#include <warpsafe/args/trust.hpp>
#include <warpsafe/dims/launch_options.hpp>
#include <warpsafe/dims/make_dims.hpp>
#include <warpsafe/dims/safe_grid.hpp>
#include <warpsafe/kernel/needs.hpp>
#include <warpsafe/kernel_api.hpp>
#include <warpsafe/launch/launch.hpp>
#include <warpsafe/launch/launch_config.hpp>
#include <warpsafe/stream/event.hpp>

#if defined(__HIPCC__)
#include <warpsafe/backend/hip/hip_backend.hpp>
#elif defined(__CUDACC__)
#include <warpsafe/backend/cuda/cuda_backend.hpp>
#else

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/declare_launch.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

struct host_backend {
  using native_stream = struct DeclaredStream*;
  using native_event = struct DeclaredEvent*;
  using native_graph = struct DeclaredGraph*;
  using native_graph_exec = struct DeclaredGraphExec*;
  static constexpr Vendor vendor = Vendor::host;
  static constexpr Name name = Name::of("host");
  static constexpr int not_ready = 600;
  static constexpr std::size_t parameter_bytes = 4096;
  static constexpr bool has_clusters = true;
  static Name error_name(int status) noexcept;
  static Name error_text(int status) noexcept;
  static Errc classify(int status) noexcept;
  static Severity severity_of(int status) noexcept;
  static int peek_last_error() noexcept;
  static int device_count(int& count) noexcept;
  static int current_device(int& device) noexcept;
  static int set_device(int device) noexcept;
  static int limits_of(int device, DeviceLimits& limits) noexcept;
  static int device_synchronize() noexcept;
  static int memory_info(std::size_t& free_bytes, std::size_t& total_bytes) noexcept;
  static int attributes_of(const KernelEntry& entry, KernelLimits& limits) noexcept;
  static int raise_dynamic_shared(const KernelEntry& entry, std::uint64_t bytes) noexcept;
  static int resident_blocks(const KernelEntry& entry, std::uint32_t threads, std::uint64_t bytes,
                             int& blocks) noexcept;
  static int max_cluster_blocks(const KernelEntry& entry, const LaunchShape& shape,
                                int& blocks) noexcept;
  static int launch(const KernelEntry& entry, const LaunchShape& shape, void** arguments,
                    native_stream stream) noexcept;
  static int stream_create(native_stream& stream, int priority) noexcept;
  static int stream_destroy(native_stream stream) noexcept;
  static int stream_synchronize(native_stream stream) noexcept;
  static int stream_query(native_stream stream) noexcept;
  static int stream_device(native_stream stream, int& device) noexcept;
  static int stream_capturing(native_stream stream, bool& capturing) noexcept;
  static int stream_wait(native_stream stream, native_event event) noexcept;
  static int event_create(native_event& event, bool timed) noexcept;
  static int event_destroy(native_event event) noexcept;
  static int event_record(native_event event, native_stream stream) noexcept;
  static int event_synchronize(native_event event) noexcept;
  static int event_query(native_event event) noexcept;
  static int event_elapsed(float& ms, native_event begin, native_event end) noexcept;
  static int capture_begin(native_stream stream, CaptureMode mode) noexcept;
  static int capture_end(native_stream stream, native_graph& graph) noexcept;
  static int capture_info(native_stream stream, CaptureInfo& info) noexcept;
  static int graph_nodes(native_graph graph, std::size_t& count) noexcept;
  static int graph_destroy(native_graph graph) noexcept;
  static int graph_instantiate(native_graph_exec& exec, native_graph graph) noexcept;
  static int graph_exec_destroy(native_graph_exec exec) noexcept;
  static int graph_launch(native_graph_exec exec, native_stream stream) noexcept;
  static int graph_update(native_graph_exec exec, native_graph graph, GraphChange& change) noexcept;
  static int allocate(void*& memory, std::size_t bytes, native_stream stream) noexcept;
  static int deallocate(void* memory, native_stream stream) noexcept;
  static int host_allocate(void*& memory, std::size_t bytes) noexcept;
  static int host_deallocate(void* memory) noexcept;
  static int copy(void* to, const void* from, std::size_t bytes, CopyKind kind,
                  native_stream stream) noexcept;
  static int copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                     std::size_t width, std::size_t rows, CopyKind kind,
                     native_stream stream) noexcept;
  static int fill(void* memory, unsigned char value, std::size_t bytes,
                  native_stream stream) noexcept;
  static int copy_peer(void* to, int to_device, const void* from, int from_device,
                       std::size_t bytes, native_stream stream) noexcept;
  static int pointer_kind(const void* pointer, MemoryKind& kind, int& device) noexcept;
  static int has_memory_pools(int device, bool& answer) noexcept;
  static int allocate_unordered(void*& memory, std::size_t bytes) noexcept;
  static int allocate_managed(void*& memory, std::size_t bytes) noexcept;
  static int deallocate_unordered(void* memory) noexcept;
  static constexpr int relaxed_capture = 2;
  static int exchange_capture_mode(int& mode) noexcept;
};
static_assert(Backend<host_backend>);

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION

WARPSAFE_DECLARE_LAUNCH(warpsafe::host_backend);

#endif

// Kernels of several files, which are read as one translation unit.
WARPSAFE_KERNEL void fill(float*, int) {}
WARPSAFE_KERNEL void nothing() {}
