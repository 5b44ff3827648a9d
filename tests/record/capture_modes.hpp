// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "captures.hpp"
#include "kernel_lines.hpp"

#include <cuda_runtime.h>

#include <cstddef>

// How captures affect other calls, by the thread's mode; what a capture reports about its nodes;
// and which updates an executable graph accepts.

namespace record {

inline void exchange_line(int value, const char* words) {
  auto mode = unlisted<cudaStreamCaptureMode>(value);
  const cudaError_t status = cudaThreadExchangeStreamCaptureMode(&mode);
  note(status, "cudaThreadExchangeStreamCaptureMode(%s) before=%d", words, static_cast<int>(mode));
}

/// The answer to one call while `stream` captures in a mode and the thread is in another.
template <class Call>
cudaError_t answer_beside(cudaStream_t stream, int capture, int thread, Call call) {
  static_cast<void>(cudaDeviceSynchronize());
  static_cast<void>(cudaStreamBeginCapture(stream, unlisted<cudaStreamCaptureMode>(capture)));
  auto mode = unlisted<cudaStreamCaptureMode>(thread);
  static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
  static_cast<void>(cudaGetLastError());
  const cudaError_t status = call();
  static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
  return status;
}

/// One call in each pair of modes.
template <class Call>
void beside_capture(cudaStream_t stream, const char* words, Call call) {
  for (int capture = 0; capture < 3; ++capture) {
    for (int thread = 0; thread < 3; ++thread) {
      const cudaError_t status = answer_beside(stream, capture, thread, call);
      note(status, "%s, capture mode %d, thread mode %d", words, capture, thread);
      end_capture(stream, "stream");
    }
  }
}

inline void dependencies_line(cudaStream_t stream, const char* words) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  const cudaGraphNode_t* nodes = nullptr;
  std::size_t count = 0;
  const cudaError_t status =
      cudaStreamGetCaptureInfo(stream, &capture, nullptr, nullptr, &nodes, nullptr, &count);
  note(status, "cudaStreamGetCaptureInfo(%s) dependencies=%zu", words, count);
}

/// A graph of `launches` launches of the empty kernel, and of a fill if asked for.
inline cudaGraph_t captured_graph(cudaStream_t stream, int launches, bool fill) {
  cudaGraph_t graph = nullptr;
  static_cast<void>(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  for (int i = 0; i < launches; ++i) {
    static_cast<void>(
        cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, stream));
  }
  if (fill) static_cast<void>(cudaMemsetAsync(device_memory, 0, 16, stream));
  static_cast<void>(cudaStreamEndCapture(stream, &graph));
  return graph;
}

