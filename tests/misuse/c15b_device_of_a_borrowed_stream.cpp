// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C15: a device as a number, beside the stream that is borrowed.

#include "launches.hpp"

namespace ws = warpsafe;

auto borrowed(ws::StreamRef stream) {
#ifdef MISUSE
  return ws::StreamRef::borrow(stream.native(),
                               0);  // expected-error {{"a borrowed stream comes with its device"}}
#else
  return ws::StreamRef::borrow(stream.native(), ws::DeviceId(0));
#endif
}
