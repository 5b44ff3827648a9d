// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E07: the same through borrow, as nullptr.

#include "launches.hpp"

namespace ws = warpsafe;

auto launched([[maybe_unused]] ws::default_backend::native_stream stream) {
#ifdef MISUSE
  return ws::StreamRef::borrow(
      nullptr, ws::DeviceId(0));  // expected-error {{"0 and nullptr are a default stream"}}
#else
  return ws::StreamRef::borrow(stream, ws::DeviceId(0));
#endif
}
