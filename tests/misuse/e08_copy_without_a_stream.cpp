// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E08: cudaMemcpy runs on the null stream, which a non-blocking stream does not wait for.

#include "launches.hpp"
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>

namespace ws = warpsafe;

auto copied([[maybe_unused]] const ws::Stream& stream, ws::DeviceBuffer<float>& to,
            ws::DeviceBuffer<float>& from) {
#ifdef MISUSE
  return ws::copy(to, from);  // expected-error {{"a stream always"}}
#else
  return ws::copy(stream, to, from);
#endif
}
