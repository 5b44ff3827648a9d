// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/declare_launch.hpp>
#include <warpsafe/backend/detail/host_thread.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

// The smallest backend: what the library needs from a runtime, and nothing else. It has one device,
// which is the calling thread. Each call does its work before it returns, so there is nothing to
// wait for. Kernels have no barriers, and there are no captures.

namespace archetype {

enum class Status : int { ok, not_ready, out_of_memory, invalid, unsupported };
[[nodiscard]] constexpr int raw(Status status) noexcept { return static_cast<int>(status); }

// The runtime's objects. A runtime that works later would keep the work in them.
struct Stream {};
struct Event {};
struct Graph {};
struct GraphExec {};

struct [[gnu::visibility("default")]] backend {
  static constexpr warpsafe::Vendor vendor = warpsafe::Vendor::unknown;
  static constexpr warpsafe::Name name = warpsafe::Name::of("archetype");
  static constexpr int not_ready = raw(Status::not_ready);
  static constexpr std::size_t parameter_bytes = 4096;
  static constexpr bool has_clusters = false;
  static constexpr int relaxed_capture = 0;
  using native_stream = Stream*;
  using native_event = Event*;
  using native_graph = Graph*;
  using native_graph_exec = GraphExec*;

  // Two optional members. The limits are smaller than any GPU's, so that a check shows whose it
  // uses.
  static constexpr bool runs_host_kernels = true;
  static constexpr warpsafe::DeviceLimits own_floor = [] {
    warpsafe::DeviceLimits limits = warpsafe::limits::cuda_floor;
    limits.vendor = vendor;
    limits.max_threads_per_block = 512;
    limits.max_block[0] = 512;
    return limits;
  }();
  static constexpr const warpsafe::DeviceLimits& floor = own_floor;

  // Errors.

  static warpsafe::Name error_name(int status) noexcept {
    constexpr const char* names[] = {"ok", "notReady", "outOfMemory", "invalid", "unsupported"};
    return warpsafe::Name::of(names[status]);
  }
  static warpsafe::Name error_text(int status) noexcept { return error_name(status); }
  static warpsafe::Errc classify(int status) noexcept {
    switch (static_cast<Status>(status)) {
      case Status::out_of_memory:
        return warpsafe::Errc::out_of_memory;
      case Status::unsupported:
        return warpsafe::Errc::unsupported;
      default:
        return warpsafe::Errc::runtime_failed;
    }
  }
  static warpsafe::Severity severity_of(int) noexcept { return warpsafe::Severity::recoverable; }
  static int peek_last_error() noexcept { return 0; }

  // The device.

  static int device_count(int& count) noexcept { return answer(count, 1); }
  static int current_device(int& device) noexcept { return answer(device, 0); }
  static int set_device(int device) noexcept { return device == 0 ? 0 : raw(Status::invalid); }
  static int limits_of(int device, warpsafe::DeviceLimits& limits) noexcept {
    if (device != 0) return raw(Status::invalid);
    limits = own_floor;
    limits.name = warpsafe::Name::of("Archetype");
    limits.floored = false;
    limits.multiprocessors = 1;
    limits.max_threads_per_multiprocessor = 512;
    limits.memory_pools = true;
    limits.concurrent_managed_access = true;
    return 0;
  }
  static int device_synchronize() noexcept { return 0; }
  static int memory_info(std::size_t & free_bytes, std::size_t & total_bytes) noexcept {
    free_bytes = total_bytes = std::size_t{1} << 30U;
    return 0;
  }

  // Kernels.

