// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E01: the same by the factory.

#include "handles.hpp"

namespace ws = warpsafe;

auto used([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  return Library::create();  // expected-error {{"a library handle is made on a Stream"}}
#else
  return Library::create(stream);
#endif
}
