// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../runtime.hpp"

namespace stand_in_hip {

/// A stream argument: the stream that it names, if it is valid.
struct StreamArgument {
  Stream* stream = nullptr;  ///< null for the null stream
  bool valid = true;         ///< false for a destroyed stream or one never made
  bool destroyed = false;    ///< of the two
  int device = 0;            ///< its own, or the thread's for the null stream

  bool capturing() const {
    return stream != nullptr && stream->capture == hipStreamCaptureStatusActive;
  }
};

/// Resolves null, hipStreamPerThread and ordinary handles, and notes the stream in the record.
StreamArgument resolve(hipStream_t handle, CallNote& note);
/// Resolves a handle of a per-thread-default-stream entry point, where null means the thread's own.
hipStream_t per_thread(hipStream_t handle);
/// The answer for a stream that is not valid. @param what the call, for the line that says why the
/// process ends
hipError_t refuse(const StreamArgument& on, const StreamAnswers& answers, const char* what);
/// The answer of most functions for a stream that is not valid.
hipError_t refuse(const StreamArgument& on);
/// @return the live event, or null.
Event* live_event(hipEvent_t handle);

/// Appends the operation to the graph if the stream captures. @return true if it did, or if the
/// capture is invalid; `status` is then the status for the caller.
/// @param refused what the launch of the graph returns when it comes to the operation
bool captured(const StreamArgument& on, std::function<hipError_t()> operation, hipError_t& status,
              hipError_t refused = hipSuccess);

/// Breaks the stream's capture, in the releases that do.
void invalidate(Stream& stream);
/// CHECK_SUPPORTED_DURING_CAPTURE and CHECK_STREAM_CAPTURING, clr hip_internal.hpp:225 and :236:
/// from 6 on, invalidates every capture. @return whether there was one
bool invalidate_all_captures();
/// CHECK_STREAM_CAPTURE_SUPPORTED, clr hip_internal.hpp:201: allocations during a capture that is
/// not relaxed. From 6 on, it invalidates the captures. @return whether the call must be refused
bool unsafe_during_capture();
/// As for a thread of this mode.
bool unsafe_during_capture(hipStreamCaptureMode mode);
/// The same for a wait. @param mode of the last capture of the stream that the wait is for, which
/// counts in 5.7 (hip_stream.cpp, Stream::StreamCaptureOngoing)
bool unsafe_wait(hipStreamCaptureMode mode);
/// Whether a blocking copy or fill must be refused with hipErrorStreamCaptureImplicit.
bool refuses_blocking_copy();

}  // namespace stand_in_hip
