// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/error.hpp>

#include <cstdint>

namespace warpsafe::detail {

/// The error of a runtime call that failed, with the runtime's own words.
template <class B>
[[gnu::cold, gnu::noinline]] LaunchError runtime_error(int status, Name operation, call_site site,
                                                       Stage stage = Stage::runtime_call) noexcept {
  LaunchError error = LaunchError::make(B::classify(status), stage, site);
  error.severity = B::severity_of(status);
  error.vendor = B::vendor;
  error.raw = status;
  error.raw_name = B::error_name(status);
  error.raw_text = B::error_text(status);
  error.operation = operation;
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
