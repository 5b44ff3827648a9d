// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Measures what the recorder of warpsafe-ranks needs in each collective to know which functions of
// the program led to it.

#include <benchmark/benchmark.h>
#include <tools/ranks/record/call_place.hpp>

#include <cstdint>
#include <vector>

namespace {

using warpsafe::ranks::CallPlace;
using warpsafe::ranks::CallPlaces;

struct Recorder {
  CallPlaces places;
  std::vector<CallPlace> added;
  bool is_known;
};

[[gnu::noinline]] std::uint32_t collective(Recorder& recorder) {
  if (!recorder.is_known) recorder.places = {};
  void* const call = __builtin_return_address(0);
  const auto stack = warpsafe::ranks::ReturnAddresses::of(call);
  const std::uint32_t number = recorder.places.number_of(call, stack, recorder.added);
  recorder.added.clear();
  return number;
}
[[gnu::noinline]] std::uint32_t step(Recorder& recorder) {
  std::uint32_t number = collective(recorder);
  benchmark::DoNotOptimize(number);
  return number;
}

/// A call whose stack was seen before, as in each step of a training but the first.
void known_stack(benchmark::State& state) {
  Recorder recorder{{}, {}, true};
  for (auto _ : state) benchmark::DoNotOptimize(step(recorder));
}
BENCHMARK(known_stack);

/// The first call from a stack.
void new_stack(benchmark::State& state) {
  Recorder recorder{{}, {}, false};
  for (auto _ : state) benchmark::DoNotOptimize(step(recorder));
}
BENCHMARK(new_stack);

extern "C" void call_through_torch(void (*call)(void*), void* argument);

/// A call below thirty functions of a framework, as each gradient's of PyTorch. Each function on
/// the stack takes some 0.1 us.
void known_stack_of_torch(benchmark::State& state) {
  Recorder recorder{{}, {}, true};
  const auto call = [](void* argument) { collective(*static_cast<Recorder*>(argument)); };
  for (auto _ : state) call_through_torch(call, &recorder);
}
BENCHMARK(known_stack_of_torch);

}  // namespace
