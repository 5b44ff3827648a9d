// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What each call returns after a kernel has faulted.
#pragma once

#include "kernel_lines.hpp"

#include <cuda_runtime.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace record {

// The calls after an asynchronous fault. The first call returns the fault; the others find a lost
// context.
inline const std::vector<const char*>& after_fault() {
  static const std::vector<const char*> calls = {"cudaDeviceSynchronize",
                                                 "cudaStreamSynchronize",
                                                 "cudaStreamQuery",
                                                 "cudaEventQuery",
                                                 "cudaEventSynchronize",
                                                 "cudaEventRecord",
                                                 "cudaStreamWaitEvent",
                                                 "cudaMalloc",
                                                 "cudaFree",
                                                 "cudaFree(null)",
                                                 "cudaMemcpy",
                                                 "cudaMemset",
                                                 "cudaMemsetAsync",
                                                 "cudaMallocAsync",
                                                 "cudaLaunchKernel",
                                                 "cudaLaunchKernel(grid 0)",
                                                 "<<<>>>",
                                                 "cudaFuncGetAttributes",
                                                 "cudaFuncSetAttribute",
                                                 "cudaDeviceGetAttribute",
                                                 "cudaGetDevice",
                                                 "cudaSetDevice",
                                                 "cudaGetDeviceCount",
                                                 "cudaStreamCreate",
                                                 "cudaEventCreate",
                                                 "cudaStreamIsCapturing",
                                                 "cudaStreamGetDevice",
                                                 "cudaStreamGetPriority",
                                                 "cudaPointerGetAttributes",
                                                 "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
                                                 "cudaMemGetInfo",
                                                 "cudaDriverGetVersion",
                                                 "cudaStreamBeginCapture",
                                                 "cudaLaunchHostFunc",
                                                 "cudaPeekAtLastError",
                                                 "cudaGetLastError",
                                                 "cudaGetLastError",
                                                 "cudaEventDestroy",
                                                 "cudaStreamDestroy"};
  return calls;
}

struct FaultScene {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  void* memory = nullptr;
};

inline cudaError_t call_by_name(const std::string& name, const FaultScene& scene) {
  int value = 0;
  std::size_t a = 0;
  std::size_t b = 0;
  void* memory = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  cudaPointerAttributes pointer{};
  cudaFuncAttributes attributes{};
  const void* kernel = reinterpret_cast<const void*>(&empty);
  if (name == "cudaDeviceSynchronize") return cudaDeviceSynchronize();
  if (name == "cudaStreamSynchronize") return cudaStreamSynchronize(scene.stream);
  if (name == "cudaStreamQuery") return cudaStreamQuery(scene.stream);
  if (name == "cudaEventQuery") return cudaEventQuery(scene.event);
  if (name == "cudaEventSynchronize") return cudaEventSynchronize(scene.event);
  if (name == "cudaEventRecord") return cudaEventRecord(scene.event, scene.stream);
  if (name == "cudaStreamWaitEvent") return cudaStreamWaitEvent(scene.stream, scene.event, 0);
  if (name == "cudaMalloc") return cudaMalloc(&memory, 64);
  if (name == "cudaFree") return cudaFree(scene.memory);
  if (name == "cudaFree(null)") return cudaFree(nullptr);
  if (name == "cudaMemcpy")
    return cudaMemcpy(&value, scene.memory, sizeof value, cudaMemcpyDeviceToHost);
  if (name == "cudaMemset") return cudaMemset(scene.memory, 0, 4);
  if (name == "cudaMemsetAsync") return cudaMemsetAsync(scene.memory, 0, 4, scene.stream);
  if (name == "cudaMallocAsync") return cudaMallocAsync(&memory, 64, scene.stream);
  if (name == "cudaLaunchKernel") return cudaLaunchKernel(kernel, 1, 32, nullptr, 0, scene.stream);
  if (name == "cudaLaunchKernel(grid 0)")
    return cudaLaunchKernel(kernel, 0, 32, nullptr, 0, scene.stream);
  if (name == "<<<>>>") {
    empty<<<1, 32, 0, scene.stream>>>();
    return cudaSuccess;
  }
  if (name == "cudaFuncGetAttributes") return cudaFuncGetAttributes(&attributes, kernel);
  if (name == "cudaFuncSetAttribute")
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
  if (name == "cudaDeviceGetAttribute")
    return cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0);
  if (name == "cudaGetDevice") return cudaGetDevice(&value);
  if (name == "cudaSetDevice") return cudaSetDevice(0);
  if (name == "cudaGetDeviceCount") return cudaGetDeviceCount(&value);
  if (name == "cudaStreamCreate") return cudaStreamCreate(&stream);
  if (name == "cudaEventCreate") return cudaEventCreate(&event);
  if (name == "cudaStreamIsCapturing") return cudaStreamIsCapturing(scene.stream, &capture);
  if (name == "cudaStreamGetDevice") return cudaStreamGetDevice(scene.stream, &value);
  if (name == "cudaStreamGetPriority") return cudaStreamGetPriority(scene.stream, &value);
  if (name == "cudaPointerGetAttributes") return cudaPointerGetAttributes(&pointer, scene.memory);
  if (name == "cudaOccupancyMaxActiveBlocksPerMultiprocessor")
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, kernel, 64, 0);
  if (name == "cudaMemGetInfo") return cudaMemGetInfo(&a, &b);
  if (name == "cudaDriverGetVersion") return cudaDriverGetVersion(&value);
  if (name == "cudaStreamBeginCapture")
    return cudaStreamBeginCapture(scene.stream, cudaStreamCaptureModeRelaxed);
  if (name == "cudaLaunchHostFunc")
    return cudaLaunchHostFunc(
        scene.stream, [](void*) {}, nullptr);
  if (name == "cudaPeekAtLastError") return cudaPeekAtLastError();
  if (name == "cudaGetLastError") return cudaGetLastError();
  if (name == "cudaEventDestroy") return cudaEventDestroy(scene.event);
  if (name == "cudaStreamDestroy") return cudaStreamDestroy(scene.stream);
  std::fprintf(stderr, "no call '%s'\n", name.c_str());
  std::exit(2);
}

