// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compares two arrays: what counts as a mismatch, what is reported, and where the data may be.

#include "data_fixture.hpp"
#include <warpsafe/compare.hpp>

#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace warpsafe::core_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr float nan32 = std::numeric_limits<float>::quiet_NaN();
constexpr float inf32 = std::numeric_limits<float>::infinity();

TEST(Compare, EqualArraysAgree) {
  const std::vector<float> values = counting<float>(1000);
  const Comparison found = compare(values, values).value();
  EXPECT_TRUE(found.agrees());
  EXPECT_EQ(found.count, 1000U);
  EXPECT_EQ(found.first_mismatch, 1000U);
  EXPECT_THAT(found.neighbourhood, IsEmpty());
  EXPECT_EQ(message(found), "1000 numbers (float32) agree within 1e-05 + 1.3e-06 * |expected|");
}

TEST(Compare, TellsHowMuchWhereAndHowMany) {
  const std::vector<float> expected = counting<float>(100);
  std::vector<float> actual = expected;
  actual[12] = 12.5F;
  actual[2] = 2.25F;
  actual[80] = 81.0F;
  const Comparison found = compare(actual, expected).value();
  EXPECT_FALSE(found.agrees());
  EXPECT_EQ(found.mismatches, 3U);
  EXPECT_EQ(found.first_mismatch, 2U);
  EXPECT_EQ(found.absolute.difference, 1.0);
  EXPECT_EQ(found.absolute.at, 80U);
  EXPECT_EQ(found.relative.difference, 0.125);
  EXPECT_EQ(found.relative.at, 2U);
}

TEST(Compare, ShowsTheNumbersAroundTheFirstMismatch) {
  const std::vector<int> expected = counting(10);
  std::vector<int> actual = expected;
  actual[8] = -3;
  std::ostringstream printed;
  printed << compare(actual, expected).value();
  EXPECT_EQ(printed.str(),
            "1 of 10 numbers (int32) differ, first at [8]\n"
            "  largest absolute difference 11 at [8], largest relative 1.375 at [8]\n"
            "             index                   actual                 expected\n"
            "                 5                        5                        5\n"
            "                 6                        6                        6\n"
            "                 7                        7                        7\n"
            "  >              8                       -3                        8\n"
            "                 9                        9                        9");
}

TEST(Compare, TheToleranceIsAbsolutePlusRelative) {
  const std::array expected{0.0, 100.0};
  EXPECT_TRUE(compare(std::array{0.5, 151.0}, expected, Tolerance{.absolute = 1, .relative = 0.5})
                  .value()
                  .agrees());
  EXPECT_FALSE(compare(std::array{0.5, 151.01}, expected, Tolerance{.absolute = 1, .relative = 0.5})
                   .value()
                   .agrees());
  EXPECT_FALSE(compare(std::array{1.1, 100.0}, expected, Tolerance{.absolute = 1, .relative = 0.5})
                   .value()
                   .agrees());
  EXPECT_FALSE(compare(std::array{1e-300, 100.0}, expected, Tolerance{}).value().agrees());
}

TEST(Compare, EachTypeHasItsTolerance) {
  EXPECT_EQ(tolerance_for<double>.relative, 1e-7);
  EXPECT_EQ(tolerance_for<float>.relative, 1.3e-6);
  EXPECT_EQ(tolerance_of(ElementType::float16).relative, 1e-3);
  EXPECT_EQ(tolerance_of(ElementType::bfloat16).relative, 1.6e-2);
  EXPECT_EQ(tolerance_for<int>.absolute, 0);
  EXPECT_EQ(tolerance_for<float>.absolute, 1e-5);
}

TEST(Compare, NanIsCountedApart) {
  const std::array expected{nan32, 1.0F, nan32, 4.0F};
  const std::array actual{nan32, nan32, 3.0F, 4.0F};
  const Comparison found = compare(actual, expected).value();
  EXPECT_EQ(found.mismatches, 2U);
  EXPECT_EQ(found.first_mismatch, 1U);
  EXPECT_EQ(found.nan.both, 1U);
  EXPECT_EQ(found.nan.actual_only, 1U);
  EXPECT_EQ(found.nan.expected_only, 1U);
  EXPECT_EQ(found.absolute.difference, 0);
  EXPECT_THAT(message(found),
              HasSubstr("\n  NaN: 1 in both, 1 not expected, 1 expected but missing"));
  EXPECT_EQ(compare(actual, expected, Tolerance{.absolute = 0, .relative = 0, .nan_agrees = false})
                .value()
                .mismatches,
            3U);
}

