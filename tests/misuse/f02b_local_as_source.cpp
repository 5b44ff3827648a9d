// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F02: a local variable is gone before the copy has run.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(ws::StreamRef stream, Buffer& buffer) {
#ifdef MISUSE
  const float value = 1;
  return ws::copy(stream, buffer, &value);  // expected-error {{"a raw pointer has no size"}}
#else
  const float value[1] = {1};
  return ws::copy_and_wait(stream, buffer, value);
#endif
}
