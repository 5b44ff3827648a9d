// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F02: the source is gone before the copy has run.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(ws::StreamRef stream, Buffer& buffer) {
#ifdef MISUSE
  return ws::copy(stream, buffer,
                  std::vector<float>(5));  // expected-error {{"this is pageable host memory"}}
#else
  return ws::copy_and_wait(stream, buffer, std::vector<float>(5));
#endif
}
