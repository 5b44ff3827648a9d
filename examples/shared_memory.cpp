// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Each block sums its part of a vector in shared memory, which is requested in elements. The first
// launch requests too many and returns an error. The second requests the right number. A launch
// without shared memory would not compile. Compiles with nvcc, hipcc, g++ and clang++.

#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>
#include <numeric>
#include <vector>

namespace ws = warpsafe;

constexpr auto threads = ws::block<256>;

WARPSAFE_KERNEL void block_sums(const int* in, std::size_t n, int* sums) {
  auto* const partial = ws::dynamic_shared<int>();
  const unsigned thread = ws::thread_in_block().x;
  const auto i = ws::thread_index().x;
  partial[thread] = i < n ? in[i] : 0;
  for (unsigned half = ws::block_size().x / 2; half > 0; half /= 2) {
    ws::sync_block();
    if (thread < half) partial[thread] += partial[thread + half];
  }
  if (thread == 0) sums[ws::block_index().x] = partial[0];
}

// The kernel declares its need once, and each launch is compared with it.
constexpr auto summing = ws::kernel<block_sums, ws::needs_shared<int>>;

int main() {
  constexpr std::size_t n = 1000000;
  const auto run = [&]() -> ws::result<int> {
    WARPSAFE_TRY(const auto stream, ws::Stream::create(ws::DeviceId(0)));
    WARPSAFE_TRY(const auto grid, ws::SafeGrid<>::cover(n, threads));
    WARPSAFE_TRY(auto in, ws::DeviceBuffer<int>::from(stream, std::vector<int>(n, 1)));
    WARPSAFE_TRY(auto sums, ws::DeviceBuffer<int>::create(stream, grid.blocks(0)));
    const auto with = [&](const auto& config) {
      return ws::launch(stream, config, summing, in.view(), n, sums.view());
    };

    const auto too_large = with(ws::configure(grid, ws::shared<int>(1U << 20U)));
    if (!too_large.has_value()) std::cout << too_large.error() << '\n';

    WARPSAFE_TRYV(with(ws::configure(grid, ws::shared<int>(threads.count()))));
    WARPSAFE_TRY(const auto parts, sums.to_host(stream).get());
    return std::accumulate(parts.begin(), parts.end(), 0);
  };
  const auto sum = run();
  if (!sum.has_value()) {
    std::cerr << sum.error() << '\n';
    return 2;
  }
  std::cout << "the sum of " << n << " ones is " << sum.value() << '\n';
  return sum.value() == static_cast<int>(n) ? 0 : 1;
}
