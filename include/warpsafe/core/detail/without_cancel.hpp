// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

// POSIX's function, by a name of its own: <pthread.h> would cost every file that launches more.
int set_cancel_state(int state, int* before) noexcept asm("pthread_setcancelstate");
inline constexpr int cancel_disabled = 1;  ///< PTHREAD_CANCEL_DISABLE

/// During its lifetime nobody cancels the calling thread (pthread_cancel): that would end the
/// program in a function that throws nothing. The thread is cancelled at its next wait outside.
/// Held wherever the library itself sleeps, waits or writes.
class WithoutCancel {
 public:
  WithoutCancel() noexcept { set_cancel_state(cancel_disabled, &before_); }
  WithoutCancel(const WithoutCancel&) = delete;
  WithoutCancel& operator=(const WithoutCancel&) = delete;
  ~WithoutCancel() { set_cancel_state(before_, nullptr); }

 private:
  int before_ = 0;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
