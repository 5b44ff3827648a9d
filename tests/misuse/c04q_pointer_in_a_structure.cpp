// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C04: a structure of arguments carries a pointer past the check of pointers, beside a member that
// has no default constructor.

#include "launches.hpp"

#include <vector>

namespace ws = warpsafe;

struct WithRaw {
  int count;
  float* data;
  ws::rows rows;
};
struct WithTyped {
  int count;
  ws::device_ptr<float> data;
  ws::rows rows;
};

WARPSAFE_KERNEL void bad([[maybe_unused]] WithRaw parameter) {}
WARPSAFE_KERNEL void good([[maybe_unused]] WithTyped parameter) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] std::vector<float>& host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  return ws::launch(
      stream, config, ws::kernel<bad>,
      WithRaw{4, host.data(),
              ws::rows{2}});  // expected-error {{"holds a raw pointer, or is a view"}}
#else
  return ws::launch(stream, config, ws::kernel<good>, WithTyped{4, nullptr, ws::rows{2}});
#endif
}
