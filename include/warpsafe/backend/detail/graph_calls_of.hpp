// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/calls_at.hpp>
#include <warpsafe/backend/detail/runtime_call.hpp>
#include <warpsafe/backend/kernel_entry.hpp>

#include <cstddef>

namespace warpsafe::detail {

/// The calls about captures and graphs of the backend whose others are `Calls` (CallsAt): told
/// where those are. Apart from TracedCalls, since a launch needs none of them.
template <class Calls>
struct GraphCallsOf : Calls {};

#if !defined(__CUDA_ARCH__)  // as TracedCalls
template <class Raw>
struct GraphCallsOf<TracedCalls<Raw>> {
  using native_stream = typename Raw::native_stream;
  using native_graph = typename Raw::native_graph;
  using native_graph_exec = typename Raw::native_graph_exec;

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
#endif

}  // namespace warpsafe::detail
