// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Measures the host time of one launch of an empty kernel with four arguments on a GPU: by <<<>>>
// with an error check, and by `launch` at each check level. Compare within one run, with random
// interleaving.

#include <warpsafe/debug.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/warpsafe.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>

namespace ws = warpsafe;

namespace {

WARPSAFE_KERNEL void nothing(float, const float*, float*, std::size_t) {}

// The number of launches is too small to fill the queue; the wait for them is not measured.
constexpr int batch = 500;

template <class Launch>
void measure(benchmark::State& state, Launch launch) {
  const auto made = ws::Stream::create();
  if (!made.has_value()) {
    state.SkipWithError("needs a GPU");
    return;
  }
  const ws::Stream& stream = made.assume_value();
  auto buffer = ws::DeviceBuffer<float>::create(stream, 256).value();
  const auto view = buffer.view();
  int left = batch;
  for ([[maybe_unused]] auto iteration : state) {
    if (!launch(stream, view)) state.SkipWithError("the launch failed");
    if (--left == 0) {
      state.PauseTiming();
      if (!stream.synchronize().has_value()) state.SkipWithError("the wait failed");
      left = batch;
      state.ResumeTiming();
    }
  }
  state.SetItemsProcessed(state.iterations());
}

void raw(benchmark::State& state) {
  measure(state, [](const ws::Stream& stream, ws::DeviceView<float> view) {
    float* data = view.pointer().get();
    nothing<<<1, 256, 0, stream.native()>>>(2.0F, data, data, view.size());
    return cudaPeekAtLastError() == cudaSuccess;
  });
}

template <ws::CheckLevel Level>
void checked(benchmark::State& state) {
  measure(state, [](const ws::Stream& stream, ws::DeviceView<float> view) {
    const auto config =
        ws::configure<Level>(ws::SafeGrid<>::cover<Level>(view.size(), ws::block<256>));
    return ws::launch<Level>(stream, config, ws::kernel<nothing>, 2.0F, view, view, view.size())
        .has_value();
  });
}

BENCHMARK(raw)->Name("<<<>>> and cudaPeekAtLastError");
BENCHMARK(checked<ws::CheckLevel::off>)->Name("launch, off");
BENCHMARK(checked<ws::CheckLevel::full>)->Name("launch, full");

}  // namespace
