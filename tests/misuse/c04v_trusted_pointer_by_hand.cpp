// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C04: trust is the word, and the only one, for memory of other code.

#include <warpsafe/args/trust.hpp>

namespace ws = warpsafe;

auto trusted(float* data) {
#ifdef MISUSE
  return ws::trusted_ptr<float>{data};  // expected-error {{"made by trust(p)"}}
#else
  return ws::trust(data);
#endif
}
