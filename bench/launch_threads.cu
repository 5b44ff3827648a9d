// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Measures launches per second of 1 to 16 threads, each on a stream of its own: by <<<>>> with an
// error check, and by `launch` with all checks and the journal. items_per_second counts all threads
// together; compare within one run, with random interleaving.

#include <warpsafe/debug.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/warpsafe.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>

namespace ws = warpsafe;

namespace {

WARPSAFE_KERNEL void nothing(float, const float*, float*, std::size_t) {}

// The number of launches is too small to fill a stream's queue. The time includes the wait,
// because threads do not pause together.
constexpr int batch = 200;

template <class Launch>
void measure(benchmark::State& state, Launch launch) {
  const auto made = ws::Stream::create();
  if (!made.has_value()) {
    state.SkipWithError("needs a GPU");
    return;
  }
  const ws::Stream& stream = made.assume_value();
  const auto buffer = ws::DeviceBuffer<float>::create(stream, 256);
  if (!buffer.has_value()) {
    state.SkipWithError("no memory");
    return;
  }
  const auto view = buffer.assume_value().view();
  for ([[maybe_unused]] auto iteration : state) {
    bool good = true;
    for (int i = 0; i < batch; ++i) good = launch(stream, view) && good;
    if (!good || !stream.synchronize().has_value()) {
      state.SkipWithError("a launch or the wait failed");
      return;
    }
  }
  state.SetItemsProcessed(state.iterations() * batch);
}

void raw(benchmark::State& state) {
  measure(state, [](const ws::Stream& stream, auto view) {
    nothing<<<1, 256, 0, stream.native()>>>(2.0F, view.pointer().get(), nullptr, view.size());
    return cudaPeekAtLastError() == cudaSuccess;
  });
}

template <ws::CheckLevel Level>
void checked(benchmark::State& state) {
  measure(state, [](const ws::Stream& stream, auto view) {
    const auto config =
        ws::configure<Level>(ws::SafeGrid<>::cover<Level>(view.size(), ws::block<256>));
    return ws::launch<Level>(stream, config, ws::kernel<nothing>, 2.0F, view,
                             ws::device_ptr<float>(nullptr), view.size())
        .has_value();
  });
}

BENCHMARK(raw)->Name("<<<>>>")->ThreadRange(1, 16)->UseRealTime();
BENCHMARK(checked<ws::CheckLevel::off>)->Name("launch, off")->ThreadRange(1, 16)->UseRealTime();
BENCHMARK(checked<ws::CheckLevel::full>)->Name("launch, full")->ThreadRange(1, 16)->UseRealTime();

}  // namespace
