// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C05: a string by value.

#include "launches.hpp"

#include <string>

namespace ws = warpsafe;

WARPSAFE_KERNEL void bad(std::string) {}
WARPSAFE_KERNEL void good(int) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(
      stream, config, ws::kernel<bad>,
      std::
          string());  // expected-error {{"the kernel takes a type that is not trivially copyable"}}
#else
  return ws::launch(stream, config, ws::kernel<good>, n);
#endif
}
