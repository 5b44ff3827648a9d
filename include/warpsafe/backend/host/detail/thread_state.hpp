// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/call_site.hpp>
#include <warpsafe/core/name.hpp>

namespace warpsafe::host {

/// The user's line that a call comes from, if known, and the kernel that it launches.
struct Caller {
  call_site site{nullptr, nullptr, 0};
  Name kernel{nullptr, 0};
};

/// The caller of this thread, set by detail::CallScope.
[[nodiscard, gnu::visibility("default")]] inline Caller& caller() noexcept {
  static thread_local Caller current;
  return current;
}

/// The members of a backend that records callers.
struct CallerCalls {
  using caller = Caller;
  /// Keeps the outermost line, which the user wrote. Returns the value for leave_call.
  static Caller enter_call(const call_site& site, Name what) noexcept {
    Caller& current = host::caller();
    const Caller outer = current;
    if (current.site.file == nullptr) current.site = site;
    if (!what.empty()) current.kernel = what;
    return outer;
  }
  static void leave_call(const Caller& outer) noexcept { host::caller() = outer; }
};

/// The runtime's state of each OS thread.
struct ThreadState {
  int device = 0;
  int capture_mode = 0;  // global: see exchange_capture_mode
  int last_error = 0;
  // The text of the work failure that this thread was given last.
  int failure_status = 0;
  Name failure_text{};
};
[[nodiscard, gnu::visibility("default")]] inline ThreadState& thread_state() noexcept {
  static thread_local ThreadState state;
  return state;
}

}  // namespace warpsafe::host
