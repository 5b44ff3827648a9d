// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F05: elements where the runtime counts bytes.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(ws::StreamRef stream, Buffer& buffer, const Buffer& other, std::size_t n) {
#ifdef MISUSE
  return ws::copy(stream, buffer, other, n);  // expected-error {{"no number of elements or bytes"}}
#else
  return ws::copy(stream, buffer.view().subspan(0, n), other.view().subspan(0, n));
#endif
}
