// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include "pages.hpp"

#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>
#include <vector>
namespace ws = warpsafe;

WARPSAFE_KERNEL void scale(float a, float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] *= a;
}

ws::result<std::vector<float>> scaled(const std::vector<float>& values, int threads) {
  WARPSAFE_TRY(const auto stream, ws::Stream::create(ws::DeviceId(0)));
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::from(stream, values));
  WARPSAFE_TRY(const auto block, ws::BlockDim::create(threads));
  const auto grid = ws::SafeGrid<>::cover(x.size(), block);
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::kernel<scale>, 2.0F, x.view(), x.size()));
  return x.to_host(stream).get();
}

static int program() {
  const auto twice = scaled(std::vector<float>(1000, 21.0F), 256);
  if (!twice.has_value()) {
    std::cerr << twice.error() << '\n';
    return 1;
  }
  std::cout << twice.value().size() << " elements, the first is " << twice.value()[0] << '\n';
  return 0;
}

bool tour() {
  shown();
  const bool good = program() == 0;
  shown();
  const auto too_many = scaled(std::vector<float>(1000), 2048);
  if (too_many.has_value()) return false;
  std::cout << too_many.error() << '\n';
  shown();
  const auto empty = scaled({}, 256);
  if (empty.has_value()) return false;
  std::cout << empty.error() << '\n';
  return good;
}