TEST(Compare, InfIsCountedApartAndHasASign) {
  const std::array expected{inf32, inf32, 1.0F, -inf32, nan32};
  const std::array actual{inf32, -inf32, inf32, 5.0F, inf32};
  const Comparison found = compare(actual, expected).value();
  EXPECT_EQ(found.mismatches, 4U);
  EXPECT_EQ(found.inf.both, 1U);
  EXPECT_EQ(found.inf.actual_only, 2U);
  EXPECT_EQ(found.inf.expected_only, 2U);
  EXPECT_EQ(found.nan.expected_only, 1U);
  EXPECT_EQ(found.absolute.difference, 0) << "of finite numbers alone";
}

TEST(Compare, WholeNumbersAreComparedExactly) {
  constexpr std::int64_t big = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(compare(std::array{big}, std::array{big - 1}).value().agrees());
  const auto far_apart = compare(std::array{big}, std::array{-big - 1}).value();
  EXPECT_EQ(far_apart.absolute.difference, 0x1p64);
  EXPECT_THAT(message(far_apart), HasSubstr("9223372036854775807     -9223372036854775808"));
  constexpr std::uint64_t all = ~std::uint64_t{0};
  EXPECT_THAT(message(compare(std::array{all}, std::array{all - 1}).value()),
              HasSubstr("18446744073709551615     18446744073709551614"));
  EXPECT_TRUE(compare(std::array{7}, std::array{9}, Tolerance{.absolute = 2, .relative = 0})
                  .value()
                  .agrees());
}

TEST(Compare, TypesAndTolerancesPrint) {
  std::ostringstream printed;
  printed << ElementType::bfloat16 << ", " << Tolerance{.absolute = 0.5, .relative = 0.25} << ", "
          << Tolerance{.absolute = 1, .relative = 0, .nan_agrees = false};
  EXPECT_EQ(printed.str(), "bfloat16, 0.5 + 0.25 * |expected|, 1 + 0 * |expected|, NaN never");
}

TEST(Compare, LengthsThatDifferAreAnErrorWithBoth) {
  const auto compared = compare(std::vector<float>(3), std::vector<float>(5), {}, app);
  EXPECT_EQ(finding(error_in(compared)),
            (Finding{Errc::size_mismatch, Stage::construction, 3, 5, Axis::none}));
  EXPECT_THAT(
      said(compared),
      HasSubstr("the actual array has 3 elements and the expected array 5\n  at app.cpp:7"));
}

TEST(Compare, EmptyArraysAgree) {
  EXPECT_TRUE(compare(std::vector<float>(), std::vector<float>()).value().agrees());
}

// Number formats for which the compiler has no type, as bits.
struct Half {
  std::uint16_t bits;
};
struct Brain {
  std::uint16_t bits;
};
struct Pair {
  float x, y;
};
struct Mixed {
  std::uint32_t key;
  float value;
};

}  // namespace
}  // namespace warpsafe::core_test

template <>
inline constexpr warpsafe::ElementType warpsafe::element_type<warpsafe::core_test::Half> =
    warpsafe::ElementType::float16;
template <>
inline constexpr warpsafe::ElementType warpsafe::element_type<warpsafe::core_test::Brain> =
    warpsafe::ElementType::bfloat16;
template <>
inline constexpr warpsafe::ElementType warpsafe::element_type<warpsafe::core_test::Pair> =
    warpsafe::ElementType::float32;

