// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C03: a 64-bit size for a library's int.

#include "handles.hpp"

namespace ws = warpsafe;

auto used(Library& library, [[maybe_unused]] ws::DeviceBuffer<float>& x,
          ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  return library.call<library_axpy>(library_plain, x.size(), ws::host_scalar(1.0F), x.view(),
                                    y.view());  // expected-error {{"may lose its value"}}
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), x.view(), y.view());
#endif
}
