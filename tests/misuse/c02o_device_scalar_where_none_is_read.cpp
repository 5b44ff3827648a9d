// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C02: a scalar on the device for a library that reads them on the host.

#include "handles.hpp"

namespace ws = warpsafe;

auto used(Other& other, [[maybe_unused]] ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  return other.call<other_run>(
      1, ws::device_scalar(y.view()));  // expected-error {{"reads its scalars on the host"}}
#else
  return other.call<other_run>(1, ws::host_scalar(1.0F));
#endif
}
