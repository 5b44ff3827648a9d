// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/capture_state.hpp>
#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/backend/host/detail/thread_state.hpp>

#include <utility>

// The calls that a capture forbids. The statuses are those of CUDA 13.0 on an H200, as in the
// transcript of the tests. All functions return a status. @pre the runtime's mutex is held

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// For a call that may wait, that frees memory which running work uses, or that makes or destroys
/// an executable graph: breaks the captures that forbid it.
[[nodiscard]] inline int unsafe_call(Runtime& runtime) {
  const auto mine = static_cast<CaptureMode>(thread_state().capture_mode);
  bool refused = false;
  for (const auto& capture : runtime.captures) {
    const bool by_this_thread = capture->thread == pthread_self();
    const bool forbids = by_this_thread
                             ? capture->mode != CaptureMode::relaxed && mine != CaptureMode::relaxed
                             : capture->mode == CaptureMode::global && mine == CaptureMode::global;
    if (!forbids) continue;
    capture->broken = true;
    refused = true;
  }
  return raw(refused ? HostStatus::stream_capture_unsupported : HostStatus::success);
}

/// For a call that is forbidden on a capturing stream in every mode.
[[nodiscard]] inline int check_not_capturing(StreamState& stream) {
  if (stream.capture == nullptr) return 0;
  stream.capture->broken = true;
  return raw(HostStatus::stream_capture_unsupported);
}

/// For a use of a legacy stream, which would order it with the blocking streams of its device,
/// while one of those captures. `breaks`: it breaks their captures; a query whether the stream
/// captures does not (CUDA Runtime API, cudaStreamIsCapturing; the rest on an H200, driver 580).
[[nodiscard]] inline int check_implicit(const Runtime& runtime, const StreamState& stream,
                                        bool breaks) {
  if (!stream.is_default) return 0;
  int status = 0;
  for (const auto& [key, other] : runtime.streams) {
    if (!other->blocking || &other->device != &stream.device || other->capture == nullptr) continue;
    if (breaks) other->capture->broken = true;
    status = raw(HostStatus::stream_capture_implicit);
  }
  return status;
}

/// For waiting for a stream, event or device, or querying it, and for allocating or freeing in the
/// order of a stream.
[[nodiscard]] inline int check_query(Runtime& runtime, StreamState& stream) {
  return stream.capture == nullptr ? unsafe_call(runtime) : check_not_capturing(stream);
}
[[nodiscard]] inline int check_query(Runtime& runtime, EventState& event) {
  if (event.capture == nullptr) return unsafe_call(runtime);
  event.capture->broken = true;
  return raw(HostStatus::captured_event);
}
[[nodiscard]] inline int check_query(Runtime& runtime, const Device& device) {
  int status = 0;
  for (const auto& [key, stream] : runtime.streams) {
    if (&stream->device == &device && check_not_capturing(*stream) != 0) {
      status = raw(HostStatus::stream_capture_unsupported);
    }
  }
  return status != 0 ? status : unsafe_call(runtime);
}

/// Adds a stream that waits for an event of a capture to that capture.
[[nodiscard]] inline int join(StreamState& stream, EventState& event) {
  if (stream.capture != nullptr && stream.capture != event.capture) {
    stream.capture->broken = true;
    event.capture->broken = true;
    return raw(HostStatus::stream_capture_merge);
  }
  NodeSet tail = stream.capture == nullptr ? event.tail : union_of(stream.tail, event.tail);
  stream.capture = event.capture;
  stream.tail = std::move(tail);
  return 0;
}

/// Ends the capture for all its streams. `capture` is passed by value, since the caller's reference
/// may lie in the list from which it is removed.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
inline void end_capture(Runtime& runtime, Shared<CaptureWork> capture) {
  capture->ended = true;
  for (const auto& [key, stream] : runtime.streams) {
    if (stream->capture != capture) continue;
    stream->capture = nullptr;
    stream->tail.clear();
  }
  runtime.captures.erase_if([&](const auto& one) { return one == capture; });
}

/// A stream is destroyed while it captures. Only the origin of a capture can end it.
inline void abandon_capture(Runtime& runtime, StreamState& stream) {
  const Shared<CaptureWork> capture = stream.capture;
  if (capture == nullptr) return;
  capture->broken = true;
  if (capture->origin == &stream) end_capture(runtime, capture);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