// In a separate process: a fault, then `first` (or every call in turn when it is "all"). Writes
// to standard output.
inline int child(const std::string& fault, const std::string& first) {
  FaultScene scene;
  static_cast<void>(cudaStreamCreateWithFlags(&scene.stream, cudaStreamNonBlocking));
  static_cast<void>(cudaEventCreate(&scene.event));
  static_cast<void>(cudaMalloc(&scene.memory, 64));
  static_cast<void>(cudaEventRecord(scene.event, scene.stream));
  static_cast<void>(cudaStreamSynchronize(scene.stream));
  static_cast<void>(cudaGetLastError());
  cudaError_t status = cudaSuccess;
  if (fault == "fault_null")
    status = cudaLaunchKernel(reinterpret_cast<const void*>(&fault_null), 1, 1, nullptr, 0,
                              scene.stream);
  if (fault == "fault_trap")
    status = cudaLaunchKernel(reinterpret_cast<const void*>(&fault_trap), 1, 1, nullptr, 0,
                              scene.stream);
  if (fault == "fault_assert")
    status = cudaLaunchKernel(reinterpret_cast<const void*>(&fault_assert), 1, 1, nullptr, 0,
                              scene.stream);
  if (fault == "fault_misaligned") {
    void* list[] = {&scene.memory};
    status = cudaLaunchKernel(reinterpret_cast<const void*>(&fault_misaligned), 1, 1, list, 0,
                              scene.stream);
  }
  note(status, "cudaLaunchKernel(%s)", fault.c_str());
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  if (first != "all") {
    status = call_by_name(first, scene);
    keep(status, "%s after %s", first.c_str(), fault.c_str());
    status = cudaGetLastError();
    keep(status, "cudaGetLastError() after %s after %s", first.c_str(), fault.c_str());
    return 0;
  }
  for (const char* name : after_fault()) {
    status = call_by_name(name, scene);
    keep(status, "%s once %s is known", name, fault.c_str());
    static_cast<void>(cudaGetLastError());
  }
  status = cudaDeviceReset();
  note(status, "cudaDeviceReset()");
  void* memory = nullptr;
  status = cudaMalloc(&memory, 64);
  note(status, "cudaMalloc() after cudaDeviceReset()");
  status = cudaDeviceSynchronize();
  note(status, "cudaDeviceSynchronize() after cudaDeviceReset()");
  return 0;
}

}  // namespace record
