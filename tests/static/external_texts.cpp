// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What the host compiler says about a kernel that nvcc compiles in another file, where the program
// launches it on a host stream; see tests/compile/snippets.py for how to read this file.
// only: g++ clang++

#define WARPSAFE_BACKEND_CUDA 1
#include <warpsafe/host.hpp>
#include <warpsafe/race.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>

namespace ws = warpsafe;

WARPSAFE_KERNEL_EXTERN void t_elsewhere(float* x, std::size_t n);

// T02: The stream belongs to the host backend.
auto t02_external_kernel_on_a_host_stream(
    [[maybe_unused]] ws::basic_stream_ref<ws::host_backend> host,
    [[maybe_unused]] ws::StreamRef stream, ws::device_ptr<float> x, std::size_t n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"compile its file and this one without that macro (CMake: link warpsafe::host)"}}
  return ws::launch(host, config, ws::kernel<t_elsewhere>, x, n);
#else
  return ws::launch(stream, config, ws::kernel<t_elsewhere>, x, n);
#endif
}

// T05: The race detector, where the default backend is a vendor's.
auto t05_race_detector_on_a_vendors_backend([[maybe_unused]] std::size_t count) {
#ifdef MISUSE
  // expected-error {{"adversarial::run runs on the host backend; compile this file with g++ or"}}
  return ws::adversarial::run(count, [] {});
#else
  return ws::adversarial::RaceReport{};
#endif
}
