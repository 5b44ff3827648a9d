// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E03: the stream is gone before the handle's first use.

#include "handles.hpp"

namespace ws = warpsafe;

auto used([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  return Library::create(ws::Stream::create().value());  // expected-error {{"deleted"}}
#else
  return Library::create(stream);
#endif
}
