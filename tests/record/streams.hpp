// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "kernel_lines.hpp"

#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace record {

inline void hold(void* flag) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!static_cast<std::atomic<bool>*>(flag)->load() &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

inline void streams_and_events() {
  section("streams");
  cudaStream_t stream = nullptr;
  cudaError_t status = cudaStreamCreate(&stream);
  note(status, "cudaStreamCreate() stream=%s", set_or_null(stream));
  unsigned flags = 99;
  status = cudaStreamGetFlags(stream, &flags);
  note(status, "cudaStreamGetFlags(created) flags=%u", flags);
  status = cudaStreamDestroy(stream);
  note(status, "cudaStreamDestroy()");
  for (unsigned wanted : {0U, 1U, 2U}) {
    stream = nullptr;
    status = cudaStreamCreateWithFlags(&stream, wanted);
    note(status, "cudaStreamCreateWithFlags(%u) stream=%s", wanted, set_or_null(stream));
    if (status != cudaSuccess) continue;
    status = cudaStreamGetFlags(stream, &flags);
    note(status, "cudaStreamGetFlags() flags=%u", flags);
    status = cudaStreamDestroy(stream);
    note(status, "cudaStreamDestroy()");
  }
  for (int wanted : {0, -1, -5, -6, 1, -100}) {
    status = cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, wanted);
    int priority = 99;
    if (status == cudaSuccess) static_cast<void>(cudaStreamGetPriority(stream, &priority));
    note(status, "cudaStreamCreateWithPriority(1, %d) priority=%d", wanted, priority);
    if (status == cudaSuccess) static_cast<void>(cudaStreamDestroy(stream));
  }
  status = cudaStreamCreate(nullptr);
  note(status, "cudaStreamCreate(null)");
  status = cudaStreamDestroy(nullptr);
  note(status, "cudaStreamDestroy(null)");
  status = cudaStreamDestroy(cudaStreamLegacy);
  note(status, "cudaStreamDestroy(legacy handle)");
  status = cudaStreamDestroy(cudaStreamPerThread);
  note(status, "cudaStreamDestroy(per thread handle)");
  struct Special {
    const char* name;
    cudaStream_t stream;
  };
  for (const Special& special : {Special{"null", nullptr}, Special{"legacy", cudaStreamLegacy},
                                 Special{"per thread", cudaStreamPerThread}}) {
    int value = 99;
    status = cudaStreamQuery(special.stream);
    note(status, "cudaStreamQuery(%s)", special.name);
    status = cudaStreamSynchronize(special.stream);
    note(status, "cudaStreamSynchronize(%s)", special.name);
    status = cudaStreamGetFlags(special.stream, &flags);
    note(status, "cudaStreamGetFlags(%s) flags=%u", special.name, flags);
    status = cudaStreamGetPriority(special.stream, &value);
    note(status, "cudaStreamGetPriority(%s) priority=%d", special.name, value);
    status = cudaStreamGetDevice(special.stream, &value);
    note(status, "cudaStreamGetDevice(%s) device=%d", special.name, value);
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusInvalidated;
    status = cudaStreamIsCapturing(special.stream, &capture);
    note(status, "cudaStreamIsCapturing(%s) status=%d", special.name, static_cast<int>(capture));
  }

  section("busy streams");
  cudaStream_t blocking = nullptr;
  cudaStream_t other = nullptr;
  static_cast<void>(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  static_cast<void>(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  static_cast<void>(cudaStreamCreate(&blocking));
  cudaEvent_t event = nullptr;
  cudaEvent_t later = nullptr;
  cudaEvent_t untimed = nullptr;
  cudaEvent_t never = nullptr;
  static_cast<void>(cudaEventCreate(&event));
  static_cast<void>(cudaEventCreate(&later));
  static_cast<void>(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  static_cast<void>(cudaEventCreate(&never));
  std::atomic<bool> open{false};
  status = cudaLaunchHostFunc(stream, hold, &open);
  note(status, "cudaLaunchHostFunc(stream, hold)");
  status = cudaStreamQuery(stream);
  note(status, "cudaStreamQuery(held)");
  status = cudaStreamQuery(other);
  note(status, "cudaStreamQuery(other)");
  status = cudaEventRecord(event, stream);
  note(status, "cudaEventRecord(event, held)");
  status = cudaEventQuery(event);
  note(status, "cudaEventQuery(event on held)");
  status = cudaEventQuery(never);
  note(status, "cudaEventQuery(never recorded)");
  float milliseconds = -1;
  status = cudaEventElapsedTime(&milliseconds, event, event);
  note(status, "cudaEventElapsedTime(pending, pending)");
  status = cudaStreamWaitEvent(other, event, 0);
  note(status, "cudaStreamWaitEvent(other, event on held)");
  status = cudaStreamQuery(other);
  note(status, "cudaStreamQuery(other that waits)");
  status = cudaStreamWaitEvent(blocking, never, 0);
  note(status, "cudaStreamWaitEvent(blocking, never recorded)");
  status = cudaStreamQuery(blocking);
  note(status, "cudaStreamQuery(blocking)");
  status = cudaStreamQuery(nullptr);
  note(status, "cudaStreamQuery(null while a non-blocking stream is held)");
  empty<<<1, 1, 0, stream>>>();
  note(cudaSuccess, "<<<1, 1, 0, held>>>(empty)");
  open = true;
  status = cudaStreamSynchronize(other);
  note(status, "cudaStreamSynchronize(other)");
  status = cudaEventQuery(event);
  note(status, "cudaEventQuery(event)");
  status = cudaStreamSynchronize(stream);
  note(status, "cudaStreamSynchronize(released)");
  open = false;
  status = cudaLaunchHostFunc(blocking, hold, &open);
  note(status, "cudaLaunchHostFunc(blocking, hold)");
  status = cudaStreamQuery(nullptr);
  note(status, "cudaStreamQuery(null while a blocking stream is held)");
  empty<<<1, 1>>>();
  note(cudaSuccess, "<<<1, 1>>>(empty)");
  status = cudaStreamQuery(nullptr);
  note(status, "cudaStreamQuery(null with work behind a held blocking stream)");
  empty<<<1, 1, 0, other>>>();
  status = cudaStreamSynchronize(other);
  note(status, "cudaStreamSynchronize(other, non-blocking)");
  open = true;
  status = cudaDeviceSynchronize();
  note(status, "cudaDeviceSynchronize()");
  status = cudaStreamQuery(nullptr);
  note(status, "cudaStreamQuery(null)");
  open = false;
  static_cast<void>(cudaLaunchHostFunc(stream, hold, &open));
  status = cudaStreamDestroy(stream);
  note(status, "cudaStreamDestroy(held)");
  open = true;
  status = cudaDeviceSynchronize();
  note(status, "cudaDeviceSynchronize()");

  section("events");
  for (unsigned wanted : {0U, 1U, 2U, 3U, 4U, 6U, 8U}) {
    cudaEvent_t made = nullptr;
    status = cudaEventCreateWithFlags(&made, wanted);
    note(status, "cudaEventCreateWithFlags(%u) event=%s", wanted, set_or_null(made));
    if (made != nullptr) static_cast<void>(cudaEventDestroy(made));
  }
  status = cudaEventCreate(nullptr);
  note(status, "cudaEventCreate(null)");
  status = cudaEventDestroy(nullptr);
  note(status, "cudaEventDestroy(null)");
  status = cudaEventRecord(nullptr, other);
  note(status, "cudaEventRecord(null, other)");
  status = cudaEventQuery(nullptr);
  note(status, "cudaEventQuery(null)");
  status = cudaEventSynchronize(nullptr);
  note(status, "cudaEventSynchronize(null)");
  status = cudaStreamWaitEvent(other, nullptr, 0);
  note(status, "cudaStreamWaitEvent(other, null)");
  status = cudaStreamWaitEvent(other, event, 7);
  note(status, "cudaStreamWaitEvent(other, event, flags 7)");
  status = cudaEventSynchronize(never);
  note(status, "cudaEventSynchronize(never recorded)");
  static_cast<void>(cudaEventRecord(event, other));
  static_cast<void>(cudaEventRecord(later, other));
  static_cast<void>(cudaEventRecord(untimed, other));
  status = cudaEventSynchronize(untimed);
  note(status, "cudaEventSynchronize(untimed)");
  status = cudaEventElapsedTime(&milliseconds, event, later);
  note(status, "cudaEventElapsedTime(event, later) at_least_zero=%d", milliseconds >= 0 ? 1 : 0);
  status = cudaEventElapsedTime(&milliseconds, event, untimed);
  note(status, "cudaEventElapsedTime(event, untimed)");
  status = cudaEventElapsedTime(&milliseconds, event, never);
  note(status, "cudaEventElapsedTime(event, never recorded)");
  status = cudaEventElapsedTime(nullptr, event, later);
  note(status, "cudaEventElapsedTime(null, event, later)");
  for (cudaEvent_t made : {event, later, untimed, never}) {
    status = cudaEventDestroy(made);
    note(status, "cudaEventDestroy()");
  }
  for (cudaStream_t made : {blocking, other}) {
    status = cudaStreamDestroy(made);
    note(status, "cudaStreamDestroy()");
  }
}

}  // namespace record
