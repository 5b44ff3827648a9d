// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F01: an element of device memory, before anything was copied.

#include <warpsafe/args/device_view.hpp>

namespace ws = warpsafe;

auto read(ws::DeviceView<float> view) {
#ifdef MISUSE
  return view[0];  // expected-error {{"host code cannot read or write device memory"}}
#else
  return view.size();
#endif
}
