// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Without checks, a check in a kernel does nothing.

#include <warpsafe/device_check.hpp>

#include <gtest/gtest.h>

namespace warpsafe {

namespace {

TEST(DeviceCheckOff, TheConditionIsNotEvaluated) {
  int evaluated = 0;
  WARPSAFE_DEVICE_CHECK(++evaluated == 0, "never looked at");
  EXPECT_EQ(evaluated, 0);
}

}  // namespace

}  // namespace warpsafe
