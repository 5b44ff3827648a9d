// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E01: the raw handle without a word, for calls past the binding; native() is the named way.

#include "handles.hpp"

namespace ws = warpsafe;

auto used([[maybe_unused]] Library& library) {
#ifdef MISUSE
  return static_cast<LibraryHandle>(library);  // expected-error {{"Library"}}
#else
  return library.native();
#endif
}
