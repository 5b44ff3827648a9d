// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F01: the same of a value that is on its way.

#include "data.hpp"

namespace ws = warpsafe;

bool arrived(const Token& token) {
#ifdef MISUSE
  const auto asked = token.ready();
  return !!asked;  // expected-error {{"the answer is ready().value()"}}
#else
  const auto asked = token.ready();
  return asked.has_value() && asked.value();
#endif
}
