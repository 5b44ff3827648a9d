// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core/guard/memory_guard.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace warpsafe::watch {
namespace {

int waits = 0;
std::vector<std::uint32_t> filled;
constexpr GuardAccess access{[](std::uintptr_t, std::uint32_t pattern, std::size_t) noexcept {
                               filled.push_back(pattern);
                               return true;
                             },
                             [](void*, std::uintptr_t, std::size_t) noexcept { return false; },
                             []() noexcept {
                               ++waits;
                               return true;
                             },
                             [](std::uintptr_t) noexcept {}};

// A wait reaches the current device only. Work of the memory's own device may still use it, until
// the driver's free has waited for that work.
TEST(MemoryGuard, LeavesMemoryOfAnotherDeviceToTheDriver) {
  MemoryGuard guard(1, access);
  std::vector<GuardReport> found;
  for (const std::int32_t current : {0, 1}) {
    waits = 0;
    guard.allocated(4096, 400, 624, 1, Name::of("cuMemAlloc"), {});
    filled.clear();
    EXPECT_EQ(guard.freed(4096, current, found), current == 1);
    EXPECT_EQ(waits, current);
    EXPECT_EQ(filled.size(), current == 1 ? 1U : 0U);
  }
}

}  // namespace
}  // namespace warpsafe::watch
