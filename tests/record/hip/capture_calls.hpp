// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#pragma once

#include "captures.hpp"

namespace record {

/// The call in a thread whose mode is relaxed.
template <class Call, class Argument>
hipError_t relaxedly(Call call, Argument argument) {
  hipStreamCaptureMode mode = relaxed;
  static_cast<void>(hipThreadExchangeStreamCaptureMode(&mode));
  const hipError_t status = call(argument);
  static_cast<void>(hipThreadExchangeStreamCaptureMode(&mode));
  return status;
}

inline const Question calls_during_a_capture[] = {
    {"launch on the null stream while another stream captures, global",
     [] { during(capturing(), [](hipStream_t) { return launch(plain, 4, 64); }); }},
    {"launch on the null stream while another stream captures, thread local",
     [] {
       during(capturing(thread_local_mode), [](hipStream_t) { return launch(plain, 4, 64); });
     }},
    {"launch on the null stream while another stream captures, relaxed",
     [] { during(capturing(relaxed), [](hipStream_t) { return launch(plain, 4, 64); }); }},
    {"launch on the null stream while a non-blocking stream captures",
     [] {
       during(capturing(global, hipStreamNonBlocking),
              [](hipStream_t) { return launch(plain, 4, 64); });
     }},
    {"launch on another stream while one captures",
     [] {
       during(capturing(),
              [other = stream()](hipStream_t) { return launch(plain, 4, 64, 0, other); });
     }},
    {"launch on the capturing stream",
     [] { during(capturing(), [](hipStream_t s) { return launch(plain, 4, 64, 0, s); }); }},
    {"grid 0 on the capturing stream",
     [] { during(capturing(), [](hipStream_t s) { return launch(plain, 0, 64, 0, s); }); }},
    {"block 2048 on the capturing stream",
     [] { during(capturing(), [](hipStream_t s) { return launch(plain, 4, 2048, 0, s); }); }},
    {"dynamic shared 70000 on the capturing stream",
     [] {
       during(capturing(), [](hipStream_t s) { return launch(dynamically, 4, 64, 70000, s); });
     }},
    {"static 32 KiB and dynamic 40000 on the capturing stream",
     [] {
       during(capturing(), [](hipStream_t s) { return launch(statically, 4, 64, 40000, s); });
     }},
    {"cooperative launch on the capturing stream",
     [] { during(capturing(), [](hipStream_t s) { return cooperative(plain, 4, 64, 0, s); }); }},
    {"module launch on the capturing stream",
     [] {
       const hipFunction_t f = module_function();
       during(capturing(), [f](hipStream_t s) { return module_launch(f, 4, 64, 0, s); });
     }},
    {"hipMalloc, global", [] { during(capturing(), [](hipStream_t) { return allocate(); }); }},
    {"hipMalloc, thread local",
     [] { during(capturing(thread_local_mode), [](hipStream_t) { return allocate(); }); }},
    {"hipMalloc, relaxed",
     [] { during(capturing(relaxed), [](hipStream_t) { return allocate(); }); }},
    {"hipMalloc in another thread, global",
     [] { during(capturing(), [](hipStream_t) { return elsewhere(allocate); }); }},
    {"hipMalloc in another thread, thread local",
     [] { during(capturing(thread_local_mode), [](hipStream_t) { return elsewhere(allocate); }); }},
    {"hipMalloc in a thread of mode relaxed, global",
     [] {
       hipStreamCaptureMode mode = relaxed;
       say("exchange", hipThreadExchangeStreamCaptureMode(&mode));
       during(capturing(), [](hipStream_t) { return allocate(); });
     }},
    {"hipHostMalloc, global",
     [] {
       during(capturing(), [](hipStream_t) {
         void* p = nullptr;
         return hipHostMalloc(&p, 4096, 0);
       });
     }},
    {"hipMallocManaged, global",
     [] {
       during(capturing(), [](hipStream_t) {
         void* p = nullptr;
         return hipMallocManaged(&p, 4096, hipMemAttachGlobal);
       });
     }},
    {"hipFree, global", [] { during(capturing(), [](hipStream_t) { return hipFree(memory); }); }},
    {"hipDeviceSynchronize, global",
     [] { during(capturing(), [](hipStream_t) { return hipDeviceSynchronize(); }); }},
    {"hipDeviceSynchronize, relaxed",
     [] { during(capturing(relaxed), [](hipStream_t) { return hipDeviceSynchronize(); }); }},
    {"hipStreamSynchronize of the capturing stream",
     [] { during(capturing(), [](hipStream_t s) { return hipStreamSynchronize(s); }); }},
    {"hipStreamSynchronize of the capturing stream, relaxed",
     [] { during(capturing(relaxed), [](hipStream_t s) { return hipStreamSynchronize(s); }); }},
    {"hipStreamSynchronize of another stream, global",
     [] {
       during(capturing(), [other = stream()](hipStream_t) { return hipStreamSynchronize(other); });
     }},
    {"hipStreamSynchronize of another stream, relaxed",
     [] {
       during(capturing(relaxed),
              [other = stream()](hipStream_t) { return hipStreamSynchronize(other); });
     }},
    {"hipStreamSynchronize of the null stream, global",
     [] { during(capturing(), [](hipStream_t) { return hipStreamSynchronize(nullptr); }); }},
    {"hipStreamQuery of the capturing stream",
     [] { during(capturing(), [](hipStream_t s) { return hipStreamQuery(s); }); }},
    {"hipStreamQuery of another stream, global",
     [] {
       during(capturing(), [other = stream()](hipStream_t) { return hipStreamQuery(other); });
     }},
    {"hipEventQuery of an event before the capture, global",
     [] {
       const hipEvent_t e = recorded(stream());
       static_cast<void>(hipEventSynchronize(e));
       during(capturing(), [e](hipStream_t) { return hipEventQuery(e); });
     }},
    {"hipEventSynchronize of an event before the capture, global",
     [] {
       const hipEvent_t e = recorded(stream());
       static_cast<void>(hipEventSynchronize(e));
       during(capturing(), [e](hipStream_t) { return hipEventSynchronize(e); });
     }},
    {"hipStreamSynchronize of another stream in another thread, global",
     [] {
       during(capturing(), [other = stream()](hipStream_t) {
         return elsewhere([other] { return hipStreamSynchronize(other); });
       });
     }},
    {"hipStreamSynchronize of another stream in a thread of mode relaxed, global",
     [] {
       during(capturing(),
              [other = stream()](hipStream_t) { return relaxedly(&hipStreamSynchronize, other); });
     }},
    {"hipStreamSynchronize of the capturing stream in a thread of mode relaxed, global",
     [] {
       during(capturing(), [](hipStream_t s) { return relaxedly(&hipStreamSynchronize, s); });
     }},
    {"hipStreamQuery of another stream in a thread of mode relaxed, global",
     [] {
       during(capturing(),
              [other = stream()](hipStream_t) { return relaxedly(&hipStreamQuery, other); });
     }},
    {"hipEventSynchronize of an event before the capture in a thread of mode relaxed, global",
     [] {
       const hipEvent_t e = recorded(stream());
       static_cast<void>(hipEventSynchronize(e));
       during(capturing(), [e](hipStream_t) { return relaxedly(&hipEventSynchronize, e); });
     }},
    {"hipEventQuery of an event before the capture in a thread of mode relaxed, global",
     [] {
       const hipEvent_t e = recorded(stream());
       static_cast<void>(hipEventSynchronize(e));
       during(capturing(), [e](hipStream_t) { return relaxedly(&hipEventQuery, e); });
     }},
    {"hipMemcpy, global",
     [] {
       during(capturing(), [](hipStream_t) {
         float f = 0;
         return hipMemcpy(&f, memory, 4, hipMemcpyDeviceToHost);
       });
     }},
    {"hipMemcpy, relaxed",
     [] {
       during(capturing(relaxed), [](hipStream_t) {
         float f = 0;
         return hipMemcpy(&f, memory, 4, hipMemcpyDeviceToHost);
       });
     }},
    {"hipMemcpy while a non-blocking stream captures",
     [] {
       during(capturing(global, hipStreamNonBlocking), [](hipStream_t) {
         float f = 0;
         return hipMemcpy(&f, memory, 4, hipMemcpyDeviceToHost);
       });
     }},
    {"hipMemset, global",
     [] { during(capturing(), [](hipStream_t) { return hipMemset(memory, 0, 4); }); }},
    {"hipMemcpyAsync on the capturing stream",
     [] {
       during(capturing(), [](hipStream_t s) {
         static float f = 0;
         return hipMemcpyAsync(&f, memory, 4, hipMemcpyDeviceToHost, s);
       });
     }},
    {"hipMemsetAsync on the capturing stream",
     [] { during(capturing(), [](hipStream_t s) { return hipMemsetAsync(memory, 0, 4, s); }); }},
    {"hipMemcpyPeerAsync on the capturing stream",
     [] {
       static_cast<void>(hipSetDevice(1));
       void* there = nullptr;
       static_cast<void>(hipMalloc(&there, 64));
       static_cast<void>(hipSetDevice(0));
       during(capturing(),
              [there](hipStream_t s) { return hipMemcpyPeerAsync(there, 1, memory, 0, 64, s); });
     }},
    {"hipMallocAsync on the capturing stream",
     [] {
       during(capturing(), [](hipStream_t s) {
         void* p = nullptr;
         return hipMallocAsync(&p, 64, s);
       });
     }},
    {"hipFreeAsync on the capturing stream",
     [] { during(capturing(), [](hipStream_t s) { return hipFreeAsync(memory, s); }); }},
    {"hipLaunchHostFunc on the capturing stream",
     [] { during(capturing(), [](hipStream_t s) { return host_call(s, [](void*) {}); }); }},
    {"hipStreamAddCallback on the capturing stream",
     [] {
       during(capturing(), [](hipStream_t s) {
         return hipStreamAddCallback(
             s, [](hipStream_t, hipError_t, void*) {}, nullptr, 0);
       });
     }},
    {"hipStreamDestroy of another stream",
     [] {
       during(capturing(), [other = stream()](hipStream_t) { return hipStreamDestroy(other); });
     }},
};

}  // namespace record
