// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compiled once per check level, as OBSERVE. Reports the number of traced calls when it creates and
// closes a stream, and the moment at which this level notices each of three mistakes.

#include "shared.hpp"

namespace ws = warpsafe;

std::string OBSERVE(SharedLayout) {
  traced = 0;
  warpsafe::detail::call_tracer_in_use = &counting_tracer;
  { const auto dropped = ws::Stream::create(); }
  warpsafe::detail::call_tracer_in_use = nullptr;
  const std::string calls = std::to_string(traced) + " traced: ";
  const ws::Stream stream = ws::Stream::create().value();
  const auto nothing = ws::SafeGrid<>::cover(0, ws::block<32>);
  const auto config = ws::LaunchConfig(ws::grid<1>, ws::block<32>, ws::shared<double>(1 << 24));
  std::string seen =
      stage_of(ws::launch(stream, ws::configure(nothing), ws::kernel<store<int>>, 1));
#if defined(MUTANT)
  seen += std::string(" ") + stage_of(launch_shared(stream));
#else
  seen += std::string(" ") + stage_of(ws::launch(stream, config, ws::kernel<store<int>>, 1));
#endif
  return calls + seen + " " + stage_of(ws::launch(stream, config, ws::functor(Store{}), 1));
}
