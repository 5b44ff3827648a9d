// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The code of README.md, and the error and the race that it shows: `readme error`, `readme race`.
// clang-format off
#include <warpsafe/race.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>
#include <string_view>

namespace ws = warpsafe;

WARPSAFE_KERNEL void scale(float a, float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] *= a;
}

ws::result<void> run(ws::StreamRef stream, ws::DeviceBuffer<float>& x, int threads) {
  WARPSAFE_TRY(auto block, ws::BlockDim::create(threads));
  WARPSAFE_TRY(auto grid, ws::SafeGrid<>::cover(x.size(), block));
  return ws::launch(stream, grid, ws::kernel<scale>, 2.0F, x.view(), x.size());
}

ws::result<void> refused() {
  WARPSAFE_TRY(auto stream, ws::Stream::create());
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::create(stream, 1000));
  return run(stream, x, 2048);
}

ws::result<void> two_streams() {
  WARPSAFE_TRY(auto loader, ws::Stream::create());
  WARPSAFE_TRY(auto worker, ws::Stream::create());
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::create(loader, 1000));
  WARPSAFE_TRY(auto ready, ws::Event::create(loader));
  WARPSAFE_TRYV(ws::wait(worker, ready));
  WARPSAFE_TRYV(x.zero(loader));
  WARPSAFE_TRYV(run(worker, x, 256));
  return worker.synchronize();
}

int main(int count, char** arguments) {
  const std::string_view what = count == 2 ? arguments[1] : "";
  if (what == "error") {
    const auto error = refused();
    if (error) return 1;
    std::cout << ws::message(error.error()) << '\n';
    return 0;
  }
  if (what != "race") return 2;
  const auto report = ws::adversarial::run(1, two_streams);
  std::cout << report << '\n';
  return report.clean() ? 1 : 0;
}
