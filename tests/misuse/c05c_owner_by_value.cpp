// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C05: an owner by value, freed twice.

#include "launches.hpp"

#include <memory>

namespace ws = warpsafe;

WARPSAFE_KERNEL void bad(std::shared_ptr<float>) {}
WARPSAFE_KERNEL void good(ws::device_ptr<float>) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(
      stream, config, ws::kernel<bad>,
      std::make_shared<
          float>());  // expected-error {{"the kernel takes a type that is not trivially copyable"}}
#else
  return ws::launch(stream, config, ws::kernel<good>, ws::device_ptr<float>());
#endif
}
