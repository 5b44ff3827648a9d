// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/given_memory.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/capture_types.hpp>
#include <warpsafe/race/race_recorder.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

namespace detail {
struct NoCallerCalls {};
}  // namespace detail

/// Backend B, which also reports all its calls to the RaceRecorder. A program that takes its
/// streams as basic_stream<Recorded<cuda_backend>> runs as usual, on the same device, and is
/// checked for races. Reported are buffers, copies, events, waits, launches, captures, launches of
/// graphs and calls of bound handles (StreamBound<RecordedHandle<cublasHandle_t>>).
template <class B>
struct [[gnu::visibility("default")]] Recorded
    : B,
      std::conditional_t<warpsafe::detail::RecordsCallers<B>, detail::NoCallerCalls,
                         host::CallerCalls> {
  using recorded_backend = B;
  using native_stream = typename B::native_stream;
  using native_event = typename B::native_event;
  using native_graph = typename B::native_graph;
  using native_graph_exec = typename B::native_graph_exec;

  static int stream_destroy(native_stream stream) noexcept {
    // Before another stream can have its address.
    recorder().attempt([&] { recorder().stream_destroyed(stream, site()); });
    return B::stream_destroy(stream);
  }
  static int stream_synchronize(native_stream stream) noexcept {
    const Point end = end_of([&] { return recorder().end_of_stream(stream); });
    return known(B::stream_synchronize(stream), {&end, 1});
  }
  static int stream_query(native_stream stream) noexcept {
    const Point end = end_of([&] { return recorder().end_of_stream(stream); });
    return known(B::stream_query(stream), {&end, 1});
  }
  static int device_synchronize() noexcept {
    std::vector<Point> ends;
    recorder().attempt([&] { ends = recorder().end_of_streams(); });
    const int status = B::device_synchronize();
    return known(status, ends);
  }
  static int stream_wait(native_stream stream, native_event event) noexcept {
    const int status = B::stream_wait(stream, event);
    if (status == 0) recorder().attempt([&] { recorder().waits(stream, event, site()); });
    return status;
  }
  static int event_record(native_event event, native_stream stream) noexcept {
    const int status = B::event_record(event, stream);
    if (status == 0) recorder().attempt([&] { recorder().recorded(event, stream, site()); });
    return status;
  }
  static int event_destroy(native_event event) noexcept {
    recorder().event_destroyed(event);
    return B::event_destroy(event);
  }
  static int event_synchronize(native_event event) noexcept {
    const Point end = end_of([&] { return recorder().end_of_event(event); });
    return known(B::event_synchronize(event), {&end, 1});
  }
  static int event_query(native_event event) noexcept {
    const Point end = end_of([&] { return recorder().end_of_event(event); });
    return known(B::event_query(event), {&end, 1});
  }

  static int allocate(void*& memory, std::size_t bytes, native_stream stream) noexcept {
    const int status = B::allocate(memory, bytes, stream);
    return submitted(status, stream, ActionKind::allocate,
                     {{address(memory), bytes, AccessKind::allocate}});
  }
  static int deallocate(void* memory, native_stream stream) noexcept {
    // Report it first: afterwards another thread's allocation may have the same address.
    static_cast<void>(submitted(0, stream, ActionKind::release, {released(memory)}));
    return B::deallocate(memory, stream);
  }
  static int allocate_unordered(void*& memory, std::size_t bytes) noexcept {
    return host_allocated(B::allocate_unordered(memory, bytes), memory, bytes);
  }
  static int allocate_managed(void*& memory, std::size_t bytes) noexcept {
    return host_allocated(B::allocate_managed(memory, bytes), memory, bytes);
  }
  static int host_allocate(void*& memory, std::size_t bytes) noexcept {
    return host_allocated(B::host_allocate(memory, bytes), memory, bytes);
  }
  static int deallocate_unordered(void* memory) noexcept {
    // cudaFree "may" wait for the device (docs/tools/race-detector.md), which orders nothing.
    host_released(memory);
    return B::deallocate_unordered(memory);
  }
  static int host_deallocate(void* memory) noexcept {
    host_released(memory);
    return B::host_deallocate(memory);
  }
  static int copy(void* to, const void* from, std::size_t bytes, CopyKind kind,
                  native_stream stream) noexcept {
    const int status = B::copy(to, from, bytes, kind, stream);
    return submitted(status, stream, ActionKind::copy,
                     {{address(to), bytes, AccessKind::write}, {address(from), bytes}});
  }
  static int copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                     std::size_t width, std::size_t rows, CopyKind kind,
                     native_stream stream) noexcept {
    const int status = B::copy_2d(to, to_pitch, from, from_pitch, width, rows, kind, stream);
    return submitted(status, stream, ActionKind::copy,
                     {{address(to), width, AccessKind::write, rows, to_pitch},
                      {address(from), width, AccessKind::read, rows, from_pitch}});
  }
  static int copy_peer(void* to, int to_device, const void* from, int from_device,
                       std::size_t bytes, native_stream stream) noexcept {
    const int status = B::copy_peer(to, to_device, from, from_device, bytes, stream);
    return submitted(status, stream, ActionKind::copy,
                     {{address(to), bytes, AccessKind::write}, {address(from), bytes}});
  }
  static int fill(void* memory, unsigned char value, std::size_t bytes,
                  native_stream stream) noexcept {
    const int status = B::fill(memory, value, bytes, stream);
    return submitted(status, stream, ActionKind::fill,
                     {{address(memory), bytes, AccessKind::write}});
  }

  /// A call of a library through a bound handle. It accesses what its arguments point to, and the
  /// handle's workspace. `visit` is called with a function for (address, writes).
  template <class Visit>
  static void library_called(native_stream stream, Name function, call_site place,
                             const Visit& visit) noexcept {
    recorder().attempt([&] {
      std::vector<MemoryAccess> accesses;
      visit([&](const void* memory, bool writes) { add_whole(accesses, memory, writes); });
      recorder().submitted(stream, ActionKind::kernel, accesses, place, function);
    });
  }
  /// A launch. It accesses its spans, and the whole allocations that its pointer parameters point
  /// into: nothing watches whether a kernel keeps to the view that it got for a pointer.
  template <class Arguments>
  static void launched(const Arguments& shown) noexcept {
    recorder().attempt([&] { report_launch(shown); });
  }

  static int capture_begin(native_stream stream, CaptureMode mode) noexcept {
    const int status = B::capture_begin(stream, mode);
    if (status == 0) recorder().attempt([&] { recorder().capture_begins(stream); });
    return status;
  }
  static int capture_end(native_stream stream, native_graph & graph) noexcept {
    const int status = B::capture_end(stream, graph);
    recorder().attempt([&] { recorder().capture_ends(stream, status == 0 ? graph : nullptr); });
    return status;
  }
  static int graph_instantiate(native_graph_exec & exec, native_graph graph) noexcept {
    const int status = B::graph_instantiate(exec, graph);
    if (status == 0) recorder().attempt([&] { recorder().graph_set(exec, graph); });
    return status;
  }
  static int graph_update(native_graph_exec exec, native_graph graph,
                          GraphChange & change) noexcept {
    const int status = B::graph_update(exec, graph, change);
    if (status == 0) recorder().attempt([&] { recorder().graph_set(exec, graph); });
    return status;
  }
  static int graph_launch(native_graph_exec exec, native_stream stream) noexcept {
    const int status = B::graph_launch(exec, stream);
    if (status == 0) recorder().attempt([&] { recorder().graph_launched(exec, stream, site()); });
    return status;
  }
  static int graph_destroy(native_graph graph) noexcept {
    recorder().graph_destroyed(graph);  // before another graph can have its address
    return B::graph_destroy(graph);
  }
  static int graph_exec_destroy(native_graph_exec exec) noexcept {
    recorder().executable_destroyed(exec);
    return B::graph_exec_destroy(exec);
  }

 private:
  template <class Arguments>
  static void report_launch(const Arguments& shown) {
    std::vector<MemoryAccess> accesses;
    for (std::uint32_t i = 0; i < shown.entry.parameter_count; ++i) {
      const ParameterInfo& parameter = shown.entry.parameters[i];
      if (parameter.inner != nullptr) {
        warpsafe::detail::each_inner_memory(parameter.inner(), shown.values[i], i,
                                            [&](const warpsafe::detail::GivenMemory& memory) {
                                              add_whole(accesses, memory.address, memory.writes);
                                              // unknown: also the whole allocation
                                              accesses.back().bytes =
                                                  static_cast<std::size_t>(memory.bytes);
                                            });
      }
      if (!parameter.is_pointer || parameter.size < sizeof(void*)) continue;
      add_whole(accesses, shown.memory[i].begin, parameter.writes);
      const bool is_span = parameter.size == 2 * sizeof(void*);
      if (!is_span || shown.memory[i].begin == nullptr) continue;
      accesses.back().bytes = shown.memory[i].bytes;  // unknown: also the whole allocation
    }
    const host::Caller& caller = host::caller();
    recorder().submitted(shown.stream, ActionKind::kernel, accesses, caller.site, caller.kernel);
  }
  template <class End>
  static Point end_of(const End& end) noexcept {
    Point found = no_point;
    recorder().attempt([&] { found = end(); });
    return found;
  }
  static RaceRecorder& recorder() { return RaceRecorder::get(); }
  static call_site site() noexcept { return host::caller().site; }
  static std::uintptr_t address(const void* memory) noexcept {
    return reinterpret_cast<std::uintptr_t>(memory);
  }
  static MemoryAccess released(const void* memory) noexcept {
    return {address(memory), MemoryAccess::whole_allocation, AccessKind::release};
  }
  static void add_whole(std::vector<MemoryAccess> & accesses, const void* memory, bool writes) {
    if (memory == nullptr) return;
    accesses.push_back({address(memory), MemoryAccess::whole_allocation,
                        writes ? AccessKind::write : AccessKind::read});
  }
  static int submitted(int status, native_stream stream, ActionKind kind,
                       std::initializer_list<MemoryAccess> accesses) noexcept {
    if (status == 0) {
      recorder().attempt([&] {
        recorder().submitted(stream, kind, std::span(accesses.begin(), accesses.size()), site());
      });
    }
    return status;
  }
  /// The host knows that `ends` are done, if `status` is 0.
  static int known(int status, std::span<const Point> ends) noexcept {
    if (status == 0) {
      recorder().attempt([&] { recorder().on_host(ActionKind::synchronize, ends, {}, site()); });
    } else {
      recorder().wait_failed(ends);
    }
    return status;
  }
  static int host_allocated(int status, const void* memory, std::size_t bytes) noexcept {
    const MemoryAccess access{address(memory), bytes, AccessKind::allocate};
    if (status == 0) on_host(ActionKind::host_allocate, access);
    return status;
  }
  static void host_released(const void* memory) noexcept {
    on_host(ActionKind::host_release, released(memory));
  }
  static void on_host(ActionKind kind, const MemoryAccess& access) noexcept {
    recorder().attempt([&] { recorder().on_host(kind, {}, std::span(&access, 1), site()); });
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
