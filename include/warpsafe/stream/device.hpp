// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_call.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/stream/detail/device_cache.hpp>
#include <warpsafe/stream/device_id.hpp>

namespace warpsafe {

/// The number of devices. Errc::no_device without a driver or a device.
template <class B = default_backend, CheckLevel Level = current_level>
[[nodiscard]] result<detail::later<B, int>> device_count(
    call_site site = call_site::current()) noexcept {
  int count = 0;
  if (const int status = detail::call<B, Level, &B::device_count>(count)) {
    return detail::runtime_error<B>(status, Name::of("device count"), site);
  }
  return count;
}

/// The calling thread's current device. Errc::no_device.
template <class B = default_backend, CheckLevel Level = current_level>
[[nodiscard]] result<detail::later<B, DeviceId>> current_device(
    call_site site = call_site::current()) noexcept {
  int device = 0;
  if (const int status = detail::call<B, Level, &B::current_device>(device)) {
    return detail::runtime_error<B>(status, Name::of("current device"), site);
  }
  return DeviceId(device);
}

/// The limits of a device, queried once per process by single-attribute queries. A limit that the
/// device does not report is the documented floor, and `floored` is set. Errc::no_device,
/// ::device_invalid.
template <class B = default_backend, CheckLevel Level = current_level>
[[nodiscard]] result<detail::later<B, DeviceLimits>> device_limits(
    DeviceId device, call_site site = call_site::current()) noexcept {
  DeviceLimits local;
  int status = 0;
  const DeviceLimits* known =
      detail::DeviceCache<B>::template find<Level>(device.value(), local, status);
  if (known == nullptr) {
    LaunchError error = detail::runtime_error<B>(status, Name::of("device limits"), site);
    error.device = device.value();
    return error;
  }
  DeviceLimits limits = *known;
  if (limits.name.empty()) limits.name = detail::device_name<B>(device.value());
  return limits;
}

/// Makes a device current for the calling thread. Its destructor restores the previous one.
template <class B>
class [[nodiscard]] basic_device_guard {
 public:
  /// Errc::device_invalid, ::no_device.
  template <CheckLevel Level = current_level>
  [[nodiscard]] static result<basic_device_guard> create(
      DeviceId device, call_site site = call_site::current()) noexcept {
    int before = 0;
    int status = detail::call<B, Level, &B::current_device>(before);
    if (status == 0 && before != device.value()) {
      status = detail::call<B, Level, &B::set_device>(device.value());
    }
    if (status != 0) {
      LaunchError error = detail::runtime_error<B>(status, Name::of("set device"), site);
      error.device = device.value();
      return error;
    }
    return basic_device_guard(before == device.value() ? -1 : before,
                              detail::call<B, Level, &B::set_device>);
  }
  basic_device_guard(basic_device_guard&& other) noexcept
      : before_(other.before_), set_device_(other.set_device_) {
    other.before_ = -1;
  }
  basic_device_guard(const basic_device_guard&) = delete;
  basic_device_guard& operator=(const basic_device_guard&) = delete;
  basic_device_guard& operator=(basic_device_guard&&) = delete;
  // A destructor cannot return a status. If the context is lost, the next call reports it.
  ~basic_device_guard() {
    if (before_ >= 0) static_cast<void>(set_device_(before_));
  }

 private:
  /// The runtime's call, traced or not, by the check level that made the guard.
  using SetDevice = int (*)(int device) noexcept;

  basic_device_guard(int before, SetDevice set_device) noexcept
      : before_(before), set_device_(set_device) {}
  int before_;  // -1: nothing to restore
  SetDevice set_device_;
};
using DeviceGuard = basic_device_guard<default_backend>;

}  // namespace warpsafe
