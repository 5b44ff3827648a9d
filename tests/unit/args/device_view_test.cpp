// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/args/device_view.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace warpsafe::core_test {
namespace {

template <class From, class To>
inline constexpr bool converts = std::is_convertible_v<From, To>;

// No argument of a kernel converts to a view. Only span() turns a view into one: the implicit
// conversion does not compile (f04b of the misuses).
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
  const DeviceView<int> part = view.subspan(3, 2).value();
  EXPECT_EQ(part.size(), 2U);
  EXPECT_EQ(part.pointer().get(), memory + 3);
  const DeviceView<const int> constant = part;
  EXPECT_EQ(constant.pointer().get(), memory + 3);
  EXPECT_EQ(part.span().pointer().get(), memory + 3);
  EXPECT_EQ(part.span().size(), 2U);
  EXPECT_TRUE(DeviceView<int>{}.empty());
  EXPECT_EQ(DeviceView<int>{}.device(), -1) << "unknown";
  EXPECT_EQ(view.device(), -1);
}

TEST(DeviceView, APartIsInsideOfTheViewOrAnError) {
  int memory[5] = {};
  const DeviceView<int> view(DeviceSpan<int>(detail::DeviceAccess::pointer(memory), 5));
  EXPECT_EQ(view.subspan(0, 5).value().size(), 5U);
  EXPECT_EQ(view.subspan(5, 0).value().pointer().get(), memory + 5);
  EXPECT_EQ(view.subspan(2).value().size(), 3U);
  EXPECT_EQ(view.subspan(5).value().size(), 0U);
  const auto expect_outside = [](const auto& part, size_type first, size_type count) {
    ASSERT_FALSE(part.has_value());
    EXPECT_EQ(part.assume_error().code, Errc::part_outside);
    EXPECT_EQ(part.assume_error().extra, first);
    EXPECT_EQ(part.assume_error().value, count);
    EXPECT_EQ(part.assume_error().limit, 5U);
    EXPECT_NE(part.assume_error().site.line, 0U);
  };
  expect_outside(view.subspan(3, 3), 3, 3);
  expect_outside(view.subspan(6, 0), 6, 0);
  expect_outside(view.subspan(6), 6, 0);
  expect_outside(view.subspan(~size_type{0}, 2), ~size_type{0}, 2);
  expect_outside(view.subspan(2, ~size_type{0}), 2, ~size_type{0});
}

TEST(DeviceView, KnowsItsMemorysOwnerUntilItBecomesASpan) {
  int memory[5] = {};
  detail::MemoryOwner owner;
  const DeviceView<int> view(DeviceSpan<int>(detail::DeviceAccess::pointer(memory), 5), 0, &owner);
  const DeviceView<const int> part = view.subspan(1, 2).value();
  EXPECT_EQ(detail::owner_of(view), &owner);
  EXPECT_EQ(detail::owner_of(part), &owner);
  EXPECT_EQ(detail::owner_of(part.span()), nullptr);
  EXPECT_EQ(detail::kernel_form(part).pointer().get(), memory + 1);
}

}  // namespace
}  // namespace warpsafe::core_test
