// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>

// What the host runtime keeps for each OS thread that calls it.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// The runtime's state of each OS thread.
struct ThreadState {
  int device = 0;
  int capture_mode = 0;  // global: see exchange_capture_mode
  int last_error = 0;
  // The text of the last work failure that a call returned to this thread.
  int failure_status = 0;
  Name failure_text{};
};
[[nodiscard, gnu::visibility("default")]] inline ThreadState& thread_state() noexcept {
  static thread_local ThreadState state;
  return state;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
