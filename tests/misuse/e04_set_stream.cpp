// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E04: another stream while work is pending on the first.

#include "handles.hpp"

#include <utility>

namespace ws = warpsafe;

auto used(Library& library, [[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  return library.set_stream(stream);  // expected-error {{"set_stream"}}
#else
  return std::move(library).rebind(stream);
#endif
}
