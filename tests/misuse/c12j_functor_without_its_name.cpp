// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C12: an object that is not said to be a functor.

#include "launches.hpp"
#include <warpsafe/kernel/functor.hpp>

namespace ws = warpsafe;

struct Fill {
  WARPSAFE_FN void operator()(int) const {}
};

auto launched(ws::StreamRef stream) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  return ws::launch(stream, config, Fill{},
                    4);  // expected-error {{"launch takes the kernel as kernel<fn>"}}
#else
  return ws::launch(stream, config, ws::functor(Fill{}), 4);
#endif
}
