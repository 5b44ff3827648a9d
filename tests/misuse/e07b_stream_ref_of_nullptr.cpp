// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E07: the same as nullptr.

#include "launches.hpp"

namespace ws = warpsafe;

auto launched([[maybe_unused]] ws::StreamRef stream) {
#ifdef MISUSE
  return ws::StreamRef(nullptr);  // expected-error {{"0 and nullptr are a default stream"}}
#else
  return stream;
#endif
}
