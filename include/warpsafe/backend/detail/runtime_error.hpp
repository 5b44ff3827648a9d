// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/detail/capture_hooks.hpp>
#include <warpsafe/core/detail/debug_hooks.hpp>
#include <warpsafe/error/error.hpp>

#include <cstdint>

namespace warpsafe::detail {

/// Whether a status tells of a fault in work that was submitted before, by whatever call.
[[nodiscard]] constexpr bool is_of_earlier_work(const LaunchError& error) noexcept {
  return error.severity == Severity::context_lost || error.code == Errc::execution_failed ||
         error.code == Errc::pending_error || error.code == Errc::barrier_divergence;
}

/// The error of a runtime call that failed, with the runtime's own words. `device` is the one that
/// the call was about, where that is known: a fault has its suspects there.
template <class B>
[[gnu::cold, gnu::noinline]] LaunchError runtime_error(int status, Name operation, call_site site,
                                                       Stage stage = Stage::runtime_call,
                                                       int device = -1) noexcept {
  // One error from here to its end: each copy is 400 bytes of code in every translation unit.
  LaunchError error = LaunchError::make(Errc::device_check_failed, stage, site);
  if (const CheckHooks* const checks = check_hooks();
      status == failed_check_status && checks != nullptr) {
    checks->take(error);
    error.vendor = B::vendor;
    if (const DebugHooks* const hooks = debug_hooks()) hooks->noticed(error, device, false);
    return error;
  }
  error.code = B::classify(status);
  error.severity = B::severity_of(status);
  error.vendor = B::vendor;
  error.raw = status;
  error.raw_name = B::error_name(status);
  error.raw_text = B::error_text(status);
  error.operation = operation;
  // Work runs after the launch has returned: what a launch is told of running work is not its own.
  const bool launching = stage == Stage::launch || stage == Stage::validation;
  // No runtime answers a wait with that: it was given up (waiting.hpp).
  if (status == B::not_ready && stage == Stage::completion) error.code = Errc::wait_timed_out;
  if (launching && error.code == Errc::execution_failed) error.code = Errc::pending_error;
  // A launch that failed first has to say in the journal that it never ran (debug/observer.hpp).
  if (const DebugHooks* const hooks = debug_hooks(); hooks != nullptr && stage != Stage::launch) {
    hooks->noticed(error, device, is_of_earlier_work(error));
  }
  // Which kernel it was is not known yet here for a launch: launch_failed tells it.
  if (stage != Stage::launch) report_to_captures(error);
  return error;
}

/// The same for a question about a kernel: some runtimes answer with a code that means something
/// else elsewhere where they do not know the function at all.
template <class B>
[[gnu::cold, gnu::noinline]] LaunchError kernel_error(int status, Name operation, call_site site,
                                                      Stage stage = Stage::runtime_call) noexcept {
  LaunchError error = runtime_error<B>(status, operation, site, stage);
  if constexpr (requires { B::unknown_function; }) {
    if (status == B::unknown_function) error.code = Errc::not_a_kernel;
  }
  return error;
}

/// The name of a device for an error's text, where the backend can tell.
template <class B>
[[nodiscard]] Name device_name(int device) noexcept {
  if constexpr (requires { B::device_name(device); }) {
    return B::device_name(device);
  } else {
    DeviceLimits limits;
    return B::limits_of(device, limits) == 0 ? limits.name : Name{};
  }
}

}  // namespace warpsafe::detail
