// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C02: a function that returns no status.

#include "handles.hpp"

namespace ws = warpsafe;

auto used(Library& library, [[maybe_unused]] ws::DeviceBuffer<float>& x,
          ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  return library.call<library_forget>(1);  // expected-error {{"returns the library's status"}}
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), x.view(), y.view());
#endif
}
