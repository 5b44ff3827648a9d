// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F03: the same into such memory: whether it waits depends on the platform.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(ws::StreamRef stream, const Buffer& buffer, std::vector<float>& values) {
#ifdef MISUSE
  return ws::copy(stream, values, buffer);  // expected-error {{"this is pageable host memory"}}
#else
  return ws::copy_and_wait(stream, values, buffer);
#endif
}
