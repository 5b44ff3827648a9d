// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/call_site.hpp>
#include <warpsafe/core/limits.hpp>

namespace warpsafe {

struct LaunchError;

namespace detail {

/// What a wait returns where the runtime has no fault and a WARPSAFE_DEVICE_CHECK has failed: no
/// vendor's number.
inline constexpr int failed_check_status = -20260001;

/// What launches and waits ask of device_check.hpp, through a pointer: a program without a check in
/// its kernels has one load where it waits, and where it launches with checks.
struct CheckHooks {
  /// Before a checked launch: the kernels of the device can leave a record. The runtime's status.
  int (*prepare)(Vendor vendor, int device) noexcept;
  /// Whether a kernel has left one.
  bool (*failed)() noexcept;
  /// Takes it, as the error of a wait.
  void (*take)(LaunchError& error) noexcept;
};

/// One variable for the whole program.
[[gnu::visibility("default")]] inline const CheckHooks* check_hooks_in_use = nullptr;

[[nodiscard]] inline const CheckHooks* check_hooks() noexcept {
  return __atomic_load_n(&check_hooks_in_use, __ATOMIC_ACQUIRE);
}

/// The status of a wait, or that of a failed check if the wait found no fault.
[[nodiscard]] inline int or_failed_check(int status) noexcept {
  const CheckHooks* const hooks = check_hooks();
  return status == 0 && hooks != nullptr && hooks->failed() ? failed_check_status : status;
}

}  // namespace detail

}  // namespace warpsafe
