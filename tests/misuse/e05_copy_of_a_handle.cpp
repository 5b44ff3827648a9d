// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E05: one handle in two threads, by a copy.

#include "handles.hpp"

#include <utility>

namespace ws = warpsafe;

auto used(Library& library) {
#ifdef MISUSE
  return Library(library);  // expected-error {{"deleted"}}
#else
  return Library(std::move(library));
#endif
}
