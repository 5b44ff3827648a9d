// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The sum of an array: each block adds up a part in shared memory, then adds its sum to the total.

#include <warpsafe/launch/occupancy.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

namespace ws = warpsafe;

constexpr unsigned threads = 256;

WARPSAFE_KERNEL void add_up(const unsigned* x, std::size_t n, unsigned long long* total) {
  auto* const sums = ws::shared_array<unsigned long long, threads>([] {});
  const unsigned thread = ws::thread_in_block().x;
  unsigned long long sum = 0;
  for (auto i : ws::grid_stride(n)) sum += x[i];
  sums[thread] = sum;
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    ws::sync_block();
    if (thread < half) sums[thread] += sums[thread + half];
  }
  if (thread == 0) ws::atomic_add(total, sums[0]);
}
// The kernel loops over its size, with indices of 64 bits.
constexpr auto adding_up = ws::kernel<add_up, ws::grid_stride_kernel, ws::index<std::uint64_t>>;

ws::result<unsigned long long> sum(const std::vector<unsigned>& values) {
  WARPSAFE_TRY(const auto stream, ws::Stream::create(ws::DeviceId(0)));
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<unsigned>::from(stream, values));
  WARPSAFE_TRY(auto total, ws::DeviceBuffer<unsigned long long>::create(stream, 1));
  WARPSAFE_TRYV(total.zero(stream));
  // No more blocks than run at once: each further block costs an atomic addition.
  WARPSAFE_TRY(const auto most, ws::max_resident_blocks(stream, adding_up, ws::block<threads>));
  const auto grid = ws::SafeGrid<>::grid_stride(x.size(), ws::block<threads>, most);
  WARPSAFE_TRYV(ws::launch(stream, grid, adding_up, x.view(), x.size(), total.view()));
  WARPSAFE_TRY(const auto on_host, total.to_host(stream).get());
  return on_host[0];
}

int main() {
  const std::vector<unsigned> values(1000001, 5);
  const auto total = sum(values);
  if (!total.has_value()) {
    std::cerr << total.error() << '\n';
    return 2;
  }
  std::cout << values.size() << " fives are " << total.value() << '\n';
  return total.value() == 5 * values.size() ? 0 : 1;
}
