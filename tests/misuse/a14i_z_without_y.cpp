// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A14: a third axis without the second.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int m, int n) {
#ifdef MISUSE
  return ws::extent{ws::x{m},
                    ws::z{n}};  // expected-error {{"an extent names each of its axes once"}}
#else
  return ws::extent{ws::x{m}, ws::y{n}};
#endif
}
