// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A HIP program that does not use warpsafe, but uses a library. Each argument names one thing to
// do, with one mistake in its order (…_wrong) or none.

#include <hip/hip_runtime.h>
#include <pthread.h>

#include <cstdio>
#include <cstring>

/// Functions of the stand-in for a library (stand_in/hip_library.cpp), whose kernels are also in
/// this program's code.
extern "C" int stand_in_scale(float* memory, hipStream_t stream);
extern "C" int stand_in_scale_6(float* memory, hipStream_t stream, bool of_hip_6);
extern "C" int stand_in_dot(float* memory, float* result, hipStream_t stream);
extern "C" int stand_in_own(hipStream_t filling, hipStream_t stream);
// Functions of the per-thread default stream. No header declares them.
extern "C" hipError_t hipMemcpyAsync_spt(void*, const void*, size_t, hipMemcpyKind, hipStream_t);
extern "C" hipError_t hipStreamSynchronize_spt(hipStream_t);
// From hip/hip_ext.h.
extern "C" hipError_t hipExtLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t,
                                         hipEvent_t, hipEvent_t, int);

extern "C" __global__ void tile_scale(int count, float* x) { x[threadIdx.x] *= float(count); }
namespace demo {
__global__ void dot(int count, const float* x, float* result) { *result += x[count - 1]; }
__global__ void fill(float* y, int count) { y[threadIdx.x] = float(count); }
}  // namespace demo

namespace {

constexpr size_t bytes = 4096;
hipStream_t first = nullptr;   // non-blocking
hipStream_t second = nullptr;  // non-blocking
hipStream_t blocking = nullptr;
hipEvent_t event = nullptr;
float* x = nullptr;
float* result = nullptr;
float* pinned = nullptr;
float pageable[bytes / 4] = {};

int copy(hipStream_t stream, float* from = pinned) {
  return hipMemcpyAsync(x, from, bytes, hipMemcpyHostToDevice, stream);
}
int order() { return hipEventRecord(event, first) + hipStreamWaitEvent(second, event, 0); }
int fill(hipStream_t stream) {
  demo::fill<<<4, 256, 0, stream>>>(x, 1024);
  return hipGetLastError();
}
/// The same, with an event recorded at its end.
int fill_and_stop() {
  int count = 1024;
  void* each[] = {&x, &count};
  return hipExtLaunchKernel(reinterpret_cast<const void*>(&demo::fill), dim3(4), dim3(256), each, 0,
                            first, nullptr, event, 0);
}
int captured() {
  hipGraph_t graph = nullptr;
  hipGraphExec_t executable = nullptr;
  int failed = hipStreamBeginCapture(first, hipStreamCaptureModeRelaxed) + copy(first) +
               stand_in_scale(x, first) + hipStreamEndCapture(first, &graph);
  failed += hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0);
  failed += hipGraphLaunch(executable, first) + hipGraphLaunch(executable, second);
  return failed + stand_in_scale(x, second);
}
int copy_bytes(size_t some) {
  void* memory = nullptr;
  return hipMalloc(&memory, bytes) + hipMemcpy(memory, pageable, some, hipMemcpyHostToDevice) +
         hipFree(memory);
}

int act(const char* what) {
  const auto is = [&](const char* one) { return std::strcmp(what, one) == 0; };
  if (is("copy_wrong")) return copy(first) + stand_in_scale(x, nullptr);
  if (is("copy_6_wrong")) return copy(first) + stand_in_scale_6(x, second, true);
  if (is("copy_event")) return copy(first) + order() + stand_in_scale(x, second);
  if (is("copy_same")) return copy(first) + stand_in_scale(x, first);
  if (is("copy_waits"))
    return copy(first) + hipStreamSynchronize(first) + stand_in_scale(x, nullptr);
  if (is("copy_pageable")) return copy(first, pageable) + stand_in_scale(x, second);
  if (is("copy_blocking")) return copy(blocking) + stand_in_scale(x, nullptr);
  if (is("driver_copy_wrong")) {
    return hipMemcpyHtoDAsync(x, pinned, bytes, first) + stand_in_scale(x, second);
  }
  if (is("driver_copy_event")) {
    return hipMemcpyHtoDAsync(x, pinned, bytes, first) + order() + stand_in_scale(x, second);
  }
  if (is("set_wrong")) return hipMemsetAsync(x, 0, bytes, first) + stand_in_dot(x, result, second);
  if (is("set_event")) {
    return hipMemsetAsync(x, 0, bytes, first) + order() + stand_in_dot(x, result, second);
  }
  if (is("cancel")) {  // a thread that ends inside the runtime
    pthread_t thread{};
    pthread_create(
        &thread, nullptr,
        [](void*) -> void* {
          pthread_cancel(pthread_self());
          static_cast<void>(hipMemsetD32Async(x, 0, bytes / 4, first));
          return &x;
        },
        nullptr);
    void* answer = nullptr;
    pthread_join(thread, &answer);
    return answer == PTHREAD_CANCELED ? 0 : 1;
  }
  if (is("driver_set_wrong")) {
    return hipMemsetD32Async(x, 0, bytes / 4, first) + stand_in_dot(x, result, second);
  }
  if (is("kernel_wrong")) return fill(first) + stand_in_dot(x, result, second);
  if (is("kernel_event")) return fill(first) + order() + stand_in_dot(x, result, second);
  if (is("kernel_polled")) {
    int failed = fill(first) + hipEventRecord(event, first);
    while (hipEventQuery(event) == hipErrorNotReady) {
    }
    return failed + stand_in_dot(x, result, second);
  }
  if (is("stop_wrong")) return fill_and_stop() + stand_in_dot(x, result, second);
  if (is("stop_event")) {
    return fill_and_stop() + hipStreamWaitEvent(second, event, 0) + stand_in_dot(x, result, second);
  }
  if (is("thread_wrong")) {
    return hipMemcpyAsync_spt(x, pinned, bytes, hipMemcpyHostToDevice, nullptr) +
           stand_in_scale(x, second);
  }
  if (is("thread_waits")) {
    return hipMemcpyAsync_spt(x, pinned, bytes, hipMemcpyHostToDevice, nullptr) +
           hipStreamSynchronize_spt(nullptr) + stand_in_scale(x, second);
  }
  if (is("captured")) return captured();
  if (is("own")) return stand_in_own(first, second);
  if (is("no_library")) return copy(first) + fill(second);
  if (is("other_memory")) return copy(first) + stand_in_dot(result, result, second);
  if (is("legacy_wrong")) return fill(first) + hipStreamSynchronize(first) + fill(nullptr);
  if (is("elements_wrong")) return copy_bytes(bytes / 4);
  if (is("elements_whole")) return copy_bytes(bytes);
  return -1;
}

}  // namespace

int main(int argc, char** argv) {
  int failed = hipStreamCreateWithFlags(&first, hipStreamNonBlocking);
  failed += hipStreamCreateWithFlags(&second, hipStreamNonBlocking);
  failed += hipStreamCreate(&blocking) + hipEventCreate(&event);
  failed += hipMalloc(reinterpret_cast<void**>(&x), bytes);
  failed += hipMalloc(reinterpret_cast<void**>(&result), bytes);
  failed += hipHostMalloc(reinterpret_cast<void**>(&pinned), bytes, 0);
  if (failed != 0) return 77;
  for (int i = 1; i < argc; ++i) {
    std::printf("%s: %d\n", argv[i], act(argv[i]));
    std::fflush(stdout);
  }
}
