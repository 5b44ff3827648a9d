// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E18: the default stream is captured.

#include "launches.hpp"
#include <warpsafe/graph/capture.hpp>

namespace ws = warpsafe;

auto capture(const ws::Stream& stream) {
#ifdef MISUSE
  static_cast<void>(stream);
  return ws::Capture::begin(
      0);  // expected-error {{"a capture begins on a Stream or StreamRef of its backend"}}
#else
  return ws::Capture::begin(stream);
#endif
}
