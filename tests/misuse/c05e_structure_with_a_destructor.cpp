// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C05: a structure whose copy the device would destroy too.

#include "launches.hpp"

namespace ws = warpsafe;

struct Params {
  int n = 0;
  WARPSAFE_FN ~Params() {}
};
struct Plain {
  int n = 0;
};

WARPSAFE_KERNEL void bad(Params) {}
WARPSAFE_KERNEL void good(Plain) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(
      stream, config, ws::kernel<bad>,
      Params{});  // expected-error {{"the kernel takes a type that is not trivially copyable"}}
#else
  return ws::launch(stream, config, ws::kernel<good>, Plain{});
#endif
}
