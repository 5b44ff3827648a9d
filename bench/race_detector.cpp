// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What the race detector costs: a small program under one seed, with buffers of several sizes, and
// one more action of a program that has done many.

#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/race/race_checker.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/warpsafe.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

namespace ws = warpsafe;

WARPSAFE_KERNEL void write(float* x) { *x = 1; }
WARPSAFE_KERNEL void read(const float* x, float* y) { *y = *x; }

/// Two streams, two buffers, two kernels, an event and its wait.
bool hand_over(std::size_t count) {
  const ws::LaunchConfig once{ws::grid<1>, ws::block<1>};
  const auto producer = ws::Stream::create();
  const auto consumer = ws::Stream::create();
  if (!producer.has_value() || !consumer.has_value()) return false;
  auto x = ws::DeviceBuffer<float>::create(producer.assume_value(), count);
  auto y = ws::DeviceBuffer<float>::create(consumer.assume_value(), count);
  if (!x.has_value() || !y.has_value()) return false;
  const bool written =
      ws::launch(producer.assume_value(), once, ws::kernel<write>, x.assume_value().view())
          .has_value();
  const auto event = ws::Event::create(producer.assume_value());
  if (!written || !event.has_value()) return false;
  return ws::wait(consumer.assume_value(), event.assume_value()).has_value() &&
         ws::launch(consumer.assume_value(), once, ws::kernel<read>,
                    std::as_const(x.assume_value()).view(), y.assume_value().view())
             .has_value() &&
         consumer.assume_value().synchronize().has_value();
}

void one_seed(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::uint64_t seed = 0;
  bool good = true;
  for (auto _ : state) {
    const auto report = ws::adversarial::run({100, seed}, [&] { good = hand_over(count) && good; });
    seed += 100;
    if (!good || !report.clean()) return state.SkipWithError("the program failed or has a race");
  }
  state.SetItemsProcessed(state.iterations() * 100);
}
BENCHMARK(one_seed)->Arg(4)->Arg(1024)->Arg(1 << 20)->UseRealTime();

/// Kernels on four streams in a ring, each waiting for the one before.
void one_more_action(benchmark::State& state) {
  namespace debug = ws::debug;
  for (auto _ : state) {
    debug::RaceChecker checker;
    std::vector<debug::Race> races;
    std::vector<debug::Strand> streams;
    for (int i = 0; i < 5; ++i) streams.push_back(checker.add_strand());
    debug::Point last = debug::no_point;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
      const debug::Point after[] = {last};
      const debug::MemoryAccess access{4096, 1024, debug::AccessKind::write};
      last = checker.add(streams[1 + static_cast<std::size_t>(i % 4)], after, {&access, 1}, races);
    }
    if (!races.empty()) return state.SkipWithError("a race where there is none");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(one_more_action)->Arg(100)->Arg(10000)->Arg(100000);

}  // namespace
