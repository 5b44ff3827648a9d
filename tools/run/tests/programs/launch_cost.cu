// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Measures the host time of a launch of an empty kernel, three times, in microseconds. Run it alone
// and under warpsafe-run, in turns. With an argument it creates one more stream and launches on it
// once in 100 launches, so that the order of work is tracked.

#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>

__global__ void nothing(float*, int) {}

int main(int argc, char**) {
  constexpr int launches = 50000;
  float* memory = nullptr;
  cudaStream_t stream = nullptr;
  cudaStream_t second = nullptr;
  if (cudaMalloc(&memory, 1024) != cudaSuccess) {
    std::puts("no device");
    return 77;
  }
  if (argc > 1) {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  }
  for (int i = 0; i < 1000; ++i) nothing<<<1, 32, 0, stream>>>(memory, i);
  cudaDeviceSynchronize();
  for (int round = 0; round < 3; ++round) {
    double seconds = 0;
    for (int done = 0; done < launches; done += 500) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < 500; ++i) {
        nothing<<<1, 32, 0, i % 100 == 99 ? second : stream>>>(memory, i);
      }
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      cudaDeviceSynchronize();
    }
    std::printf("%.3f ", seconds / launches * 1e6);
  }
  std::puts("");
}
