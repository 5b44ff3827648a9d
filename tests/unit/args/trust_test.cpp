// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/args/trust.hpp>

#include <gtest/gtest.h>

namespace warpsafe::core_test {
namespace {

TEST(Trust, KeepsThePointer) {
  const float memory = 0;
  EXPECT_EQ(trust(&memory).get(), &memory);
  EXPECT_EQ(device_pointer_traits<trusted_ptr<const float>>::get(trust(&memory)), &memory);
}

TEST(Trust, KeepsTheNumberOfElementsWithItsSign) {
  const float memory = 0;
  const auto trusted = trust(&memory, 7U);
  EXPECT_EQ(trusted.get(), &memory);
  EXPECT_EQ(device_pointer_traits<trusted_span<const float>>::get(trusted), &memory);
  EXPECT_EQ(trusted.size().magnitude, 7U);
  EXPECT_FALSE(trusted.size().negative);
  EXPECT_EQ(trust(&memory, -3).size().magnitude, 3U);
  EXPECT_TRUE(trust(&memory, -3).size().negative);
}

}  // namespace
}  // namespace warpsafe::core_test
