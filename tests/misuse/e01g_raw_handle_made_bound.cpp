// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E01: a handle of other code, with whatever stream it has; adopt binds it.

#include "handles.hpp"

namespace ws = warpsafe;

auto used(LibraryHandle raw, [[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  return ws::result<Library>(Library(raw));  // expected-error {{"Library"}}
#else
  return Library::adopt(raw, stream);
#endif
}
