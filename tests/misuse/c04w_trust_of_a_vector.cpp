// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C04: trust takes a pointer, since what owns host memory is known to be that.

#include <warpsafe/args/trust.hpp>

#include <vector>

namespace ws = warpsafe;

auto trusted([[maybe_unused]] float* data, [[maybe_unused]] std::vector<float>& host) {
#ifdef MISUSE
  return ws::trust(host);  // expected-error {{"trust takes a raw pointer to device memory"}}
#else
  return ws::trust(data);
#endif
}
