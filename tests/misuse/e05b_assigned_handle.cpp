// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E05: the same by assignment.

#include "handles.hpp"

#include <utility>

namespace ws = warpsafe;

auto used(Library& library, Library& other) {
#ifdef MISUSE
  return (void)(other = library);  // expected-error {{"deleted"}}
#else
  return (void)(other = std::move(library));
#endif
}
