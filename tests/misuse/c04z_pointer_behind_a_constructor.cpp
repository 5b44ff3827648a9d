// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C04: a class that cannot be looked into, with the address of host memory in it.

#include "launches.hpp"

namespace ws = warpsafe;

class Closed {
 public:
  explicit Closed(float* values) : values_(values) {}

 private:
  [[maybe_unused]] float* values_;
};
struct Open {
  ws::DeviceSpan<float> values;
};

WARPSAFE_KERNEL void fill_closed(Closed) {}
WARPSAFE_KERNEL void fill_open(Open) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] float* host, ws::DeviceSpan<float> data) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(data.size(), ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<fill_closed>,
                    Closed(host));  // expected-error {{"could hide the address of host memory"}}
#else
  return ws::launch(stream, config, ws::kernel<fill_open>, Open{data});
#endif
}
