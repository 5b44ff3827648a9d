// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Measures the cost of the journal in a checked launch: a record, and the note that the runtime
// accepted the launch, from 1 to 16 threads at once, alone and inside a launch whose runtime does
// nothing. Also measures a wait and the search for suspects.

#include <warpsafe/debug.hpp>
#include <warpsafe/debug/journal/detail/completion.hpp>
#include <warpsafe/debug/journal/journal.hpp>
#include <warpsafe/debug/journal/suspects.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/warpsafe.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>

/// A kernel that looks compiled by a device compiler, for a launch's types; it never runs.
WARPSAFE_KERNEL_EXTERN void axpy(float, const float*, float*, std::size_t) {}

namespace {

namespace debug = warpsafe::debug;

warpsafe::LaunchRecord some_launch(int thread) {
  warpsafe::LaunchRecord record{};
  record.kernel = warpsafe::Name::of("axpy");
  record.grid[0] = 4;
  record.block[0] = 256;
  record.stream =
      reinterpret_cast<const void*>(std::uintptr_t{0x1000} * (1 + static_cast<unsigned>(thread)));
  record.stream_number = 1 + static_cast<unsigned>(thread);
  record.vendor = warpsafe::Vendor::host;
  return record;
}

void remember(benchmark::State& state) {
  const warpsafe::LaunchRecord record = some_launch(state.thread_index());
  debug::Journal& journal = debug::Journal::get();
  for (auto _ : state) {
    const std::uint64_t number = journal.append(record);
    journal.submitted(number, debug::Completion::get().now());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(remember)->ThreadRange(1, 16)->UseRealTime();

/// The modelled GPU, except that the runtime accepts launches and runs nothing. Like a GPU's, its
/// limits are queried once.
struct Instant : warpsafe::host_backend {
  static int attributes_of(const warpsafe::KernelEntry&, warpsafe::KernelLimits& limits) noexcept {
    limits.max_threads_per_block = 1024;
    return 0;
  }
  static int launch(const warpsafe::KernelEntry&, const warpsafe::LaunchShape&, void**,
                    native_stream) noexcept {
    return 0;
  }
};

}  // namespace
WARPSAFE_DECLARE_LAUNCH(Instant);
namespace {

/// A whole launch. At level full, it is recorded if `Remembers`.
template <warpsafe::CheckLevel Level, bool Remembers>
void launch_an_instant(benchmark::State& state) {
  namespace ws = warpsafe;
  auto* const hooks = ws::detail::observers_in_use;
  const auto stream = ws::basic_stream<Instant>::create();
  auto memory = ws::basic_device_buffer<Instant, float>::create(stream.value(), 1024);
  if (!stream.has_value() || !memory.has_value() || hooks == nullptr) {
    return state.SkipWithError("no stream, memory or tools");
  }
  const auto view = memory.value().view();
  if (!Remembers) ws::detail::observers_in_use = nullptr;
  const ws::detail::Located<Instant> at(stream.value(), ws::call_site::current());
  bool good = true;
  for (auto _ : state) {
    const auto config =
        ws::configure<Level>(ws::SafeGrid<Instant>::cover<Level>(1024, ws::block<256>));
    good &= ws::detail::launch_on<Level>(at, config, ws::kernel<axpy>, 2.0F, view, view, 1024U)
                .has_value();
  }
  ws::detail::observers_in_use = hooks;
  if (!good) state.SkipWithError("a launch failed");
}
constexpr auto off = warpsafe::CheckLevel::off;
constexpr auto full = warpsafe::CheckLevel::full;
BENCHMARK(launch_an_instant<off, true>)->Name("launch/off");
BENCHMARK(launch_an_instant<full, false>)->Name("launch/full_without_journal");
BENCHMARK(launch_an_instant<full, true>)->Name("launch/full_with_journal");

void wait_for_a_stream(benchmark::State& state) {
  const warpsafe::LaunchRecord record = some_launch(state.thread_index());
  debug::Completion& completion = debug::Completion::get();
  for (auto _ : state) {
    completion.stream_waited(record.vendor, 0, record.stream_number, completion.begin_wait());
  }
}
BENCHMARK(wait_for_a_stream)->ThreadRange(1, 16)->UseRealTime();

void search_for_suspects(benchmark::State& state) {
  const warpsafe::LaunchRecord record = some_launch(0);
  debug::Journal& journal = debug::Journal::get();
  for (std::size_t i = 0; i < debug::Journal::capacity; ++i) {
    journal.submitted(journal.append(record), debug::Completion::get().now());
  }
  warpsafe::LaunchError error =
      warpsafe::LaunchError::make(warpsafe::Errc::barrier_divergence, warpsafe::Stage::completion);
  error.vendor = warpsafe::Vendor::host;
  for (auto _ : state) benchmark::DoNotOptimize(debug::Incidents::get().add(error, 0));
}
BENCHMARK(search_for_suspects);

}  // namespace
