// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F05: as many elements, and twice the bytes.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(ws::StreamRef stream, [[maybe_unused]] Buffer& buffer,
            ws::DeviceBuffer<double>& doubles, const ws::DeviceBuffer<double>& other) {
#ifdef MISUSE
  static_cast<void>(other);
  return ws::copy(stream, buffer, doubles);  // expected-error {{"elements of different types"}}
#else
  static_cast<void>(buffer);
  return ws::copy(stream, doubles, other);
#endif
}
