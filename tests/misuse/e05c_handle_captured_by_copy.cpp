// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E05: the same by a lambda for another thread.

#include "handles.hpp"

#include <utility>

namespace ws = warpsafe;

auto used(Library& library) {
#ifdef MISUSE
  return [library] { return library.native(); };  // expected-error {{"deleted"}}
#else
  return [library = std::move(library)] { return library.native(); };
#endif
}
