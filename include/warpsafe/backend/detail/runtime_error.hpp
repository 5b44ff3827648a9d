// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/dropped_error.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/core/detail/device_check_hooks.hpp>
#include <warpsafe/error/error.hpp>

#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// tell_observers_of_error, once the program has an observer (launch/detail/watched_launch.hpp).
[[gnu::visibility("default")]] inline void (*error_watcher)(LaunchError& error, int device,
                                                            bool earlier_work) noexcept = nullptr;
/// Tells the observers of a new error, which they may complete.
[[gnu::always_inline]] inline void tell_runtime_error(LaunchError& error, int device,
                                                      bool earlier_work) noexcept {
  const auto tell = __atomic_load_n(&error_watcher, __ATOMIC_ACQUIRE);
  if (tell != nullptr) tell(error, device, earlier_work);
}

/// The error of an operation that was refused: no runtime or library was called.
[[WARPSAFE_DETAIL_RARE]] inline LaunchError refused_operation(Errc code, Vendor vendor,
                                                              Name operation,
                                                              const call_site& site) noexcept {
  LaunchError error = LaunchError::make(code, Stage::validation, site);
  error.vendor = vendor;
  error.operation = operation;
  return error;
}

/// The error of a failed runtime call, with the runtime's own text. Pass the `device` of the call
/// if it is known, so that a fault is matched with suspects on that device.
template <class B>
[[WARPSAFE_DETAIL_RARE]] LaunchError runtime_error(int status, Name operation, call_site site,
                                                   Stage stage = Stage::runtime_call,
                                                   int device = -1) noexcept {
  // One error is constructed and returned: each copy takes 400 bytes of code in every file.
  LaunchError error = LaunchError::make(Errc::device_check_failed, stage, site);
  if (const CheckHooks* const checks = check_hooks();
      status == failed_check_status && checks != nullptr) {
    checks->take(error);
    error.vendor = B::vendor;
    static_cast<void>(count_fault(error, device));
    tell_runtime_error(error, device, false);
    return error;
  }
  error.code = B::classify(status);
  error.severity = B::severity_of(status);
  error.vendor = B::vendor;
  error.raw = status;
  error.raw_name = B::error_name(status);
  error.raw_text = B::error_text(status);
  error.operation = operation;
  // Work runs after its launch has returned, so a fault reported by a launch belongs to earlier
  // work.
  const bool launching = stage == Stage::launch || stage == Stage::validation;
  // No runtime returns not_ready from a wait: the wait was abandoned (waiting.hpp).
  if (status == B::not_ready && stage == Stage::completion) error.code = Errc::wait_timed_out;
  if (launching && error.code == Errc::execution_failed) error.code = Errc::pending_error;
  const bool earlier = count_fault(error, device);
  // The observers get the error of a launch with the end of the launch.
  if (stage != Stage::launch) tell_runtime_error(error, device, earlier);
  // For a launch, launch_failed reports it once the kernel is known.
  if (stage != Stage::launch) report_to_captures(error);
  return error;
}

/// Prints the error of what a destructor did, if `status` says that it failed. A failed device
/// check stays for the program's next wait. `device`: as of print_dropped.
template <class B>
[[gnu::always_inline]] inline void report_dropped(int status, Name operation, const char* advice,
                                                  int device = -1) noexcept {
  if (status != 0 && status != failed_check_status) [[unlikely]] {
    print_dropped(runtime_error<B>(status, operation, {}, Stage::runtime_call, device), advice,
                  device);
  }
}

/// The error of a failed query about a kernel. Some runtimes return a status with another general
/// meaning if they do not know the function.
template <class B>
[[WARPSAFE_DETAIL_RARE]] LaunchError kernel_error(int status, Name operation, call_site site,
                                                  Stage stage = Stage::runtime_call) noexcept {
  LaunchError error = runtime_error<B>(status, operation, site, stage);
  if constexpr (requires { B::unknown_function; }) {
    if (status == B::unknown_function) error.code = Errc::not_a_kernel;
  }
  return error;
}

/// The name of a device for the text of an error; empty if the backend does not know it.
template <class B>
[[nodiscard, WARPSAFE_DETAIL_RARE]] Name device_name(int device) noexcept {
  if constexpr (requires { B::device_name(device); }) {
    return B::device_name(device);
  }
  DeviceLimits limits;
  return B::limits_of(device, limits) == 0 ? limits.name : Name{};
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
