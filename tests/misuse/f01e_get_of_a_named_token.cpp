// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F01: get() leaves the token without its value, so it is moved.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(Token pending) {
#ifdef MISUSE
  return pending.get();  // expected-error {{"std::move(pending).get() waits"}}
#else
  return std::move(pending).get();
#endif
}
