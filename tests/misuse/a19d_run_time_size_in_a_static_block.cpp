// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A19: a run-time size where a constant belongs.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured([[maybe_unused]] int n) {
#ifdef MISUSE
  return ws::block<n>;  // expected-error {{"constant"}}
#else
  return ws::BlockDim::create(n);
#endif
}
