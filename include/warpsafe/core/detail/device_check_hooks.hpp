// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/limits.hpp>

// How launches and waits reach device_check.hpp: one pointer for the whole program, so a program
// without device checks pays one load.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

struct LaunchError;  // error/error.hpp

namespace detail {

class TextBuffer;  // core/detail/text.hpp

/// The status of a wait if the runtime reports no fault but a WARPSAFE_DEVICE_CHECK has failed. No
/// vendor uses this number.
inline constexpr int failed_check_status = -20260001;

/// How launches and waits reach device_check.hpp.
struct CheckHooks {
  /// Called before a checked launch: lets kernels on the device leave a record. Returns the
  /// runtime's status.
  int (*prepare)(Vendor vendor, int device) noexcept;
  /// Whether a kernel has left a record.
  bool (*failed)() noexcept;
  /// Moves the record into `error`, the error of a wait.
  void (*take)(LaunchError& error) noexcept;
  /// Writes a line about the record, if there is one, for a wait that does not end.
  void (*put)(TextBuffer& out) noexcept;
};

/// One variable for the whole program.
[[gnu::visibility("default")]] inline const CheckHooks* check_hooks_in_use = nullptr;

[[nodiscard, gnu::always_inline]] inline const CheckHooks* check_hooks() noexcept {
  return __atomic_load_n(&check_hooks_in_use, __ATOMIC_ACQUIRE);
}

/// The status of a wait, or that of a failed device check if the wait reports no fault.
[[nodiscard]] inline int status_with_device_check(int status) noexcept {
  const CheckHooks* const hooks = check_hooks();
  return status == 0 && hooks != nullptr && hooks->failed() ? failed_check_status : status;
}

}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
