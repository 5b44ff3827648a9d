// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F03: an asynchronous copy from memory that the runtime has to stage.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(ws::StreamRef stream, Buffer& buffer, const std::vector<float>& values) {
#ifdef MISUSE
  return ws::copy(stream, buffer, values);  // expected-error {{"this is pageable host memory"}}
#else
  return ws::copy_and_wait(stream, buffer, values);
#endif
}
