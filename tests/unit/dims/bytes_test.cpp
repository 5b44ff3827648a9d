// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core_test.hpp"
#include <warpsafe/dims/bytes.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <sstream>

namespace warpsafe::core_test {
namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

struct TwelveBytes {
  float values[3];
};

TEST(Bytes, CountElementsTimesTheirSize) {
  EXPECT_EQ(Bytes::create<float>(256).value(), Bytes(1024));
  EXPECT_EQ(Bytes::create<TwelveBytes>(std::uint64_t{5}).value().value(), 60U);
  EXPECT_EQ(Bytes::create<double>(0).value(), Bytes{});
  EXPECT_EQ(Bytes::create<char>(most).value().value(), most);
}

TEST(Bytes, AProductThatJustFitsIsAccepted) {
  EXPECT_EQ(Bytes::create<double>(most / 8).value().value(), most / 8 * 8);
}

TEST(Bytes, AProductThatDoesNotFitIsRefusedWithBothNumbers) {
  const LaunchError error = error_in(Bytes::create<double>(most / 8 + 1, app));
  EXPECT_EQ(finding(error), (Finding{Errc::bytes_overflow, Stage::construction,
                                     2305843009213693952U, 8, Axis::none}));
  EXPECT_EQ(message(error),
            "Refused: 2305843009213693952 elements of 8 bytes do not fit in 64 "
            "bits\n  at app.cpp:7");
}

TEST(Bytes, ANegativeCountIsRefusedByItsValue) {
  const LaunchError error = error_in(Bytes::create<double>(-5, app));
  EXPECT_EQ(finding(error), (Finding{Errc::size_negative, Stage::construction, 5, 8, Axis::none}));
  EXPECT_TRUE(is_app(error.site));
  EXPECT_EQ(error_in(Bytes::create<double>(-5)).site.line, static_cast<unsigned>(__LINE__));
}

TEST(Bytes, AreOrderedAndPrinted) {
  EXPECT_LT(Bytes(1), Bytes(2));
  EXPECT_NE(Bytes(1), Bytes(2));
  std::ostringstream out;
  out << Bytes(1024);
  EXPECT_EQ(out.str(), "1024 bytes");
}

TEST(Shared, IsBytesOfItsElements) {
  EXPECT_EQ(shared<float>(256).bytes(), Bytes(1024U));
  EXPECT_EQ(shared<TwelveBytes>(2U).bytes(), Bytes(24U));
  EXPECT_EQ(shared<float>(0).bytes(), Bytes(0U));
  EXPECT_EQ(shared(Bytes(100)).bytes(), Bytes(100U));
  LaunchShape shape;
  shared<double>(3).apply(shape);
  EXPECT_EQ(shape.dynamic_shared, 24U);
}

TEST(Shared, AWrongCountTravelsInTheValue) {
  const auto negative = shared<float>(-3);
  EXPECT_EQ(negative.bytes(), Bytes(most)) << "what every runtime refuses";
  EXPECT_EQ(finding(negative.problem()),
            (Finding{Errc::shared_negative, Stage::construction, 3, 4, Axis::none}));
  const auto overflow = shared<float>(std::uint64_t{1} << 62);
  EXPECT_EQ(overflow.bytes(), Bytes(most));
  EXPECT_EQ(finding(overflow.problem()), (Finding{Errc::shared_overflow, Stage::construction,
                                                  std::uint64_t{1} << 62, 4, Axis::none}));
  EXPECT_EQ(shared<float>(3).problem().code, Errc{});
  const auto bytes = shared(Bytes(-8));
  EXPECT_EQ(bytes.bytes(), Bytes(most));
  EXPECT_EQ(finding(bytes.problem()),
            (Finding{Errc::shared_negative, Stage::construction, 8, 1, Axis::none}));
  EXPECT_EQ(shared(Bytes(std::uint64_t{4} - 12)).problem().code, Errc::shared_negative)
      << "a difference of unsigned numbers";
  EXPECT_EQ(shared(Bytes(most >> 1)).problem().code, Errc{});
}

}  // namespace
}  // namespace warpsafe::core_test
