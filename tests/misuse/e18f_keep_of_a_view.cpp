// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E18: the graph is given what refers to the memory, and not what owns it.

#include "data.hpp"
#include <warpsafe/graph/capture.hpp>

namespace ws = warpsafe;

void keep(ws::Capture& capture, const Buffer& buffer) {
#ifdef MISUSE
  static_cast<void>(capture.keep(
      buffer.view()));  // expected-error {{"only refers to memory, and keeps none of it"}}
#else
  static_cast<void>(capture.keep(buffer.keep()));
#endif
}
