// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "stream.hpp"

#include <algorithm>

namespace stand_in_hip {
namespace {

const hipStream_t per_thread_handle = hipStreamPerThread;

Stream& make_stream(unsigned flags, int priority) {
  Stream& made = runtime().streams.emplace_back();
  made.device = runtime().thread().device;
  made.flags = flags;
  made.priority = priority;
  return made;
}

Stream* per_thread_stream() {
  ThreadState& t = runtime().thread();
  const auto device = static_cast<std::size_t>(t.device);
  if (t.per_thread_streams.size() <= device) t.per_thread_streams.resize(device + 1);
  Stream*& own = t.per_thread_streams[device];
  if (own == nullptr) own = &make_stream(hipStreamDefault, 0);
  return own;
}

// ihipStreamCreate, clr hip_stream.cpp:183.
hipError_t create(hipStream_t* stream, unsigned flags, int priority, CallNote& note) {
  if (stream == nullptr) return hipErrorInvalidValue;
  if (flags != hipStreamDefault && flags != hipStreamNonBlocking) return hipErrorInvalidValue;
  // clr hip_stream.cpp:297: clamped to -1 (high) and 1 (low).
  *stream = reinterpret_cast<hipStream_t>(&make_stream(flags, std::clamp(priority, -1, 1)));
  note.stream = *stream;
  return hipSuccess;
}

/// Stream::StreamCaptureOngoing, clr hip_stream.cpp:139.
bool breaks_a_capture(const StreamArgument& on) {
  if (on.stream == nullptr || rules().stream_wait_in_capture) return false;
  if (on.stream->capture == hipStreamCaptureStatusActive) {
    invalidate(*on.stream);
    return true;
  }
  return on.stream->capture == hipStreamCaptureStatusInvalidated ||
         unsafe_wait(on.stream->capture_mode);
}

hipError_t synchronize(hipStream_t handle, CallNote& note) {
  const StreamArgument on = resolve(handle, note);
  if (!on.valid) return refuse(on);
  if (breaks_a_capture(on)) return hipErrorStreamCaptureUnsupported;
  runtime().drain();
  note.synchronises = true;
  return hipSuccess;
}

// clr hip_stream.cpp:509.
hipError_t query(hipStream_t handle, CallNote& note) {
  const StreamArgument on = resolve(handle, note);
  if (!on.valid) return refuse(on);
  if (breaks_a_capture(on)) return hipErrorStreamCaptureUnsupported;
  for (const DeferredWork& work : runtime().deferred_work) {
    if (work.stream == on.stream) return hipErrorNotReady;
  }
  return hipSuccess;
}

// clr hip_stream.cpp:446. A wait adds no work here: deferred work runs in submission order, in
// which an event's work comes before the work that waits for the event.
hipError_t wait_event(hipStream_t handle, hipEvent_t event_handle, unsigned flags, CallNote& note) {
  const StreamArgument on = resolve(handle, note);
  if (event_handle == nullptr) return hipErrorInvalidHandle;
  if (!on.valid) return refuse(on, rules().waiting_stream, "hipStreamWaitEvent");
  const Event* event = live_event(event_handle);
  if (event == nullptr) return runtime().undefined(hipErrorInvalidHandle);
  if (flags != 0) return give(rules().wait_flags, "hipStreamWaitEvent with flags");
  Stream* origin = event->capture_stream;
  if (origin != nullptr && origin->alive && origin->capture == hipStreamCaptureStatusActive) {
    if (on.stream == nullptr) return hipErrorInvalidHandle;
    if (on.stream->capture_origin == nullptr) {  // a fork: this stream now captures too
      on.stream->capture = hipStreamCaptureStatusActive;
      on.stream->capture_mode = origin->capture_mode;
      on.stream->capture_thread = origin->capture_thread;
      on.stream->capture_origin = origin->capture_origin;
      on.stream->graph = origin->graph;
      on.stream->tail = event->tail;
    } else {
      origin->joined = true;
      // clr hip_stream.cpp:446: the event's nodes are added to those of the stream.
      on.stream->tail.insert(on.stream->tail.end(), event->tail.begin(), event->tail.end());
    }
    return hipSuccess;
  }
  return hipSuccess;
}

// clr hip_stream.cpp:323.
hipError_t get_flags(hipStream_t handle, unsigned* flags, CallNote& note) {
  if (flags == nullptr || handle == nullptr) return hipErrorInvalidValue;
  const StreamArgument on = resolve(handle, note);
  if (!on.valid) return refuse(on);
  *flags = on.stream->flags;
  return hipSuccess;
}

// clr hip_stream.cpp:680.
hipError_t get_priority(hipStream_t handle, int* priority, CallNote& note) {
  if (priority == nullptr) return hipErrorInvalidValue;
  const StreamArgument on = resolve(handle, note);
  if (!on.valid) return refuse(on);
  *priority = on.stream == nullptr ? 0 : on.stream->priority;
  return hipSuccess;
}

}  // namespace

StreamArgument resolve(hipStream_t handle, CallNote& note) {
  note.stream = handle;
  Runtime& r = runtime();
  const int current = r.thread().device;
  if (handle == nullptr) return {nullptr, true, false, current};
  if (handle == per_thread_handle) return {per_thread_stream(), true, false, current};
  for (Stream& stream : r.streams) {
    if (reinterpret_cast<hipStream_t>(&stream) != handle) continue;
    if (stream.alive) return {&stream, true, false, stream.device};
    return {nullptr, false, true, current};
  }
  return {nullptr, false, false, current};
}

hipError_t refuse(const StreamArgument& on, const StreamAnswers& answers, const char* what) {
  return give(on.destroyed ? answers.destroyed : answers.invalid, what);
}

hipError_t refuse(const StreamArgument& on) {
  return refuse(on, rules().waited_stream, "a stream that does not exist");
}

hipStream_t per_thread(hipStream_t handle) {
  return handle == nullptr ? per_thread_handle : handle;
}

bool captured(const StreamArgument& on, std::function<hipError_t()> operation, hipError_t& status,
              hipError_t refused) {
  if (on.stream == nullptr || on.stream->capture == hipStreamCaptureStatusNone) return false;
  if (on.stream->capture == hipStreamCaptureStatusInvalidated) {
    status = hipErrorStreamCaptureInvalidated;  // STREAM_CAPTURE, clr hip_internal.hpp:254
    return true;
  }
  if (on.stream->capture_origin != on.stream) on.stream->joined = false;
  on.stream->graph->nodes.push_back({std::move(operation), refused});
  // A node's handle only identifies the node; nothing can be queried from it.
  on.stream->tail = {reinterpret_cast<hipGraphNode_t>(on.stream->graph->nodes.size())};
  status = hipSuccess;
  return true;
}

void invalidate(Stream& stream) {
  if (rules().breaks_captures) stream.capture = hipStreamCaptureStatusInvalidated;
}

bool invalidate_all_captures() {
  bool any = false;
  for (Stream& stream : runtime().streams) {
    if (!stream.is_in_capture()) continue;
    invalidate(stream);
    any = true;
  }
  return any;
}

bool refuses_blocking_copy() {
  return rules().relaxed_copies ? unsafe_during_capture() : invalidate_all_captures();
}

bool unsafe_during_capture() { return unsafe_during_capture(runtime().thread().capture_mode); }
bool unsafe_wait(hipStreamCaptureMode mode) {
  if (rules().waits_by_thread_mode) return unsafe_during_capture();
  return mode == hipStreamCaptureModeGlobal && unsafe_during_capture(mode);
}
bool unsafe_during_capture(hipStreamCaptureMode mode) {
  if (mode == hipStreamCaptureModeRelaxed) return false;
  bool any = false;
  for (Stream& stream : runtime().streams) {
    if (!stream.is_in_capture()) continue;
    const bool own = stream.capture_thread == std::this_thread::get_id() &&
                     stream.capture_mode != hipStreamCaptureModeRelaxed;
    const bool everyones =
        mode == hipStreamCaptureModeGlobal && stream.capture_mode == hipStreamCaptureModeGlobal;
    if (!own && !everyones) continue;
    invalidate(stream);
    any = true;
  }
  return any;
}

}  // namespace stand_in_hip

