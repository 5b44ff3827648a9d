// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/limits.hpp>

#include <type_traits>

// Caches of the driver's answers, per device and per kernel. There is no lock and no map: each
// table has fixed slots, and the first thread to arrive fills a slot. A thread that finds a slot
// being filled asks the driver itself.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Whether the limits of B's devices and kernels are cached. A backend whose limits a test may
/// change has a member `static constexpr bool limits_may_change = true`, and is asked every time.
template <class B>
inline constexpr bool caches_limits = !requires {
  requires B::limits_may_change;
};

template <class B>
[[nodiscard, gnu::always_inline]] inline bool has_slot(int device) noexcept {
  return caches_limits<B> && device >= 0 && device < cached_devices;
}

/// A value that is computed once and then only read. It starts as zeros without a constructor, so
/// that tables of it in static storage need no code to start.
template <class T>
class OnceSlot {
  static_assert(__is_trivially_copyable(T));

 public:
  /// The value, or nullptr if there is none yet.
  [[nodiscard, gnu::always_inline]] const T* get() const noexcept {
    return __atomic_load_n(&state_, __ATOMIC_ACQUIRE) == ready ? reinterpret_cast<const T*>(value_)
                                                               : nullptr;
  }
  /// Stores `value` if it is the first.
  [[gnu::always_inline]] void put(const T& value) noexcept {
    int expected = empty;
    if (__atomic_compare_exchange_n(&state_, &expected, filling, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED)) {
      __builtin_memcpy(value_, &value, sizeof(T));
      __atomic_store_n(&state_, ready, __ATOMIC_RELEASE);
    }
  }

 private:
  static constexpr int empty = 0;
  static constexpr int filling = 1;
  static constexpr int ready = 2;
  int state_;
  alignas(T) unsigned char value_[sizeof(T)];
};

/// 0 of a device that has no bit.
[[nodiscard, gnu::always_inline]] constexpr unsigned long device_bit(int device) noexcept {
  return device >= 0 && device < cached_devices ? 1UL << static_cast<unsigned>(device) : 0;
}

/// The bit of each device on which the program has made or borrowed a stream.
template <class B>
[[gnu::visibility("default")]] inline unsigned long devices_with_streams = 0;

/// Whether the program has made or borrowed a stream on the device.
template <class B>
[[nodiscard]] bool has_streams_on(int device) noexcept {
  return (__atomic_load_n(&devices_with_streams<B>, __ATOMIC_RELAXED) & device_bit(device)) != 0;
}
/// Whether the program has made or borrowed a stream on another device than `device`.
// Not by the number of bits, which clang++ counts where two are asked for.
template <class B>
[[nodiscard, gnu::always_inline]] inline bool has_streams_besides(int device) noexcept {
  return (__atomic_load_n(&devices_with_streams<B>, __ATOMIC_RELAXED) & ~device_bit(device)) != 0;
}

template <class B>
struct [[gnu::visibility("hidden")]] DeviceCache {
  static inline OnceSlot<DeviceLimits> slots[cached_devices];

  /// The cached limits, or nullptr. Does not call the driver.
  [[nodiscard, gnu::always_inline]] static const DeviceLimits* remembered(int device) noexcept {
    return has_slot<B>(device) ? slots[device].get() : nullptr;
  }

  /// The limits of a device. The floor replaces each limit that the device does not report. `local`
  /// holds them if they cannot be cached. nullptr, with the runtime's status, if the query fails.
  [[WARPSAFE_DETAIL_RARE]] static const DeviceLimits* find(int device, DeviceLimits& local,
                                                           int& status) noexcept {
    if (const DeviceLimits* const known = remembered(device)) return known;
    status = B::limits_of(device, local);
    if (status != 0) return nullptr;
    local.device = device;
    limits::put_floors(local, floor_of<B>);
    if (has_slot<B>(device)) slots[device].put(local);
    return &local;
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
