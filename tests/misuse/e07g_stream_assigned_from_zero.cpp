// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E07: 0 where a variable is a stream.

#include "launches.hpp"

namespace ws = warpsafe;

auto launched([[maybe_unused]] ws::StreamRef stream) {
#ifdef MISUSE
  ws::StreamRef mine = 0;  // expected-error {{"0 and nullptr are a default stream"}}
  return mine;
#else
  return stream;
#endif
}
