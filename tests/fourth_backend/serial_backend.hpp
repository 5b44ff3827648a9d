// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "serial_runtime.hpp"
#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/declare_launch.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

// A fourth backend, written as docs/contributing/backends.md says. No header in include/ mentions
// it.

namespace serial {

struct backend {
  static constexpr warpsafe::Vendor vendor = warpsafe::Vendor::unknown;
  static constexpr warpsafe::Name name = warpsafe::Name::of("serial");
  static constexpr int not_ready = raw(Status::not_ready);
  static constexpr int illegal_state = raw(Status::already_capturing);
  static constexpr std::size_t parameter_bytes = 4096;
  static constexpr bool has_clusters = false;
  static constexpr bool runs_host_kernels = true;
  static constexpr int relaxed_capture = 2;
  /// Smaller blocks than any GPU's, to show whose limits a check uses.
  static constexpr warpsafe::DeviceLimits own_floor = [] {
    warpsafe::DeviceLimits limits = warpsafe::limits::cuda_floor;
    limits.vendor = vendor;
    limits.max_threads_per_block = 512;
    limits.max_block[0] = 512;
    limits.max_grid[0] = 1U << 20U;
    return limits;
  }();
  static constexpr const warpsafe::DeviceLimits& floor = own_floor;

  using native_stream = Stream*;
  using native_event = Event*;
  using native_graph = Graph*;
  using native_graph_exec = GraphExec*;

  static warpsafe::Name error_name(int status) noexcept {
    constexpr const char* names[] = {"ok",
                                     "notReady",
                                     "outOfMemory",
                                     "invalidValue",
                                     "invalidDevice",
                                     "invalidLaunch",
                                     "notAKernel",
                                     "kernelFailed",
                                     "captureUnsupported",
                                     "captureBroken",
                                     "captureUnmatched",
                                     "captureUnjoined",
                                     "alreadyCapturing",
                                     "updateRefused",
                                     "noClusters"};
    return warpsafe::Name::of(names[status]);
  }
  static warpsafe::Name error_text(int status) noexcept { return error_name(status); }
  static warpsafe::Errc classify(int status) noexcept {
    using warpsafe::Errc;
    switch (static_cast<Status>(status)) {
      case Status::out_of_memory:
        return Errc::out_of_memory;
      case Status::invalid_device:
        return Errc::device_invalid;
      case Status::not_a_kernel:
        return Errc::not_a_kernel;
      case Status::kernel_failed:
        return Errc::execution_failed;
      case Status::capture_unsupported:
        return Errc::stream_capturing;
      case Status::capture_broken:
        return Errc::capture_broken;
      case Status::capture_unmatched:
        return Errc::capture_unmatched;
      case Status::capture_unjoined:
        return Errc::capture_unjoined;
      case Status::update_refused:
        return Errc::graph_update_refused;
      default:
        return Errc::runtime_failed;
    }
  }
  static warpsafe::Severity severity_of(int status) noexcept {
    return static_cast<Status>(status) == Status::kernel_failed ? warpsafe::Severity::context_lost
                                                                : warpsafe::Severity::recoverable;
  }
  static int peek_last_error() noexcept { return 0; }

  // Devices.

  static int device_count(int& count) noexcept {
    count = serial::device_count;
    return 0;
  }
  static int current_device(int& device) noexcept {
    device = serial::current_device;
    return 0;
  }
  static int set_device(int device) noexcept {
    if (device < 0 || device >= serial::device_count) return raw(Status::invalid_device);
    serial::current_device = device;
    return 0;
  }
  static int limits_of(int device, warpsafe::DeviceLimits& limits) noexcept {
    if (device < 0 || device >= serial::device_count) return raw(Status::invalid_device);
    limits = own_floor;
    limits.name = warpsafe::Name::of("Serial");
    limits.floored = false;
    limits.multiprocessors = 1;
    limits.max_threads_per_multiprocessor = 1024;
    limits.memory_pools = true;
    limits.concurrent_managed_access = true;
    return 0;
  }
  static int device_synchronize() noexcept {
    return locked([](Runtime& runtime) {
      for (const auto& [stream, owner] : runtime.streams) {
        if (stream->device == serial::current_device) static_cast<void>(run_all(*stream));
      }
      return runtime.lost[serial::current_device];
    });
  }
  static int memory_info(std::size_t& free_bytes, std::size_t& total_bytes) noexcept {
    free_bytes = total_bytes = std::size_t{1} << 30U;
    return 0;
  }

