// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include "pages.hpp"

#include <warpsafe/launch/observe.hpp>
#include <warpsafe/warpsafe.hpp>

namespace ws = warpsafe;

WARPSAFE_KERNEL void softmax() {}

bool observer() {
  ws::Observer refuse_softmax;
  refuse_softmax.launching = [](void*, ws::LaunchRecord& launch, const auto&) noexcept {
    return launch.kernel == ws::Name::of("softmax");  // true: show me its arguments
  };
  refuse_softmax.inspect = [](void*, const ws::LaunchRecord&, const auto&, const ws::LaunchArguments&,
                              ws::LaunchError& error) noexcept {
    error = ws::LaunchError::make(ws::Errc::launch_refused, ws::Stage::validation);
    return ws::LaunchVerdict::failed;
  };
  ws::observe(refuse_softmax);
  const auto stream = ws::Stream::create();
  const auto launched = ws::launch(stream.value(), ws::LaunchConfig{ws::grid<1>, ws::block<32>}, ws::kernel<softmax>);
  ws::stop_observing(refuse_softmax);
  return !launched.has_value() && launched.error().code == ws::Errc::launch_refused;
}
