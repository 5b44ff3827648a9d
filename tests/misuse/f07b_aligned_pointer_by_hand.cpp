// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F07: a promise that nobody has looked at.

#include <warpsafe/args/align.hpp>
#include <warpsafe/args/device_view.hpp>

namespace ws = warpsafe;

auto read([[maybe_unused]] ws::DeviceView<float> view, [[maybe_unused]] float* host) {
#ifdef MISUSE
  return ws::aligned_ptr<float, 16>(host);  // expected-error {{"made by align<16>"}}
#else
  return ws::align<16>(view);
#endif
}
