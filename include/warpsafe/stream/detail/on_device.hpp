// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/stream/stream_ref.hpp>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The number of the process's devices; 0: not asked yet. One variable for the whole program.
template <class B>
[[gnu::visibility("default")]] inline int counted_devices = 0;

/// Whether B's processes keep their number of devices.
template <class B>
inline constexpr bool has_fixed_devices = requires {
  requires B::device_count_is_fixed;
};

/// Asks for the number of devices once.
template <class B>
void count_devices() noexcept {
  if constexpr (has_fixed_devices<B>) {
    if (__atomic_load_n(&counted_devices<B>, __ATOMIC_RELAXED) != 0) return;
    int count = 0;
    if (B::device_count(count) != 0) return;
    __atomic_store_n(&counted_devices<B>, count, __ATOMIC_RELAXED);
  }
}
/// Whether the device is current in each thread, because the process has no other. False if that is
/// not known.
template <class B>
[[nodiscard, gnu::always_inline]] inline bool is_only_device(int device) noexcept {
  return has_fixed_devices<B> && device == 0 &&
         __atomic_load_n(&counted_devices<B>, __ATOMIC_RELAXED) == 1;
}

template <class B, class Body, class... Arguments>
[[nodiscard, gnu::noinline]] int on_one_of_many(int device, Body body,
                                                Arguments... arguments) noexcept {
  int before = 0;
  int status = B::current_device(before);
  if (status != 0 || before == device) return status != 0 ? status : body(arguments...);
  status = B::set_device(device);
  if (status != 0) return status;
  status = body(arguments...);
  const int restored = B::set_device(before);
  return status != 0 ? status : restored;
}
/// Runs `body(arguments...)`, which returns a runtime's status, with `device` current.
template <class B, class Body, class... Arguments>
[[nodiscard, gnu::always_inline]] inline int on_device(int device, const Body& body,
                                                       Arguments... arguments) noexcept {
  if (is_only_device<B>(device)) [[likely]]
    return body(arguments...);
  return on_one_of_many<B>(device, body, arguments...);
}

/// Runs `body(arguments...)`, which passes the stream to the runtime. The handle of a default
/// stream means the current device's, so its device is made current.
template <class B, class Body, class... Arguments>
[[nodiscard, gnu::always_inline]] inline int on_device_of(const basic_stream_ref<B>& stream,
                                                          const Body& body,
                                                          Arguments... arguments) noexcept {
  if (!StreamNumber::is_default(stream.native())) [[likely]]
    return body(arguments...);
  return on_device<B>(stream.device().value(), body, arguments...);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
