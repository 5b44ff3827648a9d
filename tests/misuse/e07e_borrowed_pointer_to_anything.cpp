// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E07: a pointer that is no stream.

#include "launches.hpp"

namespace ws = warpsafe;

auto launched([[maybe_unused]] ws::default_backend::native_stream stream,
              [[maybe_unused]] int& number) {
#ifdef MISUSE
  return ws::StreamRef::borrow(
      &number,
      ws::DeviceId(0));  // expected-error {{"borrow takes a stream of this backend's own type"}}
#else
  return ws::StreamRef::borrow(stream, ws::DeviceId(0));
#endif
}
