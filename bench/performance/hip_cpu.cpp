// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The two kernels of host_blocks.cpp on HIP-CPU, in a program of its own, because its names are
// HIP's. Built only if the caller names HIP-CPU's folder (bench/run performance host_backend).

#include <benchmark/benchmark.h>
#include <hip/hip_runtime.h>

#include <cstdint>
#include <vector>

namespace {

constexpr unsigned threads = 256;

__global__ void scale(float* data, float factor) {
  data[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}
__global__ void reverse(float* data) {
  __shared__ float held[threads];
  float* mine = data + blockIdx.x * threads;
  held[threadIdx.x] = mine[threadIdx.x];
  __syncthreads();
  mine[threadIdx.x] = held[threads - 1 - threadIdx.x];
}

template <class Launch>
void measure(benchmark::State& state, Launch launch) {
  const auto blocks = static_cast<unsigned>(state.range(0));
  std::vector<float> data(std::size_t{blocks} * threads, 1.0F);
  for ([[maybe_unused]] auto iteration : state) {
    launch(blocks, data.data());
    if (hipDeviceSynchronize() != hipSuccess) state.SkipWithError("the wait failed");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(blocks));
}

void without_barrier(benchmark::State& state) {
  measure(state, [](unsigned blocks, float* data) {
    hipLaunchKernelGGL(scale, dim3(blocks), dim3(threads), 0, nullptr, data, 1.0001F);
  });
}
void with_barrier(benchmark::State& state) {
  measure(state, [](unsigned blocks, float* data) {
    hipLaunchKernelGGL(reverse, dim3(blocks), dim3(threads), 0, nullptr, data);
  });
}

BENCHMARK(without_barrier)
    ->Name("without/HIP-CPU")
    ->Arg(4096)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(with_barrier)->Name("with/HIP-CPU")->Arg(1024)->MeasureProcessCPUTime()->UseRealTime();

}  // namespace
