// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#pragma once

#include "captures.hpp"

namespace record {

/// A graph of one launch.
inline hipGraph_t small_graph() {
  const hipStream_t s = capturing();
  static_cast<void>(launch(plain, 4, 64, 16, s));
  hipGraph_t made = nullptr;
  if (hipStreamEndCapture(s, &made) != hipSuccess) std::abort();
  return made;
}

inline hipGraphExec_t executable(hipGraph_t graph) {
  hipGraphExec_t made = nullptr;
  if (hipGraphInstantiate(&made, graph, nullptr, nullptr, 0) != hipSuccess) std::abort();
  return made;
}

inline const Question graphs[] = {
    {"graph of one launch, launched twice",
     [] {
       const hipStream_t s = stream();
       const hipGraphExec_t x = executable(small_graph());
       const std::uint64_t before = packets();
       say("first", hipGraphLaunch(x, s));
       say("second", hipGraphLaunch(x, s));
       say("synchronize", hipStreamSynchronize(s));
       say(packets_after(before));
     }},
    {"hipGraphLaunch on the null stream",
     [] { ask([x = executable(small_graph())] { return hipGraphLaunch(x, nullptr); }); }},
    {"hipGraphLaunch of a launch with static 32 KiB and dynamic 40000",
     [] {
       const hipStream_t s = capturing();
       say("launch", launch(statically, 4, 64, 40000, s));
       hipGraph_t g = nullptr;
       say("end", hipStreamEndCapture(s, &g));
       hipGraphExec_t x = nullptr;
       say("hipGraphInstantiate", hipGraphInstantiate(&x, g, nullptr, nullptr, 0));
       ask([x, s] { return hipGraphLaunch(x, s); });
     }},
    {"hipGraphLaunch null", [] { ask([] { return hipGraphLaunch(nullptr, nullptr); }); }},
    {"hipGraphLaunch on a destroyed stream",
     [] {
       ask([x = executable(small_graph()), s = dead_stream()] { return hipGraphLaunch(x, s); });
     }},
    {"hipGraphLaunch after the graph was destroyed",
     [] {
       const hipGraph_t g = small_graph();
       const hipGraphExec_t x = executable(g);
       say("hipGraphDestroy", hipGraphDestroy(g));
       ask([x] { return hipGraphLaunch(x, nullptr); });
     }},
    {"hipGraphLaunch on a capturing stream",
     [] {
       const hipGraphExec_t x = executable(small_graph());
       during(capturing(), [x](hipStream_t s) { return hipGraphLaunch(x, s); });
     }},
    {"hipGraphInstantiateWithFlags, flags 0",
     [] {
       hipGraphExec_t x = nullptr;
       say(status(hipGraphInstantiateWithFlags(&x, small_graph(), 0)));
       say("hipGraphLaunch", hipGraphLaunch(x, nullptr));
     }},
    {"hipGraphDestroy null", [] { ask([] { return hipGraphDestroy(nullptr); }); }},
    {"hipGraphDestroy twice",
     [] {
       const hipGraph_t g = small_graph();
       say("first", hipGraphDestroy(g));
       say("second", hipGraphDestroy(g));
     }},
    {"hipGraphExecDestroy null", [] { ask([] { return hipGraphExecDestroy(nullptr); }); }},
    {"hipGraphInstantiate null",
     [] {
       hipGraphExec_t x = nullptr;
       say("graph", hipGraphInstantiate(&x, nullptr, nullptr, nullptr, 0));
       say("executable", hipGraphInstantiate(nullptr, small_graph(), nullptr, nullptr, 0));
     }},
    {"hipGraphCreate",
     [] {
       hipGraph_t g = nullptr;
       say("flags 1", hipGraphCreate(&g, 1));
       say("null", hipGraphCreate(nullptr, 0));
       say(status(hipGraphCreate(&g, 0)));
     }},
    {"an empty graph",
     [] {
       hipGraph_t g = nullptr;
       say(status(hipGraphCreate(&g, 0)));
       std::size_t nodes = 7;
       say("hipGraphGetNodes", hipGraphGetNodes(g, nullptr, &nodes));
       say(std::to_string(nodes) + " nodes");
       hipGraphExec_t x = nullptr;
       say("hipGraphInstantiate", hipGraphInstantiate(&x, g, nullptr, nullptr, 0));
       say("hipGraphLaunch", hipGraphLaunch(x, nullptr));
     }},
    {"hipGraphExecUpdate with a graph of the same launch",
     [] {
       const hipGraphExec_t x = executable(small_graph());
       hipGraphNode_t node = nullptr;
       hipGraphExecUpdateResult result = hipGraphExecUpdateError;
       say(status(hipGraphExecUpdate(x, small_graph(), &node, &result)));
       say("result " + std::to_string(result));
     }},
    {"hipGraphExecUpdate with an empty graph",
     [] {
       const hipGraphExec_t x = executable(small_graph());
       hipGraph_t g = nullptr;
       say("hipGraphCreate", hipGraphCreate(&g, 0));
       hipGraphNode_t node = nullptr;
       hipGraphExecUpdateResult result = hipGraphExecUpdateError;
       say(status(hipGraphExecUpdate(x, g, &node, &result)));
       say("result " + std::to_string(result));
     }},
};

}  // namespace record
