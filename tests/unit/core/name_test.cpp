// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/core/name.hpp>

#include <gtest/gtest.h>

namespace warpsafe::core_test {
namespace {

TEST(Name, IsTheTextWithoutItsTerminator) {
  const char* const text = "axpy";
  const Name name = Name::of(text);
  EXPECT_EQ(name.data, text);
  EXPECT_EQ(name.size, 4U);
  EXPECT_FALSE(name.empty());
}

TEST(Name, OfNoTextIsEmpty) {
  EXPECT_TRUE(Name::of(nullptr).empty());
  EXPECT_TRUE(Name::of("").empty());
  EXPECT_TRUE(Name{}.empty());
}

TEST(Name, AreEqualByTheirLetters) {
  const char twice[] = "axpy axpy axpz axp";
  EXPECT_TRUE((Name{twice, 4} == Name{twice + 5, 4}));
  EXPECT_FALSE((Name{twice, 4} == Name{twice + 10, 4}));
  EXPECT_FALSE((Name{twice, 4} == Name{twice + 15, 3}));
  EXPECT_TRUE(Name::of(nullptr) == Name::of(""));
}

}  // namespace
}  // namespace warpsafe::core_test
