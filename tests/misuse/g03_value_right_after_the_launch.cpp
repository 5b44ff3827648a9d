// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// G03: the program is right only while launches block.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(Token pending) {
#ifdef MISUSE
  return pending.value().size();  // expected-error {{"std::move(pending).get() waits"}}
#else
  return std::move(pending).get().value().size();
#endif
}
