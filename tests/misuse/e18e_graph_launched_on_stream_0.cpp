// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E18: a graph is launched on the default stream.

#include "launches.hpp"
#include <warpsafe/graph.hpp>

namespace ws = warpsafe;

auto replay(ws::ExecutableGraph& graph, const ws::Stream& stream) {
#ifdef MISUSE
  static_cast<void>(stream);
  return graph.launch(
      0);  // expected-error {{"a graph is launched on a Stream or StreamRef of its backend"}}
#else
  return graph.launch(stream);
#endif
}
