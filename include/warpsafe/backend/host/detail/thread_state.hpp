// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>

namespace warpsafe::host {

/// What the runtime keeps per OS thread.
struct ThreadState {
  int device = 0;
  int capture_mode = 0;  // global: see exchange_capture_mode
  int last_error = 0;
  // What running work said when it failed, for the status that this thread was last given.
  int failure_status = 0;
  Name failure_text{};
};
[[nodiscard, gnu::visibility("default")]] inline ThreadState& thread_state() noexcept {
  static thread_local ThreadState state;
  return state;
}

}  // namespace warpsafe::host
