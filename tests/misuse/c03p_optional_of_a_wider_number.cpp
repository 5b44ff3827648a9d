// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C03: an int64 in a holder of numbers, whose conversion cuts it.

#include "launches.hpp"

#include <cstdint>
#include <optional>

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(std::optional<int>) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] std::optional<std::int64_t> wide,
              [[maybe_unused]] std::optional<int> fitting) {
  const auto config = ws::configure(ws::grid<4>, ws::block<256>);
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<fill>,
                    wide);  // expected-error {{"may lose its value"}}
#else
  return ws::launch(stream, config, ws::kernel<fill>, fitting);
#endif
}
