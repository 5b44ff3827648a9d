// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C12: every thread would change its own copy, and nobody would see it.

#include "launches.hpp"
#include <warpsafe/kernel/functor.hpp>

namespace ws = warpsafe;

struct Counts {
  int count = 0;
  WARPSAFE_FN void operator()(int) { ++count; }
};
struct Fill {
  WARPSAFE_FN void operator()(int) const {}
};

auto launched(ws::StreamRef stream) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  return ws::launch(stream, config, ws::functor(Counts{}),
                    4);  // expected-error {{"a functor's call operator is const"}}
#else
  return ws::launch(stream, config, ws::functor(Fill{}), 4);
#endif
}
