// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E01: a handle type that nobody described.

#include "handles.hpp"

namespace ws = warpsafe;

auto used([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  return ws::StreamBound<LibraryContext>::create(
      stream);  // expected-error {{"no library has this handle here"}}
#else
  return Library::create(stream);
#endif
}
