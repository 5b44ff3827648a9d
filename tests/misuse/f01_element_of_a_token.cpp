// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F01: the host reads before the copy has ended.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(Token pending) {
#ifdef MISUSE
  return pending[0];  // expected-error {{"std::move(pending).get() waits"}}
#else
  return std::move(pending).get().value()[0];
#endif
}
