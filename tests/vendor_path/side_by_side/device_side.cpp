// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compiled by nvcc and by hipcc.
#include "header_kernel.hpp"
#include "recorded.hpp"
#include <warpsafe/kernel/functor.hpp>
#include <warpsafe/warpsafe.hpp>

namespace side_by_side {

namespace ws = warpsafe;
constexpr auto some = ws::LaunchConfig{ws::grid<2>, ws::block<32>};

DeviceSide launch_twice() {
  return record([] {
    const ws::Stream stream = ws::Stream::create().value();
    return ws::launch(stream, some, ws::kernel<twice>, nullptr, 64);
  });
}
DeviceSide launch_thrice() {
  return record([] {
    const ws::Stream stream = ws::Stream::create().value();
    return ws::launch(stream, some, ws::functor(Thrice{}), nullptr, 64);
  });
}

}  // namespace side_by_side
