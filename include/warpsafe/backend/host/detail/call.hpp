// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/calls.hpp>
#include <warpsafe/backend/host/detail/exceptions.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/backend/host/detail/status.hpp>
#include <warpsafe/backend/host/detail/thread_state.hpp>

#include <mutex>

namespace warpsafe::host {

/// Runs one call of a program: counts it, fails it if a test asked for that, runs `body(runtime,
/// lock)` otherwise, and leaves a failure in the thread's last-error slot, which a success does not
/// touch.
template <class Body>
int call(Call which, Body&& body) noexcept {
  const int status = guarded(
      [&] {
        Runtime& runtime = Runtime::get();
        if (const int why = runtime.unavailable(); why != 0) return why;
        std::unique_lock lock(runtime.mutex);
        const bool scheduled = runtime.scheduler != nullptr && !asks_for_facts(which);
        if (scheduled) runtime.scheduler->begin_call(lock);
        const int injected = runtime.book.enter(which);
        return injected != 0 ? injected : static_cast<int>(body(runtime, lock));
      },
      raw(HostStatus::out_of_memory));
  // An unfinished query is an answer, not a failure.
  if (status != 0 && status != raw(HostStatus::not_ready)) thread_state().last_error = status;
  return status;
}

}  // namespace warpsafe::host
