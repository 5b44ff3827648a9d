// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Measures the race detector: a small program under one seed, with buffers of several sizes, one
// more action of a program that has done many, and how a long record grows.

#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/race/race_checker.hpp>
#include <warpsafe/race/race_recorder.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/warpsafe.hpp>

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <array>
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
      const debug::MemoryAccess access{4096, 1024, debug::AccessKind::write};
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

/// A record of calls that no device executes. `held` counts the bytes that the recorder has
/// allocated at its end.
class LongRecord {
 public:
  LongRecord() {
    recorder_.begin();
    static_cast<void>(recorder_.end());
    before_ = in_use();
    recorder_.begin();
  }
  /// Reports bytes and actions, and whether there is no race.
  void end(benchmark::State& state) {
    const std::size_t now = in_use();
    state.counters["held"] = now > before_ ? static_cast<double>(now - before_) : 0;
    actions_ += static_cast<double>(recorder_.size());
    state.counters["us/action"] = benchmark::Counter(
        actions_ / 1e6, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
    if (!recorder_.end().clean()) state.SkipWithError("a race where there is none");
  }
  static const void* stream(std::size_t number) { return object(0x100000, number); }
  static const void* event(std::size_t number) { return object(0x900000000, number); }
  static const void* graph(std::size_t number) { return object(0xA00000000, number); }
  static std::uintptr_t buffer(std::size_t number) { return 0x7000000000 + number * 4096; }

  void allocate(std::size_t buffers) {
    using ws::debug::AccessKind;
    for (std::size_t i = 0; i < buffers; ++i) {
      const ws::debug::MemoryAccess whole{buffer(i), 4096, AccessKind::allocate};
      recorder_.on_host(ws::debug::ActionKind::host_allocate, {}, {&whole, 1}, here);
    }
  }
  void kernel(std::size_t on, std::size_t writes, std::size_t reads) {
    using ws::debug::AccessKind;
    using ws::debug::MemoryAccess;
    const std::array<MemoryAccess, 2> accesses{
        MemoryAccess{buffer(writes), MemoryAccess::whole_allocation, AccessKind::write},
        MemoryAccess{buffer(reads), MemoryAccess::whole_allocation, AccessKind::read}};
    recorder_.submitted(stream(on), ws::debug::ActionKind::kernel, accesses, here);
  }
  /// `later` waits for all work of `earlier` so far.
  void order(std::size_t earlier, std::size_t later, std::size_t by) {
    recorder_.recorded(event(by), stream(earlier), here);
    recorder_.waits(stream(later), event(by), here);
  }
  ws::debug::RaceRecorder& recorder() { return recorder_; }
  static constexpr ws::call_site here{__FILE__, "", __LINE__};

 private:
  static const void* object(std::uintptr_t from, std::size_t number) {
    return reinterpret_cast<const void*>(from + number * 64);
  }
  ws::debug::RaceRecorder& recorder_ = ws::debug::RaceRecorder::get();
  std::size_t before_ = 0;
  double actions_ = 0;
};

/// Four streams in a ring. Each writes its buffer and reads that of the stream before, which waits
/// until it has. The host waits for nothing.
void ring_of_streams(benchmark::State& state) {
  for (auto _ : state) {
    LongRecord record;
    record.allocate(4);
    for (std::int64_t done = 0; done < state.range(0); done += 5) {
      const auto own = static_cast<std::size_t>(done / 5 % 4);
      const std::size_t before = (own + 3) % 4;
      record.order(before, own, own);
      record.kernel(own, own, before);
      record.order(own, before, 4 + own);
    }
    record.end(state);
  }
}
BENCHMARK(ring_of_streams)->RangeMultiplier(10)->Range(1000, 10000000)->Iterations(1);

/// Short-lived streams, each forked from a first stream and joined to it. They share one buffer.
void short_lived_streams(benchmark::State& state) {
  for (auto _ : state) {
    LongRecord record;
    record.allocate(2);
    for (std::int64_t i = 1; i <= state.range(0); ++i) {
      const auto own = static_cast<std::size_t>(i);
      record.order(0, own, 0);
      record.kernel(own, 0, 1);
      record.order(own, 0, 1);
      record.recorder().stream_destroyed(LongRecord::stream(own), LongRecord::here);
    }
    record.end(state);
  }
}
BENCHMARK(short_lived_streams)->RangeMultiplier(10)->Range(1000, 100000)->Iterations(1);

/// A graph of kernels that wait only for the fork, each with a buffer of its own; they all read one
/// more. Two streams launch it in turn.
void launches_of_a_graph(benchmark::State& state) {
  const auto nodes = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    LongRecord record;
    auto& recorder = record.recorder();
    record.allocate(nodes + 1);
    recorder.capture_begins(LongRecord::stream(0));
    recorder.recorded(LongRecord::event(0), LongRecord::stream(0), LongRecord::here);
    for (std::size_t i = 1; i <= nodes; ++i) {
      recorder.waits(LongRecord::stream(i), LongRecord::event(0), LongRecord::here);
      record.kernel(i, i, 0);
      record.order(i, 0, 1);
    }
    recorder.capture_ends(LongRecord::stream(0), LongRecord::graph(0));
    recorder.graph_set(LongRecord::graph(1), LongRecord::graph(0));
    for (std::int64_t launch = 0; launch < state.range(1); ++launch) {
      recorder.graph_launched(LongRecord::graph(1),
                              LongRecord::stream(static_cast<std::size_t>(launch % 2)),
                              LongRecord::here);
    }
    record.end(state);
    recorder.executable_destroyed(LongRecord::graph(1));
    recorder.graph_destroyed(LongRecord::graph(0));
  }
}
BENCHMARK(launches_of_a_graph)
    ->Args({100, 10})
    ->Args({1000, 10})
    ->Args({1000, 100})
    ->Args({4000, 10})
    ->Args({10000, 10})
    ->Args({10000, 100})
    ->Iterations(1);

/// The same on the modelled GPU, which also runs the work: `steps` steps of a program under one
/// seed. `held` is what the program has allocated since its beginning.
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
