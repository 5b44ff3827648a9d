// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E01: the handle is on the default stream, since nobody set another.

#include "handles.hpp"

namespace ws = warpsafe;

auto used([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  return ws::result<Library>(Library());  // expected-error {{"deleted"}}
#else
  return Library::create(stream);
#endif
}
