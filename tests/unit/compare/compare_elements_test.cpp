// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// How the numbers of each format are read, compared and written, and the whole text of what
// differs.

#include <warpsafe/compare/compare.hpp>
#include <warpsafe/compare/detail/compare_elements.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace warpsafe::core_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The number that a format with a sign, exponent bits and fraction bits has for some bits: IEEE
/// 754-2008, 3.4.
double number_of(std::uint32_t bits, int exponent_bits, int fraction_bits) {
  const double sign = ((bits >> (exponent_bits + fraction_bits)) & 1U) != 0 ? -1.0 : 1.0;
  const int largest = (1 << exponent_bits) - 1;
  const int exponent = static_cast<int>(bits >> fraction_bits) & largest;
  const auto fraction = static_cast<int>(bits & ((1U << fraction_bits) - 1));
  if (exponent == largest) return fraction == 0 ? sign * infinity : not_a_number;
  const int bias = largest / 2;
  const int whole = exponent == 0 ? fraction : fraction + (1 << fraction_bits);
  return sign * std::ldexp(whole, (exponent == 0 ? 1 : exponent) - bias - fraction_bits);
}
bool is_same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

TEST(CompareElements, EachHalfAndBrainFloatIsReadExactly) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const auto given = static_cast<std::uint16_t>(bits);
    ASSERT_PRED2(is_same, detail::from_half(given), number_of(bits, 5, 10)) << bits;
    ASSERT_PRED2(is_same, detail::from_bfloat(given), number_of(bits, 8, 7)) << bits;
  }
}

template <class T>
std::string written(ElementType type, T number) {
  char text[32];
  detail::put_element(text, type, &number, 0);
  return text;
}

