// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E07: a default stream, of which there are two.

#include "launches.hpp"

namespace ws = warpsafe;

auto launched([[maybe_unused]] ws::StreamRef stream) {
#ifdef MISUSE
  return ws::StreamRef(0);  // expected-error {{"0 and nullptr are a default stream"}}
#else
  return stream;
#endif
}
