// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Computes y += a * x. Compiles with nvcc, hipcc, and g++ or clang++ (host backend).

#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>
#include <span>
#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void axpy(float a, const float* x, float* y, std::size_t n) {
  for (auto i : ws::grid_stride(n)) y[i] += a * x[i];
}

ws::result<std::vector<float>> run(ws::StreamRef stream, float a, std::span<const float> x,
                                   std::span<const float> y) {
  WARPSAFE_TRY(auto dx, ws::DeviceBuffer<float>::from(stream, x));
  WARPSAFE_TRY(auto dy, ws::DeviceBuffer<float>::from(stream, y));
  auto grid = ws::SafeGrid<>::cover(x.size(), ws::block<256>);
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::kernel<axpy>, a, dx.view(), dy.view(), x.size()));
  return dy.to_host(stream).get();
}

int main() {
  const std::vector<float> x(100000, 2.0F);
  const std::vector<float> y(x.size(), 1.0F);
  const auto stream = ws::Stream::create(ws::DeviceId(0));
  if (!stream.has_value()) {
    std::cerr << stream.error() << '\n';
    return 2;
  }
  const auto sum = run(stream.value(), 3.0F, x, y);
  if (!sum.has_value()) {
    std::cerr << sum.error() << '\n';
    return 2;
  }
  for (const float element : sum.value()) {
    if (element != 7.0F) return 1;
  }
  std::cout << "3 * 2 + 1 = 7, " << sum.value().size() << " times\n";
}
