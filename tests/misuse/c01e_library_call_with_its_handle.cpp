// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C01: the handle once more, in front of the arguments.

#include "handles.hpp"

namespace ws = warpsafe;

auto used(Library& library, ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  return library.call<library_add>(library.native(), 1, ws::host_scalar(1.0F),
                                   ws::host_scalar(1.0F),
                                   y.view());  // expected-error {{"warpsafe: "}}
#else
  return library.call<library_add>(1, ws::host_scalar(1.0F), ws::host_scalar(1.0F), y.view());
#endif
}
