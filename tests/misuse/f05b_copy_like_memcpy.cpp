// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F05: the order and the size of memcpy, and no stream.

#include "data.hpp"

namespace ws = warpsafe;

auto copied([[maybe_unused]] ws::StreamRef stream, Buffer& buffer, const Buffer& other) {
#ifdef MISUSE
  return ws::copy(
      buffer, other,
      buffer.size() * sizeof(float));  // expected-error {{"every copy names its stream first"}}
#else
  return ws::copy(stream, buffer, other);
#endif
}
