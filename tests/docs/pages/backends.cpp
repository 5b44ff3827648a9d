// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include "pages.hpp"

#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] = 1;
}

namespace {

ws::result<void> step(std::size_t n) {
  WARPSAFE_TRY(const auto stream, ws::Stream::create(ws::DeviceId(0)));
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::create(stream, n));
  auto grid = ws::SafeGrid<>::cover(n, ws::block<1024>);
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::kernel<fill>, x.view(), n));
  return stream.synchronize();
}

void say(const ws::result<void>& result) {
  if (result.has_value()) {
    std::cout << "good\n";
  } else {
    std::cout << result.error() << '\n';
  }
}

}  // namespace

bool backends() {
  namespace host = ws::host;
  shown();
  auto small = ws::limits::sm_75;                                     // the device becomes another GPU
  small.max_threads_per_block = 512;
  if (!host::set_limits(0, small)) return false;
  say(step(1000));
  host::reset();
  shown();
  if (!host::set_memory(0, 1000)) return false;                       // with little memory
  say(step(1000));
  host::reset();
  shown();
  host::fault_in_kernel(1, host::HostStatus::illegal_address);        // the next kernel faults
  say(step(1000));
  host::reset();
  shown();
  host::set_device_count(0);                                          // no GPU at all
  say(step(1000));
  host::reset();
  say(step(1000));
  return true;
}
