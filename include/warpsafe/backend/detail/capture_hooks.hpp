// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/detail/calls_at.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/error/error.hpp>

#include <cstdint>

namespace warpsafe::detail {

/// While it lives, the calling thread may allocate, and wait for work that is in no capture, though
/// a stream captures somewhere: those calls are otherwise refused, and spoil that capture, since
/// they may stand for the use of a default stream (CUDA Runtime API,
/// cudaThreadExchangeStreamCaptureMode). What is done to a capturing stream itself is refused as
/// before.
template <class B>
class [[nodiscard]] RelaxedCaptureScope {
 public:
  RelaxedCaptureScope() noexcept : exchanged_(B::exchange_capture_mode(mode_) == 0) {}
  RelaxedCaptureScope(const RelaxedCaptureScope&) = delete;
  RelaxedCaptureScope& operator=(const RelaxedCaptureScope&) = delete;
  // The thread's own mode goes back to where it came from: there is nothing to report.
  ~RelaxedCaptureScope() {
    if (exchanged_) static_cast<void>(B::exchange_capture_mode(mode_));
  }

 private:
  int mode_ = B::relaxed_capture;  // until exchanged; then the one before
  bool exchanged_;
};

}  // namespace warpsafe::detail

// What the rest of the library tells of its calls while a capture is open. It is told through
// pointers, so that a program that captures nothing has no more of it than one load where it waits.

namespace warpsafe::detail {

struct CaptureHooks {
  /// A call of the runtime or of a library failed: it may be the one that broke a capture.
  void (*failed)(const LaunchError& error) noexcept;
  /// Whether waiting for this stream or event (nullptr: neither), or asking about it, would break a
  /// capture; what is wrong is then put into `error`. `relaxed`: the calling thread has said to the
  /// runtime that it knows what it does.
  bool (*refuses)(const void* stream, const void* event, bool relaxed, LaunchError& error) noexcept;
  void (*recorded)(const void* event, void* stream) noexcept;
  /// Around a stream's wait for an event: `before` is what `waiting` returned.
  std::uint64_t (*waiting)(void* stream) noexcept;
  void (*waited)(void* stream, const void* event, std::uint64_t before, call_site site) noexcept;
  /// A checked launch: its pointers are the graph's to look after.
  void (*launched)(const void* stream, const KernelEntry& entry, void* const* args) noexcept;
};

/// Not nullptr while a capture is open that this library began, in any thread. One variable for the
/// whole program.
[[gnu::visibility("default")]] inline const CaptureHooks* capture_hooks = nullptr;

[[nodiscard, gnu::always_inline]] inline const CaptureHooks* open_captures() noexcept {
  return __atomic_load_n(&capture_hooks, __ATOMIC_ACQUIRE);
}
inline void report_to_captures(const LaunchError& error) noexcept {
  if (const CaptureHooks* const hooks = open_captures()) hooks->failed(error);
}

[[gnu::cold, gnu::noinline]] inline LaunchError not_in_capture(Vendor vendor, Name operation,
                                                               call_site site) noexcept {
  LaunchError error = LaunchError::make(Errc::stream_capturing, Stage::validation, site);
  error.vendor = vendor;
  error.operation = operation;
  return error;
}

/// Whether a call that waits, asks or allocates would break a capture; the call is then not to be
/// made, and `error` says why. `stream` and `event` are what it is about, or nullptr. Level full
/// asks the driver besides about a stream that other code may be capturing.
template <class B, CheckLevel Level>
[[nodiscard]] bool breaks_capture(typename B::native_stream stream, typename B::native_event event,
                                  Name operation, call_site site, LaunchError& error) noexcept {
  using Calls = CallsAt<B, Level>;
  if (const CaptureHooks* const hooks = open_captures()) [[unlikely]] {
    error = not_in_capture(B::vendor, operation, site);
    int mode = B::relaxed_capture;  // until exchanged; then the thread's own
    const bool exchanged = Calls::exchange_capture_mode(mode) == 0;
    const bool relaxed = exchanged && mode == B::relaxed_capture;
    if (exchanged) static_cast<void>(Calls::exchange_capture_mode(mode));
    if (hooks->refuses(stream, event, relaxed, error)) return true;
  }
  if constexpr (Level == CheckLevel::full) {
    bool capturing = false;
    // A failure of the question is the call's own to report.
    if (stream != nullptr && Calls::stream_capturing(stream, capturing) == 0 && capturing) {
      error = not_in_capture(B::vendor, operation, site);
      error.stream = stream;
      return true;
    }
  }
  return false;
}

}  // namespace warpsafe::detail
