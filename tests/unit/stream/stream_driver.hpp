// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "scripted_runtime.hpp"
#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/stream/stream.hpp>

#include <cstdint>

namespace warpsafe::core_test {

/// A scripted runtime whose streams and events are scripted too.
struct StreamDriver : ScriptedRuntime {
  static inline int streams_device = 0;
  static inline bool answers = true;  ///< whether a query that succeeds gives an answer
  static inline std::uintptr_t streams = 0;
  static inline float elapsed = 0;

  static int current_device(int& device) noexcept {
    const int status = script.status_of("current_device");
    if (status == 0) device = script.device;
    return status;
  }
  static int device_count(int& count) noexcept {
    const int status = script.status_of("device_count");
    if (status == 0) count = 3;
    return status;
  }
  static int exchange_capture_mode(int& mode) noexcept {
    if (const int status = script.call("exchange_capture_mode")) return status;
    return ScriptedRuntime::exchange_capture_mode(mode);
  }
  static int stream_create(native_stream& stream, int priority) noexcept {
    stream = handle<native_stream>(++streams);
    return script.call("stream_create", priority);
  }
  static int stream_device(native_stream stream, int& device) noexcept {
    const int status = script.call("stream_device", stream);
    if (status == 0) device = streams_device;
    return status;
  }
  static int stream_capturing(native_stream stream, bool& capturing) noexcept {
    if (answers) capturing = script.capturing.contains(stream);
    return script.status_of("stream_capturing");
  }
  static int stream_query(native_stream stream) noexcept {
    return script.call("stream_query", stream);
  }
  static int event_query(native_event event) noexcept { return script.call("event_query", event); }
  static int event_elapsed(float& ms, native_event begin, native_event end) noexcept {
    const int status = script.call("event_elapsed", begin, end);
    if (status == 0) ms = elapsed;
    if (status == not_ready) script.fails.erase("event_elapsed");
    return status;
  }
  static basic_stream_ref<StreamDriver> stream(std::uintptr_t number, int device = 0) {
    return detail::StreamAccess::make<StreamDriver>(handle<void*>(number), device,
                                                    detail::StreamNumber(number));
  }
};

/// While one exists, the debug tools' functions note what they are told: "waits handle device
/// may_stop" and "reached stream device time". The time of the n-th question is n.
class NotedWaits {
 public:
  NotedWaits() {
    time = 0;
    watches = one_stream = false;
    hooks_.begin_wait = [](void*) noexcept { return ++time; };
    hooks_.wait = [](void*, const detail::WaitCalls&, void* handle,
                     const detail::WaitTarget& place) noexcept {
      return script.call("waits", handle, place.device, place.may_stop);
    };
    hooks_.watches_waits = [](void*) noexcept { return watches; };
    hooks_.reached = [](void*, Vendor, std::int32_t device, std::uint64_t stream,
                        std::uint64_t began) noexcept {
      script.call("reached", stream, device, began);
    };
    hooks_.one_stream = [](void*) noexcept { return one_stream; };
    __atomic_store_n(&detail::observers_in_use, &hooks_, __ATOMIC_RELEASE);
  }
  ~NotedWaits() { __atomic_store_n(&detail::observers_in_use, before_, __ATOMIC_RELEASE); }
  NotedWaits(const NotedWaits&) = delete;
  NotedWaits& operator=(const NotedWaits&) = delete;
  static inline std::uint64_t time = 0;
  static inline bool watches = false;
  static inline bool one_stream = false;

 private:
  Observer* const before_ = detail::observers_in_use;
  Observer hooks_{};
};

/// While one exists, a capture is open in some thread. It refuses each wait that it is asked about,
/// if `refuses`, and notes in which mode the calling thread is.
class OpenCapture {
 public:
  OpenCapture() {
    refuses = false;
    hooks_.failed = [](const LaunchError&) noexcept {};
    hooks_.refuses = [](detail::WhichStream, const void*, bool relaxed, LaunchError&) noexcept {
      script.call(relaxed ? "asked_relaxed" : "asked_strict");
      return refuses;
    };
    hooks_.recorded = [](const void*, detail::WhichStream) noexcept { return number; };
    hooks_.is_open = [](std::uint64_t capture) noexcept { return capture == number; };
    hooks_.waiting = [](detail::WhichStream) noexcept { return std::uint64_t{7}; };
    hooks_.waited = [](detail::WhichStream stream, const void* event, std::uint64_t before,
                       call_site) noexcept { script.call("joined", stream.handle, event, before); };
    __atomic_store_n(&detail::capture_hooks, &hooks_, __ATOMIC_RELEASE);
  }
  ~OpenCapture() { __atomic_store_n(&detail::capture_hooks, before_, __ATOMIC_RELEASE); }
  OpenCapture(const OpenCapture&) = delete;
  OpenCapture& operator=(const OpenCapture&) = delete;
  static constexpr std::uint64_t number = 5;
  static inline bool refuses = false;

 private:
  const detail::CaptureHooks* before_ = detail::open_captures();
  detail::CaptureHooks hooks_{};
};

class StreamDriverTest : public ScriptedTest {
 protected:
  using Driver = StreamDriver;
  using DriverStream = basic_stream<StreamDriver>;
  StreamDriverTest() {
    Driver::streams_device = 0;
    Driver::answers = true;
    Driver::streams = 0;
    Driver::elapsed = 0;
  }
};

}  // namespace warpsafe::core_test
