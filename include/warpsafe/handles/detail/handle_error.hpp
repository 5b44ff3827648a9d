// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/calls_at.hpp>
#include <warpsafe/backend/detail/capture_hooks.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/call_site.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/handles/handle_traits.hpp>
#include <warpsafe/stream/detail/stream_there.hpp>
#include <warpsafe/stream/stream.hpp>

#include <cstdint>

// What a library's handle refuses, and what its library says, as errors.

namespace warpsafe::detail {

/// The error of a library's function, with the library's own words.
template <class Traits>
[[gnu::cold, gnu::noinline]] LaunchError library_error(
    typename Traits::status status, Name function,
    basic_stream_ref<typename Traits::backend> stream, call_site site) noexcept {
  LaunchError error = LaunchError::make(Errc::library_failed, Stage::runtime_call, site);
  error.raw = static_cast<std::int32_t>(status);
  error.raw_name = Traits::status_name(status);
  error.raw_text = Traits::status_text(status);
  error.operation = function;
  error.vendor = Traits::backend::vendor;
  error.stream = stream.native();
  error.device = stream.device().value();
  tell_captures(error);
  return error;
}
/// The same for what StreamBound does with a handle beside calling functions.
template <class Traits, HandleStep Step>
[[nodiscard]] LaunchError step_error(typename Traits::status status,
                                     basic_stream_ref<typename Traits::backend> stream,
                                     call_site site) noexcept {
  return library_error<Traits>(status, StepName<Traits, Step>::value, stream, site);
}

template <class Traits>
[[nodiscard]] bool library_failed(typename Traits::status value) noexcept {
  if constexpr (requires { Traits::is_success(value); }) {
    return !Traits::is_success(value);
  } else {
    return value != static_cast<typename Traits::status>(0);
  }
}

/// The error of an operation on a handle that was refused: the library was not asked.
template <class B>
[[nodiscard]] LaunchError handle_refused(Errc code, Name operation, basic_stream_ref<B> stream,
                                         call_site site) noexcept {
  LaunchError error = LaunchError::make(code, Stage::validation, site);
  error.operation = operation;
  error.vendor = B::vendor;
  error.stream = stream.native();
  error.device = stream.device().value();
  return error;
}

/// Errc::stream_wrong_device unless the stream's device is current: handles, events and memory
/// belong to the device that is current when they are made. Errc::stream_null for a Stream that was
/// moved from or closed.
template <CheckLevel Level, class B>
[[nodiscard]] result<void> check_handle_device(Name operation, basic_stream_ref<B> stream,
                                               call_site site) noexcept {
  const auto there = check_stream_there(operation, stream, site);
  if (!there.has_value()) return there;
  int current = -1;
  if (const int status = CallsAt<B, Level>::current_device(current)) {
    return runtime_error<B>(status, Name::of("current device"), site);
  }
  if (current == stream.device().value()) return success();
  LaunchError error = handle_refused(Errc::stream_wrong_device, operation, stream, site);
  error.value = static_cast<std::uint64_t>(current);
  error.limit = static_cast<std::uint64_t>(stream.device().value());
  return error;
}
/// The same, and Errc::stream_capturing while the stream captures a graph: what a library allocates
/// when a handle is made or bound would break it, and so would the order that rebind makes.
template <CheckLevel Level, class B>
[[nodiscard]] result<void> check_bindable(Name operation, basic_stream_ref<B> stream,
                                          call_site site) noexcept {
  const auto usable = check_handle_device<Level>(operation, stream, site);
  if (!usable.has_value()) return usable.assume_error();
  bool capturing = false;
  if (const int status = CallsAt<B, Level>::stream_capturing(stream.native(), capturing)) {
    return runtime_error<B>(status, Name::of("stream capturing"), site);
  }
  if (capturing) return handle_refused(Errc::stream_capturing, operation, stream, site);
  return success();
}

}  // namespace warpsafe::detail
