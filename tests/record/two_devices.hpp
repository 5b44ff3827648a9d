// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "kernel_lines.hpp"
#include "memory.hpp"

#include <cuda_runtime.h>

#include <thread>

namespace record {

inline void two_devices() {
  int count = 0;
  static_cast<void>(cudaGetDeviceCount(&count));
  if (count < 2) return;
  section("two devices");
  cudaStream_t stream0 = nullptr;
  static_cast<void>(cudaStreamCreateWithFlags(&stream0, cudaStreamNonBlocking));
  cudaError_t status = cudaSetDevice(1);
  note(status, "cudaSetDevice(1)");
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  int device = -1;
  status = cudaGetDevice(&device);
  note(status, "cudaGetDevice() device=%d", device);
  std::thread([] {
    int value = -1;
    const cudaError_t code = cudaGetDevice(&value);
    note(code, "cudaGetDevice() on another thread device=%d", value);
  }).join();
  status = cudaStreamGetDevice(stream0, &device);
  note(status, "cudaStreamGetDevice(stream of 0, current 1) device=%d", device);
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, stream0);
  note(status, "cudaLaunchKernel(empty, stream of 0, current 1)");
  status = cudaStreamSynchronize(stream0);
  note(status, "cudaStreamSynchronize(stream of 0, current 1)");
  status = cudaStreamQuery(stream0);
  note(status, "cudaStreamQuery(stream of 0, current 1)");
  pointer_line("memory of 0, current 1", device_memory);
  status = cudaStreamIsCapturing(stream0, &capture);
  note(status, "cudaStreamIsCapturing(stream of 0, current 1)");
  cudaEvent_t event1 = nullptr;
  static_cast<void>(cudaEventCreate(&event1));
  status = cudaEventRecord(event1, stream0);
  note(status, "cudaEventRecord(event of 1, stream of 0)");
  status = cudaMemsetAsync(device_memory, 0, 16, stream0);
  note(status, "cudaMemsetAsync(memory of 0, stream of 0, current 1)");
  void* pooled = nullptr;
  status = cudaMallocAsync(&pooled, 256, stream0);
  note(status, "cudaMallocAsync(stream of 0, current 1)");
  if (pooled != nullptr) pointer_line("pooled on stream of 0", pooled);
  if (pooled != nullptr) static_cast<void>(cudaFreeAsync(pooled, stream0));
  status = cudaStreamWaitEvent(stream0, event1, 0);
  note(status, "cudaStreamWaitEvent(stream of 0, event of 1)");
  set_function("dynamic", 8, 100000);
  launch_line("dynamic", 1, 32, 100000);
  launch_line("dynamic", 1, 32, 100000, stream0, "of 0, opted in on 1");
  function_line("dynamic", reinterpret_cast<const void*>(&dynamic));
  status = cudaStreamDestroy(stream0);
  note(status, "cudaStreamDestroy(stream of 0, current 1)");
  static_cast<void>(cudaSetDevice(0));
  launch_line("dynamic", 1, 32, 100000);
  static_cast<void>(cudaEventDestroy(event1));
}

/// What the runtime knows of memory that a graph of device 1 allocates. `access`: of device 0 to
/// the pool during the capture, and not at any other time.
inline void graph_memory(cudaMemAccessFlags access) {
  const char* const has_access = access == cudaMemAccessFlagsProtNone ? "no access" : "access";
  cudaMemPool_t pool = nullptr;
  static_cast<void>(cudaDeviceGetMemPool(&pool, 1));
  cudaMemLocation user{};
  user.type = cudaMemLocationTypeDevice;
  cudaMemAccessDesc asked{user, access};
  cudaError_t status = cudaMemPoolSetAccess(pool, &asked, 1);
  note(status, "cudaMemPoolSetAccess(%s)", has_access);
  static_cast<void>(cudaSetDevice(1));
  cudaStream_t stream = nullptr;
  static_cast<void>(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  note(status, "cudaStreamBeginCapture(thread local)");
  void* memory = nullptr;
  status = cudaMallocAsync(&memory, 256, stream);
  note(status, "cudaMallocAsync(capturing, %s)", has_access);
  cudaMemAccessFlags answer{};
  auto mode = cudaStreamCaptureModeRelaxed;
  static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
  status = cudaMemPoolGetAccess(&answer, pool, &user);
  note(status, "cudaMemPoolGetAccess(relaxed mode) flags=%d", static_cast<int>(answer));
  static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
  pointer_line("graph's memory of 1 in its capture, current 1", memory);
  cudaGraph_t graph = nullptr;
  status = cudaStreamEndCapture(stream, &graph);
  note(status, "cudaStreamEndCapture()");
  asked.flags = cudaMemAccessFlagsProtNone;
  static_cast<void>(cudaMemPoolSetAccess(pool, &asked, 1));
  cudaGraphExec_t exec = nullptr;
  static_cast<void>(cudaGraphInstantiate(&exec, graph, 0));
  pointer_line("graph's memory of 1 before the graph has run, current 1", memory);
  status = cudaGraphLaunch(exec, stream);
  note(status, "cudaGraphLaunch()");
  static_cast<void>(cudaStreamSynchronize(stream));
  pointer_line("graph's memory of 1, current 1", memory);
  static_cast<void>(cudaSetDevice(0));
  pointer_line("graph's memory of 1, current 0", memory);
  static_cast<void>(cudaSetDevice(1));
  status = cudaFreeAsync(memory, stream);
  note(status, "cudaFreeAsync(graph's memory)");
  static_cast<void>(cudaStreamSynchronize(stream));
  static_cast<void>(cudaGraphExecDestroy(exec));
  static_cast<void>(cudaGraphDestroy(graph));
  // The question breaks a capture whose thread has another mode.
  static_cast<void>(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  status = cudaMemPoolGetAccess(&answer, pool, &user);
  note(status, "cudaMemPoolGetAccess(thread local mode)");
  status = cudaMemPoolSetAccess(pool, &asked, 1);
  note(status, "cudaMemPoolSetAccess(thread local mode)");
  status = cudaStreamEndCapture(stream, &graph);
  note(status, "cudaStreamEndCapture(after them)");
  static_cast<void>(cudaStreamDestroy(stream));
  static_cast<void>(cudaSetDevice(0));
}

inline void graph_memory_of_two_devices() {
  int count = 0;
  static_cast<void>(cudaGetDeviceCount(&count));
  if (count < 2) return;
  section("graph memory and two devices");
  graph_memory(cudaMemAccessFlagsProtNone);
  graph_memory(cudaMemAccessFlagsProtReadWrite);
}

}  // namespace record
