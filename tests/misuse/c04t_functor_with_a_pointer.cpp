// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C04: a functor goes to the device with its members.

#include "launches.hpp"
#include <warpsafe/kernel/functor.hpp>

namespace ws = warpsafe;

struct Fill {
  float* data;
  WARPSAFE_FN void operator()(int) const {}
};
struct TypedFill {
  ws::device_ptr<float> data;
  WARPSAFE_FN void operator()(int) const {}
};

auto launched(ws::StreamRef stream, [[maybe_unused]] float* host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  return ws::launch(stream, config, ws::functor(Fill{host}),
                    4);  // expected-error {{"holds a raw pointer, or is a view"}}
#else
  return ws::launch(stream, config, ws::functor(TypedFill{nullptr}), 4);
#endif
}
