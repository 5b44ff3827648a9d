// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E03: two owners of one stream.

#include "launches.hpp"

#include <utility>

namespace ws = warpsafe;

auto launched(ws::Stream& stream) {
#ifdef MISUSE
  return ws::Stream(stream);  // expected-error {{"deleted"}}
#else
  return ws::Stream(std::move(stream));
#endif
}
