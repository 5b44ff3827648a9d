// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Streams, events and waits for them.
#include "streams.hpp"

#include "capture.hpp"
#include "runtime.hpp"

#include <algorithm>

using namespace stand_in_cuda;

namespace {

Event* event_of(cudaEvent_t handle) { return find(runtime().events, handle); }

cudaError_t make_stream(cudaStream_t* handle, unsigned flags, int priority) {
  Runtime& r = runtime();
  if (handle == nullptr || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0) {
    return cudaErrorInvalidValue;
  }
  Stream& made = r.add_stream(Stream::Kind::made);
  made.flags = flags;
  made.priority = std::clamp(priority, r.greatest_priority, r.least_priority);
  *handle = made.handle();
  return cudaSuccess;
}

cudaError_t make_event(cudaEvent_t* handle, unsigned flags) {
  constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  const bool bad_interprocess =
      (flags & cudaEventInterprocess) != 0 && (flags & cudaEventDisableTiming) == 0;
  if (handle == nullptr || (flags & ~known) != 0 || bad_interprocess) return cudaErrorInvalidValue;
  Event& made = runtime().events.emplace_back();
  made.device = runtime().thread().device;
  made.flags = flags;
  *handle = made.handle();
  return cudaSuccess;
}

// Returns the marks that the stream's next work would wait for. The legacy stream waits for all
// blocking ones.
std::vector<std::shared_ptr<Mark>> unfinished(Stream& stream) {
  std::vector<std::shared_ptr<Mark>> marks;
  for (Stream& each : runtime().streams) {
    const bool counts = &each == &stream || (stream.kind == Stream::Kind::legacy &&
                                             each.device == stream.device && each.blocking());
    if (counts && each.busy()) marks.push_back(each.last);
  }
  return marks;
}

// For a query of the stream's progress, or a wait: not allowed during a capture.
cudaError_t may_ask(Stream& stream) {
  return stream.capture == nullptr ? unsafe_call() : refuse_capturing(stream);
}

cudaError_t may_ask(Event& event) {
  if (event.capture == nullptr) return unsafe_call();
  event.capture->invalidated = true;
  return cudaErrorCapturedEvent;
}

cudaError_t record(cudaEvent_t handle, cudaStream_t stream_handle) {
  Event* const event = event_of(handle);
  if (event == nullptr) return cudaErrorInvalidResourceHandle;
  Stream& stream = runtime().stream(stream_handle);
  if (event->device != stream.device) return cudaErrorInvalidResourceHandle;
  end_beside_a_change(stream);
  if (stream.capture != nullptr) {
    if (stream.capture->invalidated) return cudaErrorStreamCaptureInvalidated;
    event->capture = stream.capture;
    event->captured_before = stream.captured_before;
    return cudaSuccess;
  }
  std::shared_ptr<Mark> mark;
  const cudaError_t status = put(stream, {}, &mark);
  if (status != cudaSuccess) return status;
  event->capture = nullptr;
  event->mark = mark;
  return cudaSuccess;
}

cudaError_t wait_event(Stream& stream, Event& event) {
  if (event.capture != nullptr && !event.capture->ended) {
    if (stream.capture != nullptr && stream.capture != event.capture) {
      spoil(stream);
      event.capture->invalidated = true;
      return cudaErrorStreamCaptureMerge;
    }
    stream.capture = event.capture;
    stream.captured_before.insert(event.captured_before.begin(), event.captured_before.end());
    return cudaSuccess;
  }
  if (event.mark == nullptr) return cudaSuccess;
  if (stream.capture != nullptr) {
    spoil(stream);
    return cudaErrorStreamCaptureIsolation;
  }
  runtime().submit(stream, {}, event.mark);
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return api("cudaStreamCreate", "", plain,
             [&](auto&) { return make_stream(stream, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return api("cudaStreamCreateWithFlags", text(flags), plain,
             [&](auto&) { return make_stream(stream, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  return api("cudaStreamCreateWithPriority", text(flags, priority), plain,
             [&](auto&) { return make_stream(stream, flags, priority); });
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return api("cudaStreamDestroy", text(handle), plain, [&](auto&) {
    if (is_special(handle)) return cudaErrorInvalidResourceHandle;
    Stream& stream = runtime().stream(handle);
    // As on an H200, driver 580, a capture goes on without a stream that has joined it.
    if (stream.capture != nullptr && stream.capture->origin == &stream) spoil(stream);
    stream.destroy();  // its work still runs
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return api("cudaStreamQuery", text(handle), waits, [&](auto&) {
    Stream& stream = runtime().stream(handle);
    const cudaError_t status = may_ask(stream);
    if (status != cudaSuccess) return status;
    return unfinished(stream).empty() ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return api("cudaStreamSynchronize", text(handle), waits, [&](auto& lock) {
    Stream& stream = runtime().stream(handle);
    const cudaError_t status = may_ask(stream);
    if (status != cudaSuccess) return status;
    for (const auto& mark : unfinished(stream)) runtime().wait(lock, mark);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize(void) {
  return api("cudaDeviceSynchronize", "", waits, [&](auto& lock) {
    Runtime& r = runtime();
    const int device = r.thread().device;
    bool capturing = false;
    std::vector<std::shared_ptr<Mark>> marks;
    for (Stream& stream : r.streams) {
      if (stream.device != device) continue;
      capturing = capturing || stream.capture != nullptr;
      spoil(stream);
      if (stream.busy()) marks.push_back(stream.last);
    }
    if (capturing) return cudaErrorStreamCaptureUnsupported;
    const cudaError_t status = unsafe_call();
    if (status != cudaSuccess) return status;
    for (const auto& mark : marks) r.wait(lock, mark);
    // Captures that began meanwhile.
    for (Stream& stream : r.streams) {
      if (stream.device == device) spoil(stream);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned int* flags) {
  return api("cudaStreamGetFlags", text(handle), plain, [&](auto&) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    Stream& stream = runtime().stream(handle);
    const cudaError_t status = refuse_capturing(stream);
    if (status == cudaSuccess) *flags = stream.flags;
    return status;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return api("cudaStreamGetPriority", text(handle), plain, [&](auto&) {
    if (priority == nullptr) return cudaErrorInvalidValue;
    Stream& stream = runtime().stream(handle);
    if (stream.capture != nullptr && stream.capture->invalidated) {
      return cudaErrorStreamCaptureInvalidated;
    }
    *priority = stream.priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return api("cudaStreamGetDevice", text(handle), plain, [&](auto&) {
    if (device == nullptr) return cudaErrorInvalidValue;
    Stream& stream = runtime().stream(handle);
    const cudaError_t status = refuse_capturing(stream);
    if (status == cudaSuccess) *device = stream.device;
    return status;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return api("cudaStreamGetId", text(handle), plain, [&](auto&) {
    if (id == nullptr) return cudaErrorInvalidValue;
    Stream& stream = runtime().stream(handle);
    cudaError_t status = refuse_capturing(stream);
    if (status == cudaSuccess) status = refuse_legacy(stream);
    if (status == cudaSuccess) *id = stream.number;
    return status;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return api("cudaLaunchHostFunc", text(handle), plain, [&](auto&) {
    if (function == nullptr) return cudaErrorInvalidValue;
    return put(
        runtime().stream(handle), [function, data] { function(data); }, nullptr, true);
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                                  unsigned int flags) {
  return api("cudaStreamAddCallback", text(handle, flags), plain, [&](auto&) {
    if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
    Stream& stream = runtime().stream(handle);
    const cudaError_t status = refuse_capturing(stream);
    if (status != cudaSuccess) return status;
    return put(
        stream, [callback, data, handle] { callback(handle, cudaSuccess, data); }, nullptr, true);
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return api("cudaEventCreate", "", plain,
             [&](auto&) { return make_event(event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return api("cudaEventCreateWithFlags", text(flags), plain,
             [&](auto&) { return make_event(event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return api("cudaEventDestroy", text(handle), plain, [&](auto&) {
    Event* const event = event_of(handle);
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    event->destroy();
    runtime().events.remove_if([](const Event& each) { return !each.alive(); });
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return api("cudaEventRecord", text(event, stream), plain,
             [&](auto&) { return record(event, stream); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  return api("cudaEventRecordWithFlags", text(event, stream, flags), plain, [&](auto&) {
    if (flags > cudaEventRecordExternal) return cudaErrorInvalidValue;
    return record(event, stream);
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t handle, unsigned int flags) {
  return api("cudaStreamWaitEvent", text(stream, handle, flags), plain, [&](auto&) {
    if (flags > cudaEventWaitExternal) return cudaErrorInvalidValue;
    Event* const event = event_of(handle);
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    return wait_event(runtime().stream(stream), *event);
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return api("cudaEventQuery", text(handle), waits, [&](auto&) {
    Event* const event = event_of(handle);
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    const cudaError_t status = may_ask(*event);
    if (status != cudaSuccess) return status;
    return event->mark == nullptr || event->mark->reached ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return api("cudaEventSynchronize", text(handle), waits, [&](auto& lock) {
    Event* const event = event_of(handle);
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    const cudaError_t status = may_ask(*event);
    if (status != cudaSuccess) return status;
    runtime().wait(lock, event->mark);
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t first, cudaEvent_t last) {
  return api("cudaEventElapsedTime", text(first, last), plain, [&](auto&) {
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    const Event* const from = event_of(first);
    const Event* const to = event_of(last);
    for (const Event* event : {from, to}) {
      if (event == nullptr || event->mark == nullptr ||
          (event->flags & cudaEventDisableTiming) != 0) {
        return cudaErrorInvalidResourceHandle;
      }
    }
    if (!from->mark->reached || !to->mark->reached) return cudaErrorNotReady;
    const std::chrono::duration<float, std::milli> elapsed = to->mark->time - from->mark->time;
    *milliseconds = elapsed.count();
    return cudaSuccess;
  });
}

}  // extern "C"
