// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E03: the same by name.

#include "launches.hpp"

namespace ws = warpsafe;

auto launched([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  return ws::Stream::create().value().ref();  // expected-error {{"deleted"}}
#else
  return stream.ref();
#endif
}
