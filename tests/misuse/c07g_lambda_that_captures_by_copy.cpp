// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C07: nothing tells what a lambda has captured: a copied pointer is the host's as well.
// only: g++ clang++ hipcc

#include "launches.hpp"
#include <warpsafe/kernel/functor.hpp>

namespace ws = warpsafe;

struct Fill {
  float value;
  WARPSAFE_FN void operator()(int) const {}
};

auto launched(ws::StreamRef stream, [[maybe_unused]] float value) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  return ws::launch(stream, config, ws::functor([=](int) { static_cast<void>(value); }),
                    4);  // expected-error {{"a lambda with captures, or a type with a reference"}}
#else
  return ws::launch(stream, config, ws::functor(Fill{value}), 4);
#endif
}
