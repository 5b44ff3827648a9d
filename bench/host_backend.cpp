// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Measures the cost of the CPU model of a GPU: a launch, a thread without barriers, a barrier.

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/detail/host_thread.hpp>
#include <warpsafe/backend/host/host_backend.hpp>
#include <warpsafe/core/launch_shape.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

using warpsafe::host_backend;
using warpsafe::detail::host_thread;
using warpsafe::host::run_threads;

void nothing(const void*, void**) {}

void scale(const void*, void** args) {
  run_threads([args] {
    const unsigned i = host_thread->block[0] * host_thread->block_dim[0] + host_thread->thread[0];
    (*static_cast<float**>(args[0]))[i] *= 1.5F;
  });
}

void wait_often(const void*, void** args) {
  run_threads([args] {
    const int rounds = *static_cast<const int*>(args[0]);
    for (int i = 0; i < rounds; ++i) host_thread->sync(*host_thread, "wait_often", 1);
  });
}

/// One kernel with one parameter, launched on a stream of its own.
class Launcher {
 public:
  explicit Launcher(void (*invoke)(const void*, void**))
      : parameter_{sizeof(void*), alignof(void*), false, false},
        entry_{reinterpret_cast<const void*>(invoke), invoke, &parameter_, 1} {
    note(host_backend::stream_create(stream_, 0));
  }
  ~Launcher() { note(host_backend::stream_destroy(stream_)); }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  void launch(std::uint32_t blocks, std::uint32_t threads, void* value) {
    warpsafe::LaunchShape shape;
    for (int i = 0; i < 3; ++i) shape.grid[i] = shape.block[i] = 1;
    shape.grid[0] = blocks;
    shape.block[0] = threads;
    void* args[] = {&value};
    note(host_backend::launch(entry_, shape, args, stream_));
  }
  void synchronize() { note(host_backend::stream_synchronize(stream_)); }
  /// Marks the benchmark as failed if any call failed.
  void report(benchmark::State& state) const {
    if (failed_) state.SkipWithError("a call of the host backend failed");
  }

 private:
  void note(int status) { failed_ = failed_ || status != 0; }

  warpsafe::ParameterInfo parameter_;
  warpsafe::KernelEntry entry_;
  host_backend::native_stream stream_ = nullptr;
  bool failed_ = false;
};

void launch_and_synchronize(benchmark::State& state) {
  Launcher launcher(nothing);
  for (auto _ : state) {
    launcher.launch(1, 1, nullptr);
    launcher.synchronize();
  }
  launcher.report(state);
}
BENCHMARK(launch_and_synchronize)->UseRealTime();

void launches_in_a_row(benchmark::State& state) {
  Launcher launcher(nothing);
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i) launcher.launch(1, 1, nullptr);
    launcher.synchronize();
  }
  state.SetItemsProcessed(state.iterations() * 1000);
  launcher.report(state);
}
BENCHMARK(launches_in_a_row)->UseRealTime()->Unit(benchmark::kMillisecond);

void threads_without_barriers(benchmark::State& state) {
  Launcher launcher(scale);
  std::vector<float> data(std::size_t{1} << 20, 1.0F);
  for (auto _ : state) {
    launcher.launch(4096, 256, data.data());
    launcher.synchronize();
  }
  state.SetItemsProcessed(state.iterations() << 20);
  launcher.report(state);
}
BENCHMARK(threads_without_barriers)->UseRealTime()->Unit(benchmark::kMillisecond);

// 64 blocks of 1024 threads with 10 barriers each; one item is one thread at one barrier.
void barriers(benchmark::State& state) {
  Launcher launcher(wait_often);
  constexpr int rounds = 10;
  void* value = nullptr;
  std::memcpy(&value, &rounds, sizeof rounds);
  for (auto _ : state) {
    launcher.launch(64, 1024, value);
    launcher.synchronize();
  }
  state.SetItemsProcessed(state.iterations() * 64 * 1024 * rounds);
  launcher.report(state);
}
BENCHMARK(barriers)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
