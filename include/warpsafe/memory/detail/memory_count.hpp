// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpsafe::detail {

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
