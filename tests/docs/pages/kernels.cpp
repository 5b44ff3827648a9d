// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include "pages.hpp"

#include <warpsafe/kernel/functor.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>
#include <vector>

namespace ws = warpsafe;

using bounds = ws::launch_bounds<256, 2>;

WARPSAFE_KERNEL WARPSAFE_LAUNCH_BOUNDS(256, 2) void smooth(const float* in, float* out, std::size_t n) {
  for (auto i : ws::grid_stride(n)) out[i] = i > 0 ? (in[i - 1] + in[i]) / 2 : in[i];
}

template <class T>
WARPSAFE_KERNEL void fill(ws::DeviceSpan<T> values, T value) {
  for (auto i : ws::grid_stride(values.size())) values[i] = value;
}

struct Scale {
  float factor;
  WARPSAFE_FN void operator()(float* x, std::size_t n) const {
    for (auto i : ws::grid_stride(n)) x[i] *= factor;
  }
};

namespace {

ws::result<void> run(const ws::Stream& stream, std::size_t n, int threads) {
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::create(stream, n));
  WARPSAFE_TRY(auto y, ws::DeviceBuffer<float>::create(stream, n));
  WARPSAFE_TRY(auto block, ws::BlockDim::create(threads));
  auto grid = ws::SafeGrid<>::cover(n, block);
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::kernel<fill<float>>, x.view(), 1.0F));
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::kernel<smooth, bounds>, x.view(), y.view(), n));
  return ws::launch(stream, grid, ws::functor(Scale{2.0F}), y.view(), n);
}

ws::result<void> shifted(const ws::Stream& stream, ws::DeviceBuffer<float>& y, float shift) {
  return ws::launch(stream, ws::SafeGrid<>::cover(y.size(), ws::block<256>),
                    ws::functor([shift](ws::DeviceSpan<float> x) {
                      for (auto i : ws::grid_stride(x.size())) x[i] += shift;
                    }),
                    y.view());
}

// What the page says of a lambda.
ws::result<bool> is_right(const ws::Stream& stream) {
  WARPSAFE_TRY(auto c, ws::DeviceBuffer<float>::from(stream, std::vector<float>(1000, 128.0F)));
  WARPSAFE_TRYV(shifted(stream, c, 1.0F));
  WARPSAFE_TRY(const auto values, c.to_host(stream).get());
  return values == std::vector<float>(1000, 129.0F);
}

}  // namespace

bool kernels() {
  const auto stream = ws::Stream::create();
  if (!stream.has_value() || !run(stream.value(), 1000, 256).has_value()) return false;
  const auto right = is_right(stream.value());
  if (!right.has_value() || !right.value()) return false;
  shown();
  const auto refused = run(stream.value(), 1000, 512);
  if (refused.has_value()) return false;
  std::cout << refused.error() << '\n';
  return true;
}
