// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C12: a kernel that returns its result.

#include "launches.hpp"

namespace ws = warpsafe;

inline int sum() { return 0; }

WARPSAFE_KERNEL void nothing() {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<sum>);  // expected-error {{"a kernel returns void"}}
#else
  return ws::launch(stream, config, ws::kernel<nothing>);
#endif
}
