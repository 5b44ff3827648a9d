// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B03: a maximum of -1 threads, as "none" is written elsewhere.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void nothing() {}

auto launched(ws::StreamRef stream) {
  const auto config = ws::configure(ws::grid<4>, ws::block<256>);
#ifdef MISUSE
  return ws::launch(
      stream, config,
      ws::kernel<nothing,
                 ws::max_threads<-1>>);  // expected-error {{"a block has 1 to 1024 threads"}}
#else
  return ws::launch(stream, config, ws::kernel<nothing, ws::max_threads<256>>);
#endif
}
