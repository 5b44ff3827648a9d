// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C02: doubles for a library's floats.

#include "handles.hpp"

namespace ws = warpsafe;

auto used(Library& library, [[maybe_unused]] ws::DeviceBuffer<double>& d,
          [[maybe_unused]] ws::DeviceBuffer<float>& x, ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), d.view(),
                                    y.view());  // expected-error {{"another type"}}
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), x.view(), y.view());
#endif
}
