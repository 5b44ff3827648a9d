// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E09: freeing memory is taken for a wait; older runtimes did wait there.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(ws::StreamRef stream, Buffer buffer) {
#ifdef MISUSE
  auto pending = buffer.to_host(stream);
  buffer.close().value();
  const std::vector<float> values = pending;  // expected-error {{"std::move(pending).get() waits"}}
  return values.size();
#else
  auto pending = buffer.to_host(stream);
  buffer.close().value();
  return std::move(pending).get().value().size();
#endif
}
