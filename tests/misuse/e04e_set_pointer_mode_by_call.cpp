// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E04: a pointer mode that the next call does not expect.

#include "handles.hpp"

namespace ws = warpsafe;

auto used(Library& library) {
#ifdef MISUSE
  return library.call<library_set_mode>(
      library_device);  // expected-error {{"would undo the handle's binding"}}
#else
  return library.call<library_get_mode>(nullptr);
#endif
}
