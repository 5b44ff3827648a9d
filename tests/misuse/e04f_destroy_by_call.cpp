// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E04: the handle destroyed twice.

#include "handles.hpp"

namespace ws = warpsafe;

auto used(Library& library) {
#ifdef MISUSE
  return library.call<library_destroy>();  // expected-error {{"would undo the handle's binding"}}
#else
  return library.close();
#endif
}
