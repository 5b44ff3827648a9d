// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C17: parameters that fit one by one.
// only: g++ clang++ hipcc

#include "launches.hpp"

namespace ws = warpsafe;

struct Table {
  float values[500];
};

WARPSAFE_KERNEL void bad(Table, Table, Table) {}
WARPSAFE_KERNEL void good(Table) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<bad>, Table{}, Table{},
                    Table{});  // expected-error {{"take more bytes than the runtime passes"}}
#else
  return ws::launch(stream, config, ws::kernel<good>, Table{});
#endif
}
