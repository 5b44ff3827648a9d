// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#pragma once

#include "kernels.hpp"

#include <string>
#include <thread>

namespace record {

inline constexpr auto global = hipStreamCaptureModeGlobal;
inline constexpr auto thread_local_mode = hipStreamCaptureModeThreadLocal;
inline constexpr auto relaxed = hipStreamCaptureModeRelaxed;

inline hipStream_t capturing(hipStreamCaptureMode mode = global,
                             unsigned flags = hipStreamDefault) {
  hipStream_t made = nullptr;
  if (hipStreamCreateWithFlags(&made, flags) != hipSuccess) std::abort();
  if (hipStreamBeginCapture(made, mode) != hipSuccess) std::abort();
  return made;
}

inline std::string capture_of(hipStream_t stream) {
  hipStreamCaptureStatus found = hipStreamCaptureStatusNone;
  const hipError_t e = hipStreamIsCapturing(stream, &found);
  if (e != hipSuccess) return "capture " + status(e);
  return found == hipStreamCaptureStatusNone     ? "capture none"
         : found == hipStreamCaptureStatusActive ? "capture active"
                                                 : "capture invalidated";
}

/// Ends the capture: the status, and what became of the caller's graph handle.
inline std::string end(hipStream_t stream) {
  static int untouched = 0;
  const auto before = reinterpret_cast<hipGraph_t>(&untouched);
  hipGraph_t graph = before;
  const hipError_t e = hipStreamEndCapture(stream, &graph);
  const std::string ended = "end " + status(e);
  if (graph == nullptr) return ended + ", graph null";
  if (graph == before) return ended + ", graph untouched";
  if (e != hipSuccess) return ended + ", graph set";
  std::size_t nodes = 0;
  static_cast<void>(hipGraphGetNodes(graph, nullptr, &nodes));
  return ended + ", graph of " + std::to_string(nodes) + " nodes";
}

/// What the call returns while the stream captures, and what it leaves of the capture.
template <class Call>
void during(hipStream_t stream, Call call) {
  static_cast<void>(hipGetLastError());
  const std::uint64_t before = packets();
  const hipError_t e = call(stream);
  const hipError_t last = hipGetLastError();
  settle();
  say(status(e));
  say("last", last);
  say(packets_after(before));
  say(capture_of(stream));
  say(end(stream));
}

inline hipError_t allocate() {
  void* p = nullptr;
  return hipMalloc(&p, 4096);
}

/// The call's status in another thread.
template <class Call>
hipError_t elsewhere(Call call) {
  hipError_t e = hipSuccess;
  std::thread([&] { e = call(); }).join();
  return e;
}

inline hipEvent_t recorded(hipStream_t stream) {
  const hipEvent_t made = event();
  static_cast<void>(hipEventRecord(made, stream));
  return made;
}

inline const Question captures[] = {
    {"begin on the null stream",
     [] { ask([] { return hipStreamBeginCapture(nullptr, global); }); }},
    {"begin on hipStreamPerThread",
     [] { say(status(hipStreamBeginCapture(hipStreamPerThread, global))); }},
    {"begin in mode 77",
     [] {
       ask([s = stream()] { return hipStreamBeginCapture(s, unlisted<hipStreamCaptureMode>(77)); });
     }},
    {"begin twice",
     [] { during(capturing(), [](hipStream_t s) { return hipStreamBeginCapture(s, global); }); }},
    {"end what never began", [] { say(end(stream())); }},
    {"end on the null stream", [] { say(end(nullptr)); }},
    {"end without a place for the graph",
     [] { during(capturing(), [](hipStream_t s) { return hipStreamEndCapture(s, nullptr); }); }},
    {"end on another stream",
     [] {
       const hipStream_t s = capturing();
       say("other: " + end(stream()));
       say("own: " + capture_of(s));
       say(end(s));
     }},
    {"end in another thread, global",
     [] {
       const hipStream_t s = capturing();
       std::string other;
       std::thread([&] { other = end(s); }).join();
       say("other: " + other);
       say("own: " + capture_of(s));
       say(end(s));
     }},
    {"end in another thread, relaxed",
     [] {
       const hipStream_t s = capturing(relaxed);
       std::string other;
       std::thread([&] { other = end(s); }).join();
       say("other: " + other);
       say("own: " + capture_of(s));
     }},
    {"end twice",
     [] {
       const hipStream_t s = capturing();
       say(end(s));
       say(end(s));
     }},
    {"unjoined work",
     [] {
       const hipStream_t s = capturing();
       const hipStream_t other = stream();
       const hipEvent_t e = event();
       say("record", hipEventRecord(e, s));
       say("wait", hipStreamWaitEvent(other, e, 0));
       say("launch", launch(plain, 4, 64, 0, other));
       say(end(s));
       say("own: " + capture_of(s));
       say("other: " + capture_of(other));
     }},
    {"a fork without work",
     [] {
       const hipStream_t s = capturing();
       const hipStream_t other = stream();
       const hipEvent_t e = event();
       say("record", hipEventRecord(e, s));
       say("wait", hipStreamWaitEvent(other, e, 0));
       say("other: " + capture_of(other));
       say(end(s));
       say("other: " + capture_of(other));
     }},
    {"joined work",
     [] {
       const hipStream_t s = capturing();
       const hipStream_t other = stream();
       const hipEvent_t e = event();
       const hipEvent_t back = event();
       say("record", hipEventRecord(e, s));
       say("wait", hipStreamWaitEvent(other, e, 0));
       say("launch", launch(plain, 4, 64, 0, other));
       say("record", hipEventRecord(back, other));
       say("wait", hipStreamWaitEvent(s, back, 0));
       say(end(s));
       say("other: " + capture_of(other));
     }},
    {"end on the forked stream",
     [] {
       const hipStream_t s = capturing();
       const hipStream_t other = stream();
       const hipEvent_t e = event();
       say("record", hipEventRecord(e, s));
       say("wait", hipStreamWaitEvent(other, e, 0));
       say("other: " + end(other));
       say("own: " + capture_of(s));
       say(end(s));
     }},
    {"hipEventQuery of an event of the capture",
     [] { during(capturing(), [](hipStream_t s) { return hipEventQuery(recorded(s)); }); }},
    {"hipEventSynchronize of an event of the capture",
     [] { during(capturing(), [](hipStream_t s) { return hipEventSynchronize(recorded(s)); }); }},
    {"hipEventQuery and hipEventSynchronize of an event of the capture",
     [] {
       const hipStream_t s = capturing();
       const hipEvent_t e = recorded(s);
       say("query", hipEventQuery(e));
       say("synchronize", hipEventSynchronize(e));
       say(capture_of(s));
       say(end(s));
     }},
    {"launch on an invalidated capture",
     [] {
       const hipStream_t s = capturing();
       say("hipMalloc", allocate());
       say(capture_of(s));
       say("launch", launch(plain, 4, 64, 0, s));
       say("last", hipGetLastError());
       say(end(s));
     }},
    {"a stream after an invalidated capture",
     [] {
       const hipStream_t s = capturing();
       say("hipMalloc", allocate());
       say(end(s));
       say(capture_of(s));
       say("launch", launch(plain, 4, 64, 0, s));
       say("hipMemsetAsync", hipMemsetAsync(memory, 0, 4, s));
       say("hipEventRecord", hipEventRecord(event(), s));
       say("hipStreamSynchronize", hipStreamSynchronize(s));
       say("again: " + end(s));
       say("begin", hipStreamBeginCapture(s, global));
       say("launch", launch(plain, 4, 64, 0, s));
       say(end(s));
       say("launch", launch(plain, 4, 64, 0, s));
     }},
    {"other streams after an invalidated capture",
     [] {
       const hipStream_t before = stream();
       const hipStream_t s = capturing();
       say("hipMalloc", allocate());
       say(end(s));
       say("hipMalloc", allocate());
       say("hipStreamSynchronize", hipStreamSynchronize(before));
       say("hipDeviceSynchronize", hipDeviceSynchronize());
       say("hipStreamDestroy", hipStreamDestroy(s));
       say("hipMalloc", allocate());
       say("launch", launch(plain, 4, 64, 0, stream()));
     }},
    {"hipStreamDestroy of a capturing stream",
     [] {
       const hipStream_t s = capturing();
       say(status(hipStreamDestroy(s)));
       say("hipMalloc", allocate());
     }},
    {"hipStreamIsCapturing of the null stream while another captures",
     [] {
       const hipStream_t s = capturing();
       say("null: " + capture_of(nullptr));
       say(capture_of(s));
     }},
    {"hipStreamIsCapturing of the null stream while a non-blocking stream captures",
     [] {
       const hipStream_t s = capturing(global, hipStreamNonBlocking);
       say("null: " + capture_of(nullptr));
       say(capture_of(s));
     }},
    {"hipThreadExchangeStreamCaptureMode",
     [] {
       hipStreamCaptureMode mode = relaxed;
       say(status(hipThreadExchangeStreamCaptureMode(&mode)));
       say("was " + std::to_string(mode));
       say("null", hipThreadExchangeStreamCaptureMode(nullptr));
       mode = unlisted<hipStreamCaptureMode>(77);
       say("77", hipThreadExchangeStreamCaptureMode(&mode));
     }},
};

}  // namespace record
