// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include "pages.hpp"

#include <warpsafe/memory.hpp>
#include <warpsafe/compare.hpp>
#include <warpsafe/kernel/reference.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <iostream>
#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void axpy(float a, const float* x, float* y, std::size_t n);
void axpy_host(float a, const float* x, float* y, std::size_t n);   // once, for the whole grid

void axpy(float a, const float* x, float* y, std::size_t n) {
  for (auto i : ws::grid_stride(n)) y[i] += a * x[i];
}
void axpy_host(float a, const float* x, float* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i];
}

namespace {

ws::result<bool> run(const ws::Stream& stream) {
  constexpr std::size_t n = 100;
  const std::vector<float> ones(n, 1);
  const std::vector<float> expected(n, 3);
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::from(stream, ones));
  WARPSAFE_TRY(auto y, ws::DeviceBuffer<float>::from(stream, ones));
  const auto config = ws::SafeGrid<>::cover(n, ws::block<256>);
  WARPSAFE_TRYV(ws::launch(stream, config, ws::kernel<axpy, ws::reference<axpy_host>>, 2.0F, x.view(), y.view(), n));
  auto& buffer = y;
  WARPSAFE_TRY(const auto actual, buffer.to_host(stream).get());
  WARPSAFE_TRY(const auto compared, ws::compare(stream, buffer, expected));   // device memory on one side or both; without a stream, two host arrays
  if (!compared.agrees()) std::cerr << compared << '\n';
  EXPECT_THAT(actual, ws::agrees_with(expected));                             // GoogleTest: <warpsafe/compare.hpp>
  return compared.agrees();
}

}  // namespace

bool compare() {
  const auto stream = ws::Stream::create();
  if (!stream.has_value()) return false;
  const auto agrees = run(stream.value());
  return agrees.has_value() && agrees.value();
}
