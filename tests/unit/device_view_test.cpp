// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/device_view.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace warpsafe::core_test {
namespace {

template <class From, class To>
inline constexpr bool converts = std::is_convertible_v<From, To>;

// A kernel's parameter takes it, and nothing makes one of what a kernel holds.
static_assert(converts<DeviceView<int>, DeviceSpan<int>>);
static_assert(converts<DeviceView<int>, DeviceSpan<const int>>);
static_assert(converts<DeviceView<int>, DeviceView<const int>>);
static_assert(!converts<DeviceView<const int>, DeviceView<int>>);
static_assert(!converts<DeviceSpan<int>, DeviceView<int>>);
static_assert(!converts<DeviceView<int>, DeviceView<float>>);

TEST(DeviceView, IsTheSameMemory) {
  int memory[5] = {};
  const DeviceView<int> view(DeviceSpan<int>(detail::DeviceAccess::pointer(memory), 5));
  EXPECT_EQ(view.size(), 5U);
  EXPECT_EQ(view.pointer().get(), memory);
  EXPECT_EQ(device_pointer_traits<DeviceView<int>>::get(view), memory);
  const DeviceView<int> part = view.subspan(3, 9);
  EXPECT_EQ(part.size(), 2U);
  EXPECT_EQ(part.pointer().get(), memory + 3);
  const DeviceView<const int> constant = part;
  EXPECT_EQ(constant.pointer().get(), memory + 3);
  EXPECT_TRUE(DeviceView<int>{}.empty());
}

}  // namespace
}  // namespace warpsafe::core_test