inline void capture_modes() {
  cudaStream_t stream = nullptr;
  cudaStream_t other = nullptr;
  cudaEvent_t event = nullptr;
  static_cast<void>(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  static_cast<void>(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  static_cast<void>(cudaEventCreate(&event));

  section("capture modes of a thread");
  exchange_line(cudaStreamCaptureModeRelaxed, "relaxed");
  exchange_line(cudaStreamCaptureModeThreadLocal, "thread local");
  exchange_line(7, "7");
  exchange_line(cudaStreamCaptureModeGlobal, "global");
  // Left out: nullptr for the mode. CUDA 13 dereferences it.
  void* memory = nullptr;
  beside_capture(stream, "cudaMallocAsync(other)", [&] {
    memory = nullptr;
    const cudaError_t made = cudaMallocAsync(&memory, 256, other);
    if (made == cudaSuccess) static_cast<void>(cudaFreeAsync(memory, other));
    return made;
  });
  beside_capture(stream, "cudaMalloc()", [&] {
    memory = nullptr;
    const cudaError_t made = cudaMalloc(&memory, 256);
    return made;
  });
  beside_capture(stream, "cudaStreamSynchronize(other)",
                 [&] { return cudaStreamSynchronize(other); });

  section("capture dependencies");
  static_cast<void>(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  dependencies_line(stream, "begun");
  const auto launch_on = [](cudaStream_t on) {
    static_cast<void>(
        cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, on));
  };
  launch_on(stream);
  dependencies_line(stream, "one launch");
  static_cast<void>(cudaEventRecord(event, stream));
  dependencies_line(stream, "a record");
  static_cast<void>(cudaStreamWaitEvent(other, event, 0));
  dependencies_line(other, "a fork");
  launch_on(stream);
  launch_on(other);
  dependencies_line(stream, "two launches");
  dependencies_line(other, "a launch on the fork");
  static_cast<void>(cudaEventRecord(event, other));
  static_cast<void>(cudaStreamWaitEvent(stream, event, 0));
  dependencies_line(stream, "the join");
  dependencies_line(other, "joined");
  launch_on(stream);
  dependencies_line(stream, "a launch after the join");
  end_capture(stream, "fork and join");
  dependencies_line(stream, "ended");

  section("graph updates");
  const cudaGraph_t one = captured_graph(stream, 1, false);
  cudaGraphExec_t exec = nullptr;
  cudaError_t status = cudaGraphInstantiate(&exec, one, 0);
  note(status, "cudaGraphInstantiate(one launch)");
  const auto update = [&](cudaGraph_t graph, const char* words) {
    cudaGraphExecUpdateResultInfo info{};
    const cudaError_t code = cudaGraphExecUpdate(exec, graph, &info);
    note(code, "cudaGraphExecUpdate(%s) result=%d", words, static_cast<int>(info.result));
  };
  update(one, "the same");
  const cudaGraph_t two = captured_graph(stream, 2, false);
  update(two, "two launches");
  const cudaGraph_t fill = captured_graph(stream, 0, true);
  update(fill, "a fill");
  status = cudaGraphExecUpdate(exec, one, nullptr);
  note(status, "cudaGraphExecUpdate(no result)");
  status = cudaGraphLaunch(exec, stream);
  note(status, "cudaGraphLaunch(after refused updates)");
  status = cudaStreamSynchronize(stream);
  note(status, "cudaStreamSynchronize(stream)");
  static_cast<void>(cudaGraphExecDestroy(exec));
  for (const cudaGraph_t graph : {one, two, fill}) static_cast<void>(cudaGraphDestroy(graph));
  static_cast<void>(cudaEventDestroy(event));
  for (cudaStream_t made : {stream, other}) static_cast<void>(cudaStreamDestroy(made));
}

/// One call in the modes that forbid most.
template <class Call>
void beside_global(cudaStream_t stream, const char* words, Call call) {
  const cudaError_t status =
      answer_beside(stream, cudaStreamCaptureModeGlobal, cudaStreamCaptureModeGlobal, call);
  note(status, "%s", words);
  end_capture(stream, "stream");
}

/// The runtime's calls that warpsafe makes, each beside a capture of another stream.
inline void calls_beside_a_capture() {
  section("calls beside a capture");
  cudaStream_t stream = nullptr;
  cudaStream_t other = nullptr;
  cudaEvent_t event = nullptr;
  cudaEvent_t later = nullptr;
  static_cast<void>(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  static_cast<void>(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  for (cudaEvent_t* const made : {&event, &later}) {
    static_cast<void>(cudaEventCreate(made));
    static_cast<void>(cudaEventRecord(*made, other));
  }
  const void* const kernel = reinterpret_cast<const void*>(&empty);
  int number = 0;
  float numbers[4] = {};
  std::size_t bytes = 0;
  void* memory = nullptr;

  cudaStream_t made_stream = nullptr;
  beside_global(stream, "cudaStreamCreateWithPriority()", [&] {
    return cudaStreamCreateWithPriority(&made_stream, cudaStreamNonBlocking, 0);
  });
  if (made_stream == nullptr) static_cast<void>(cudaStreamCreate(&made_stream));
  beside_global(stream, "cudaStreamDestroy()", [&] { return cudaStreamDestroy(made_stream); });
  beside_global(stream, "cudaStreamQuery(other)", [&] { return cudaStreamQuery(other); });
  unsigned long long id = 0;
  beside_global(stream, "cudaStreamGetId(other)", [&] { return cudaStreamGetId(other, &id); });
  beside_global(stream, "cudaStreamGetDevice(other)",
                [&] { return cudaStreamGetDevice(other, &number); });
  beside_global(stream, "cudaStreamWaitEvent(other)",
                [&] { return cudaStreamWaitEvent(other, event, 0); });
  cudaEvent_t made_event = nullptr;
  beside_global(stream, "cudaEventCreate()", [&] { return cudaEventCreate(&made_event); });
  if (made_event == nullptr) static_cast<void>(cudaEventCreate(&made_event));
  beside_global(stream, "cudaEventDestroy()", [&] { return cudaEventDestroy(made_event); });
  beside_global(stream, "cudaEventRecord(other)", [&] { return cudaEventRecord(event, other); });
  beside_global(stream, "cudaEventQuery()", [&] { return cudaEventQuery(event); });
  beside_global(stream, "cudaEventSynchronize()", [&] { return cudaEventSynchronize(event); });
  static_cast<void>(cudaEventRecord(event, other));
  static_cast<void>(cudaEventRecord(later, other));
  beside_global(stream, "cudaEventElapsedTime()",
                [&] { return cudaEventElapsedTime(numbers, event, later); });
  beside_global(stream, "cudaDeviceSynchronize()", [] { return cudaDeviceSynchronize(); });

  beside_global(stream, "cudaLaunchKernel(other)",
                [&] { return cudaLaunchKernel(kernel, 1, 32, nullptr, 0, other); });
  beside_global(stream, "cudaMemsetAsync(other)",
                [&] { return cudaMemsetAsync(device_memory, 0, 16, other); });
  beside_global(stream, "cudaMemcpyAsync(to the device, other)", [&] {
    return cudaMemcpyAsync(device_memory, numbers, 16, cudaMemcpyHostToDevice, other);
  });
  beside_global(stream, "cudaMemcpyAsync(to the host, other)", [&] {
    return cudaMemcpyAsync(numbers, device_memory, 16, cudaMemcpyDeviceToHost, other);
  });
  beside_global(stream, "cudaMemcpyAsync(on the device, other)", [&] {
    return cudaMemcpyAsync(device_memory, static_cast<char*>(device_memory) + 64, 16,
                           cudaMemcpyDeviceToDevice, other);
  });
  beside_global(stream, "cudaMemcpy2DAsync(to the device, other)", [&] {
    return cudaMemcpy2DAsync(device_memory, 64, numbers, 8, 8, 2, cudaMemcpyHostToDevice, other);
  });

  beside_global(stream, "cudaMallocManaged()", [&] { return cudaMallocManaged(&memory, 64); });
  if (memory == nullptr) static_cast<void>(cudaMalloc(&memory, 64));
  beside_global(stream, "cudaFree()", [&] { return cudaFree(memory); });
  memory = nullptr;
  beside_global(stream, "cudaMallocHost()", [&] { return cudaMallocHost(&memory, 64); });
  if (memory == nullptr) static_cast<void>(cudaMallocHost(&memory, 64));
  beside_global(stream, "cudaFreeHost()", [&] { return cudaFreeHost(memory); });
  static_cast<void>(cudaMallocAsync(&memory, 64, other));
  beside_global(stream, "cudaFreeAsync(other)", [&] { return cudaFreeAsync(memory, other); });
  beside_global(stream, "cudaMemGetInfo(free and total)",
                [&] { return cudaMemGetInfo(&bytes, &bytes); });
  cudaPointerAttributes pointer{};
  beside_global(stream, "cudaPointerGetAttributes()",
                [&] { return cudaPointerGetAttributes(&pointer, device_memory); });

  cudaFuncAttributes attributes{};
  beside_global(stream, "cudaFuncGetAttributes()",
                [&] { return cudaFuncGetAttributes(&attributes, kernel); });
  beside_global(stream, "cudaFuncSetAttribute()", [&] {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
  });
  beside_global(stream, "cudaOccupancyMaxActiveBlocksPerMultiprocessor()", [&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, kernel, 32, 0);
  });
  beside_global(stream, "cudaDeviceGetAttribute()",
                [&] { return cudaDeviceGetAttribute(&number, cudaDevAttrMaxThreadsPerBlock, 0); });

  const cudaGraph_t graph = captured_graph(other, 1, false);
  cudaGraphExec_t exec = nullptr;
  beside_global(stream, "cudaGraphInstantiate()",
                [&] { return cudaGraphInstantiate(&exec, graph, 0); });
  if (exec == nullptr) static_cast<void>(cudaGraphInstantiate(&exec, graph, 0));
  cudaGraphExecUpdateResultInfo info{};
  beside_global(stream, "cudaGraphExecUpdate()",
                [&] { return cudaGraphExecUpdate(exec, graph, &info); });
  beside_global(stream, "cudaGraphLaunch(other)", [&] { return cudaGraphLaunch(exec, other); });
  beside_global(stream, "cudaGraphGetNodes()",
                [&] { return cudaGraphGetNodes(graph, nullptr, &bytes); });
  beside_global(stream, "cudaGraphDestroy()", [&] { return cudaGraphDestroy(graph); });
  beside_global(stream, "cudaGraphExecDestroy()", [&] { return cudaGraphExecDestroy(exec); });
  for (cudaEvent_t made : {event, later}) static_cast<void>(cudaEventDestroy(made));
  for (cudaStream_t made : {stream, other}) static_cast<void>(cudaStreamDestroy(made));
}

inline void copies_between_devices() {
  int count = 0;
  static_cast<void>(cudaGetDeviceCount(&count));
  if (count < 2) return;
  section("copies between two devices");
  cudaStream_t stream0 = nullptr;
  cudaStream_t stream1 = nullptr;
  void* plain1 = nullptr;
  void* pooled1 = nullptr;
  static_cast<void>(cudaStreamCreateWithFlags(&stream0, cudaStreamNonBlocking));
  static_cast<void>(cudaSetDevice(1));
  static_cast<void>(cudaStreamCreateWithFlags(&stream1, cudaStreamNonBlocking));
  static_cast<void>(cudaMalloc(&plain1, 256));
  static_cast<void>(cudaMallocAsync(&pooled1, 256, stream1));
  static_cast<void>(cudaStreamSynchronize(stream1));
  static_cast<void>(cudaSetDevice(0));
  static_cast<void>(cudaGetLastError());
  for (const int current : {0, 1}) {
    static_cast<void>(cudaSetDevice(current));
    float value = 0;
    cudaError_t status =
        cudaMemcpyAsync(&value, plain1, sizeof value, cudaMemcpyDeviceToHost, stream1);
    note(status, "cudaMemcpyAsync(from plain memory of 1, stream of 1, current %d)", current);
    status = cudaMemcpyAsync(&value, pooled1, sizeof value, cudaMemcpyDeviceToHost, stream1);
    note(status, "cudaMemcpyAsync(from pooled memory of 1, stream of 1, current %d)", current);
    status = cudaMemsetAsync(pooled1, 0, 16, stream1);
    note(status, "cudaMemsetAsync(pooled memory of 1, stream of 1, current %d)", current);
    status = cudaMemcpyPeerAsync(device_memory, 0, plain1, 1, 256, stream1);
    note(status, "cudaMemcpyPeerAsync(from plain memory of 1, current %d)", current);
    status = cudaMemcpyPeerAsync(device_memory, 0, pooled1, 1, 256, stream1);
    note(status, "cudaMemcpyPeerAsync(from pooled memory of 1, current %d)", current);
    status = cudaStreamSynchronize(stream1);
    note(status, "cudaStreamSynchronize(stream of 1, current %d)", current);
  }
  static_cast<void>(cudaSetDevice(0));
  static_cast<void>(cudaStreamBeginCapture(stream0, cudaStreamCaptureModeRelaxed));
  const cudaError_t status = cudaMemcpyPeerAsync(device_memory, 0, plain1, 1, 256, stream0);
  note(status, "cudaMemcpyPeerAsync(capturing)");
  capture_line(stream0, "after it");
  end_capture(stream0, "stream");
  static_cast<void>(cudaSetDevice(1));
  static_cast<void>(cudaFreeAsync(pooled1, stream1));
  static_cast<void>(cudaFree(plain1));
  static_cast<void>(cudaStreamDestroy(stream1));
  static_cast<void>(cudaSetDevice(0));
  static_cast<void>(cudaStreamDestroy(stream0));
}

}  // namespace record
