// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C08: the stream in the slot of the shared memory.

#include <warpsafe/launch/launch_config.hpp>
#include <warpsafe/stream/stream.hpp>

namespace ws = warpsafe;

auto configured([[maybe_unused]] ws::StreamRef stream) {
#ifdef MISUSE
  return ws::configure(ws::grid<4>, ws::block<256>,
                       stream);  // expected-error {{"the stream goes to launch"}}
#else
  return ws::configure(ws::grid<4>, ws::block<256>);
#endif
}
