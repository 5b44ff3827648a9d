// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E15: events that measure no time.

#include "launches.hpp"

namespace ws = warpsafe;

auto launched(ws::StreamRef stream) {
#ifdef MISUSE
  return ws::elapsed_ms(
      ws::Event::create(stream).value(),
      ws::Event::create(stream).value());  // expected-error {{"only a TimedEvent measures time"}}
#else
  return ws::elapsed_ms(ws::TimedEvent::create(stream).value(),
                        ws::TimedEvent::create(stream).value());
#endif
}
