// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C02: a double scalar for a library's float.

#include "handles.hpp"

namespace ws = warpsafe;

auto used(Library& library, [[maybe_unused]] ws::DeviceBuffer<float>& x,
          ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  return library.call<library_axpy>(
      library_plain, 1, ws::host_scalar(1.0), x.view(),
      y.view());  // expected-error {{"this scalar is of another type"}}
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), x.view(), y.view());
#endif
}
