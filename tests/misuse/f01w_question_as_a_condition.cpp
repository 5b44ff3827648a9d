// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F01: whether the work is done, asked as a condition: true for work that still runs.

#include "launches.hpp"

namespace ws = warpsafe;

bool done(const ws::Stream& stream) {
#ifdef MISUSE
  if (stream.ready()) return true;  // expected-error {{"the answer is ready().value()"}}
  return false;
#else
  return stream.ready().value();
#endif
}
