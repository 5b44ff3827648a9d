// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E18: a capture is ended, and there to be ended again.

#include "launches.hpp"
#include <warpsafe/graph/capture.hpp>

#include <utility>

namespace ws = warpsafe;

auto graph(ws::Capture& capture) {
#ifdef MISUSE
  return capture
      .end();  // expected-error {{"end() uses the capture up: auto graph = std::move(capture).end()"}}
#else
  return std::move(capture).end();
#endif
}
