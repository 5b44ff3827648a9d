// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E15: a stream waits for a stream, with no point in it.

#include "launches.hpp"

namespace ws = warpsafe;

auto launched(ws::StreamRef stream, ws::StreamRef other) {
#ifdef MISUSE
  return ws::wait(stream, other);  // expected-error {{"wait(stream, event) takes an Event"}}
#else
  return ws::wait(stream, ws::Event::create(other).value());
#endif
}
