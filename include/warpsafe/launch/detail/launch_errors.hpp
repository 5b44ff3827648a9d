// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/capture_hooks.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/stream/stream.hpp>

#include <cstddef>

// The errors that a launch can end with, each made out of line.

namespace warpsafe::detail {

/// Puts the launch beside a problem that a check has found, for the caller to read.
template <class B, class K>
[[gnu::cold, gnu::noinline]] LaunchError& report_refusal(LaunchError& error,
                                                         const LaunchShape& shape,
                                                         const Located<B>& at, K kernel) noexcept {
  error.kernel = kernel.name();
  error.site = at.site;
  error.stream = at.stream.native();
  error.with_shape(shape);
  if (error.device < 0 || error.code == Errc::stream_wrong_device) {
    error.device = at.stream.device().value();
  }
  if (error.device_name.empty()) error.device_name = device_name<B>(error.device);
  return error;
}

template <class B, class K>
[[gnu::cold, gnu::noinline]] result<void> refused_configuration(const LaunchError& error,
                                                                const Located<B>& at,
                                                                K kernel) noexcept {
  result<void> refused = failure<void>(error);
  LaunchError& told = ResultPolicy::error_in(refused);
  if (told.kernel.empty()) told.kernel = kernel.name();
  told.stream = at.stream.native();
  if (told.site.file == nullptr) told.site = at.site;
  return refused;
}

/// The numbers of a launch, from what carries them.
[[nodiscard]] constexpr const LaunchShape& shape_of(const LaunchShape& shape) noexcept {
  return shape;
}
template <class Config>
[[nodiscard, gnu::always_inline]] constexpr LaunchShape shape_of(const Config& config) noexcept {
  return config.shape();
}

/// The runtime refused the launch, or says at this launch that earlier work has failed. What it
/// reads of the launch by reference, it finds in memory: that costs a launch one store for what is
/// known only at run time, and nothing for what the types say; kept in registers across the call,
/// it would cost three instructions each.
template <class B, class Shaped>
[[gnu::cold, gnu::noinline]] result<void> launch_failed(int status, const Shaped& shaped,
                                                        const basic_stream_ref<B>& stream,
                                                        const char* kernel, std::size_t kernel_size,
                                                        const char* file, const char* function,
                                                        unsigned line) noexcept {
  LaunchError error = runtime_error<B>(status, Name{}, {file, function, line}, Stage::launch);
  if (error.code == Errc::runtime_failed) error.code = Errc::launch_refused;
  error.kernel = {kernel, kernel_size};
  error.with_shape(shape_of(shaped));
  error.stream = stream.native();
  error.device = stream.device().value();
  tell_captures(error);
  return failure<void>(error);
}

}  // namespace warpsafe::detail
