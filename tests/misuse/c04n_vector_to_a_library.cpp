// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C04: a host vector for a library's device memory.

#include "handles.hpp"

#include <vector>

namespace ws = warpsafe;

auto used(Library& library, [[maybe_unused]] const std::vector<float>& v,
          [[maybe_unused]] ws::DeviceBuffer<float>& x, ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  return library.call<library_axpy>(
      library_plain, 1, ws::host_scalar(1.0F), v,
      y.view());  // expected-error {{"warpsafe: this argument is no device memory"}}
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), x.view(), y.view());
#endif
}
