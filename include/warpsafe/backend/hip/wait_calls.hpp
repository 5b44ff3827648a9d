// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

#include <hip/hip_runtime_api.h>
#include <sched.h>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// HIP's calls that wait, or ask whether work has ended. Release 5.7 of AMD's runtime refuses some
/// of them during a capture of another stream. See backend/backend.hpp.
struct HipWaitCalls {
  static int stream_synchronize(hipStream_t stream) noexcept {
    const hipError_t status = hipStreamSynchronize(stream);
    return is_mistaken(status) ? ask_at_end(stream, &wait_by_queries, status) : status;
  }
  static int stream_query(hipStream_t stream) noexcept {
    const hipError_t status = hipStreamQuery(stream);
    return is_mistaken(status) ? ask_at_end(stream, &hipEventQuery, status) : status;
  }
  /// In 5.7 and mode relaxed, an event that other code recorded in a capture counts as complete, as
  /// for hipEventQuery there. This library's captures know their events.
  static int event_synchronize(hipEvent_t event) noexcept {
    const hipError_t status = hipEventSynchronize(event);
    return is_mistaken(status) ? wait_by_queries(event) : status;
  }

 private:
  static hipError_t wait_by_queries(hipEvent_t event) noexcept {
    hipError_t status = hipEventQuery(event);
    for (; status == hipErrorNotReady; status = hipEventQuery(event)) sched_yield();
    return status;
  }
#if defined(__HIP_PLATFORM_AMD__) && HIP_VERSION < 60000000
  /// Whether the status refuses a wait that the thread's mode, relaxed, allows. During a capture of
  /// mode global, release 5.7 looks at the mode of the waited stream instead (hip_stream.cpp,
  /// Stream::StreamCaptureOngoing). It refuses no query of an event.
  [[WARPSAFE_DETAIL_RARE]] static bool is_mistaken(hipError_t status) noexcept {
    if (status != hipErrorStreamCaptureUnsupported) return false;
    auto mode = hipStreamCaptureModeRelaxed;
    if (hipThreadExchangeStreamCaptureMode(&mode) != hipSuccess) return false;
    const bool relaxed = mode == hipStreamCaptureModeRelaxed;
    static_cast<void>(hipThreadExchangeStreamCaptureMode(&mode));
    return relaxed;
  }
  /// Asks about an event after the stream's work. A stream that captures stays refused.
  static hipError_t ask_at_end(hipStream_t stream, hipError_t (*ask)(hipEvent_t),
                               hipError_t refused) noexcept {
    hipStreamCaptureStatus state{};
    if (hipStreamIsCapturing(stream, &state) != hipSuccess) return refused;
    int before = 0;
    const int device = hipGetStreamDeviceId(stream);
    if (state != hipStreamCaptureStatusNone || hipGetDevice(&before) != hipSuccess || device < 0 ||
        hipSetDevice(device) != hipSuccess) {
      return refused;
    }
    hipEvent_t event = nullptr;
    hipError_t status = hipEventCreateWithFlags(&event, hipEventDisableTiming);
    static_cast<void>(hipSetDevice(before));
    if (status != hipSuccess) return refused;
    status = hipEventRecord(event, stream);
    if (status == hipSuccess) status = ask(event);
    static_cast<void>(hipEventDestroy(event));
    return status;
  }
#else
  static constexpr bool is_mistaken(hipError_t) noexcept { return false; }
  static hipError_t ask_at_end(hipStream_t, hipError_t (*)(hipEvent_t),
                               hipError_t refused) noexcept {
    return refused;
  }
#endif
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
