// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// memory.hpp alone is enough for a program with buffers.

#include <warpsafe/memory.hpp>

warpsafe::result<void> zeros() {
  WARPSAFE_TRY(auto stream, warpsafe::Stream::create());
  WARPSAFE_TRY(auto x, warpsafe::DeviceBuffer<float>::create(stream, 4));
  return x.zero(stream);
}
