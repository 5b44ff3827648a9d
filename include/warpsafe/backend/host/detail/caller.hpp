// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/name.hpp>

#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// The user's line that an operation comes from, if known, and the kernel that it launches.
struct Caller {
  call_site site{nullptr, nullptr, 0};
  Name kernel{nullptr, 0};
};
/// The call of the user that a thread makes, as detail::CallScope tells it.
struct CurrentCaller : Caller {
  const std::uint64_t* windows = nullptr;  ///< of the launch's parameters
};
[[nodiscard, gnu::visibility("default")]] inline CurrentCaller& caller() noexcept {
  static thread_local CurrentCaller current;
  return current;
}

/// The members of a backend that records callers.
struct CallerCalls {
  using caller = CurrentCaller;
  /// Keeps the outermost line, which the user wrote. Returns the value for leave_call.
  static CurrentCaller enter_call(const call_site& site, Name kernel,
                                  const std::uint64_t* windows) noexcept {
    CurrentCaller& current = host::caller();
    const CurrentCaller outer = current;
    if (current.site.file == nullptr) current.site = site;
    if (!kernel.empty()) current.kernel = kernel;
    current.windows = windows;
    return outer;
  }
  static void leave_call(const CurrentCaller& outer) noexcept { host::caller() = outer; }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
