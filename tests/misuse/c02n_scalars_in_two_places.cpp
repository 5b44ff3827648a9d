// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C02: one scalar on the device, the other on the host: the mode is the handle's.

#include "handles.hpp"

namespace ws = warpsafe;

auto used(Library& library, ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  return library.call<library_add>(
      1, ws::device_scalar(y.view()), ws::host_scalar(1.0F),
      y.view());  // expected-error {{"the scalars of one call are all on the host"}}
#else
  return library.call<library_add>(1, ws::device_scalar(y.view()), ws::device_scalar(y.view()),
                                   y.view());
#endif
}
