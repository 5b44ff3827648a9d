// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E03: the stream is gone before the buffer that is bound to it.

#include "data.hpp"

namespace ws = warpsafe;

auto copied([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  return Buffer::create(ws::Stream::create().value(), 5);  // expected-error {{"deleted"}}
#else
  return Buffer::create(stream, 5);
#endif
}
