// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/capture_rules.hpp>
#include <warpsafe/backend/host/detail/capture_state.hpp>
#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/backend/host/detail/device_calls.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/backend/host/detail/stream_calls.hpp>
#include <warpsafe/backend/host/detail/threads.hpp>

#include <cstddef>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// The backend's calls for captures and graphs. See backend/backend.hpp.
struct GraphCalls {
  using native_graph = GraphHandle*;
  using native_graph_exec = GraphExecHandle*;

  static int capture_begin(StreamHandle* handle, CaptureMode mode) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      StreamState* stream = nullptr;
      const int status = usable(runtime, handle, stream);
      if (status == raw(HostStatus::invalid_resource_handle)) return status;
      if (stream->capture != nullptr) return raw(HostStatus::illegal_state);
      if (status != 0) return status;
      auto capture = make_shared<CaptureWork>();
      capture->origin = stream;
      capture->mode = mode;
      capture->thread = pthread_self();
      runtime.captures.push_back(capture);
      stream->capture = std::move(capture);
      return 0;
    });
  }
  /// `graph` is nullptr on a failure.
  static int capture_end(StreamHandle* handle, native_graph& graph) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      graph = nullptr;
      StreamState* const stream = stream_of(runtime, handle);
      if (stream == nullptr) return raw(HostStatus::invalid_resource_handle);
      const Shared<CaptureWork> capture = stream->capture;
      if (capture == nullptr) return raw(HostStatus::illegal_state);
      if (capture->origin != stream) {
        capture->broken = true;
        return raw(HostStatus::stream_capture_unmatched);
      }
      const bool joined = [&] {
        // The capture ends even if there is no memory left, or nothing could destroy its streams.
        const OnFailure end{[&] { end_capture(runtime, capture); }};
        return capture->reaches_all(stream->tail);
      }();
      if (capture->mode != CaptureMode::relaxed && capture->thread != pthread_self()) {
        return raw(HostStatus::stream_capture_wrong_thread);
      }
      if (capture->broken) return raw(HostStatus::stream_capture_invalidated);
      if (!joined) return raw(HostStatus::stream_capture_unjoined);
      auto made = make_owned<GraphState>();
      capture->nodes.find_memory(runtime.memory);
      made->nodes = make_shared<const GraphNodes>(std::move(capture->nodes));
      graph = runtime.graphs.add(std::move(made));
      return 0;
    });
  }
  static int capture_state(StreamHandle* handle, CaptureState& state) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      const StreamState* const stream = stream_of(runtime, handle);
      if (stream == nullptr) return raw(HostStatus::invalid_resource_handle);
      state = state_of(*stream);
      return 0;
    });
  }
  static int capture_info(StreamHandle* handle, CaptureInfo& info) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      const StreamState* const stream = stream_of(runtime, handle);
      if (stream == nullptr) return raw(HostStatus::invalid_resource_handle);
      info = {};
      info.state = state_of(*stream);
      if (info.state == CaptureState::none) return 0;
      if (!stream->capture->broken)
        info.id = reinterpret_cast<std::uintptr_t>(stream->capture.get());
      for (const std::size_t node : stream->tail) {
        info.tail = detail::mix_tail(info.tail, node + 1);
      }
      info.tail = detail::finish_tail(info.tail);
      return 0;
    });
  }

  static int graph_nodes(native_graph handle, std::size_t& count) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      const GraphState* const graph = runtime.graphs.find(handle);
      if (graph == nullptr) return raw(HostStatus::invalid_value);
      count = graph->nodes->size();
      return 0;
    });
  }
  static int graph_destroy(native_graph graph) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      return raw(runtime.graphs.remove(graph) == nullptr ? HostStatus::invalid_value
                                                         : HostStatus::success);
    });
  }
  static int graph_instantiate(native_graph_exec& exec, native_graph handle) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      const GraphState* const graph = runtime.graphs.find(handle);
      if (graph == nullptr) return raw(HostStatus::invalid_value);
      if (const int no = unsafe_call(runtime); no != 0) return no;
      auto made = make_owned<GraphExecState>();
      made->nodes = executable(*graph->nodes);
      exec = runtime.graph_execs.add(std::move(made));
      return 0;
    });
  }
  /// A launch in flight continues.
  static int graph_exec_destroy(native_graph_exec exec) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      if (const int no = unsafe_call(runtime); no != 0) return no;
      return raw(runtime.graph_execs.remove(exec) == nullptr ? HostStatus::invalid_value
                                                             : HostStatus::success);
    });
  }
  /// Returns at once. Launches of one graph run one after another, on any streams. Fails if the
  /// stream captures.
  static int graph_launch(native_graph_exec handle, StreamHandle* its_stream) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      GraphExecState* const exec = runtime.graph_execs.find(handle);
      if (exec == nullptr) return raw(HostStatus::invalid_value);
      StreamState* stream = nullptr;
      if (const int status = usable(runtime, its_stream, stream); status != 0) return status;
      if (const int status = check_not_capturing(*stream); status != 0) return status;
      auto operation = make_shared<GraphOperation>(exec->nodes);
      if (!operation->is_no_work()) operation->after = exec->last;
      // A scheduler reports it with its line.
      if (runtime.scheduler == nullptr) {
        operation->use_after_free = exec->nodes->use_after_free(runtime.memory);
      }
      runtime.submit(*stream, operation);
      exec->last = operation;
      return 0;
    });
  }
  /// Replaces the operations with those of `graph`, if it has the same kinds of operations with the
  /// same dependencies. Earlier launches are not affected.
  static int graph_update(native_graph_exec its_exec, native_graph its_graph,
                          GraphChange& change) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      change = GraphChange::unknown;
      GraphExecState* const exec = runtime.graph_execs.find(its_exec);
      const GraphState* const graph = runtime.graphs.find(its_graph);
      if (exec == nullptr || graph == nullptr) return raw(HostStatus::invalid_value);
      const GraphNodes& old = *exec->nodes;
      const GraphNodes& now = *graph->nodes;
      change = old.size() == now.size() ? GraphChange::none : GraphChange::topology;
      for (std::size_t i = 0; change == GraphChange::none && i < old.size(); ++i) {
        change = old[i].change_to(now[i]);
      }
      if (change != GraphChange::none) return raw(HostStatus::graph_exec_update_failure);
      exec->nodes = executable(now);
      return 0;
    });
  }

 private:
  /// The nodes for one executable graph: two of one graph may run at the same time, and a running
  /// kernel has a state.
  [[nodiscard]] static Shared<const GraphNodes> executable(const GraphNodes& captured) {
    auto nodes = make_shared<GraphNodes>(captured);
    for (GraphNode& node : *nodes) {
      if (node.operation->kind() != OperationKind::kernel) continue;
      node.operation = static_cast<KernelOperation&>(*node.operation).copy();
    }
    return nodes;
  }
  [[nodiscard]] static CaptureState state_of(const StreamState& stream) noexcept {
    if (stream.capture == nullptr) return CaptureState::none;
    return stream.capture->broken ? CaptureState::broken : CaptureState::active;
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
