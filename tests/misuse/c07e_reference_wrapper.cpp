// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C07: a reference that can be assigned.

#include "launches.hpp"

#include <functional>
#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void bad([[maybe_unused]] std::reference_wrapper<float> parameter) {}
WARPSAFE_KERNEL void good([[maybe_unused]] float parameter) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] std::vector<float>& host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<bad>,
                    std::ref(host[0]));  // expected-error {{"holds a raw pointer, or is a view"}}
#else
  return ws::launch(stream, config, ws::kernel<good>, 2.0F);
#endif
}
