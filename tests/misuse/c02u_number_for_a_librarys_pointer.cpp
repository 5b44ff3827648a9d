// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C02: a scalar by its value, for a library that takes it by its address.

#include "handles.hpp"

namespace ws = warpsafe;

auto used(Library& library, ws::DeviceBuffer<float>& x, ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  return library.call<library_axpy>(
      library_plain, 1, 2.0F, x.view(),
      y.view());  // expected-error {{"the library takes this number by its address: pass host_scalar(x)"}}
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(2.0F), x.view(), y.view());
#endif
}
