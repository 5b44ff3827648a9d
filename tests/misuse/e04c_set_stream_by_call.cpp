// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E04: the library's own way to another stream.

#include "handles.hpp"

#include <utility>

namespace ws = warpsafe;

auto used(Library& library, const ws::Stream& stream) {
#ifdef MISUSE
  return library.call<library_set_stream>(
      stream.native());  // expected-error {{"would undo the handle's binding"}}
#else
  return std::move(library).rebind(stream);
#endif
}
