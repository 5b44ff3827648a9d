// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C02: an operation as a number.

#include "handles.hpp"

namespace ws = warpsafe;

auto used(Library& library, [[maybe_unused]] ws::DeviceBuffer<float>& x,
          ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  return library.call<library_axpy>(
      0, 1, ws::host_scalar(1.0F), x.view(),
      y.view());  // expected-error {{"the library's own enumeration"}}
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), x.view(), y.view());
#endif
}
