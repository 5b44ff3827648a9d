// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/memory/detail/owners.hpp>
#include <warpsafe/stream/detail/device_cache.hpp>
#include <warpsafe/stream/detail/on_device.hpp>
#include <warpsafe/stream/device.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Whether each device has stream-ordered allocation, for all levels.
template <class B>
struct [[gnu::visibility("hidden")]] MemoryPools {
  static inline OnceSlot<bool> slots[cached_devices];
};
template <class B>
[[nodiscard, gnu::noinline]] bool ask_for_memory_pools(int device) noexcept {
  bool answer = true;
  if (B::has_memory_pools(device, answer) != 0) return true;
  if (has_slot<B>(device)) MemoryPools<B>::slots[device].put(answer);
  return answer;
}
/// Whether a device has stream-ordered allocation, asked once per device. If the device cannot be
/// asked, the answer is true, and the allocation reports the error.
template <class B>
[[nodiscard, gnu::always_inline]] inline bool has_memory_pools(int device) noexcept {
  const bool* const known = has_slot<B>(device) ? MemoryPools<B>::slots[device].get() : nullptr;
  return known != nullptr ? *known : ask_for_memory_pools<B>(device);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// The memory of a device, in bytes.
struct MemoryInfo {
  std::uint64_t total = 0;  ///< installed on the device
  std::uint64_t free = 0;   ///< not held by any program; pools may hold more memory than is in use
  std::uint64_t held = 0;   ///< held by this program's buffers; counted for devices 0 to 63
};

/// The memory of `device` at this moment; other programs change it at any time.
/// Errc::device_invalid, ::no_device, ::runtime_failed.
template <class B = default_backend>
[[nodiscard]] result<MemoryInfo> memory_info(DeviceId device,
                                             call_site site = call_site::current()) noexcept {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  const int status = detail::on_device<B>(
      device.value(), [&]() noexcept { return B::memory_info(free_bytes, total_bytes); });
  if (status != 0) {
    LaunchError error = detail::runtime_error<B>(status, Name::of("memory info"), site);
    error.device = device.value();
    return error;
  }
  return MemoryInfo{total_bytes, free_bytes, detail::Owners<B>::bytes_held(device.value())};
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
