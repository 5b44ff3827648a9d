// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E18: a graph is to keep a buffer that stays its owner's.

#include "launches.hpp"
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory/buffer.hpp>

#include <utility>

namespace ws = warpsafe;

void keep(ws::Capture& capture, ws::DeviceBuffer<float>& buffer) {
#ifdef MISUSE
  static_cast<void>(capture.keep(
      buffer));  // expected-error {{"keep takes over what it keeps: keep(std::move(buffer))"}}
#else
  static_cast<void>(capture.keep(std::move(buffer)));
#endif
}
