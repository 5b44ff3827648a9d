// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F01: a token is taken for a std::optional.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(Token pending) {
#ifdef MISUSE
  return pending->size();  // expected-error {{"std::move(pending).get() waits"}}
#else
  return std::move(pending).get().value().size();
#endif
}
