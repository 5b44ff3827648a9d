// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C11: shared memory of how many?

#include <warpsafe/dims/bytes.hpp>

namespace ws = warpsafe;

auto made([[maybe_unused]] int n) {
#ifdef MISUSE
  return ws::shared<float>();  // expected-error {{"takes the number of elements, one number"}}
#else
  return ws::shared<float>(256);
#endif
}
