// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F12: the host touches managed memory while the device may work.

#include "launches.hpp"
#include <warpsafe/memory/managed_buffer.hpp>

namespace ws = warpsafe;

using Managed = ws::ManagedBuffer<float>;

auto copied([[maybe_unused]] ws::StreamRef stream, Managed managed) {
#ifdef MISUSE
  return managed.view()[0];  // expected-error {{"host code cannot read or write device memory"}}
#else
  return std::move(managed).to_host(stream).get().value().size();
#endif
}
