// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/config.hpp>
#include <warpsafe/event.hpp>
#include <warpsafe/result.hpp>

#include <type_traits>
#include <utility>

namespace warpsafe {

/// A value that the device is still writing to the host: it can only be had by waiting. Move-only.
/// One that is dropped waits in its destructor, since the device would otherwise write into memory
/// that is gone.
template <class B, class T>
class [[nodiscard]] basic_pending {
 public:
  /// Not for use: what a copy hands out. `value` is written when `written` is reached.
  basic_pending(T value, basic_event<B, false> written) noexcept
      : value_(std::move(value)), state_(std::move(written)), open_(true) {}
  /// Not for use: the copy could not even be submitted; `get` returns why.
  explicit basic_pending(const LaunchError& error) noexcept : state_(error), open_(false) {}

  basic_pending(basic_pending&& other) noexcept
      : value_(std::move(other.value_)), state_(std::move(other.state_)), open_(other.open_) {
    other.open_ = false;
  }
  basic_pending(const basic_pending&) = delete;
  basic_pending& operator=(const basic_pending&) = delete;
  basic_pending& operator=(basic_pending&&) = delete;
  // The status has no one to go to, and a lost context says so at every later call.
  ~basic_pending() {
    if (open_) static_cast<void>(state_.assume_value().synchronize());
  }

  /// Waits for exactly this value and hands it out. Errc::execution_failed for a fault of earlier
  /// work, or the error of the copy itself.
  [[nodiscard]] result<T> get(call_site site = call_site::current()) && noexcept {
    if (!state_.has_value()) return state_.assume_error();
    const auto waited = state_.assume_value().synchronize(site);
    open_ = false;
    if (!waited.has_value()) return waited.assume_error();
    return std::move(value_);
  }
  /// Whether `get` would return at once.
  [[nodiscard]] result<bool> ready(call_site site = call_site::current()) const noexcept {
    if (!state_.has_value()) return true;
    return state_.assume_value().ready(site);
  }

 private:
  T value_{};
  result<basic_event<B, false>> state_;
  bool open_;  // the device may still write: the destructor has to wait
};

template <class T>
using Pending = basic_pending<default_backend, T>;

}  // namespace warpsafe