  // Kernels.

  static int attributes_of(const warpsafe::KernelEntry& entry,
                           warpsafe::KernelLimits& limits) noexcept {
    if (entry.invoke == nullptr) return raw(Status::not_a_kernel);
    limits.max_threads_per_block = own_floor.max_threads_per_block;
    limits.max_dynamic_shared = own_floor.shared_per_block;
    return 0;
  }
  static int raise_dynamic_shared(const warpsafe::KernelEntry&, std::uint64_t bytes) noexcept {
    return bytes > own_floor.shared_per_block ? raw(Status::invalid_value) : 0;
  }
  static int resident_blocks(const warpsafe::KernelEntry&, std::uint32_t threads, std::uint64_t,
                             int& per_multiprocessor) noexcept {
    per_multiprocessor = static_cast<int>(1024 / threads);
    return 0;
  }
  static int max_cluster_blocks(const warpsafe::KernelEntry&, const warpsafe::LaunchShape&,
                                int&) noexcept {
    return raw(Status::no_clusters);
  }
  static int launch(const warpsafe::KernelEntry& entry, const warpsafe::LaunchShape& shape,
                    void** args, native_stream stream) noexcept {
    if (entry.invoke == nullptr) return raw(Status::not_a_kernel);
    const bool fits = shape.blocks() != 0 && shape.grid[0] <= own_floor.max_grid[0] &&
                      shape.threads_per_block() != 0 &&
                      shape.threads_per_block() <= own_floor.max_threads_per_block &&
                      shape.dynamic_shared <= own_floor.shared_per_block;
    if (!fits) return raw(Status::invalid_launch);
    return locked([&](Runtime&) { return submit(*stream, Launch(entry, shape, args)); });
  }

  // Streams.

  static int stream_create(native_stream& stream, int) noexcept {
    return locked([&](Runtime& runtime) {
      auto made = std::make_shared<Stream>(Stream{serial::current_device, {}, 0, 0, nullptr});
      stream = made.get();
      runtime.streams.emplace(stream, std::move(made));
      return 0;
    });
  }
  static int stream_destroy(native_stream stream) noexcept {
    return locked([&](Runtime& runtime) {
      static_cast<void>(run_all(*stream));
      return runtime.streams.erase(stream) == 1 ? 0 : raw(Status::invalid_value);
    });
  }
  static int stream_synchronize(native_stream stream) noexcept {
    return locked([&](Runtime&) {
      const int refused = wait_allowed(*stream);
      return refused != 0 ? refused : run_all(*stream);
    });
  }
  /// Does one piece of work, so that a loop of queries ends.
  static int stream_query(native_stream stream) noexcept {
    return locked([&](Runtime&) {
      if (const int refused = wait_allowed(*stream)) return refused;
      const int status = run(*stream, stream->done + 1);
      return status != 0 ? status : stream->waiting.empty() ? 0 : not_ready;
    });
  }
  static int stream_device(native_stream stream, int& device) noexcept {
    device = stream->device;
    return 0;
  }
  static int stream_capturing(native_stream stream, bool& capturing) noexcept {
    return locked([&](Runtime&) {
      capturing = stream->capture != nullptr;
      return 0;
    });
  }
  static int stream_wait(native_stream stream, native_event event) noexcept {
    return locked([&](Runtime&) {
      if (event->capture != nullptr) return join(*stream, *event);
      if (event->stream == nullptr) return 0;
      return submit(*stream, [from = event->stream, position = event->position] {
        return run(*from, position);
      });
    });
  }

  // Events.

