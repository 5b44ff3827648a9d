// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/args/device_ptr.hpp>

#include <gtest/gtest.h>

namespace warpsafe::core_test {
namespace {

TEST(DevicePtr, IsNullUntilItIsGivenMemory) {
  EXPECT_EQ(device_ptr<int>{}.get(), nullptr);
  EXPECT_EQ(device_ptr<int>(nullptr).get(), nullptr);
  int memory[4] = {};
  EXPECT_EQ(detail::DeviceAccess::pointer(memory).get(), memory);
  EXPECT_EQ((detail::DeviceAccess::pointer(memory) + 3).get(), memory + 3);
}

TEST(DevicePtr, GainsConstOnly) {
  int memory = 0;
  const device_ptr<const int> constant = detail::DeviceAccess::pointer(&memory);
  EXPECT_EQ(constant.get(), &memory);
  EXPECT_EQ(device_pointer_traits<device_ptr<const int>>::get(constant), &memory);
}

}  // namespace
}  // namespace warpsafe::core_test
