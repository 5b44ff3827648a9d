// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E03: the same when the stream is changed.

#include "handles.hpp"

#include <utility>

namespace ws = warpsafe;

auto used(Library library, [[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  return std::move(library).rebind(ws::Stream::create().value());  // expected-error {{"deleted"}}
#else
  return std::move(library).rebind(stream);
#endif
}
