// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Measures grid arithmetic: SafeGrid with and without checks, and the usual formula in 64 bits,
// which overflows, and in 128 bits, which does not. Throughput: independent sizes. Latency: each
// size is the previous result, and the chain contains nothing else.

#include "performance/cover_formulas.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

namespace formulas {
namespace {

constexpr int grids = 1024;  // in each iteration

template <class Formula, class Block>
void throughput(benchmark::State& state) {
  std::vector<std::int64_t> sizes(grids);
  std::uint64_t random = 1;
  for (auto& size : sizes) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    size = static_cast<std::int64_t>(1 + (random >> 30));
  }
  const Block block;
  for (auto _ : state) {
    for (const std::int64_t size : sizes) use(Formula{}(size, block));
  }
  state.SetItemsProcessed(state.iterations() * grids);
}

template <class Formula, class Block>
void latency(benchmark::State& state) {
  const Block block;
  std::int64_t size = 1;  // every formula computes 1 block from it
  for (auto _ : state) {
    for (int i = 0; i < grids; ++i) {
      hide(size);
      size = Formula{}(size, block);
    }
  }
  if (size != 1) state.SkipWithError("one item takes one block");
  state.SetItemsProcessed(state.iterations() * grids);
}

#define BENCH(measure, block)         \
  BENCHMARK(measure<Naive64, block>); \
  BENCHMARK(measure<Wide128, block>); \
  BENCHMARK(measure<Release, block>); \
  BENCHMARK(measure<Checked, block>)
BENCH(throughput, StaticBlock);
BENCH(latency, StaticBlock);
BENCH(throughput, DynamicBlock);
BENCH(latency, DynamicBlock);

}  // namespace
}  // namespace formulas
