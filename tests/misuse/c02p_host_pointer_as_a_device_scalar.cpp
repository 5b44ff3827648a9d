// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C02: a host variable as a scalar on the device.

#include "handles.hpp"

namespace ws = warpsafe;

auto used(Library& library, [[maybe_unused]] const float& one, ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  return library.call<library_add>(
      1, ws::device_scalar(&one), ws::device_scalar(y.view()),
      y.view());  // expected-error {{"device_scalar takes device memory"}}
#else
  return library.call<library_add>(1, ws::device_scalar(y.view()), ws::device_scalar(y.view()),
                                   y.view());
#endif
}
