// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F14: 1 in every byte is 16843009 as an int.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(ws::StreamRef stream, ws::DeviceBuffer<int>& buffer) {
#ifdef MISUSE
  return buffer.fill_bytes(stream, 1);  // expected-error {{"a fill sets single bytes"}}
#else
  return buffer.zero(stream);
#endif
}
