// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E01: a generator of no kind.

#include "handles.hpp"

namespace ws = warpsafe;

auto used([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  return Other::create(stream);  // expected-error {{"a library handle is made on a Stream"}}
#else
  return Other::create(stream, library_plain);
#endif
}
