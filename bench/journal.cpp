// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What a checked launch pays to be remembered: a record into the journal and the note that the
// runtime took it, from 1 to 16 threads at once; and what a wait and the search for suspects cost.

#include <warpsafe/debug/completion.hpp>
#include <warpsafe/debug/journal.hpp>
#include <warpsafe/debug/suspects.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>

namespace {

namespace debug = warpsafe::debug;

debug::LaunchRecord some_launch(int thread) {
  debug::LaunchRecord record{};
  record.kernel = warpsafe::Name::of("axpy");
  record.grid[0] = 4;
  record.block[0] = 256;
  record.stream =
      reinterpret_cast<const void*>(std::uintptr_t{0x1000} * (1 + static_cast<unsigned>(thread)));
  record.vendor = warpsafe::Vendor::host;
  return record;
}

void remember(benchmark::State& state) {
  const debug::LaunchRecord record = some_launch(state.thread_index());
  debug::Journal& journal = debug::Journal::get();
  for (auto _ : state) {
    const std::uint64_t number = journal.append(record);
    journal.submitted(number, debug::Completion::get().now());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(remember)->ThreadRange(1, 16)->UseRealTime();

void wait_for_a_stream(benchmark::State& state) {
  const debug::LaunchRecord record = some_launch(state.thread_index());
  debug::Completion& completion = debug::Completion::get();
  for (auto _ : state) {
    completion.stream_waited(record.vendor, 0, record.stream, completion.begin_wait());
  }
}
BENCHMARK(wait_for_a_stream)->ThreadRange(1, 16)->UseRealTime();

void search_for_suspects(benchmark::State& state) {
  const debug::LaunchRecord record = some_launch(0);
  debug::Journal& journal = debug::Journal::get();
  for (std::size_t i = 0; i < debug::Journal::capacity; ++i) {
    journal.submitted(journal.append(record), debug::Completion::get().now());
  }
  warpsafe::LaunchError error =
      warpsafe::LaunchError::make(warpsafe::Errc::barrier_divergence, warpsafe::Stage::completion);
  error.vendor = warpsafe::Vendor::host;
  for (auto _ : state) benchmark::DoNotOptimize(debug::Incidents::get().note(error, 0));
}
BENCHMARK(search_for_suspects);

}  // namespace
