// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compiled once per check level, as OBSERVE. Reports the number of operations that an observer is
// told of when it creates a stream and captures it twice, and the moment at which this level
// notices each of three mistakes.

#include "shared.hpp"
#include <warpsafe/kernel/functor.hpp>

namespace ws = warpsafe;

std::string OBSERVE(SharedLayout) {
  told = 0;
  ws::observe(counting_observer);
  {
    const auto dropped = ws::Stream::create().value();
    auto exec = ws::capture(dropped, capture_nothing).value().instantiate().value();
    ws::recapture(exec, dropped, capture_nothing).value();
  }
  ws::stop_observing(counting_observer);
  const std::string calls = std::to_string(told) + " told: ";
  const ws::Stream stream = ws::Stream::create().value();
  const auto nothing = ws::SafeGrid<>::cover(0, ws::block<32>);
  const auto config = ws::LaunchConfig(ws::grid<1>, ws::block<32>, ws::shared<double>(1 << 24));
  std::string seen =
      stage_of(ws::launch(stream, ws::configure(nothing), ws::kernel<store<int>>, 1));
  seen += std::string(" ") + stage_of(ws::launch(stream, config, ws::kernel<store<int>>, 1));
  return calls + seen + " " + stage_of(ws::launch(stream, config, ws::functor(Store{}), 1));
}
