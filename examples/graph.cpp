// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Captures a step of a simulation once and replays it, then captures it again with another step
// width. Compiles with nvcc, hipcc, and g++ or clang++ (host backend).

#include <warpsafe/graph.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>
#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void move(float dt, const float* speed, float* place, std::size_t n) {
  for (auto i : ws::grid_stride(n)) place[i] += dt * speed[i];
}
WARPSAFE_KERNEL void bounce(const float* place, float* speed, std::size_t n) {
  for (auto i : ws::grid_stride(n)) {
    if (place[i] >= 1 || place[i] <= 0) speed[i] = -speed[i];
  }
}

ws::result<std::vector<float>> run(const ws::Stream& stream, std::size_t n) {
  WARPSAFE_TRY(auto place, ws::DeviceBuffer<float>::from(stream, std::vector<float>(n, 0.5F)));
  WARPSAFE_TRY(auto speed, ws::DeviceBuffer<float>::from(stream, std::vector<float>(n, 1.0F)));
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
  float dt = 0.25F;
  const auto step = [&](ws::Capture& capture) -> ws::result<void> {
    // The graph may outlive the buffers, so it keeps their memory.
    WARPSAFE_TRYV(capture.keep(place.keep()));
    WARPSAFE_TRYV(capture.keep(speed.keep()));
    const ws::StreamRef on = capture.stream();
    WARPSAFE_TRYV(ws::launch(on, config, ws::kernel<move>, dt, speed.view(), place.view(), n));
    return ws::launch(on, config, ws::kernel<bounce>, place.view(), speed.view(), n);
  };
  WARPSAFE_TRY(auto graph, ws::capture(stream, step));
  WARPSAFE_TRY(auto steps, graph.instantiate());
  for (int i = 0; i < 6; ++i) {
    WARPSAFE_TRYV(steps.launch(stream));
  }
  dt = 0.125F;  // the graph keeps its copy of the old value until it is captured again
  WARPSAFE_TRYV(ws::recapture(steps, stream, step));
  WARPSAFE_TRYV(steps.launch(stream));
  return place.to_host(stream).get();
}

int main() {
  const auto stream = ws::Stream::create(ws::DeviceId(0));
  if (!stream.has_value()) {
    std::cerr << stream.error() << '\n';
    return 2;
  }
  const auto places = run(stream.value(), 100000);
  if (!places.has_value()) {
    std::cerr << places.error() << '\n';
    return 2;
  }
  for (const float place : places.value()) {
    // Six steps of 1/4 from 1/2: up to 1 and down to 0. Then one step of 1/8 up.
    if (place != 0.125F) return 1;
  }
  std::cout << "7 replays, 2 kernels each, " << places.value().size() << " elements at 1/8\n";
}
