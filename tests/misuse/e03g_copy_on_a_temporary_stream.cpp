// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E03: the stream is gone before the copy on it is done.

#include "data.hpp"

namespace ws = warpsafe;

auto copied([[maybe_unused]] const ws::Stream& stream, Buffer& to, const Buffer& from) {
#ifdef MISUSE
  return ws::copy(ws::Stream::create().value(), to,
                  from);  // expected-error {{"this stream is gone when the copy is not done yet"}}
#else
  return ws::copy(stream, to, from);
#endif
}
