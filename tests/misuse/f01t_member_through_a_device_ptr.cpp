// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F01: a member of a structure in device memory.

#include <warpsafe/args/device_view.hpp>

namespace ws = warpsafe;

struct Item {
  int value;
};

auto read(ws::device_ptr<Item> data) {
#ifdef MISUSE
  return data->value;  // expected-error {{"a device_ptr is not read through"}}
#else
  return data.get();
#endif
}
