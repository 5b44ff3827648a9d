// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Measures launch() on the host backend, without checks and with all, and blocks per second with
// and without a barrier.

#include <warpsafe/warpsafe.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>

namespace {

namespace ws = warpsafe;

WARPSAFE_KERNEL void nothing(int value) { static_cast<void>(value); }
WARPSAFE_KERNEL void one_barrier(int value) {
  static_cast<void>(value);
  ws::sync_block();
}

template <ws::CheckLevel Level, class Kernel>
void measure(benchmark::State& state, Kernel kernel, std::int64_t blocks) {
  auto stream = ws::Stream::create();
  const auto config = ws::configure(ws::GridDim::from_blocks(blocks), ws::block<256>);
  if (!stream.has_value() || !config.has_value()) return state.SkipWithError("no stream or grid");
  for (auto _ : state) {
    const bool good = ws::launch<Level>(stream.assume_value(), config, kernel, 1).has_value() &&
                      stream.assume_value().synchronize().has_value();
    if (!good) return state.SkipWithError("a launch failed");
  }
  state.SetItemsProcessed(state.iterations() * blocks);
}

void one_block_unchecked(benchmark::State& state) {
  measure<ws::CheckLevel::off>(state, ws::kernel<nothing>, 1);
}
BENCHMARK(one_block_unchecked)->UseRealTime();
void one_block_checked(benchmark::State& state) {
  measure<ws::CheckLevel::full>(state, ws::kernel<nothing>, 1);
}
BENCHMARK(one_block_checked)->UseRealTime();
void blocks_without_barriers(benchmark::State& state) {
  measure<ws::CheckLevel::off>(state, ws::kernel<nothing>, 10000);
}
BENCHMARK(blocks_without_barriers)->UseRealTime()->Unit(benchmark::kMillisecond);
void blocks_with_a_barrier(benchmark::State& state) {
  measure<ws::CheckLevel::off>(state, ws::kernel<one_barrier>, 1000);
}
BENCHMARK(blocks_with_a_barrier)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
