// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// clang-format off
// First: HIP 6.4 has a macro __noinline__, with which g++ 16's standard library does not compile.
#include <chrono>

#include "stream.hpp"
// clang-format on

namespace stand_in_hip {
namespace {

std::uint64_t now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

// ihipEventCreateWithFlags, clr hip_event.cpp:280.
hipError_t create(hipEvent_t* event, unsigned flags) {
  if (event == nullptr) return hipErrorInvalidValue;
  constexpr unsigned release_flags = hipEventReleaseToDevice | hipEventReleaseToSystem;
  constexpr unsigned supported =
      hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess | release_flags;
  const bool both_releases = (flags & release_flags) == release_flags;
  const bool timed_across_processes = (flags & hipEventInterprocess) != 0 &&
                                      (flags & hipEventDisableTiming) == 0 &&
                                      !rules().timed_across_processes;
  if ((flags & ~supported) != 0 || both_releases || timed_across_processes) {
    return hipErrorInvalidValue;
  }
  Event& made = runtime().events.emplace_back();
  made.device = runtime().thread().device;
  made.flags = flags;
  *event = reinterpret_cast<hipEvent_t>(&made);
  return hipSuccess;
}

/// A destroyed event: the runtime reads freed memory.
hipError_t dead() { return give(rules().dead_event, "a destroyed event"); }

// clr hip_event.cpp:391.
hipError_t record(hipEvent_t handle, hipStream_t stream, CallNote& note) {
  if (handle == nullptr) return hipErrorInvalidHandle;
  const StreamArgument on = resolve(stream, note);
  if (!on.valid) return refuse(on, rules().recorded_stream, "hipEventRecord");
  Event* event = live_event(handle);
  if (event == nullptr) return dead();
  event->on_stream = on.stream != nullptr;
  event->capture_stream = on.capturing() ? on.stream : nullptr;
  if (on.capturing()) event->tail = on.stream->tail;
  if (on.capturing()) return hipSuccess;
  if (event->device != on.device) return hipErrorInvalidHandle;
  event->recorded = true;
  event->pending = true;
  runtime().enqueue(on.stream, [event] {
    event->pending = false;
    event->time = now();
  });
  return hipSuccess;
}

/// clr hip_event.cpp:439 and :461: a query of an event of a capture invalidates the capture.
bool of_a_capture(Event& event) {
  Stream* stream = rules().query_breaks ? event.capture_stream : nullptr;
  if (stream == nullptr || !stream->alive || stream->capture != hipStreamCaptureStatusActive) {
    return false;
  }
  stream->capture = hipStreamCaptureStatusInvalidated;
  return true;
}

/// The status of a call that breaks a capture. @param disturbs whether the call also breaks the
/// open captures that the thread's mode forbids it to disturb
hipError_t capture_broken_by(Event& event, bool disturbs) {
  if (of_a_capture(event)) return hipErrorCapturedEvent;
  // An event keeps no stream here; most streams never captured.
  if (disturbs && event.on_stream && unsafe_wait(hipStreamCaptureModeGlobal)) {
    return hipErrorStreamCaptureUnsupported;
  }
  return hipSuccess;
}

}  // namespace

Event* live_event(hipEvent_t handle) {
  for (Event& event : runtime().events) {
    if (reinterpret_cast<hipEvent_t>(&event) == handle && event.alive) return &event;
  }
  return nullptr;
}

}  // namespace stand_in_hip

using namespace stand_in_hip;

extern "C" {

hipError_t hipEventCreate(hipEvent_t* event) {
  return api("hipEventCreate", [&](CallNote& note) {
    note.keeps_last_error = event == nullptr;
    return create(event, hipEventDefault);
  });
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  return api("hipEventCreateWithFlags", [&](CallNote&) { return create(event, flags); });
}

// clr hip_event.cpp:346; a second destroy returns past the last-error slot.
hipError_t hipEventDestroy(hipEvent_t event) {
  return api("hipEventDestroy", [&](CallNote& note) {
    if (event == nullptr) return hipErrorInvalidHandle;
    Event* found = live_event(event);
    if (found == nullptr) {
      note.keeps_last_error = true;
      return give(rules().event_destroyed_twice, "hipEventDestroy, twice");
    }
    runtime().drain();
    found->alive = false;
    return hipSuccess;
  });
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return api("hipEventRecord", [&](CallNote& note) { return record(event, stream, note); });
}

hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream);
hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream) {
  return api("hipEventRecord_spt",
             [&](CallNote& note) { return record(event, per_thread(stream), note); });
}

// clr hip_event.cpp:432 and :68: an event never recorded is complete.
hipError_t hipEventSynchronize(hipEvent_t event) {
  return api("hipEventSynchronize", [&](CallNote& note) {
    if (event == nullptr) return hipErrorInvalidHandle;
    Event* found = live_event(event);
    if (found == nullptr) return dead();
    const bool disturbs = !rules().stream_wait_in_capture;
    if (const hipError_t broken = capture_broken_by(*found, disturbs)) return broken;
    if (!found->recorded) return hipSuccess;
    runtime().drain();
    note.synchronises = true;
    return hipSuccess;
  });
}

// clr hip_event.cpp:454 and :56.
hipError_t hipEventQuery(hipEvent_t event) {
  return api("hipEventQuery", [&](CallNote&) {
    if (event == nullptr) return hipErrorInvalidHandle;
    Event* found = live_event(event);
    if (found == nullptr) return dead();
    const bool disturbs = rules().any_query_breaks;
    if (const hipError_t broken = capture_broken_by(*found, disturbs)) return broken;
    return found->pending ? hipErrorNotReady : hipSuccess;
  });
}

// clr hip_event.cpp:370 and :94.
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
  return api("hipEventElapsedTime", [&](CallNote&) {
    if (milliseconds == nullptr) return hipErrorInvalidValue;
    if (start == nullptr || stop == nullptr) return hipErrorInvalidHandle;
    const Event* from = live_event(start);
    const Event* to = live_event(stop);
    if (from == nullptr || to == nullptr) return dead();
    const bool timed = ((from->flags | to->flags) & hipEventDisableTiming) == 0;
    if (from->device != to->device || !from->recorded || !to->recorded || !timed) {
      return hipErrorInvalidHandle;
    }
    if (from->pending || to->pending) return hipErrorNotReady;
    *milliseconds = static_cast<float>(static_cast<double>(to->time) * 1e-6 -
                                       static_cast<double>(from->time) * 1e-6);
    return hipSuccess;
  });
}

}  // extern "C"
