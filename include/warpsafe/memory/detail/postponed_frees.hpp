// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>

// Frees that wait for the end of a capture, which would refuse them, or for the first launch of the
// graph that allocates the memory.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Runs the frees that were postponed (DeviceMemory). nullptr until a free was postponed, because a
/// program that captures need not have buffers.
template <class B>
[[gnu::visibility("default")]] inline void (*postponed_frees)(const void* existing) noexcept =
    nullptr;

/// How often run_postponed_frees was called.
template <class B>
[[gnu::visibility("default")]] inline unsigned long postponed_free_runs = 0;

/// Called at the end of a capture, and after a launch of a graph that allocates memory. `existing`:
/// the stream of the call.
template <class B>
void run_postponed_frees(const void* existing) noexcept {
  __atomic_add_fetch(&postponed_free_runs<B>, 1, __ATOMIC_SEQ_CST);
  if (auto* const run = __atomic_load_n(&postponed_frees<B>, __ATOMIC_SEQ_CST)) run(existing);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
