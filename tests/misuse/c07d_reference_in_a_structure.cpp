// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C07: a structure with a reference copies well, and refers to the host.

#include "launches.hpp"

#include <vector>

namespace ws = warpsafe;

struct ByReference {
  float& scale;
};
struct ByValue {
  float scale;
};

WARPSAFE_KERNEL void bad([[maybe_unused]] ByReference parameter) {}
WARPSAFE_KERNEL void good([[maybe_unused]] ByValue parameter) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] std::vector<float>& host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  return ws::launch(
      stream, config, ws::kernel<bad>,
      ByReference{
          host[0]});  // expected-error {{"a lambda with captures, or a type with a reference"}}
#else
  return ws::launch(stream, config, ws::kernel<good>, ByValue{2.0F});
#endif
}