  static int attributes_of(const warpsafe::KernelEntry& entry,
                           warpsafe::KernelLimits& limits) noexcept {
    if (entry.invoke == nullptr) return raw(Status::invalid);
    limits.max_threads_per_block = own_floor.max_threads_per_block;
    limits.max_dynamic_shared = own_floor.shared_per_block;
    return 0;
  }
  static int raise_dynamic_shared(const warpsafe::KernelEntry&, std::uint64_t bytes) noexcept {
    return bytes <= own_floor.shared_per_block ? 0 : raw(Status::invalid);
  }
  static int resident_blocks(const warpsafe::KernelEntry&, std::uint32_t, std::uint64_t,
                             int& per_multiprocessor) noexcept {
    return answer(per_multiprocessor, 1);
  }
  static int max_cluster_blocks(const warpsafe::KernelEntry&, const warpsafe::LaunchShape&,
                                int&) noexcept {
    return raw(Status::unsupported);
  }
  static int launch(const warpsafe::KernelEntry& entry, const warpsafe::LaunchShape& shape,
                    void** args, native_stream) noexcept {
    const bool fits = entry.invoke != nullptr && shape.blocks() != 0 &&
                      shape.threads_per_block() != 0 &&
                      shape.threads_per_block() <= own_floor.max_threads_per_block;
    if (!fits) return raw(Status::invalid);
    // A kernel of the host compiler reads from this where its thread is.
    warpsafe::detail::HostThread self{};
    std::memcpy(self.block_dim, shape.block, sizeof self.block_dim);
    std::memcpy(self.grid_dim, shape.grid, sizeof self.grid_dim);
    warpsafe::detail::host_thread = &self;
    for (self.block[2] = 0; self.block[2] < shape.grid[2]; ++self.block[2]) {
      for (self.block[1] = 0; self.block[1] < shape.grid[1]; ++self.block[1]) {
        for (self.block[0] = 0; self.block[0] < shape.grid[0]; ++self.block[0]) {
          std::memset(self.thread, 0, sizeof self.thread);
          self.continues = true;
          entry.invoke(entry.function, args);  // all threads of the block
        }
      }
    }
    warpsafe::detail::host_thread = nullptr;
    return 0;
  }

  // Streams and events.

  static int stream_create(native_stream & stream, int) noexcept { return make(stream); }
  static int stream_destroy(native_stream stream) noexcept { return end(stream); }
  static int stream_synchronize(native_stream) noexcept { return 0; }
  static int stream_query(native_stream) noexcept { return 0; }
  static int stream_device(native_stream, int& device) noexcept { return answer(device, 0); }
  static int stream_capturing(native_stream, bool& capturing) noexcept {
    return answer(capturing, false);
  }
  static int stream_wait(native_stream, native_event) noexcept { return 0; }
  static int event_create(native_event & event, bool) noexcept { return make(event); }
  static int event_destroy(native_event event) noexcept { return end(event); }
  static int event_record(native_event, native_stream) noexcept { return 0; }
  static int event_synchronize(native_event) noexcept { return 0; }
  static int event_query(native_event) noexcept { return 0; }
  static int event_elapsed(float& ms, native_event, native_event) noexcept {
    return answer(ms, 0.0F);
  }

  // Captures and graphs, which this runtime does not have.

  static int capture_begin(native_stream, warpsafe::CaptureMode) noexcept { return no_graphs; }
  static int capture_end(native_stream, native_graph&) noexcept { return no_graphs; }
  static int capture_info(native_stream, warpsafe::CaptureInfo & info) noexcept {
    return answer(info, warpsafe::CaptureInfo{});
  }
  static int capture_state(native_stream, warpsafe::CaptureState & state) noexcept {
    return answer(state, warpsafe::CaptureState::none);
  }
  static int graph_nodes(native_graph, std::size_t&) noexcept { return no_graphs; }
  static int graph_destroy(native_graph) noexcept { return no_graphs; }
  static int graph_instantiate(native_graph_exec&, native_graph) noexcept { return no_graphs; }
  static int graph_exec_destroy(native_graph_exec) noexcept { return no_graphs; }
  static int graph_launch(native_graph_exec, native_stream) noexcept { return no_graphs; }
  static int graph_update(native_graph_exec, native_graph, warpsafe::GraphChange&) noexcept {
    return no_graphs;
  }
  static int exchange_capture_mode(int& mode) noexcept { return answer(mode, relaxed_capture); }

