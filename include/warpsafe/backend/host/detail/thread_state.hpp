// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/call_site.hpp>
#include <warpsafe/core/name.hpp>

namespace warpsafe::host {

/// Which line of the user's a call comes from, as far as that is known, and which kernel it
/// launches.
struct Caller {
  call_site site{nullptr, nullptr, 0};
  Name kernel{nullptr, 0};
};

/// The calling thread's, kept by detail::CallScope.
[[nodiscard, gnu::visibility("default")]] inline Caller& caller() noexcept {
  static thread_local Caller current;
  return current;
}

/// What makes a backend one that asks for places.
struct CallerCalls {
  using caller = Caller;
  /// The outermost line counts: the one that the user wrote. Returns what to leave with.
  static Caller enter_call(const call_site& site, Name what) noexcept {
    Caller& current = host::caller();
    const Caller outer = current;
    if (current.site.file == nullptr) current.site = site;
    if (!what.empty()) current.kernel = what;
    return outer;
  }
  static void leave_call(const Caller& outer) noexcept { host::caller() = outer; }
};

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
