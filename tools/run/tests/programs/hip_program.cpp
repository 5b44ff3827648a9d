// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A HIP program that does not use warpsafe. Each argument names one thing to do.

#include <hip/hip_runtime.h>
#include <warpsafe_pool.h>

#include <cstdio>
#include <cstring>

namespace demo {
__global__ void axpy(float a, const float* x, float* y) { y[threadIdx.x] += a * x[threadIdx.x]; }
template <class T>
__global__ void __launch_bounds__(256) bounded(T* y) {
  y[threadIdx.x] = 1;
}
}  // namespace demo

/// Hands a block of a pool out for `one` while `two` uses it. `waits`: before that, `one` waits.
void hand_out_again(float* block, hipStream_t one, hipStream_t two, bool waits) {
  hipEvent_t used = nullptr;
  static_cast<void>(hipEventCreateWithFlags(&used, hipEventDisableTiming));
  warpsafe_pool_allocated(block, 1024, one, "app.py:1");
  demo::bounded<float><<<4, 32, 0, two>>>(block);
  static_cast<void>(hipEventRecord(used, two));
  if (waits) static_cast<void>(hipStreamWaitEvent(one, used, 0));
  warpsafe_pool_returned(block);
  warpsafe_pool_allocated(block, 1024, one, "app.py:2");
  demo::axpy<<<4, 32, 0, one>>>(2, block, block);
  warpsafe_pool_freed(block, one);
}

int main(int argc, char** argv) {
  hipStream_t stream = nullptr;
  if (hipStreamCreateWithFlags(&stream, hipStreamNonBlocking) != hipSuccess) {
    std::puts("no device");
    return 77;
  }
  hipStream_t second = nullptr;
  if (hipStreamCreateWithFlags(&second, hipStreamNonBlocking) != hipSuccess) return 1;
  float* y = nullptr;
  if (hipMalloc(reinterpret_cast<void**>(&y), 4096) != hipSuccess) return 1;
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* one) { return std::strcmp(argv[i], one) == 0; };
    if (is("good")) demo::axpy<<<4, 256, 0, stream>>>(2, y, y);
    if (is("block")) demo::axpy<<<4, 2048, 0, stream>>>(2, y, y);
    if (is("bounds")) demo::bounded<float><<<4, 512, 0, stream>>>(y);
    if (is("axis")) demo::axpy<<<1 << 23, 1024, 0, stream>>>(2, y, y);
    if (is("pool_wrong")) hand_out_again(y, stream, second, false);
    if (is("pool_right")) hand_out_again(y, stream, second, true);
    const hipError_t launched = hipGetLastError();
    const hipError_t ran = is("sync") ? hipDeviceSynchronize() : hipSuccess;
    std::printf("%s: %d %d\n", argv[i], launched, ran);
    std::fflush(stdout);
  }
}
