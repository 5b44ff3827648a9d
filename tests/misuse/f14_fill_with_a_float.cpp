// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F14: a fill sets bytes, and -10000.0F is no byte.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(ws::StreamRef stream, Buffer& buffer) {
#ifdef MISUSE
  return buffer.fill_bytes(stream, -10000.0F);  // expected-error {{"a fill sets single bytes"}}
#else
  return buffer.fill_bytes(stream, std::byte{0xff});
#endif
}
