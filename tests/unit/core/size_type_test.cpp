// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/core/size_type.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace warpsafe::core_test {
namespace {

using detail::SignedSize;

template <class T>
struct SizeOf : ::testing::Test {};
using Sizes = ::testing::Types<signed char, unsigned char, short, unsigned short, int, unsigned,
                               long, unsigned long, long long, unsigned long long>;
TYPED_TEST_SUITE(SizeOf, Sizes);

TYPED_TEST(SizeOf, KeepsEveryValueWithItsSign) {
  using T = TypeParam;
  constexpr T most = std::numeric_limits<T>::max();
  constexpr T least = std::numeric_limits<T>::min();
  EXPECT_EQ(SignedSize::of(most).magnitude, static_cast<std::uint64_t>(most));
  EXPECT_FALSE(SignedSize::of(most).negative);
  EXPECT_EQ(SignedSize::of(T{0}).magnitude, 0U);
  EXPECT_FALSE(SignedSize::of(T{0}).negative);
  EXPECT_EQ(SignedSize::of(least).negative, std::numeric_limits<T>::is_signed);
  // -min is max + 1, which the type itself does not hold.
  const std::uint64_t magnitude =
      std::numeric_limits<T>::is_signed ? static_cast<std::uint64_t>(most) + 1 : 0;
  EXPECT_EQ(SignedSize::of(least).magnitude, magnitude);
}

TEST(SignedSizeOf, ANegativeNumberKeepsItsMagnitude) {
  for (int number = -5; number < 0; ++number) {
    EXPECT_EQ(SignedSize::of(number).magnitude, static_cast<std::uint64_t>(-number)) << number;
    EXPECT_EQ(SignedSize::of(static_cast<short>(number)).magnitude,
              static_cast<std::uint64_t>(-number));
    EXPECT_TRUE(SignedSize::of(number).negative) << number;
  }
}

// What is a size, and what only looks like one.
static_assert(detail::is_size<int> && detail::is_size<const std::uint64_t>);
static_assert(!detail::is_size<bool> && !detail::is_size<char> && !detail::is_size<char32_t>);
static_assert(!detail::is_size<float> && !detail::is_size<double> && !detail::is_size<int*>);
enum Unscoped { zero };
static_assert(!detail::is_size<Unscoped>);
static_assert(SignedSize::of(-5).magnitude == 5 && SignedSize::of(-5).negative);

}  // namespace
}  // namespace warpsafe::core_test
