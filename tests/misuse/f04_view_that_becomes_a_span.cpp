// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F04: a span does not know its buffer, so nothing would keep its memory for a kernel on another
// stream.

#include "launches.hpp"
#include <warpsafe/args/device_view.hpp>

namespace ws = warpsafe;

WARPSAFE_KERNEL void clear(ws::DeviceSpan<float>) {}

auto launched(ws::StreamRef other, ws::DeviceView<float> view) {
  const auto config = ws::configure(ws::grid<1>, ws::block<32>);
#ifdef MISUSE
  ws::DeviceSpan<float> span = view;  // expected-error {{"a DeviceSpan does not know its buffer"}}
  return ws::launch(other, config, ws::kernel<clear>, span);
#else
  return ws::launch(other, config, ws::kernel<clear>, view);
#endif
}
