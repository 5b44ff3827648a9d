// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

namespace warpsafe::detail {

/// While it lives, the calling thread may allocate, and wait for work that is in no capture, though
/// a stream captures somewhere: those calls are otherwise refused, and spoil that capture, since
/// they may stand for the use of a default stream (CUDA Runtime API,
/// cudaThreadExchangeStreamCaptureMode). What is done to a capturing stream itself is refused as
/// before.
template <class B>
class [[nodiscard]] Uncaptured {
 public:
  Uncaptured() noexcept : exchanged_(B::exchange_capture_mode(mode_) == 0) {}
  Uncaptured(const Uncaptured&) = delete;
  Uncaptured& operator=(const Uncaptured&) = delete;
  // The thread's own mode goes back to where it came from: there is nothing to report.
  ~Uncaptured() {
    if (exchanged_) static_cast<void>(B::exchange_capture_mode(mode_));
  }

 private:
  int mode_ = B::relaxed_capture;  // until exchanged; then the one before
  bool exchanged_;
};

}  // namespace warpsafe::detail
