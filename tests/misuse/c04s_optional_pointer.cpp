// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C04: an optional pointer is a pointer.

#include "launches.hpp"

#include <optional>
#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void bad([[maybe_unused]] std::optional<float*> parameter) {}
WARPSAFE_KERNEL void good([[maybe_unused]] std::optional<float> parameter) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] std::vector<float>& host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<bad>,
                    std::optional<float*>(
                        host.data()));  // expected-error {{"holds a raw pointer, or is a view"}}
#else
  return ws::launch(stream, config, ws::kernel<good>, std::optional<float>(2.0F));
#endif
}
