// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Measures blocks of 256 threads per second on the host backend, and in a hand-written loop on one
// thread and on all. One kernel has no barrier (scale), the other has one (it reverses each block
// through shared memory; written by hand it is two loops).

#include <warpsafe/warpsafe.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

namespace ws = warpsafe;

constexpr unsigned threads = 256;

WARPSAFE_KERNEL void scale(float* data, float factor) { data[ws::thread_index().x] *= factor; }
WARPSAFE_KERNEL void reverse(float* data) {
  float* held = ws::shared_array<float, threads>([] {});
  const auto i = ws::thread_index().x;
  const auto mine = i % threads;
  held[mine] = data[i];
  ws::sync_block();
  data[i] = held[threads - 1 - mine];
}

void scale_block(float* data) {
  for (unsigned i = 0; i < threads; ++i) data[i] *= 1.0001F;
}
void reverse_block(float* data) {
  float held[threads];
  for (unsigned i = 0; i < threads; ++i) held[i] = data[i];
  for (unsigned i = 0; i < threads; ++i) data[i] = held[threads - 1 - i];
}

template <class Run>
void measure(benchmark::State& state, Run run) {
  const std::int64_t blocks = state.range(0);
  std::vector<float> data(static_cast<std::size_t>(blocks) * threads, 1.0F);
  for ([[maybe_unused]] auto iteration : state) {
    if (!run(blocks, data.data())) return state.SkipWithError("a launch failed");
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * blocks);
}

template <class Block>
void by_hand(benchmark::State& state, Block block) {
  measure(state, [&](std::int64_t blocks, float* data) {
    for (std::int64_t i = 0; i < blocks; ++i) block(data + i * threads);
    return true;
  });
}
template <class Block>
void by_hand_on_all_cores(benchmark::State& state, Block block) {
  measure(state, [&](std::int64_t blocks, float* data) {
    const std::int64_t workers = std::thread::hardware_concurrency();
    std::vector<std::jthread> pool;
    for (std::int64_t w = 0; w < workers; ++w) {
      pool.emplace_back([=] {
        for (std::int64_t i = w * blocks / workers; i < (w + 1) * blocks / workers; ++i)
          block(data + i * threads);
      });
    }
    return true;
  });
}

/// Uses `launch` at level off, because the benchmark measures blocks.
template <class Launch>
void host_backend(benchmark::State& state, Launch launch) {
  const auto stream = ws::Stream::create();
  if (!stream.has_value()) return state.SkipWithError("no stream");
  measure(state, [&](std::int64_t blocks, float* data) {
    const auto config = ws::configure(ws::GridDim::from_blocks(blocks), ws::block<threads>);
    return launch(stream.assume_value(), config, data) &&
           stream.assume_value().synchronize().has_value();
  });
}

void scale_on_host_backend(benchmark::State& state) {
  host_backend(state, [](const ws::Stream& stream, const auto& config, float* data) {
    return ws::launch<ws::CheckLevel::off>(stream, config, ws::kernel<scale>, ws::trust(data),
                                           1.0001F)
        .has_value();
  });
}
void reverse_on_host_backend(benchmark::State& state) {
  host_backend(state, [](const ws::Stream& stream, const auto& config, float* data) {
    return ws::launch<ws::CheckLevel::off>(stream, config, ws::kernel<reverse>, ws::trust(data))
        .has_value();
  });
}

constexpr auto scale_by_hand = [](benchmark::State& state) { by_hand(state, scale_block); };
constexpr auto scale_on_all = [](benchmark::State& state) {
  by_hand_on_all_cores(state, scale_block);
};
constexpr auto reverse_by_hand = [](benchmark::State& state) { by_hand(state, reverse_block); };
constexpr auto reverse_on_all = [](benchmark::State& state) {
  by_hand_on_all_cores(state, reverse_block);
};

[[maybe_unused]] const bool registered = [] {
  const auto add = [](const char* name, void (*run)(benchmark::State&), std::int64_t blocks) {
    benchmark::RegisterBenchmark(name, run)->Arg(blocks)->MeasureProcessCPUTime()->UseRealTime();
  };
  add("without/by hand, one thread", scale_by_hand, 4096);
  add("without/by hand, all cores", scale_on_all, 4096);
  add("without/host backend", scale_on_host_backend, 4096);
  add("with/by hand, one thread", reverse_by_hand, 1024);
  add("with/by hand, all cores", reverse_on_all, 1024);
  add("with/host backend", reverse_on_host_backend, 1024);
  return true;
}();

}  // namespace
