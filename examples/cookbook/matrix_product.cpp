// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The product of two matrices of any size, by tiles in shared memory.

#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>
#include <vector>

namespace ws = warpsafe;

constexpr unsigned tile = 16;
constexpr auto threads = ws::block<tile, tile>;

// Each block computes one tile of c. Every thread reaches the barriers, also at the edges of c.
WARPSAFE_KERNEL void multiply(const float* a, ws::extent<2> a_size, const float* b,
                              ws::extent<2> b_size, float* c, ws::extent<2> c_size) {
  auto* const a_tile = ws::shared_array<float[tile], tile>([] {});
  auto* const b_tile = ws::shared_array<float[tile], tile>([] {});
  const auto in_tile = ws::thread_in_block();
  const auto at = ws::thread_index();
  float sum = 0;
  for (std::size_t begin = 0; begin < a_size.cols(); begin += tile) {
    const ws::Index3 in_a{begin + in_tile.x, at.row(), 0};
    const ws::Index3 in_b{at.col(), begin + in_tile.y, 0};
    a_tile[in_tile.y][in_tile.x] = a_size.contains(in_a) ? a[a_size.offset(in_a)] : 0;
    b_tile[in_tile.y][in_tile.x] = b_size.contains(in_b) ? b[b_size.offset(in_b)] : 0;
    ws::sync_block();
    for (unsigned k = 0; k < tile; ++k) sum += a_tile[in_tile.y][k] * b_tile[k][in_tile.x];
    ws::sync_block();
  }
  if (c_size.contains(at)) c[c_size.offset(at)] = sum;
}

// a has as many columns as b has rows.
ws::result<std::vector<float>> product(const std::vector<float>& a, ws::extent<2> a_size,
                                       const std::vector<float>& b, ws::extent<2> b_size) {
  const ws::extent c_size{ws::rows{a_size.rows()}, ws::cols{b_size.cols()}};
  WARPSAFE_TRY(const auto stream, ws::Stream::create(ws::DeviceId(0)));
  WARPSAFE_TRY(auto on_a, ws::DeviceBuffer<float>::from(stream, a));
  WARPSAFE_TRY(auto on_b, ws::DeviceBuffer<float>::from(stream, b));
  WARPSAFE_TRY(auto on_c, ws::DeviceBuffer<float>::create(stream, c_size.rows() * c_size.cols()));
  const auto grid = ws::SafeGrid<>::cover(c_size, threads);
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::kernel<multiply>, on_a.view(), a_size, on_b.view(),
                           b_size, on_c.view(), c_size));
  return on_c.to_host(stream).get();
}

int main() {
  constexpr std::size_t m = 50;
  constexpr std::size_t k = 70;
  constexpr std::size_t n = 33;
  const auto c = product(std::vector<float>(m * k, 2), ws::extent{ws::rows{m}, ws::cols{k}},
                         std::vector<float>(k * n, 3), ws::extent{ws::rows{k}, ws::cols{n}});
  if (!c.has_value()) {
    std::cerr << c.error() << '\n';
    return 2;
  }
  for (const float element : c.value()) {
    if (element != 2 * 3 * k) return 1;
  }
  std::cout << "each of " << c.value().size() << " elements is " << 2 * 3 * k << '\n';
  return 0;
}
