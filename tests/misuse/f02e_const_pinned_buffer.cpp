// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F02: a const PinnedBuffer cannot be moved in, so that nothing would keep it.

#include "data.hpp"

namespace ws = warpsafe;

auto copied(const ws::Stream& stream, Buffer& to, [[maybe_unused]] const Pinned& constant,
            [[maybe_unused]] Pinned& from) {
#ifdef MISUSE
  return ws::copy(
      stream, to,
      std::move(constant));  // expected-error {{"a const PinnedBuffer cannot be moved in"}}
#else
  return ws::copy(stream, to, std::move(from));
#endif
}