namespace warpsafe::core_test {
namespace {

TEST(Compare, ReadsHalfPrecision) {
  // 1, -2, 65504, 2^-24, Inf, NaN; IEEE 754-2008, table 3.5.
  const std::array<Half, 6> bits{{{0x3c00}, {0xc000}, {0x7bff}, {0x0001}, {0x7c00}, {0x7e00}}};
  std::array<Half, 6> other = bits;
  EXPECT_TRUE(compare(bits, other).value().agrees());
  other[1].bits = 0x4000;  // 2
  const Comparison found = compare(other, bits).value();
  EXPECT_EQ(found.absolute.difference, 4);
  EXPECT_EQ(found.inf.both, 1U);
  EXPECT_EQ(found.nan.both, 1U);
  EXPECT_THAT(found.neighbourhood, HasSubstr("65504                    65504"));
  EXPECT_THAT(found.neighbourhood, HasSubstr("5.9605e-08"));
}

TEST(Compare, ReadsBrainFloats) {
  const std::array<Brain, 2> expected{{{0x3f80}, {0x4049}}};  // 1, 3.140625
  const std::array<Brain, 2> actual{{{0x3f80}, {0x404a}}};    // the next number
  const Comparison found = compare(actual, expected).value();
  EXPECT_TRUE(found.agrees());
  EXPECT_EQ(found.absolute.difference, 0x1p-6);
}

TEST(Compare, AVectorIsItsComponents) {
  const std::vector<Pair> expected{{1, 2}, {3, 4}};
  const std::vector<Pair> actual{{1, 2}, {3, 5}};
  const Comparison found = compare(actual, expected).value();
  EXPECT_EQ(found.count, 4U);
  EXPECT_EQ(found.first_mismatch, 3U);
}

TEST(Compare, WhatIsNoNumberIsComparedByItsBytes) {
  const std::vector<Mixed> expected{{1, 2}, {3, 4}};
  std::vector<Mixed> actual = expected;
  EXPECT_TRUE(compare(actual, expected).value().agrees());
  actual[1].key = 4;
  const Comparison found = compare(actual, expected).value();
  EXPECT_EQ(found.type, ElementType::bytes);
  EXPECT_EQ(found.first_mismatch, 8U);
}

enum class Colour : std::int16_t { red = -1 };

TEST(ElementTypeOf, IsTheFormatOfTheNumber) {
  EXPECT_EQ(element_type<bool>, ElementType::boolean);
  // Its sign depends on the processor.
  EXPECT_EQ(element_type<char>, std::is_signed_v<char> ? ElementType::int8 : ElementType::uint8);
  EXPECT_EQ(element_type<signed char>, ElementType::int8);
  EXPECT_EQ(element_type<std::byte>, ElementType::uint8);
  EXPECT_EQ(element_type<Colour>, ElementType::int16);
  EXPECT_EQ(element_type<std::uint16_t>, ElementType::uint16);
  EXPECT_EQ(element_type<long>, ElementType::int64);
  EXPECT_EQ(element_type<unsigned long long>, ElementType::uint64);
  EXPECT_EQ(element_type<unsigned>, ElementType::uint32);
  EXPECT_EQ(element_type<double>, ElementType::float64);
  EXPECT_EQ(element_type<Mixed>, ElementType::bytes);
}

struct CompareDevice : DataTest {};

TEST_F(CompareDevice, WithTheHost) {
  const std::vector<int> values = counting(64);
  const auto buffer = filled(values);
  EXPECT_TRUE(compare(stream, buffer, values).value().agrees());
  std::vector<int> other = values;
  other[63] = 0;
  EXPECT_EQ(compare(stream, buffer.view(), other).value().first_mismatch, 63U);
  EXPECT_EQ(compare(stream, other, buffer).value().first_mismatch, 63U);
}

TEST_F(CompareDevice, WithTheDevice) {
  const auto left = filled(counting(64));
  const auto right = filled(counting(64, 1));
  EXPECT_EQ(compare(stream, left, right).value().mismatches, 64U);
  EXPECT_TRUE(
      compare(stream, left.view().subspan(1, 63).value(), right.view().subspan(0, 63).value())
          .value()
          .agrees());
}

TEST_F(CompareDevice, LengthsThatDifferAreAnErrorWithBoth) {
  const auto buffer = filled(counting(3));
  EXPECT_EQ(finding(error_in(compare(stream, buffer, counting(4)))),
            (Finding{Errc::size_mismatch, Stage::construction, 3, 4, Axis::none}));
}

TEST_F(CompareDevice, AFaultOfEarlierWorkComesOut) {
  const auto buffer = filled(counting(3));
  host::fail_next(call_of<&host_backend::copy>, 1, HostStatus::invalid_value);
  EXPECT_EQ(error_in(compare(stream, buffer, counting(3))).code, Errc::runtime_failed);
}

}  // namespace
}  // namespace warpsafe::core_test
