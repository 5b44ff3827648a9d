// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F01: a token is passed for the value that it will have.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(Token pending) {
#ifdef MISUSE
  const std::vector<float>& values =
      pending;  // expected-error {{"std::move(pending).get() waits"}}
  return values.size();
#else
  return std::move(pending).get().value().size();
#endif
}
