// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E18: what goes wrong in a captured function is lost.

#include "launches.hpp"
#include <warpsafe/graph/capture.hpp>

namespace ws = warpsafe;

auto capture(const ws::Stream& stream, const ws::Event& event) {
#ifdef MISUSE
  const auto body = [&](ws::Capture&) { static_cast<void>(ws::wait(stream, event)); };
  return ws::capture(
      stream,
      body);  // expected-error {{"what is captured is a function of the Capture that returns result<void>"}}
#else
  const auto body = [&](ws::Capture&) { return ws::wait(stream, event); };
  return ws::capture(stream, body);
#endif
}
