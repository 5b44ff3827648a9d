// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F05: the source would be overwritten.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(ws::StreamRef stream, Buffer& buffer, const Buffer& source) {
#ifdef MISUSE
  return ws::copy(stream, source, buffer);  // expected-error {{"source and target are swapped"}}
#else
  return ws::copy(stream, buffer, source);
#endif
}