  // Memory.

  static int allocate(void*& memory, std::size_t bytes, native_stream) noexcept {
    return memory_of(memory, bytes, warpsafe::MemoryKind::device);
  }
  static int deallocate(void* memory, native_stream) noexcept { return release(memory); }
  static int host_allocate(void*& memory, std::size_t bytes) noexcept {
    return memory_of(memory, bytes, warpsafe::MemoryKind::pinned);
  }
  static int host_deallocate(void* memory) noexcept { return release(memory); }
  static int copy(void* to, const void* from, std::size_t bytes, warpsafe::CopyKind,
                  native_stream) noexcept {
    std::memcpy(to, from, bytes);
    return 0;
  }
  static int copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                     std::size_t width, std::size_t rows, warpsafe::CopyKind,
                     native_stream) noexcept {
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(static_cast<char*>(to) + row * to_pitch,
                  static_cast<const char*>(from) + row * from_pitch, width);
    }
    return 0;
  }
  static int copy_peer(void* to, int, const void* from, int, std::size_t bytes,
                       native_stream stream) noexcept {
    return copy(to, from, bytes, warpsafe::CopyKind::device_to_device, stream);
  }
  static int fill(void* memory, unsigned char value, std::size_t bytes, native_stream) noexcept {
    std::memset(memory, value, bytes);
    return 0;
  }
  /// The kind of the allocation that the pointer lies in.
  static int pointer_kind(const void* memory, warpsafe::MemoryKind& kind, int& device) noexcept {
    const std::lock_guard lock(memory_mutex);
    auto found = allocations.upper_bound(memory);
    const bool known =
        found != allocations.begin() && static_cast<const char*>(memory) < (--found)->second.end;
    kind = known ? found->second.kind : warpsafe::MemoryKind::unregistered;
    return answer(device, known ? 0 : -1);
  }
  static int has_memory_pools(int, bool& has) noexcept { return answer(has, true); }
  static int allocate_unordered(void*& memory, std::size_t bytes) noexcept {
    return memory_of(memory, bytes, warpsafe::MemoryKind::device);
  }
  static int allocate_managed(void*& memory, std::size_t bytes) noexcept {
    return memory_of(memory, bytes, warpsafe::MemoryKind::managed);
  }
  static int deallocate_unordered(void* memory) noexcept { return release(memory); }

 private:
  static constexpr int no_graphs = raw(Status::unsupported);
  struct Allocation {
    const char* end;
    warpsafe::MemoryKind kind;
  };
  static inline std::mutex memory_mutex;
  static inline std::map<const void*, Allocation> allocations;

  template <class T>
  static int answer(T & place, T value) noexcept {
    place = value;
    return 0;
  }
  template <class T>
  static int make(T * &object) noexcept {
    object = new T;
    return 0;
  }
  template <class T>
  static int end(T * object) noexcept {
    delete object;
    return 0;
  }
  static int memory_of(void*& memory, std::size_t bytes, warpsafe::MemoryKind kind) noexcept {
    memory = std::malloc(bytes);
    if (memory == nullptr) return raw(Status::out_of_memory);
    const std::lock_guard lock(memory_mutex);
    allocations.emplace(memory, Allocation{static_cast<const char*>(memory) + bytes, kind});
    return 0;
  }
  static int release(void* memory) noexcept {
    const std::lock_guard lock(memory_mutex);
    if (memory != nullptr && allocations.erase(memory) == 0) return raw(Status::invalid);
    std::free(memory);
    return 0;
  }
};

static_assert(warpsafe::Backend<backend>);

}  // namespace archetype

WARPSAFE_DECLARE_LAUNCH(archetype::backend);
