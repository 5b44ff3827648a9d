// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F01: a token is taken for a container.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(Token pending) {
#ifdef MISUSE
  float sum = 0;
  for (const float value : pending)
    sum += value;  // expected-error {{"std::move(pending).get() waits"}}
  return sum;
#else
  float sum = 0;
  const std::vector<float> values = std::move(pending).get().value();
  for (const float value : values) sum += value;
  return sum;
#endif
}
