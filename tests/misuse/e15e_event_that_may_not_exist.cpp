// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E15: an event whose recording may have failed.

#include "launches.hpp"

namespace ws = warpsafe;

auto launched(ws::StreamRef stream, ws::StreamRef other) {
#ifdef MISUSE
  return ws::wait(
      stream, ws::Event::create(other));  // expected-error {{"wait(stream, event) takes an Event"}}
#else
  return ws::wait(stream, ws::Event::create(other).value());
#endif
}
