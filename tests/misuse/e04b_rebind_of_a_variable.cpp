// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E04: a rebound handle, and the old one still in use.

#include "handles.hpp"

#include <utility>

namespace ws = warpsafe;

auto used(Library& library, const ws::Stream& stream) {
#ifdef MISUSE
  return library.rebind(stream);  // expected-error {{"rebind uses the handle up"}}
#else
  return std::move(library).rebind(stream);
#endif
}
