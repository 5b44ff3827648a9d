// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/stream/stream_ref.hpp>

// The errors of a launch: of its configuration, of a check, and of the runtime. Each is made out of
// line.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The error of a launch whose configuration is an error.
template <class B>
[[WARPSAFE_DETAIL_RARE]] result<void> refused_configuration(const LaunchError& error,
                                                            const Located<B>& at,
                                                            Name kernel) noexcept {
  result<void> refused = failure<void>(error);
  LaunchError& own = UnwrapWithTryOrValue::error_in(refused);
  if (own.kernel.empty()) own.kernel = kernel;
  own.stream = at.stream.native();
  if (own.site.file == nullptr) own.site = at.site;
  return refused;
}

/// Adds the launch to the error of a check: kernel, place, stream, dimensions and device.
template <class B>
[[WARPSAFE_DETAIL_RARE]] LaunchError& report_refusal(LaunchError& error, const LaunchShape& shape,
                                                     const Located<B>& at, Name kernel) noexcept {
  error.kernel = kernel;
  error.site = at.site;
  error.stream = at.stream.native();
  error.with_shape(shape);
  if (error.device < 0 || error.code == Errc::stream_wrong_device) {
    error.device = at.stream.device().value();
  }
  if (error.device_name.empty()) error.device_name = device_name<B>(error.device);
  return error;
}

/// Makes the error of a launch that the runtime refused, or at which earlier work was found to
/// fail.
template <class B>
[[WARPSAFE_DETAIL_RARE]] void launch_failed(int status, const LaunchShape& shape,
                                            const Located<B>& at, Name kernel,
                                            LaunchError& error) noexcept {
  error = runtime_error<B>(status, Name{}, at.site, Stage::launch);
  if (error.code == Errc::runtime_failed) error.code = Errc::launch_refused;
  error.kernel = kernel;
  error.with_shape(shape);
  error.stream = at.stream.native();
  error.device = at.stream.device().value();
  report_to_captures(error);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
