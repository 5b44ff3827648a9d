// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F04: the same inside a structure that a kernel takes; there it is said by name, span().

#include "launches.hpp"
#include <warpsafe/args/device_view.hpp>

namespace ws = warpsafe;

struct Job {
  ws::DeviceSpan<const float> from;
  int n;
};
WARPSAFE_KERNEL void run(Job) {}

auto launched(ws::StreamRef other, ws::DeviceView<const float> view) {
  const auto config = ws::configure(ws::grid<1>, ws::block<32>);
#ifdef MISUSE
  return ws::launch(other, config, ws::kernel<run>,
                    Job{view, 1});  // expected-error {{"a DeviceSpan does not know its buffer"}}
#else
  return ws::launch(other, config, ws::kernel<run>, Job{view.span(), 1});
#endif
}
