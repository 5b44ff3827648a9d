// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Makes a program of one planted mistake, to be run on a GPU under a tool:
//   nvcc -std=c++17 -arch=sm_90 -DSOURCE='"sources/D01.cu"' -DWRONG on_gpu.cu -o D01_wrong
// Without -DWRONG it is the right twin. It runs the mistake a few times, as a program would.

#include SOURCE

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <tuple>

namespace {

constexpr int times = 3;
[[maybe_unused]] constexpr std::size_t memory_bytes = std::size_t{128} * sizeof(float);

/// A program with one stream, to which it gives memory.
template <class... Memory>
[[maybe_unused]] void call(void (*program)(cudaStream_t, Memory*...), cudaStream_t one,
                           cudaStream_t) {
  void* memory[sizeof...(Memory)];
  for (void*& each : memory) {
    cudaMalloc(&each, memory_bytes);
    cudaMemset(each, 0, memory_bytes);
  }
  cudaDeviceSynchronize();
  for (int i = 0; i < times; ++i) {
    void** next = memory;
    // In braces, arguments are evaluated from left to right.
    const std::tuple<Memory*...> each{static_cast<Memory*>(*next++)...};
    std::apply([&](Memory*... in_order) { program(one, in_order...); }, each);
    cudaStreamSynchronize(one);
  }
  for (void* const each : memory) cudaFree(each);
}
/// A program with two streams and memory of its own.
[[maybe_unused]] void call(void (*program)(cudaStream_t, cudaStream_t), cudaStream_t one,
                           cudaStream_t other) {
  for (int i = 0; i < times; ++i) {
    program(one, other);
    cudaDeviceSynchronize();
  }
}

}  // namespace

int main() {
  cudaStream_t one = nullptr;
  cudaStream_t other = nullptr;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  call(&run, one, other);
  const cudaError_t status = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(status));
  return status == cudaSuccess ? 0 : 1;
}
