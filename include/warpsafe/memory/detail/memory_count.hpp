// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace warpsafe::detail {

/// Refuses, while compiling, a T that no buffer can hold: device, managed and pinned alike.
template <class T>
constexpr bool check_element() noexcept {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "warpsafe: a buffer holds trivially copyable elements: they are copied as bytes");
  return true;
}

/// The bytes that this program's buffers hold on each device of a backend. One count per program,
/// shared objects included: it is not keyed by anything of theirs.
template <class B>
struct [[gnu::visibility("default")]] MemoryCount {
  static constexpr int devices = 64;
  static inline std::uint64_t held[devices];

  static void add(int device, std::size_t bytes) noexcept {
    if (counted(device)) __atomic_add_fetch(&held[device], bytes, __ATOMIC_RELAXED);
  }
  static void subtract(int device, std::size_t bytes) noexcept {
    if (counted(device)) __atomic_sub_fetch(&held[device], bytes, __ATOMIC_RELAXED);
  }
  [[nodiscard]] static std::uint64_t of(int device) noexcept {
    return counted(device) ? __atomic_load_n(&held[device], __ATOMIC_RELAXED) : 0;
  }

 private:
  static bool counted(int device) noexcept { return device >= 0 && device < devices; }
};

}  // namespace warpsafe::detail
