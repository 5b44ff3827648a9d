// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "kernel_lines.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <thread>

namespace record {

inline void end_capture(cudaStream_t stream, const char* words) {
  cudaGraph_t graph = nullptr;
  const cudaError_t status = cudaStreamEndCapture(stream, &graph);
  std::size_t nodes = 0;
  if (graph != nullptr) static_cast<void>(cudaGraphGetNodes(graph, nullptr, &nodes));
  note(status, "cudaStreamEndCapture(%s) graph=%s nodes=%zu", words, set_or_null(graph), nodes);
  if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
}

inline void capture_line(cudaStream_t stream, const char* words) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  cudaError_t status = cudaStreamIsCapturing(stream, &capture);
  note(status, "cudaStreamIsCapturing(%s) status=%d", words, static_cast<int>(capture));
  unsigned long long id = 0;
  status = cudaStreamGetCaptureInfo(stream, &capture, &id);
  note(status, "cudaStreamGetCaptureInfo(%s) status=%d", words, static_cast<int>(capture));
}

inline void captures() {
  section("capture");
  cudaStream_t stream = nullptr;
  cudaStream_t other = nullptr;
  cudaStream_t blocking = nullptr;
  cudaEvent_t event = nullptr;
  static_cast<void>(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  static_cast<void>(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  static_cast<void>(cudaStreamCreate(&blocking));
  cudaEvent_t never = nullptr;
  static_cast<void>(cudaEventCreate(&event));
  static_cast<void>(cudaEventCreate(&never));
  cudaGraph_t graph = nullptr;

  cudaError_t status = cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal);
  note(status, "cudaStreamBeginCapture(null)");
  status = cudaStreamEndCapture(stream, &graph);
  note(status, "cudaStreamEndCapture(not capturing)");
  status = cudaStreamBeginCapture(stream, unlisted<cudaStreamCaptureMode>(7));
  note(status, "cudaStreamBeginCapture(stream, mode 7)");
  capture_line(stream, "stream");

  status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  note(status, "cudaStreamBeginCapture(stream, global)");
  capture_line(stream, "capturing");
  capture_line(other, "other");
  status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  note(status, "cudaStreamBeginCapture(capturing)");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, stream);
  note(status, "cudaLaunchKernel(empty, capturing)");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 2048, nullptr, 0, stream);
  note(status, "cudaLaunchKernel(empty, block 2048, capturing)");
  capture_line(stream, "after a refused launch");
  function_line("empty", reinterpret_cast<const void*>(&empty));
  set_function("empty", 8, 49152);
  int blocks = 0;
  status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, reinterpret_cast<const void*>(&empty), 128, 0);
  note(status, "cudaOccupancyMaxActiveBlocksPerMultiprocessor(empty) while capturing");
  int value = 0;
  status = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0);
  note(status, "cudaDeviceGetAttribute() while capturing");
  cudaPointerAttributes pointer{};
  status = cudaPointerGetAttributes(&pointer, device_memory);
  note(status, "cudaPointerGetAttributes() while capturing");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, nullptr);
  note(status, "cudaLaunchKernel(empty, legacy) while a non-blocking stream captures");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, other);
  note(status, "cudaLaunchKernel(empty, other)");
  capture_line(stream, "capturing still");
  end_capture(stream, "one launch");
  capture_line(stream, "ended");

  // each call that a capture may not see, in a separate capture
  struct Mode {
    const char* name;
    cudaStreamCaptureMode mode;
  };
  for (const Mode& mode : {Mode{"global", cudaStreamCaptureModeGlobal},
                           Mode{"thread local", cudaStreamCaptureModeThreadLocal},
                           Mode{"relaxed", cudaStreamCaptureModeRelaxed}}) {
    for (int call = 0; call < 30; ++call) {
      static_cast<void>(cudaDeviceSynchronize());
      static_cast<void>(cudaEventRecord(event, other));
      static_cast<void>(cudaStreamSynchronize(other));
      static_cast<void>(cudaGetLastError());
      static_cast<void>(cudaStreamBeginCapture(stream, mode.mode));
      static_cast<void>(
          cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, stream));
      void* memory = nullptr;
      cudaStream_t made = nullptr;
      cudaEvent_t other_event = nullptr;
      const char* words = "";
      int result = 0;
      unsigned flags = 0;
      std::size_t free_bytes = 0;
      std::size_t total_bytes = 0;
      switch (call) {
        case 0:
          words = "cudaStreamSynchronize(capturing)";
          status = cudaStreamSynchronize(stream);
          break;
        case 1:
          words = "cudaStreamQuery(capturing)";
          status = cudaStreamQuery(stream);
          break;
        case 2:
          words = "cudaDeviceSynchronize()";
          status = cudaDeviceSynchronize();
          break;
        case 3:
          words = "cudaMalloc()";
          status = cudaMalloc(&memory, 256);
          break;
        case 4:
          words = "cudaEventQuery(event of other)";
          status = cudaEventQuery(event);
          break;
        case 5:
          words = "cudaStreamSynchronize(other)";
          status = cudaStreamSynchronize(other);
          break;
        case 6:
          words = "cudaStreamQuery(other)";
          status = cudaStreamQuery(other);
          break;
        case 7:
          words = "cudaMemset(legacy)";
          status = cudaMemset(device_memory, 0, 16);
          break;
        case 8:
          words = "cudaMemcpy(legacy)";
          status = cudaMemcpy(&result, device_memory, sizeof result, cudaMemcpyDeviceToHost);
          break;
        case 9:
          words = "cudaStreamCreate()";
          status = cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
          break;
        case 10:
          words = "cudaStreamSynchronize(null)";
          status = cudaStreamSynchronize(nullptr);
          break;
        case 11:
          words = "cudaMemsetAsync(capturing)";
          status = cudaMemsetAsync(device_memory, 0, 16, stream);
          break;
        case 12:
          words = "cudaMallocAsync(capturing)";
          status = cudaMallocAsync(&memory, 256, stream);
          break;
        case 13:
          words = "cudaStreamGetDevice(capturing)";
          status = cudaStreamGetDevice(stream, &result);
          break;
        case 14:
          words = "cudaEventSynchronize(event of other)";
          status = cudaEventSynchronize(event);
          break;
        case 15:
          words = "cudaFree(null)";
          status = cudaFree(nullptr);
          break;
        case 16:
          words = "cudaMallocHost()";
          status = cudaMallocHost(&memory, 256);
          break;
        case 17:
          words = "cudaEventCreate()";
          status = cudaEventCreate(&other_event);
          break;
        case 18:
          words = "cudaMemGetInfo()";
          status = cudaMemGetInfo(&free_bytes, &total_bytes);
          break;
        case 19:
          words = "cudaLaunchHostFunc(capturing)";
          status = cudaLaunchHostFunc(
              stream, [](void*) {}, nullptr);
          break;
        case 20:
          words = "cudaStreamWaitEvent(capturing, never recorded)";
          status = cudaStreamWaitEvent(stream, never, 0);
          break;
        case 21:
          words = "cudaStreamGetPriority(capturing)";
          status = cudaStreamGetPriority(stream, &result);
          break;
        case 22:
          words = "cudaStreamGetFlags(capturing)";
          status = cudaStreamGetFlags(stream, &flags);
          break;
        case 23:
          words = "cudaStreamGetDevice(other)";
          status = cudaStreamGetDevice(other, &result);
          break;
        case 24:
          words = "cudaEventRecord(other event, other)";
          status = cudaEventRecord(event, other);
          break;
        case 25:
          words = "cudaMemcpyAsync(capturing, pageable host)";
          status = cudaMemcpyAsync(&result, device_memory, sizeof result, cudaMemcpyDeviceToHost,
                                   stream);
          break;
        case 26:
          words = "cudaStreamBeginCapture(other)";
          status = cudaStreamBeginCapture(other, mode.mode);
          break;
        case 27:
          words = "cudaDeviceGetStreamPriorityRange()";
          status = cudaDeviceGetStreamPriorityRange(&result, nullptr);
          break;
        case 28:
          words = "cudaPointerGetAttributes()";
          status = cudaPointerGetAttributes(&pointer, device_memory);
          break;
        case 29:
          words = "cudaStreamGetPriority(other)";
          status = cudaStreamGetPriority(other, &result);
          break;
      }
      note(status, "%s in a %s capture", words, mode.name);
      capture_line(stream, "stream");
      end_capture(stream, "stream");
      if (call == 26) end_capture(other, "other");
      if (other_event != nullptr) static_cast<void>(cudaEventDestroy(other_event));
      if (made != nullptr) static_cast<void>(cudaStreamDestroy(made));
      if (memory != nullptr && call == 3) static_cast<void>(cudaFree(memory));
      if (memory != nullptr && call == 16) static_cast<void>(cudaFreeHost(memory));
    }
  }

  section("capture and the legacy stream");
  status = cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed);
  note(status, "cudaStreamBeginCapture(blocking, relaxed)");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, nullptr);
  note(status, "cudaLaunchKernel(empty, legacy) while a blocking stream captures");
  capture_line(blocking, "blocking");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, blocking);
  note(status, "cudaLaunchKernel(empty, blocking)");
  end_capture(blocking, "blocking");
  capture_line(nullptr, "null");

  section("capture across streams");
  static_cast<void>(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  status = cudaEventRecord(event, stream);
  note(status, "cudaEventRecord(event, capturing)");
  status = cudaEventQuery(event);
  note(status, "cudaEventQuery(captured)");
  end_capture(stream, "after the query of a captured event");
  static_cast<void>(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  static_cast<void>(
      cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, stream));
  static_cast<void>(cudaEventRecord(event, stream));
  status = cudaStreamWaitEvent(other, event, 0);
  note(status, "cudaStreamWaitEvent(other, captured)");
  capture_line(other, "other");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, other);
  note(status, "cudaLaunchKernel(empty, other)");
  status = cudaStreamEndCapture(other, &graph);
  note(status, "cudaStreamEndCapture(other, not the origin)");
  end_capture(stream, "stream with an unjoined fork");
  capture_line(other, "other");
  static_cast<void>(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  static_cast<void>(cudaEventRecord(event, stream));
  static_cast<void>(cudaStreamWaitEvent(other, event, 0));
  static_cast<void>(
      cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, other));
  static_cast<void>(cudaEventRecord(event, other));
  status = cudaStreamWaitEvent(stream, event, 0);
  note(status, "cudaStreamWaitEvent(stream, joins other)");
  end_capture(stream, "stream with a joined fork");
  static_cast<void>(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  static_cast<void>(cudaEventRecord(event, other));
  status = cudaStreamWaitEvent(stream, event, 0);
  note(status, "cudaStreamWaitEvent(capturing, event outside the capture)");
  end_capture(stream, "stream");
  static_cast<void>(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  std::thread([&] {
    const cudaError_t code = cudaStreamEndCapture(stream, &graph);
    note(code, "cudaStreamEndCapture(thread local, on another thread)");
  }).join();
  end_capture(stream, "stream");

  section("graphs");
  static_cast<void>(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  static_cast<void>(
      cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, stream));
  static_cast<void>(cudaMemsetAsync(device_memory, 0x5a, 16, stream));
  status = cudaStreamEndCapture(stream, &graph);
  note(status, "cudaStreamEndCapture(stream)");
  cudaGraphExec_t exec = nullptr;
  status = cudaGraphInstantiate(&exec, graph, 0);
  note(status, "cudaGraphInstantiate() exec=%s", set_or_null(exec));
  unsigned char bytes[16] = {};
  static_cast<void>(cudaMemset(device_memory, 0, 16));
  static_cast<void>(cudaMemcpy(bytes, device_memory, 16, cudaMemcpyDeviceToHost));
  note(cudaSuccess, "before the graph byte=%d", bytes[15]);
  status = cudaGraphLaunch(exec, stream);
  note(status, "cudaGraphLaunch(stream)");
  status = cudaStreamSynchronize(stream);
  note(status, "cudaStreamSynchronize(stream)");
  static_cast<void>(cudaMemcpy(bytes, device_memory, 16, cudaMemcpyDeviceToHost));
  note(cudaSuccess, "after the graph byte=%d", bytes[15]);
  status = cudaGraphLaunch(nullptr, stream);
  note(status, "cudaGraphLaunch(null)");
  const cudaStreamCaptureMode modes[] = {
      cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed};
  for (const cudaStreamCaptureMode mode : modes) {
    static_cast<void>(cudaStreamBeginCapture(stream, mode));
    status = cudaGraphLaunch(exec, stream);
    note(status, "cudaGraphLaunch(capturing, mode %d)", static_cast<int>(mode));
    end_capture(stream, "stream");
  }
  status = cudaGraphInstantiate(&exec, nullptr, 0);
  note(status, "cudaGraphInstantiate(null)");
  status = cudaGraphExecDestroy(exec);
  note(status, "cudaGraphExecDestroy()");
  status = cudaGraphDestroy(graph);
  note(status, "cudaGraphDestroy()");
  static_cast<void>(cudaEventDestroy(event));
  static_cast<void>(cudaEventDestroy(never));
  for (cudaStream_t made : {stream, other, blocking}) static_cast<void>(cudaStreamDestroy(made));
}

}  // namespace record