using namespace stand_in_hip;

extern "C" {

hipError_t hipStreamCreate(hipStream_t* stream) {
  return api("hipStreamCreate",
             [&](CallNote& note) { return create(stream, hipStreamDefault, 0, note); });
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return api("hipStreamCreateWithFlags",
             [&](CallNote& note) { return create(stream, flags, 0, note); });
}

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
  return api("hipStreamCreateWithPriority",
             [&](CallNote& note) { return create(stream, flags, priority, note); });
}

// clr hip_stream.cpp:310.
hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api("hipDeviceGetStreamPriorityRange", [&](CallNote&) {
    if (least != nullptr) *least = 1;
    if (greatest != nullptr) *greatest = -1;
    return hipSuccess;
  });
}

// clr hip_stream.cpp:389.
hipError_t hipStreamDestroy(hipStream_t stream) {
  return api("hipStreamDestroy", [&](CallNote& note) {
    if (stream == nullptr || stream == per_thread_handle) return hipErrorInvalidHandle;
    const StreamArgument on = resolve(stream, note);
    if (!on.valid) return refuse(on);
    if (runtime().freed_async) {
      const hipError_t status = give(rules().destroy_after_free_async,
                                     "hipStreamDestroy in a program that called hipFreeAsync");
      if (status != hipSuccess) return status;
    }
    runtime().drain();
    on.stream->capture = hipStreamCaptureStatusNone;
    on.stream->alive = false;
    return hipSuccess;
  });
}

