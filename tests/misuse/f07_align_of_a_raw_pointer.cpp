// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F07: the alignment of memory that may be the host's.

#include <warpsafe/args/align.hpp>
#include <warpsafe/args/device_view.hpp>

namespace ws = warpsafe;

auto read([[maybe_unused]] ws::DeviceView<float> view, [[maybe_unused]] float* host) {
#ifdef MISUSE
  return ws::align<16>(host);  // expected-error {{"align takes a device buffer"}}
#else
  return ws::align<16>(view);
#endif
}
