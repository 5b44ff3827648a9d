// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Transposes a matrix. The first block is too large: the launch does not happen and returns an
// error. The second block fits. Compiles with nvcc, hipcc, and g++ or clang++ (host
// backend).

#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>
#include <numeric>
#include <vector>

namespace ws = warpsafe;

// The extent names rows and columns, so they cannot be swapped here or in the grid.
WARPSAFE_KERNEL void transpose(const int* in, int* out, ws::extent<2> size) {
  const auto at = ws::thread_index();
  if (!size.contains(at)) return;
  out[at.col() * size.rows() + at.row()] = in[size.offset(at)];
}

ws::result<std::vector<int>> transposed(ws::StreamRef stream, const std::vector<int>& matrix,
                                        ws::extent<2> size, int tile) {
  WARPSAFE_TRY(auto block, ws::BlockDim::create(tile, tile));
  WARPSAFE_TRY(auto grid, ws::SafeGrid<>::cover(size, block));
  WARPSAFE_TRY(auto in, ws::DeviceBuffer<int>::from(stream, matrix));
  WARPSAFE_TRY(auto out, ws::DeviceBuffer<int>::create(stream, matrix.size()));
  WARPSAFE_TRYV(ws::launch(stream, ws::LaunchConfig{grid}, ws::kernel<transpose>, in.view(),
                           out.view(), size));
  return out.to_host(stream).get();
}

int main() {
  constexpr std::size_t m = 200;
  constexpr std::size_t n = 300;
  const ws::extent size{ws::rows{m}, ws::cols{n}};
  std::vector<int> matrix(m * n);
  std::iota(matrix.begin(), matrix.end(), 0);

  const auto stream = ws::Stream::create(ws::DeviceId(0));
  if (!stream.has_value()) {
    std::cerr << stream.error() << '\n';
    return 2;
  }
  const auto refused = transposed(stream.value(), matrix, size, 64);
  std::cout << (refused.has_value() ? "64 x 64 threads were taken" : ws::message(refused.error()))
            << '\n';

  const auto result = transposed(stream.value(), matrix, size, 16);
  if (!result.has_value()) {
    std::cerr << result.error() << '\n';
    return 2;
  }
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t col = 0; col < n; ++col) {
      if (result.value()[col * m + row] != matrix[row * n + col]) return 1;
    }
  }
  std::cout << "with 16 x 16 threads: " << m << " x " << n << " transposed\n";
  return refused.has_value() ? 1 : 0;
}
