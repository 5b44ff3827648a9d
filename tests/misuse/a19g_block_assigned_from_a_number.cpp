// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A19: the number of elements, where a block is declared.

#include <warpsafe/dims/dim3.hpp>

namespace ws = warpsafe;

auto made([[maybe_unused]] int n) {
#ifdef MISUSE
  const ws::BlockDim threads = n;
  return threads;  // expected-error {{"a block or cluster is made by block<256>"}}
#else
  const ws::BlockDim threads = ws::block<256>;
  return threads;
#endif
}
