// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F12: the host touches it before the work has ended.

#include "launches.hpp"
#include <warpsafe/memory/managed_buffer.hpp>

namespace ws = warpsafe;

using Managed = ws::ManagedBuffer<float>;

auto copied(ws::StreamRef stream, Managed managed) {
#ifdef MISUSE
  return std::move(managed)
      .to_host(stream)
      ->size();  // expected-error {{"std::move(pending).get() waits"}}
#else
  return std::move(managed).to_host(stream).get().value().size();
#endif
}
