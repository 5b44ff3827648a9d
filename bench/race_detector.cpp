// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Measures the race detector: a small program under one seed, with buffers of several sizes, one
// more action of a program that has done many, and how the record of a long run grows.

#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/race/race_checker.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/warpsafe.hpp>

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <memory>
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
      const ws::MemoryAccess access{4096, 1024, ws::AccessKind::write};
      last = checker.add(streams[1 + static_cast<std::size_t>(i % 4)], after, {&access, 1}, races);
    }
    if (!races.empty()) return state.SkipWithError("a race where there is none");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(one_more_action)->Arg(100)->Arg(10000)->Arg(100000);

/// The bytes that the program has allocated, as glibc counts them.
std::size_t in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// A long run: `steps` steps of a program under one seed. `held` is what the program has allocated
/// since its beginning.
template <class Begin>
void run_steps(benchmark::State& state, std::int64_t steps, const Begin& begin) {
  for (auto _ : state) {
    std::size_t held = 0;
    bool good = true;
    const auto report = ws::adversarial::run({1, 1}, [&] {
      const std::size_t before = in_use();
      const auto stream = ws::Stream::create();
      if (!stream.has_value()) return void(good = false);
      auto buffer = ws::DeviceBuffer<float>::create(stream.assume_value(), 1);
      if (!buffer.has_value()) return void(good = false);
      const auto step = begin(stream.assume_value(), buffer.assume_value());
      for (std::int64_t i = 0; i < steps && good; ++i) good = step();
      const std::size_t now = in_use();
      held = now > before ? now - before : 0;
    });
    if (!good || !report.clean()) return state.SkipWithError("the program failed or has a race");
    state.counters["held"] = static_cast<double>(held);
    state.counters["us/step"] =
        benchmark::Counter(static_cast<double>(steps) / 1e6,
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  }
}

void host_launches(benchmark::State& state) {
  run_steps(state, state.range(0), [](const ws::Stream& stream, ws::DeviceBuffer<float>& buffer) {
    return [&] {
      const ws::LaunchConfig once{ws::grid<1>, ws::block<1>};
      return ws::launch(stream, once, ws::kernel<write>, buffer.view()).has_value();
    };
  });
}
BENCHMARK(host_launches)->RangeMultiplier(10)->Range(1000, 10000000)->Iterations(1);

/// Each step makes a stream, which waits for the first one and runs a kernel; then the first stream
/// waits for it.
void host_short_lived_streams(benchmark::State& state) {
  run_steps(state, state.range(0), [](const ws::Stream& first, ws::DeviceBuffer<float>& buffer) {
    return [&] {
      const ws::LaunchConfig once{ws::grid<1>, ws::block<1>};
      const auto own = ws::Stream::create();
      if (!own.has_value()) return false;
      const auto before = first.record();
      if (!before.has_value() || !ws::wait(own.assume_value(), before.assume_value()).has_value() ||
          !ws::launch(own.assume_value(), once, ws::kernel<write>, buffer.view()).has_value()) {
        return false;
      }
      const auto after = own.assume_value().record();
      return after.has_value() && ws::wait(first, after.assume_value()).has_value();
    };
  });
}
BENCHMARK(host_short_lived_streams)->RangeMultiplier(10)->Range(1000, 100000)->Iterations(1);

/// Each step launches a graph of kernels and waits for it.
void host_graph(benchmark::State& state) {
  run_steps(state, state.range(1), [&](const ws::Stream& stream, ws::DeviceBuffer<float>& buffer) {
    const ws::LaunchConfig once{ws::grid<1>, ws::block<1>};
    auto graph = ws::capture(stream, [&](ws::Capture& capture) -> ws::result<void> {
      WARPSAFE_TRYV(capture.keep(buffer.keep()));
      for (std::int64_t i = 0; i < state.range(0); ++i) {
        WARPSAFE_TRYV(ws::launch(stream, once, ws::kernel<write>, buffer.view()));
      }
      return ws::success();
    });
    auto made = std::make_shared<ws::result<ws::ExecutableGraph>>(graph.value().instantiate());
    return [&stream, made] {
      return made->value().launch(stream).has_value() && stream.synchronize().has_value();
    };
  });
}
BENCHMARK(host_graph)->Args({100, 100})->Args({1000, 100})->Args({10000, 100})->Iterations(1);

}  // namespace
