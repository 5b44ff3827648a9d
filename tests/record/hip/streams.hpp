// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#pragma once

#include "kernels.hpp"

#include <thread>

namespace record {

/// Asks the call with a destroyed stream.
template <class Call>
void with_dead_stream(Call call) {
  ask([s = dead_stream(), call] { return call(s); });
}

template <class Call>
void with_invalid_stream(Call call) {
  ask([call] { return call(invalid_stream()); });
}

inline hipError_t copy_on(hipStream_t s) {
  static float f = 0;
  return hipMemcpyAsync(&f, memory, 4, hipMemcpyDeviceToHost, s);
}
inline hipError_t fill_on(hipStream_t s) { return hipMemsetAsync(memory, 0, 4, s); }
inline hipError_t allocate_on(hipStream_t s) {
  void* p = nullptr;
  return hipMallocAsync(&p, 256, s);
}
inline hipError_t flags_of(hipStream_t s) {
  unsigned flags = 0;
  return hipStreamGetFlags(s, &flags);
}
inline hipError_t priority_of(hipStream_t s) {
  int priority = 0;
  return hipStreamGetPriority(s, &priority);
}
inline hipError_t is_capturing(hipStream_t s) {
  hipStreamCaptureStatus found = hipStreamCaptureStatusNone;
  return hipStreamIsCapturing(s, &found);
}
inline hipError_t begin_on(hipStream_t s) {
  return hipStreamBeginCapture(s, hipStreamCaptureModeGlobal);
}
inline hipError_t record_on(hipStream_t s) { return hipEventRecord(event(), s); }
inline hipError_t wait_on(hipStream_t s) { return hipStreamWaitEvent(s, event(), 0); }

/// hipStreamGetDevice, which the releases up to 5.7 may lack.
inline hipError_t device_of(hipStream_t s) {
  const auto call =
      find_in_release<hipError_t (*)(hipStream_t, hipDevice_t*)>("hipStreamGetDevice");
  hipDevice_t found = -1;
  if (call == nullptr) {
    say("not in this release");
    return hipSuccess;
  }
  const hipError_t e = call(s, &found);
  if (e == hipSuccess) say("device " + std::to_string(found));
  return e;
}

inline const Question dead_streams[] = {
    {"hipStreamSynchronize", [] { with_dead_stream(hipStreamSynchronize); }},
    {"hipStreamQuery", [] { with_dead_stream(hipStreamQuery); }},
    {"hipStreamDestroy", [] { with_dead_stream(hipStreamDestroy); }},
    {"hipStreamGetFlags", [] { with_dead_stream(flags_of); }},
    {"hipStreamGetPriority", [] { with_dead_stream(priority_of); }},
    {"hipStreamGetDevice", [] { with_dead_stream(device_of); }},
    {"hipStreamIsCapturing", [] { with_dead_stream(is_capturing); }},
    {"hipStreamBeginCapture", [] { with_dead_stream(begin_on); }},
    {"hipEventRecord", [] { with_dead_stream(record_on); }},
    {"hipStreamWaitEvent", [] { with_dead_stream(wait_on); }},
    {"hipMemcpyAsync", [] { with_dead_stream(copy_on); }},
    {"hipMemsetAsync", [] { with_dead_stream(fill_on); }},
    {"hipMallocAsync", [] { with_dead_stream(allocate_on); }},
    {"hipFreeAsync",
     [] { with_dead_stream([](hipStream_t s) { return hipFreeAsync(memory, s); }); }},
    {"hipLaunchHostFunc",
     [] { with_dead_stream([](hipStream_t s) { return host_call(s, [](void*) {}); }); }},
};

inline const Question invalid_streams[] = {
    {"hipStreamSynchronize", [] { with_invalid_stream(hipStreamSynchronize); }},
    {"hipStreamQuery", [] { with_invalid_stream(hipStreamQuery); }},
    {"hipStreamDestroy", [] { with_invalid_stream(hipStreamDestroy); }},
    {"hipStreamGetFlags", [] { with_invalid_stream(flags_of); }},
    {"hipStreamIsCapturing", [] { with_invalid_stream(is_capturing); }},
    {"hipEventRecord", [] { with_invalid_stream(record_on); }},
    {"hipMemcpyAsync", [] { with_invalid_stream(copy_on); }},
    {"hipMemsetAsync", [] { with_invalid_stream(fill_on); }},
    {"hipMallocAsync", [] { with_invalid_stream(allocate_on); }},
    {"hipLaunchHostFunc",
     [] { with_invalid_stream([](hipStream_t s) { return host_call(s, [](void*) {}); }); }},
};

inline const Question streams[] = {
    {"hipStreamCreate null", [] { ask([] { return hipStreamCreate(nullptr); }); }},
    {"hipStreamCreateWithFlags 77",
     [] {
       ask([] {
         hipStream_t s = nullptr;
         return hipStreamCreateWithFlags(&s, 77);
       });
     }},
    {"priorities",
     [] {
       int least = 7;
       int greatest = 7;
       say(status(hipDeviceGetStreamPriorityRange(&least, &greatest)));
       say("least " + std::to_string(least) + " greatest " + std::to_string(greatest));
       for (const int priority : {-5, -1, 0, 1, 5}) {
         hipStream_t s = nullptr;
         say("create " + std::to_string(priority),
             hipStreamCreateWithPriority(&s, hipStreamNonBlocking, priority));
         int got = 7;
         say("get", hipStreamGetPriority(s, &got));
         say(std::to_string(got));
       }
       int got = 7;
       say("null stream", hipStreamGetPriority(nullptr, &got));
       say(std::to_string(got));
     }},
    {"hipStreamGetDevice",
     [] {
       say(status(device_of(on_other_device())));
       say(status(device_of(nullptr)));
       say("hipGetStreamDeviceId " + std::to_string(hipGetStreamDeviceId(on_other_device())));
     }},
    {"flags",
     [] {
       unsigned flags = 7;
       hipStream_t s = nullptr;
       say("create", hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
       say("get", hipStreamGetFlags(s, &flags));
       say(std::to_string(flags));
       say("nowhere", hipStreamGetFlags(s, nullptr));
       say("null stream", hipStreamGetFlags(nullptr, &flags));
     }},
    {"hipStreamDestroy of the null stream", [] { ask([] { return hipStreamDestroy(nullptr); }); }},
    {"hipStreamDestroy of hipStreamPerThread",
     [] { ask([] { return hipStreamDestroy(hipStreamPerThread); }); }},
    {"hipStreamDestroy after hipFreeAsync on the stream",
     [] {
       const hipStream_t s = stream();
       void* p = nullptr;
       say("hipMallocAsync", hipMallocAsync(&p, 256, s));
       say("hipFreeAsync", hipFreeAsync(p, s));
       say("hipStreamDestroy", hipStreamDestroy(s));
     }},
    {"hipStreamDestroy after hipFreeAsync on the stream and a synchronisation",
     [] {
       const hipStream_t s = stream();
       void* p = nullptr;
       say("hipMallocAsync", hipMallocAsync(&p, 256, s));
       say("hipFreeAsync", hipFreeAsync(p, s));
       say("hipStreamSynchronize", hipStreamSynchronize(s));
       say("hipStreamDestroy", hipStreamDestroy(s));
     }},
    {"hipStreamDestroy after hipFreeAsync on another stream",
     [] {
       const hipStream_t s = stream();
       const hipStream_t other = stream();
       void* p = nullptr;
       say("hipMallocAsync", hipMallocAsync(&p, 256, s));
       say("hipFreeAsync", hipFreeAsync(p, s));
       say("hipStreamDestroy", hipStreamDestroy(other));
     }},
    {"hipStreamDestroy after hipMallocAsync and hipFree",
     [] {
       const hipStream_t s = stream();
       void* p = nullptr;
       say("hipMallocAsync", hipMallocAsync(&p, 256, s));
       say("hipFree", hipFree(p));
       say("hipStreamDestroy", hipStreamDestroy(s));
     }},
    {"hipLaunchHostFunc, null function",
     [] { ask([s = stream()] { return host_call(s, nullptr); }); }},
    {"hipStreamAddCallback, null function",
     [] { ask([s = stream()] { return hipStreamAddCallback(s, nullptr, nullptr, 0); }); }},
    {"hipStreamAddCallback, flags 1",
     [] {
       ask([s = stream()] {
         return hipStreamAddCallback(
             s, [](hipStream_t, hipError_t, void*) {}, nullptr, 1);
       });
     }},
    {"hipStreamAddCallback, whose function calls HIP",
     [] {
       const hipStream_t s = stream();
       static hipError_t inside = hipErrorUnknown;
       const auto call = [](hipStream_t, hipError_t, void*) {
         int n = 0;
         inside = hipGetDeviceCount(&n);
       };
       say("add", hipStreamAddCallback(s, call, nullptr, 0));
       say("synchronize", hipStreamSynchronize(s));
       say("inside", inside);
     }},
    {"hipStreamWaitEvent null",
     [] { ask([s = stream()] { return hipStreamWaitEvent(s, nullptr, 0); }); }},
    {"hipStreamWaitEvent, flags 1",
     [] { ask([s = stream(), e = event()] { return hipStreamWaitEvent(s, e, 1); }); }},
};

}  // namespace record
