// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/args/device_span.hpp>

#include <gtest/gtest.h>

namespace warpsafe::core_test {
namespace {

TEST(DeviceSpan, IsAPointerAndANumberOfElements) {
  int memory[5] = {1, 2, 3, 4, 5};
  const DeviceSpan<int> span(detail::DeviceAccess::pointer(memory), 5);
  EXPECT_EQ(span.size(), 5U);
  EXPECT_FALSE(span.empty());
  EXPECT_EQ(span.pointer().get(), memory);
  EXPECT_EQ(span[3], 4);
  const DeviceSpan<const int> constant = span;
  EXPECT_EQ(constant.size(), 5U);
  EXPECT_EQ(constant.pointer().get(), memory);
  EXPECT_TRUE(DeviceSpan<int>{}.empty());
  EXPECT_EQ(DeviceSpan<int>{}.pointer().get(), nullptr);
}

TEST(DeviceSpan, ASubspanHasAllItsElementsOrNoAddress) {
  int memory[5] = {};
  const DeviceSpan<int> span(detail::DeviceAccess::pointer(memory), 5);
  const auto expect_part = [&](size_type offset, size_type count, size_type begin, size_type size) {
    const DeviceSpan<int> part = span.subspan(offset, count);
    EXPECT_EQ(part.pointer().get(), memory + begin);
    EXPECT_EQ(part.size(), size);
  };
  expect_part(0, 5, 0, 5);
  expect_part(1, 3, 1, 3);
  expect_part(5, 0, 5, 0);
  // Outside of a kernel nothing can fail, so an access does.
  const auto expect_none = [&](size_type offset, size_type count) {
    const DeviceSpan<int> part = span.subspan(offset, count);
    EXPECT_EQ(part.pointer().get(), nullptr) << offset;
    EXPECT_EQ(part.size(), 0U) << offset;
  };
  expect_none(3, 3);
  expect_none(5, 1);
  expect_none(6, 0);
  expect_none(~size_type{0}, 1);
  expect_none(~size_type{0}, ~size_type{0});
  expect_none(2, ~size_type{0});
}

}  // namespace
}  // namespace warpsafe::core_test
