// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/stream/detail/device_cache.hpp>
#include <warpsafe/stream/detail/guard_result.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstdint>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// The number of devices. Errc::no_device without a driver or a device.
template <class B = default_backend>
[[nodiscard]] result<detail::later<B, int>> device_count(
    call_site site = call_site::current()) noexcept {
  int count = 0;
  if (const int status = B::device_count(count)) {
    return detail::runtime_error<B>(status, Name::of("device count"), site);
  }
  return count;
}

/// The calling thread's current device. Errc::no_device.
template <class B = default_backend>
[[nodiscard]] result<detail::later<B, DeviceId>> current_device(
    call_site site = call_site::current()) noexcept {
  int device = 0;
  if (const int status = B::current_device(device)) {
    return detail::runtime_error<B>(status, Name::of("current device"), site);
  }
  return DeviceId(device);
}

/// The limits of a device, queried once per process by single-attribute queries. A limit that the
/// device does not report is the documented floor, and `floored` is set. Errc::no_device,
/// ::device_invalid.
template <class B = default_backend>
[[nodiscard]] result<detail::later<B, DeviceLimits>> device_limits(
    DeviceId device, call_site site = call_site::current()) noexcept {
  DeviceLimits local;
  int status = 0;
  const DeviceLimits* known = detail::DeviceCache<B>::find(device.value(), local, status);
  if (known == nullptr) {
    LaunchError error = detail::runtime_error<B>(status, Name::of("device limits"), site);
    error.device = device.value();
    return error;
  }
  DeviceLimits limits = *known;
  if (limits.name.empty()) limits.name = detail::device_name<B>(device.value());
  return limits;
}

namespace detail {

/// The devices that a thread's guards have made current, the innermost last.
struct GuardedDevices {
  struct Entry {
    std::uint64_t guard;
    int before;
    int device;
  };
  static constexpr int room = 32;  ///< the guards beyond it must end in reverse order
  Entry entries[room];
  int count;
  std::uint64_t last;  ///< the number of the newest guard

  [[nodiscard]] std::uint64_t push(int before, int device) noexcept {
    if (count == room) return 0;
    entries[count++] = {++last, before, device};
    return last;
  }
  /// Removes a guard. Returns the device to make current now; -1: none. If guards inside it remain,
  /// the next of them restores the outer device.
  [[nodiscard]] int pop(std::uint64_t guard) noexcept {
    int at = 0;
    while (at < count && entries[at].guard != guard) ++at;
    if (at == count) return -1;
    const Entry gone = entries[at];
    --count;
    if (at == count) return gone.before == gone.device ? -1 : gone.before;
    for (int i = at; i < count; ++i) entries[i] = entries[i + 1];
    entries[at].before = gone.before;
    return -1;
  }
};
/// The guards of the calling thread.
template <class B>
[[nodiscard, gnu::visibility("default")]] GuardedDevices& guarded_devices() noexcept {
  static thread_local GuardedDevices own;
  return own;
}

}  // namespace detail

/// Makes a device current for the calling thread. Its end restores the previous device, or leaves
/// this to a guard that was made later and still exists. If the device was current already, its end
/// calls nothing: it does not undo what other code made current meanwhile. End guards in the
/// reverse order of their creation, as scopes do: only the first 32 guards that a thread holds may
/// end in another order. The end of a further guard restores the device that was current before it.
/// @pre the thread that made the guard ends it
template <class B>
class [[nodiscard]] basic_device_guard {
 public:
  using is_scope_guard = void;  ///< WARPSAFE_TRYV, which would end it at once, refuses it
  /// A result, to be looked at: without the guard, the work that follows uses another device.
  /// Checked builds print a line if an error is never looked at. Errc::device_invalid, ::no_device.
  template <CheckLevel Level = current_level>
  [[nodiscard]] static result<basic_device_guard> create(
      DeviceId device, call_site site = call_site::current()) noexcept {
    int before = 0;
    int status = B::current_device(before);
    if (status == 0 && before != device.value()) {
      status = B::set_device(device.value());
    }
    if (status != 0) {
      LaunchError error = detail::runtime_error<B>(status, Name::of("set device"), site);
      error.device = device.value();
      result<basic_device_guard> none = detail::failure<basic_device_guard>(error);
      if (Level == CheckLevel::full) none.expect_a_look();
      return none;
    }
    return basic_device_guard(before, device.value());
  }
  /// Diagnoses a bare number.
  template <class Number>
  requires(std::is_arithmetic_v<Number>)
      [[nodiscard]] static result<basic_device_guard> create(Number) noexcept {
    static_assert(std::is_void_v<Number>,
                  "warpsafe: a device is a DeviceId, not a bare number; write "
                  "DeviceGuard::create(DeviceId(1))");
    return create(DeviceId{});
  }
#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: a guard is made by a function that can fail: WARPSAFE_TRY(const auto guard, DeviceGuard::create(DeviceId(1)))"
  WARPSAFE_DETAIL_NO_CONSTRUCTOR(basic_device_guard);
#undef WARPSAFE_DETAIL_SENTENCE
  basic_device_guard(basic_device_guard&& other) noexcept
      : thread_(other.thread_), number_(other.number_), before_(other.before_) {
    other.thread_ = nullptr;
  }
  basic_device_guard(const basic_device_guard&,  // warpsafe: a guard has one owner
                     detail::MoveItOrPassAReference = {}) = delete;
  basic_device_guard& operator=(const basic_device_guard&) = delete;
  basic_device_guard& operator=(basic_device_guard&&) = delete;
  // A destructor cannot return a status; close() does.
  ~basic_device_guard() {
    int device = -1;
    detail::report_dropped<B>(end(device), Name::of("restore device"), "call close() to get it");
  }
  /// Ends the guard now, as its destructor does. Errc::runtime_failed or another code of the
  /// runtime's status (`device`: the one that was to be restored; another one stays current).
  [[nodiscard]] result<void> close(call_site site = call_site::current()) noexcept {
    int device = -1;
    const int status = end(device);
    if (status == 0) return success();
    LaunchError error = detail::runtime_error<B>(status, Name::of("restore device"), site);
    error.device = device;
    return error;
  }

 private:
  /// Restores the previous device, if this guard must, and stores it. Returns the runtime's status.
  [[nodiscard]] int end(int& device) noexcept {
    if (thread_ != &detail::guarded_devices<B>()) return 0;
    device = number_ == 0 ? before_ : thread_->pop(number_);
    thread_ = nullptr;
    return device >= 0 ? B::set_device(device) : 0;
  }

  basic_device_guard(int before, int device) noexcept
      : thread_(&detail::guarded_devices<B>()),
        number_(thread_->push(before, device)),
        before_(before) {}
  detail::GuardedDevices* thread_;  // nullptr if moved from
  std::uint64_t number_;            // 0: there was no room
  int before_;
};
using DeviceGuard = basic_device_guard<default_backend>;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
