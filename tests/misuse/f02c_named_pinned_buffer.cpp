// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F02: the host could change or free the source while the copy runs.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(ws::StreamRef stream, Buffer& buffer, Pinned pinned) {
#ifdef MISUSE
  return ws::copy(stream, buffer, pinned);  // expected-error {{"std::move it in"}}
#else
  return ws::copy(stream, buffer, std::move(pinned));
#endif
}
