// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C10: the kernel reads dynamic shared memory, the launch gives none.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void nothing() {}

auto launched(ws::StreamRef stream) {
  [[maybe_unused]] const auto config = ws::configure(ws::grid<4>, ws::block<256>);
  [[maybe_unused]] const auto with_memory =
      ws::configure(ws::grid<4>, ws::block<256>, ws::shared<float>(256));
#ifdef MISUSE
  return ws::launch(
      stream, config,
      ws::kernel<nothing,
                 ws::needs_shared<
                     float>>);  // expected-error {{"the launch gives no dynamic shared memory"}}
#else
  return ws::launch(stream, with_memory, ws::kernel<nothing, ws::needs_shared<float>>);
#endif
}
