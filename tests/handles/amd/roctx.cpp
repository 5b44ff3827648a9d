// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Ranges of ROCTx with AMD's own header and library, which needs no GPU: no range stays open.

#include <warpsafe/debug.hpp>
#include <warpsafe/debug/profiler_ranges.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstdio>

namespace ws = warpsafe;

WARPSAFE_KERNEL void ranged() {}

int main() {
  const auto stream = ws::Stream::create().value();
  int level = 0;
  {
    const ws::debug::RoctxRanges ranges;
    const ws::LaunchConfig config{ws::grid<1>, ws::block<1>};
    bool good = ws::launch(stream, config, ws::kernel<ranged>).has_value();
    ws::host::fail_next(ws::host::call_of<&ws::host_backend::launch>, 1,
                        ws::host::HostStatus::invalid_value);
    good = good && !ws::launch(stream, config, ws::kernel<ranged>).has_value();
    good = good && stream.synchronize().has_value();
    if (!good) return 1;
    level = roctxRangePushA("its own");  // how many were open before; negative: an error
  }
  const int left = roctxRangePop();
  std::printf("a range begins at level %d and leaves %d\n", level, left);
  return level == 0 && left == 0 ? 0 : 1;
}
