// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What grid arithmetic costs: SafeGrid in a release and in a checked build beside the usual formula
// in 64 bits, which overflows, and in 128, which does not. Throughput: independent sizes. Latency:
// each size depends on the grid before.

#include <warpsafe/safe_grid.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

namespace {

using Grid = warpsafe::SafeGrid<warpsafe::cuda_backend>;

template <warpsafe::CheckLevel Level>
struct Cover {
  std::uint32_t operator()(std::int64_t n) const {
    const auto grid = Grid::cover<Level>(n, warpsafe::block<256>);
    return grid.has_value() ? grid.assume_value().blocks(0) : 0;
  }
};
using Release = Cover<warpsafe::CheckLevel::off>;
using Checked = Cover<warpsafe::CheckLevel::full>;
struct Naive64 {
  std::uint32_t operator()(std::int64_t n) const {
    return static_cast<std::uint32_t>((n + 256 - 1) / 256);
  }
};
struct Wide128 {
  std::uint32_t operator()(std::int64_t n) const {
    __extension__ using Wide = __int128;
    const Wide blocks = (static_cast<Wide>(n) + 256 - 1) / 256;
    return blocks > 0 && blocks <= 2147483647 ? static_cast<std::uint32_t>(blocks) : 0;
  }
};

template <class Formula>
void throughput(benchmark::State& state) {
  std::vector<std::int64_t> sizes(1024);
  std::uint64_t random = 1;
  for (auto& size : sizes) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    size = static_cast<std::int64_t>(1 + (random >> 30));
  }
  for (auto _ : state) {
    for (const std::int64_t size : sizes) {
      std::uint32_t blocks = Formula{}(size);
      benchmark::DoNotOptimize(blocks);
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(sizes.size()));
}
BENCHMARK(throughput<Naive64>);
BENCHMARK(throughput<Wide128>);
BENCHMARK(throughput<Release>);
BENCHMARK(throughput<Checked>);

template <class Formula>
void latency(benchmark::State& state) {
  std::int64_t size = 1 << 20;
  for (auto _ : state) {
    for (int i = 0; i < 1024; ++i) size = (1 << 20) + (Formula{}(size)&1023);
    benchmark::DoNotOptimize(size);
  }
  state.SetItemsProcessed(state.iterations() * 1024);
}
BENCHMARK(latency<Naive64>);
BENCHMARK(latency<Wide128>);
BENCHMARK(latency<Release>);
BENCHMARK(latency<Checked>);

}  // namespace
