// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/observing.hpp>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail {

/// RelaxedCaptureScope for a tool: during its lifetime the calling thread may wait, copy and query
/// while a stream captures somewhere. A tool must break no capture of the program.
class [[nodiscard]] OutsideCaptures {
 public:
  explicit OutsideCaptures(const warpsafe::detail::BackendCalls& calls) noexcept
      : exchange_(calls.exchange_capture_mode), mode_(calls.relaxed_capture) {
    if (exchange_ != nullptr && exchange_(mode_) != 0) exchange_ = nullptr;
  }
  OutsideCaptures(const OutsideCaptures&) = delete;
  OutsideCaptures& operator=(const OutsideCaptures&) = delete;
  // Restores the thread's own mode; an error could not be returned.
  ~OutsideCaptures() {
    if (exchange_ != nullptr) static_cast<void>(exchange_(mode_));
  }

 private:
  int (*exchange_)(int& mode) noexcept;
  int mode_;  // the thread's own once exchanged
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail
