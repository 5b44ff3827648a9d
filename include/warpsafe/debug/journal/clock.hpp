// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>
#include <ctime>

namespace warpsafe::debug::detail {

/// Nanoseconds of CLOCK_MONOTONIC: the time of everything that the debug tools tell the time of.
[[nodiscard]] inline std::uint64_t nanoseconds_now() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace warpsafe::debug::detail
