// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F01: the address of device memory for code that expects its own.

#include <warpsafe/args/device_view.hpp>

namespace ws = warpsafe;

auto read(ws::DeviceView<float> view) {
#ifdef MISUSE
  return view.data();  // expected-error {{"host code cannot read or write device memory"}}
#else
  return view.pointer();
#endif
}
