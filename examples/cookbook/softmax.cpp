// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The softmax of each row of a matrix. Each row has a block, which reduces it in dynamic shared
// memory.

#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cmath>
#include <cstddef>
#include <iostream>
#include <vector>

namespace ws = warpsafe;

// The threads of a block; a power of two, for `reduce`.
constexpr unsigned threads = 256;

// Combines the numbers of all threads of the block. Every thread calls it and gets the result.
template <class Combine>
WARPSAFE_FN float reduce(float mine, Combine combine) {
  auto* const all = ws::dynamic_shared<float>(threads);
  const unsigned thread = ws::thread_in_block().x;
  all[thread] = mine;
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    ws::sync_block();
    if (thread < half) all[thread] = combine(all[thread], all[thread + half]);
  }
  ws::sync_block();
  const float result = all[0];
  ws::sync_block();  // the next call writes to the same memory
  return result;
}

// The block's index is the row. Its threads stride over the columns, of which there may be fewer
// than threads: all of them reach the barriers.
WARPSAFE_KERNEL void softmax(const float* x, float* y, ws::extent<2> size) {
  const std::size_t row = ws::block_index().x * size.cols();
  const unsigned first = ws::thread_in_block().x;
  float largest = -INFINITY;
  for (std::size_t col = first; col < size.cols(); col += threads) {
    largest = fmaxf(largest, x[row + col]);
  }
  largest = reduce(largest, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
  for (std::size_t col = first; col < size.cols(); col += threads) {
    sum += expf(x[row + col] - largest);
  }
  sum = reduce(sum, [](float a, float b) { return a + b; });
  for (std::size_t col = first; col < size.cols(); col += threads) {
    y[row + col] = expf(x[row + col] - largest) / sum;
  }
}
constexpr auto softmax_of_rows =
    ws::kernel<softmax, ws::block_per_item_kernel, ws::needs_shared<float, threads>>;

ws::result<std::vector<float>> softmax_of(const std::vector<float>& values, ws::extent<2> size) {
  WARPSAFE_TRY(const auto stream, ws::Stream::create(ws::DeviceId(0)));
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::from(stream, values));
  WARPSAFE_TRY(auto y, ws::DeviceBuffer<float>::create(stream, values.size()));
  const auto config =
      ws::configure(ws::SafeGrid<>::cover(size.rows(), ws::block<threads>, ws::block_per_item),
                    ws::shared<float>(threads));
  WARPSAFE_TRYV(ws::launch(stream, config, softmax_of_rows, x.view(), y.view(), size));
  return y.to_host(stream).get();
}

int main() {
  constexpr std::size_t rows = 100;
  constexpr std::size_t cols = 1000;
  std::vector<float> x(rows * cols);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 31 % 1009) / 100;
  const auto y = softmax_of(x, ws::extent{ws::rows{rows}, ws::cols{cols}});
  if (!y.has_value()) {
    std::cerr << y.error() << '\n';
    return 2;
  }
  double largest_error = 0;
  for (std::size_t row = 0; row < x.size(); row += cols) {
    double sum = 0;
    for (std::size_t i = row; i < row + cols; ++i) sum += std::exp(static_cast<double>(x[i]));
    for (std::size_t i = row; i < row + cols; ++i) {
      const double right = std::exp(static_cast<double>(x[i])) / sum;
      largest_error = std::fmax(largest_error, std::fabs(y.value()[i] - right) / right);
    }
  }
  if (!(largest_error < 1e-4)) return 1;
  std::cout << rows << " rows of " << cols
            << " columns differ from the host's by less than 0.01 %\n";
  return 0;
}
