// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include "pages.hpp"

#include <warpsafe/launch/occupancy.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>

namespace ws = warpsafe;

WARPSAFE_KERNEL void walk(float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] += 1;
}
WARPSAFE_KERNEL void image(float* x, ws::extent<2> size) {
  const auto at = ws::thread_index();
  if (size.contains(at)) x[size.offset(at)] = 1;
}
WARPSAFE_KERNEL void by_four(float* x, std::size_t n) {
  const auto first = 4 * ws::thread_index().x;
  for (std::size_t i = first; i < first + 4 && i < n; ++i) x[i] = 2;
}
WARPSAFE_KERNEL void number_rows(float* x, ws::extent<2> size) {
  const std::size_t row = ws::block_index().x;
  for (std::size_t col = ws::thread_in_block().x; col < size.cols(); col += ws::block_size().x) {
    x[row * size.cols() + col] = static_cast<float>(row);
  }
}

namespace {

ws::result<void> all(const ws::Stream& stream, std::size_t n, int threads_per_block) {
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::create(stream, n));
  const auto simple = ws::SafeGrid<>::cover(n, ws::block<256>);
  WARPSAFE_TRYV(ws::launch(stream, simple, ws::kernel<walk>, x.view(), n));

  WARPSAFE_TRY(auto block, ws::BlockDim::create(threads_per_block));  // a run-time number
  auto chosen = ws::SafeGrid<>::cover(n, block);
  WARPSAFE_TRYV(ws::launch(stream, chosen, ws::kernel<walk>, x.view(), n));

  const ws::extent size{ws::rows{n / 100}, ws::cols{100}};
  auto flat = ws::SafeGrid<>::cover(size, ws::block<32, 8>);  // x runs along the columns
  WARPSAFE_TRYV(ws::launch(stream, flat, ws::kernel<image>, x.view(), size));

  auto quarter = ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<4>);
  WARPSAFE_TRYV(ws::launch(stream, quarter, ws::kernel<by_four, ws::handles_items<4>>, x.view(), n));

  constexpr auto by_row = ws::kernel<number_rows, ws::block_per_item_kernel>;
  auto each_row = ws::SafeGrid<>::cover(size.rows(), ws::block<128>, ws::block_per_item);
  WARPSAFE_TRYV(ws::launch(stream, each_row, by_row, x.view(), size));

  constexpr auto strided = ws::kernel<walk, ws::grid_stride_kernel, ws::index<std::uint64_t>>;
  WARPSAFE_TRY(auto most, ws::max_resident_blocks(stream, strided, ws::block<256>));
  auto full = ws::SafeGrid<>::grid_stride(n, ws::block<256>, most);  // as many as run at once
  return ws::launch(stream, full, strided, x.view(), n);
}

template <class Result>
bool refused(const Result& result) {
  if (result.has_value()) return false;
  std::cout << result.error() << '\n';
  return true;
}

}  // namespace

bool grids() {
  const auto stream = ws::Stream::create();
  if (!stream.has_value() || !all(stream.value(), 100000, 128).has_value()) return false;
  shown();
  const std::size_t n = std::size_t{1} << 40U;
  bool good = refused(ws::SafeGrid<>::cover(n, ws::block<256>));
  shown();
  const int wrapped = -2147483392;
  good = refused(ws::SafeGrid<>::cover(wrapped, ws::block<256>)) && good;
  shown();
  good = refused(ws::SafeGrid<>::cover_exact(1000, ws::BlockDim::create(256).value())) && good;
  return good;
}