  static int event_create(native_event& event, bool) noexcept {
    event = new Event;
    return 0;
  }
  static int event_destroy(native_event event) noexcept {
    delete event;
    return 0;
  }
  static int event_record(native_event event, native_stream stream) noexcept {
    return locked([&](Runtime& runtime) {
      event->stream = runtime.streams.at(stream);
      event->capture = stream->capture;
      event->position =
          stream->capture != nullptr ? stream->capture->streams[stream].nodes : stream->submitted;
      return 0;
    });
  }
  static int event_synchronize(native_event event) noexcept {
    return locked([&](Runtime&) {
      if (event->capture != nullptr) return raw(Status::capture_unsupported);
      return event->stream == nullptr ? 0 : run(*event->stream, event->position);
    });
  }
  static int event_query(native_event event) noexcept {
    return locked([&](Runtime&) {
      if (event->capture != nullptr) return raw(Status::capture_unsupported);
      if (event->stream == nullptr) return 0;
      const int status = run(*event->stream, event->stream->done + 1);
      return status != 0 ? status : event->stream->done >= event->position ? 0 : not_ready;
    });
  }
  static int event_elapsed(float& ms, native_event begin, native_event end) noexcept {
    ms = static_cast<float>(end->position) - static_cast<float>(begin->position);
    return 0;
  }

  // Captures and graphs.

  static int capture_begin(native_stream stream, warpsafe::CaptureMode) noexcept {
    return locked([&](Runtime&) {
      if (stream->capture != nullptr) return illegal_state;
      stream->capture = std::make_shared<Capture>(Capture{stream, {}, false, {}});
      stream->capture->streams[stream] = {};
      return 0;
    });
  }
  static int capture_end(native_stream stream, native_graph& graph) noexcept {
    return locked([&](Runtime&) {
      const std::shared_ptr<Capture> capture = stream->capture;
      if (capture == nullptr) return illegal_state;
      if (capture->origin != stream) return raw(Status::capture_unmatched);
      bool joined = true;
      for (const auto& [member, share] : capture->streams) {
        member->capture = nullptr;
        joined = joined && (member == stream || share.joined == share.nodes);
      }
      if (capture->broken) return raw(Status::capture_broken);
      if (!joined) return raw(Status::capture_unjoined);
      graph = new Graph{std::move(capture->nodes)};
      return 0;
    });
  }
  static int capture_info(native_stream stream, warpsafe::CaptureInfo& info) noexcept {
    return locked([&](Runtime&) {
      info = {};
      if (stream->capture == nullptr) return 0;
      info.state =
          stream->capture->broken ? warpsafe::CaptureState::broken : warpsafe::CaptureState::active;
      return 0;
    });
  }
  static int graph_nodes(native_graph graph, std::size_t& count) noexcept {
    count = graph->nodes.size();
    return 0;
  }
  static int graph_destroy(native_graph graph) noexcept {
    delete graph;
    return 0;
  }
  static int graph_instantiate(native_graph_exec& exec, native_graph graph) noexcept {
    exec = new GraphExec{std::make_shared<const std::vector<Work>>(graph->nodes)};
    return 0;
  }
  static int graph_exec_destroy(native_graph_exec exec) noexcept {
    delete exec;
    return 0;
  }
  static int graph_launch(native_graph_exec exec, native_stream stream) noexcept {
    return locked([&](Runtime&) {
      return submit(*stream, [nodes = exec->nodes] {
        for (Work node : *nodes) {
          if (const int status = node()) return status;
        }
        return 0;
      });
    });
  }
  static int graph_update(native_graph_exec exec, native_graph graph,
                          warpsafe::GraphChange& change) noexcept {
    const bool same = exec->nodes->size() == graph->nodes.size();
    change = same ? warpsafe::GraphChange::none : warpsafe::GraphChange::topology;
    if (!same) return raw(Status::update_refused);
    exec->nodes = std::make_shared<const std::vector<Work>>(graph->nodes);
    return 0;
  }
  static int exchange_capture_mode(int& mode) noexcept {
    std::swap(mode, serial::capture_mode);
    return 0;
  }

  // Memory.