TEST(CompareElements, ANumberIsWrittenWithTheDigitsOfItsFormat) {
  EXPECT_EQ(written(ElementType::float64, 0.1), "0.10000000000000001");
  EXPECT_EQ(written(ElementType::float64, -1.0 / 3), "-0.33333333333333331");
  EXPECT_EQ(written(ElementType::float32, 0.1F), "0.100000001");
  EXPECT_EQ(written(ElementType::float32, 16777217.0F), "16777216");
  EXPECT_EQ(written(ElementType::float16, std::uint16_t{0x3555}), "0.33325");
  EXPECT_EQ(written(ElementType::bfloat16, std::uint16_t{0x3eab}), "0.334");
  EXPECT_EQ(written(ElementType::bfloat16, std::uint16_t{0x4049}), "3.141");
  EXPECT_EQ(written(ElementType::int8, std::int8_t{-128}), "-128");
  EXPECT_EQ(written(ElementType::uint8, std::uint8_t{200}), "200");
  EXPECT_EQ(written(ElementType::bytes, std::uint8_t{255}), "255");
  EXPECT_EQ(written(ElementType::boolean, true), "1");
  EXPECT_EQ(written(ElementType::int16, std::int16_t{-300}), "-300");
  EXPECT_EQ(written(ElementType::uint16, std::uint16_t{65535}), "65535");
  EXPECT_EQ(written(ElementType::int32, -70000), "-70000");
  EXPECT_EQ(written(ElementType::uint32, 4000000000U), "4000000000");
  EXPECT_EQ(written(ElementType::int64, INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(written(ElementType::uint64, UINT64_MAX), "18446744073709551615");
}

template <class T>
Comparison compared(const std::vector<T>& actual, const std::vector<T>& expected,
                    const Tolerance& tolerance = {}) {
  return detail::compare_elements(element_type<T>, actual.data(), expected.data(), actual.size(),
                                  tolerance);
}

TEST(CompareElements, TheDistanceOfWholeNumbersIsExact) {
  EXPECT_EQ(detail::distance<std::int64_t>(5, 3), 2.0);
  EXPECT_EQ(detail::distance<std::int64_t>(3, 5), 2.0);
  EXPECT_EQ(detail::distance<std::int64_t>(-3, 5), 8.0);
  EXPECT_EQ(detail::distance<std::int64_t>(5, -3), 8.0);
  EXPECT_EQ(detail::distance<std::int64_t>(INT64_MAX, INT64_MIN), 0x1p64);
  EXPECT_EQ(detail::distance<std::uint64_t>(UINT64_MAX, UINT64_MAX - 1), 1.0);
  EXPECT_EQ(detail::distance<std::uint64_t>(7, 9), 2.0);
  EXPECT_EQ(detail::distance(1.5, -2.0), 3.5);
}

TEST(CompareElements, OfEqualDifferencesTheFirstIsSaid) {
  const Comparison found =
      compared<int>({0, 3, 12, 7, 30}, {0, 1, 10, 5, 32}, Tolerance{.absolute = 9});
  EXPECT_TRUE(found.agrees());
  EXPECT_EQ(found.absolute.difference, 2);
  EXPECT_EQ(found.absolute.at, 1U);
  EXPECT_EQ(found.relative.difference, 2);
  EXPECT_EQ(found.relative.at, 1U) << "from 1 to 3";
  const Comparison twice = compared<int>({9, 3, 6}, {8, 2, 4});
  EXPECT_EQ(twice.relative.difference, 0.5);
  EXPECT_EQ(twice.relative.at, 1U);
}

TEST(CompareElements, NothingIsRelativeToZero) {
  const Comparison found = compared<float>({5, 2.5F}, {0, 2});
  EXPECT_EQ(found.absolute.difference, 5);
  EXPECT_EQ(found.absolute.at, 0U);
  EXPECT_EQ(found.relative.difference, 0.25);
  EXPECT_EQ(found.relative.at, 1U);
  EXPECT_EQ(compared<float>({5}, {0}).relative.difference, 0);
  EXPECT_EQ(compared<int>({4}, {1}).relative.difference, 3);
}

TEST(CompareElements, EqualNumbersAgreeWhateverTheTolerance) {
  const std::vector<double> values{0, -1, 5};
  EXPECT_TRUE(compared(values, values, Tolerance{.relative = infinity}).agrees());
  EXPECT_TRUE(compared(values, values, Tolerance{.absolute = -1}).agrees());
  EXPECT_TRUE(compared(values, values, Tolerance{.absolute = not_a_number}).agrees());
}

TEST(CompareElements, NumbersThatAreNotFiniteAgreeWithTheSame) {
  struct Case {
    double actual, expected;
    bool agrees, agrees_without_nan;
    std::array<std::uint64_t, 3> nan, inf;  // both, actual only, expected only
  };
  const Case cases[] = {
      {infinity, infinity, true, true, {}, {1, 0, 0}},
      {-infinity, -infinity, true, true, {}, {1, 0, 0}},
      {infinity, -infinity, false, false, {}, {0, 1, 1}},
      {infinity, 1, false, false, {}, {0, 1, 0}},
      {1, infinity, false, false, {}, {0, 0, 1}},
      {not_a_number, not_a_number, true, false, {1, 0, 0}, {}},
      {not_a_number, 1, false, false, {0, 1, 0}, {}},
      {1, not_a_number, false, false, {0, 0, 1}, {}},
      {not_a_number, infinity, false, false, {0, 1, 0}, {}},
      {infinity, not_a_number, false, false, {0, 0, 1}, {}},
      {1, 1, true, true, {}, {}},
  };
  const auto counts = [](const Comparison::NonFinite& found) {
    return std::array{found.both, found.actual_only, found.expected_only};
  };
  for (const Case& one : cases) {
    const std::vector<double> actual{one.actual};
    const std::vector<double> expected{one.expected};
    const Comparison found = compared(actual, expected, {.absolute = 9});
    EXPECT_EQ(found.agrees(), one.agrees) << &one - cases;
    EXPECT_EQ(counts(found.nan), one.nan) << &one - cases;
    EXPECT_EQ(counts(found.inf), one.inf) << &one - cases;
    EXPECT_EQ(found.absolute.difference, 0);
    EXPECT_EQ(compared(actual, expected, {.nan_agrees = false}).agrees(), one.agrees_without_nan)
        << &one - cases;
  }
}

/// The indices that the neighbourhood of `at` shows among `count` numbers; the marked one twice.
std::vector<std::size_t> shown(std::size_t count, std::size_t at) {
  std::vector<std::uint64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
  std::istringstream lines(
      detail::neighbourhood(ElementType::uint64, numbers.data(), numbers.data(), count, at));
  std::vector<std::size_t> indices;
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  EXPECT_EQ(line, "             index                   actual                 expected");
  while (std::getline(lines, line)) {
    EXPECT_EQ(line.size(), 68U) << line;
    std::istringstream fields(line.substr(4));
    std::size_t index = 0;
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    fields >> index >> left >> right;
    EXPECT_EQ(index, left);
    EXPECT_EQ(index, right);
    indices.push_back(index);
    if (line[2] == '>') indices.push_back(index);
  }
  return indices;
}

TEST(CompareElements, TheNeighbourhoodIsThreeNumbersOnEachSide) {
  using Indices = std::vector<std::size_t>;
  EXPECT_EQ(shown(1, 0), (Indices{0, 0}));
  EXPECT_EQ(shown(20, 0), (Indices{0, 0, 1, 2, 3}));
  EXPECT_EQ(shown(20, 2), (Indices{0, 1, 2, 2, 3, 4, 5}));
  EXPECT_EQ(shown(20, 3), (Indices{0, 1, 2, 3, 3, 4, 5, 6}));
  EXPECT_EQ(shown(20, 4), (Indices{1, 2, 3, 4, 4, 5, 6, 7}));
  EXPECT_EQ(shown(20, 15), (Indices{12, 13, 14, 15, 15, 16, 17, 18}));
  EXPECT_EQ(shown(20, 16), (Indices{13, 14, 15, 16, 16, 17, 18, 19}));
  EXPECT_EQ(shown(20, 17), (Indices{14, 15, 16, 17, 17, 18, 19}));
  EXPECT_EQ(shown(20, 18), (Indices{15, 16, 17, 18, 18, 19}));
  EXPECT_EQ(shown(20, 19), (Indices{16, 17, 18, 19, 19}));
}

TEST(CompareElements, AnUnfilledComparisonAgrees) {
  const Comparison none;
  EXPECT_TRUE(none.agrees());
  EXPECT_EQ(none.first_mismatch, 0U);
  EXPECT_EQ(none.absolute.at, 0U);
  EXPECT_EQ(none.relative.at, 0U);
  EXPECT_EQ(message(none), "0 numbers (bytes) agree");
}

TEST(CompareElements, TheMessageHasOnlyTheLinesThatSaySomething) {
  Comparison found;
  found.type = ElementType::int32;
  found.count = 9;
  found.tolerance.absolute = 0.5;
  EXPECT_EQ(message(found), "9 numbers (int32) agree within 0.5 + 0 * |expected|");
  found.tolerance = {.relative = 0.25};
  EXPECT_EQ(message(found), "9 numbers (int32) agree within 0 + 0.25 * |expected|");
  found.mismatches = 2;
  found.first_mismatch = 4;
  EXPECT_EQ(message(found),
            "2 of 9 numbers (int32) differ by more than 0 + 0.25 * |expected|, first at [4]");
  found.tolerance = {};
  found.absolute = {3, 5};
  found.relative = {0.75, 6};
  EXPECT_EQ(message(found),
            "2 of 9 numbers (int32) differ, first at [4]\n"
            "  largest absolute difference 3 at [5], largest relative 0.75 at [6]");
  found.absolute = found.relative = {};
  const std::string first = "2 of 9 numbers (int32) differ, first at [4]";
  const Comparison::NonFinite counts[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0},
                                          {1, 0, 1}, {0, 1, 1}, {2, 1, 1}, {5, 6, 7}};
  for (const Comparison::NonFinite& one : counts) {
    const std::string text = std::to_string(one.both) + " in both, " +
                             std::to_string(one.actual_only) + " not expected, " +
                             std::to_string(one.expected_only) + " expected but missing";
    found.inf = {};
    found.nan = one;
    EXPECT_EQ(message(found), first + "\n  NaN: " + text);
    found.inf = one;
    EXPECT_EQ(message(found), first + "\n  NaN: " + text + "\n  Inf: " + text);
    found.nan = {};
    EXPECT_EQ(message(found), first + "\n  Inf: " + text);
  }
  found.inf = {};
  found.neighbourhood = "\nthe numbers";
  EXPECT_EQ(message(found), first + "\nthe numbers");
}

TEST(CompareElements, TheMatcherDescribesItselfAndItsOpposite) {
  const auto matcher = agrees_with(std::array{1, 2, 3});
  std::ostringstream text;
  matcher.DescribeTo(&text);
  text << "; ";
  matcher.DescribeNegationTo(&text);
  EXPECT_EQ(text.str(), "agrees with the 3 expected numbers; differs from the 3 expected numbers");
  EXPECT_TRUE(matcher.MatchAndExplain(std::array{1, 2, 3}, nullptr));
  EXPECT_FALSE(matcher.MatchAndExplain(std::array{1, 2, 4}, nullptr));
  EXPECT_FALSE(matcher.MatchAndExplain(std::array{1, 2}, nullptr));
  const auto check = &detail::check_compared<std::vector<int>, std::array<int, 3>>;
  EXPECT_TRUE(check());
}

}  // namespace
}  // namespace warpsafe::core_test
