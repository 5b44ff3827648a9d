// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C12: nor is one of several.

#include "launches.hpp"
#include <warpsafe/kernel/functor.hpp>

namespace ws = warpsafe;

struct Two {
  WARPSAFE_FN void operator()(int) const {}
  WARPSAFE_FN void operator()(float) const {}
};
struct Fill {
  WARPSAFE_FN void operator()(int) const {}
};

auto launched(ws::StreamRef stream) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  return ws::launch(stream, config, ws::functor(Two{}),
                    4);  // expected-error {{"functor takes an object with one call operator"}}
#else
  return ws::launch(stream, config, ws::functor(Fill{}), 4);
#endif
}