// clr hip_stream.cpp:350.
hipError_t hipStreamSynchronize(hipStream_t stream) {
  return api("hipStreamSynchronize", [&](CallNote& note) { return synchronize(stream, note); });
}

hipError_t hipStreamSynchronize_spt(hipStream_t stream);
hipError_t hipStreamSynchronize_spt(hipStream_t stream) {
  return api("hipStreamSynchronize_spt",
             [&](CallNote& note) { return synchronize(per_thread(stream), note); });
}

hipError_t hipStreamQuery(hipStream_t stream) {
  return api("hipStreamQuery", [&](CallNote& note) { return query(stream, note); });
}

hipError_t hipStreamQuery_spt(hipStream_t stream);
hipError_t hipStreamQuery_spt(hipStream_t stream) {
  return api("hipStreamQuery_spt", [&](CallNote& note) { return query(per_thread(stream), note); });
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  return api("hipStreamWaitEvent",
             [&](CallNote& note) { return wait_event(stream, event, flags, note); });
}

hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event, unsigned flags);
hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event, unsigned flags) {
  return api("hipStreamWaitEvent_spt",
             [&](CallNote& note) { return wait_event(per_thread(stream), event, flags, note); });
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) {
  return api("hipStreamGetFlags", [&](CallNote& note) { return get_flags(stream, flags, note); });
}

hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned* flags);
hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned* flags) {
  return api("hipStreamGetFlags_spt",
             [&](CallNote& note) { return get_flags(per_thread(stream), flags, note); });
}

hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
  return api("hipStreamGetPriority",
             [&](CallNote& note) { return get_priority(stream, priority, note); });
}

hipError_t hipStreamGetPriority_spt(hipStream_t stream, int* priority);
hipError_t hipStreamGetPriority_spt(hipStream_t stream, int* priority) {
  return api("hipStreamGetPriority_spt",
             [&](CallNote& note) { return get_priority(per_thread(stream), priority, note); });
}

// clr hip_stream.cpp:796. Not in HIP 5's headers.
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device);
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
  return api("hipStreamGetDevice", [&](CallNote& note) {
    if (device == nullptr) return hipErrorInvalidValue;
    const StreamArgument on = resolve(stream, note);
    if (!on.valid) return refuse(on);
    *device = on.device;
    return hipSuccess;
  });
}

// clr hip_stream.cpp, hipGetStreamDeviceId: AMD's own query, which returns no status.
int hipGetStreamDeviceId(hipStream_t stream) {
  int device = -1;
  const hipError_t status = api("hipGetStreamDeviceId", [&](CallNote& note) {
    const StreamArgument on = resolve(stream, note);
    if (on.valid) device = on.device;
    note.keeps_last_error = true;
    return hipSuccess;
  });
  return status == hipSuccess ? device : -1;
}

// clr hip_device_runtime.cpp:640: it does nothing while any stream captures, and that status does
// not reach the last-error slot.
hipError_t hipDeviceSynchronize() {
  return api("hipDeviceSynchronize", [&](CallNote& note) {
    if (!rules().device_wait_in_capture && invalidate_all_captures()) {
      note.keeps_last_error = true;
      return hipErrorStreamCaptureUnsupported;
    }
    runtime().drain();
    note.synchronises = true;
    return hipSuccess;
  });
}

// clr hip_stream.cpp:637 and :654.
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data) {
  return api("hipLaunchHostFunc", [&](CallNote& note) {
    const StreamArgument on = resolve(stream, note);
    hipError_t status = hipSuccess;
    const auto call = [function, data] {
      function(data);
      return hipSuccess;
    };
    if (function != nullptr && captured(on, call, status)) return status;
    if (function == nullptr) return hipErrorInvalidValue;
    if (!on.valid) return refuse(on, rules().host_call_stream, "hipLaunchHostFunc");
    runtime().enqueue(on.stream, [function, data] { function(data); });
    return hipSuccess;
  });
}

// clr hip_stream.cpp:611.
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* data,
                                unsigned flags) {
  return api("hipStreamAddCallback", [&](CallNote& note) {
    if (callback == nullptr || flags != 0) return hipErrorInvalidValue;
    const StreamArgument on = resolve(stream, note);
    if (!on.valid) return refuse(on);
    runtime().enqueue(on.stream, [=] { callback(stream, hipSuccess, data); });
    return hipSuccess;
  });
}

}  // extern "C"
