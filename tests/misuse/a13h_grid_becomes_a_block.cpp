// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A13: a grid handed to what takes a block.

#include <warpsafe/launch_config.hpp>

#include <cstdint>

namespace ws = warpsafe;

inline std::uint64_t threads_of(ws::BlockDim block) { return block.count(); }

auto configured() {
#ifdef MISUSE
  return threads_of(ws::grid<256>);  // expected-error {{"conver"}}
#else
  return threads_of(ws::block<256>);
#endif
}
