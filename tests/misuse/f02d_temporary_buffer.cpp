// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F02: a buffer without a name is freed where the copy is asked for.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(ws::StreamRef stream, Buffer& buffer) {
#ifdef MISUSE
  return ws::copy(
      stream, buffer,
      Buffer::create(stream, 5).value());  // expected-error {{"this buffer is a temporary"}}
#else
  const auto source = Buffer::create(stream, 5).value();
  return ws::copy(stream, buffer, source);
#endif
}
