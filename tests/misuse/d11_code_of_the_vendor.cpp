// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// D11: an error compared with one vendor's number.

#include "launches.hpp"

namespace ws = warpsafe;

auto launched(const ws::LaunchError& error) {
#ifdef MISUSE
  return error.code == 9;  // expected-error {{"operand"}}
#else
  return error.code == ws::Errc::block_too_large;
#endif
}
