// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Steps of a stencil on a grid of points: each point becomes the mean of its four neighbours. A
// block reads its tile and a frame around it into shared memory. Two buffers take turns.

#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>
#include <utility>
#include <vector>

namespace ws = warpsafe;

constexpr unsigned tile = 16;
constexpr unsigned framed = tile + 2;

WARPSAFE_KERNEL void step(const float* in, float* out, ws::extent<2> size) {
  auto* const points = ws::shared_array<float[framed], framed>([] {});
  const auto at = ws::thread_index();
  const auto in_tile = ws::thread_in_block();
  // The threads read the 18 x 18 points; outside of the grid a point is 0. The first column and
  // row of the frame lie before the tile: the index wraps below 0, and contains() is false.
  for (unsigned row = in_tile.y; row < framed; row += tile) {
    for (unsigned col = in_tile.x; col < framed; col += tile) {
      const ws::Index3 from{at.col() - in_tile.x + col - 1, at.row() - in_tile.y + row - 1, 0};
      points[row][col] = size.contains(from) ? in[size.offset(from)] : 0;
    }
  }
  ws::sync_block();
  if (!size.contains(at)) return;
  const unsigned row = in_tile.y + 1;
  const unsigned col = in_tile.x + 1;
  out[size.offset(at)] =
      (points[row - 1][col] + points[row + 1][col] + points[row][col - 1] + points[row][col + 1]) /
      4;
}

ws::result<std::vector<float>> smoothed(const std::vector<float>& values, ws::extent<2> size,
                                        int steps) {
  WARPSAFE_TRY(const auto stream, ws::Stream::create(ws::DeviceId(0)));
  WARPSAFE_TRY(auto now, ws::DeviceBuffer<float>::from(stream, values));
  WARPSAFE_TRY(auto next, ws::DeviceBuffer<float>::create(stream, now.size()));
  const auto grid = ws::SafeGrid<>::cover(size, ws::block<tile, tile>);
  for (int i = 0; i < steps; ++i) {
    WARPSAFE_TRYV(ws::launch(stream, grid, ws::kernel<step>, now.view(), next.view(), size));
    std::swap(now, next);  // the stream runs the steps in order
  }
  return now.to_host(stream).get();
}

int main() {
  const ws::extent size{ws::rows{40}, ws::cols{100}};
  std::vector<float> values(40 * 100, 0);
  const auto middle = size.offset({50, 20, 0});
  values[middle] = 16;
  const auto after = smoothed(values, size, 2);
  if (!after.has_value()) {
    std::cerr << after.error() << '\n';
    return 2;
  }
  // After two steps, a quarter of 16 / 4 comes back from each of the four neighbours.
  std::cout << "the middle is " << after.value()[middle] << ", and two to the left "
            << after.value()[middle - 2] << '\n';
  return after.value()[middle] == 4 && after.value()[middle - 2] == 1 ? 0 : 1;
}
