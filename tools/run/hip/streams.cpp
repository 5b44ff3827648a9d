// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Part of the library that LD_PRELOAD loads before AMD's libamdhip64 (launches.cpp): streams,
// events, waits and captures. The compiler calls the functions that end in _spt under
// -fgpu-default-stream=per-thread; no header declares them.

#include "entry.hpp"

#include <hip/hip_runtime_api.h>

#include <cstdint>

using namespace warpsafe::watch;

#define WARPSAFE_WATCH_SHOWN [[gnu::visibility("default")]]

extern "C" {

hipError_t hipStreamCreate(hipStream_t* stream) {
  return watched(call_of(Call::stream_created, "hipStreamCreate"), [&] {
    const hipError_t status = WARPSAFE_WATCH_NEXT(hipStreamCreate, stream);
    if (status == hipSuccess) made(*stream, 0);
    return status;
  });
}
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return watched(call_of(Call::stream_created, "hipStreamCreateWithFlags"), [&] {
    const hipError_t status = WARPSAFE_WATCH_NEXT(hipStreamCreateWithFlags, stream, flags);
    if (status == hipSuccess) made(*stream, flags);
    return status;
  });
}
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
  return watched(call_of(Call::stream_created, "hipStreamCreateWithPriority"), [&] {
    const hipError_t status =
        WARPSAFE_WATCH_NEXT(hipStreamCreateWithPriority, stream, flags, priority);
    if (status == hipSuccess) made(*stream, flags);
    return status;
  });
}
hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, std::uint32_t words,
                                        const std::uint32_t* mask) {
  return watched(call_of(Call::stream_created, "hipExtStreamCreateWithCUMask"), [&] {
    const hipError_t status =
        WARPSAFE_WATCH_NEXT(hipExtStreamCreateWithCUMask, stream, words, mask);
    if (status == hipSuccess) made(*stream, 0);
    return status;
  });
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  return watched(call_on(Call::stream_destroyed, "hipStreamDestroy", stream), [&] {
    destroying(stream);
    return WARPSAFE_WATCH_NEXT(hipStreamDestroy, stream);
  });
}

hipError_t hipEventCreate(hipEvent_t* event) {
  StreamCall of = call_of(Call::event_created, "hipEventCreate");
  return watched(of, [&] {
    const hipError_t status = WARPSAFE_WATCH_NEXT(hipEventCreate, event);
    if (status == hipSuccess) of.event = *event;
    return status;
  });
}
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  StreamCall of = call_of(Call::event_created, "hipEventCreateWithFlags");
  return watched(of, [&] {
    const hipError_t status = WARPSAFE_WATCH_NEXT(hipEventCreateWithFlags, event, flags);
    if (status == hipSuccess) of.event = *event;
    return status;
  });
}
hipError_t hipEventDestroy(hipEvent_t event) {
  StreamCall of = call_of(Call::event_destroyed, "hipEventDestroy");
  of.event = event;
  return watched(of, [&] { return WARPSAFE_WATCH_NEXT(hipEventDestroy, event); });
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  StreamCall of = call_on(Call::event_record, "hipEventRecord", stream);
  of.event = event;
  return watched(of, [&] { return WARPSAFE_WATCH_NEXT(hipEventRecord, event, stream); });
}
WARPSAFE_WATCH_SHOWN hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream) {
  StreamCall of = call_on(Call::event_record, "hipEventRecord", stream, true);
  of.event = event;
  return watched(of, [&] { return WARPSAFE_WATCH_NEXT(hipEventRecord_spt, event, stream); });
}
// HIP 5.2's headers do not declare it. With flags, the event may belong to a graph.
WARPSAFE_WATCH_SHOWN hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream,
                                                        unsigned flags) {
  StreamCall of = call_on(flags == 0 ? Call::event_record : Call::unknown_order,
                          "hipEventRecordWithFlags", stream);
  of.event = event;
  return watched(
      of, [&] { return WARPSAFE_WATCH_NEXT(hipEventRecordWithFlags, event, stream, flags); });
}
hipError_t hipEventSynchronize(hipEvent_t event) {
  StreamCall of = call_of(Call::wait_event, "hipEventSynchronize");
  of.event = event;
  return watched(of, [&] { return WARPSAFE_WATCH_NEXT(hipEventSynchronize, event); });
}
hipError_t hipEventQuery(hipEvent_t event) {
  StreamCall of = call_of(Call::query_event, "hipEventQuery");
  of.event = event;
  return watched(of, [&] { return WARPSAFE_WATCH_NEXT(hipEventQuery, event); });
}
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t begin, hipEvent_t end) {
  StreamCall of = call_of(Call::elapsed_time, "hipEventElapsedTime");
  of.event = begin;
  of.second_event = end;
  return watched(
      of, [&] { return WARPSAFE_WATCH_NEXT(hipEventElapsedTime, milliseconds, begin, end); });
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  StreamCall of = call_on(Call::stream_waits, "hipStreamWaitEvent", stream);
  of.event = event;
  return watched(of, [&] { return WARPSAFE_WATCH_NEXT(hipStreamWaitEvent, stream, event, flags); });
}
WARPSAFE_WATCH_SHOWN hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event,
                                                       unsigned flags) {
  StreamCall of = call_on(Call::stream_waits, "hipStreamWaitEvent", stream, true);
  of.event = event;
  return watched(of,
                 [&] { return WARPSAFE_WATCH_NEXT(hipStreamWaitEvent_spt, stream, event, flags); });
}
hipError_t hipStreamSynchronize(hipStream_t stream) {
  return watched(call_on(Call::wait_stream, "hipStreamSynchronize", stream),
                 [&] { return WARPSAFE_WATCH_NEXT(hipStreamSynchronize, stream); });
}
WARPSAFE_WATCH_SHOWN hipError_t hipStreamSynchronize_spt(hipStream_t stream) {
  return watched(call_on(Call::wait_stream, "hipStreamSynchronize", stream, true),
                 [&] { return WARPSAFE_WATCH_NEXT(hipStreamSynchronize_spt, stream); });
}
hipError_t hipStreamQuery(hipStream_t stream) {
  return watched(call_on(Call::query_stream, "hipStreamQuery", stream),
                 [&] { return WARPSAFE_WATCH_NEXT(hipStreamQuery, stream); });
}
WARPSAFE_WATCH_SHOWN hipError_t hipStreamQuery_spt(hipStream_t stream) {
  return watched(call_on(Call::query_stream, "hipStreamQuery", stream, true),
                 [&] { return WARPSAFE_WATCH_NEXT(hipStreamQuery_spt, stream); });
}
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data) {
  return watched(call_on(Call::host_function, "hipLaunchHostFunc", stream),
                 [&] { return WARPSAFE_WATCH_NEXT(hipLaunchHostFunc, stream, function, data); });
}
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t function, void* data,
                                unsigned flags) {
  return watched(call_on(Call::host_function, "hipStreamAddCallback", stream), [&] {
    return WARPSAFE_WATCH_NEXT(hipStreamAddCallback, stream, function, data, flags);
  });
}

WARPSAFE_WATCH(Call::wait_device, hipDeviceSynchronize, ())
WARPSAFE_WATCH(Call::wait_device, hipCtxSynchronize, ())
WARPSAFE_WATCH(Call::begin_capture, hipStreamBeginCapture,
               (hipStream_t stream, hipStreamCaptureMode mode), stream, mode)
WARPSAFE_WATCH(Call::end_capture, hipStreamEndCapture, (hipStream_t stream, hipGraph_t* graph),
               stream, graph)

}  // extern "C"