  static int allocate(void*& memory, std::size_t bytes, native_stream stream) noexcept {
    return locked([&](Runtime& runtime) {
      return runtime.allocate(memory, bytes, warpsafe::MemoryKind::device, stream->device);
    });
  }
  static int deallocate(void* memory, native_stream stream) noexcept {
    return locked([&](Runtime& runtime) {
      if (memory == nullptr || runtime.lost[stream->device] != 0) return 0;
      return submit(*stream, [memory] { return Runtime::get().release(memory); });
    });
  }
  static int host_allocate(void*& memory, std::size_t bytes) noexcept {
    return locked([&](Runtime& runtime) {
      return runtime.allocate(memory, bytes, warpsafe::MemoryKind::pinned, -1);
    });
  }
  static int host_deallocate(void* memory) noexcept {
    return locked([&](Runtime& runtime) { return runtime.release(memory); });
  }
  static int has_memory_pools(int, bool& answer) noexcept {
    answer = true;
    return 0;
  }
  static int allocate_unordered(void*& memory, std::size_t bytes) noexcept {
    return locked([&](Runtime& runtime) {
      return runtime.allocate(memory, bytes, warpsafe::MemoryKind::device, serial::current_device);
    });
  }
  static int allocate_managed(void*& memory, std::size_t bytes) noexcept {
    return locked([&](Runtime& runtime) {
      return runtime.allocate(memory, bytes, warpsafe::MemoryKind::managed, serial::current_device);
    });
  }
  static int deallocate_unordered(void* memory) noexcept { return host_deallocate(memory); }
  static int pointer_kind(const void* memory, warpsafe::MemoryKind& kind, int& device) noexcept {
    return locked([&](Runtime& runtime) {
      const Allocation* const found = runtime.find(memory);
      kind = found == nullptr ? warpsafe::MemoryKind::unregistered : found->kind;
      device = found == nullptr ? -1 : found->device;
      return 0;
    });
  }
  static int copy(void* to, const void* from, std::size_t bytes, warpsafe::CopyKind kind,
                  native_stream stream) noexcept {
    return copy_2d(to, bytes, from, bytes, bytes, 1, kind, stream);
  }
  static int copy_peer(void* to, int, const void* from, int, std::size_t bytes,
                       native_stream stream) noexcept {
    return copy(to, from, bytes, warpsafe::CopyKind::device_to_device, stream);
  }
  static int copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                     std::size_t width, std::size_t rows, warpsafe::CopyKind,
                     native_stream stream) noexcept {
    return locked([&](Runtime& runtime) {
      const int status = submit(*stream, [=] {
        for (std::size_t row = 0; row < rows; ++row) {
          std::memcpy(static_cast<char*>(to) + row * to_pitch,
                      static_cast<const char*>(from) + row * from_pitch, width);
        }
        return 0;
      });
      // The vendors' runtimes do this too for ordinary host memory.
      const bool waits = runtime.find(to) == nullptr || runtime.find(from) == nullptr;
      return status == 0 && waits && stream->capture == nullptr ? run_all(*stream) : status;
    });
  }
  static int fill(void* memory, unsigned char value, std::size_t bytes,
                  native_stream stream) noexcept {
    return locked([&](Runtime&) {
      return submit(*stream, [=] {
        std::memset(memory, value, bytes);
        return 0;
      });
    });
  }

 private:
  template <class Body>
  static int locked(const Body& body) noexcept {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    return body(runtime);
  }
  static int run_all(Stream& stream) { return run(stream, stream.submitted); }
  /// A stream waits for an event of a capture, and takes part in it from then on.
  static int join(Stream& stream, const Event& event) {
    if (stream.capture != nullptr && stream.capture != event.capture) {
      return raw(Status::capture_unsupported);
    }
    stream.capture = event.capture;
    auto& streams = event.capture->streams;
    streams.try_emplace(&stream);
    auto& share = streams[event.stream.get()];
    if (event.position > share.joined) share.joined = event.position;
    return 0;
  }
};

static_assert(warpsafe::Backend<backend>);

}  // namespace serial

WARPSAFE_DECLARE_LAUNCH(serial::backend);
