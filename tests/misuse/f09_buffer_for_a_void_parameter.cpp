// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F09: the kernel takes void*, and nothing says whether it reads what the buffer holds.

#include "data.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void scale(void*, int) {}

auto launched(ws::StreamRef stream, Buffer& buffer, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<scale>, buffer.view(),
                    n);  // expected-error {{"void* parameter takes memory of any type"}}
#else
  return ws::launch(stream, config, ws::kernel<scale>, ws::as_writable_bytes(buffer.view()), n);
#endif
}
