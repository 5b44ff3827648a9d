// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A03: a class that converts to a number says nothing about its width.

#include <warpsafe/launch/launch_config.hpp>

#include <atomic>

namespace ws = warpsafe;

auto configured(const std::atomic<long long>& n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      n, ws::block<256>);  // expected-error {{"a size is a whole number, extent"}}
#else
  return ws::SafeGrid<>::cover(n.load(), ws::block<256>);
#endif
}
