// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E03: the stream is gone before its first use.

#include "launches.hpp"

namespace ws = warpsafe;

auto launched([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  return ws::StreamRef(ws::Stream::create().value());  // expected-error {{"deleted"}}
#else
  return ws::StreamRef(stream);
#endif
}
