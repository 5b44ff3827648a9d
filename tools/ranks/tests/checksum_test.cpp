// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "tools/ranks/record/host_checksum.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace {

using namespace warpsafe::ranks;

template <class T>
Checksum of(const std::vector<T>& values, Format format) {
  return checksum_part(reinterpret_cast<const unsigned char*>(values.data()),
                       values.size() * sizeof(T), format, 0, 1);
}

TEST(Checksum, TheSumOfItsPartsInAnyOrderAndAtAnyAddress) {
  std::mt19937 random(7);
  std::vector<unsigned char> bytes(5000);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
  for (const std::size_t size : {0U, 1U, 7U, 8U, 9U, 4095U, 4096U, 4990U}) {
    const Checksum whole = checksum_part(bytes.data(), size, Format::float16, 0, 1);
    for (const std::uint64_t step : {2U, 3U, 512U}) {
      for (std::size_t shift = 0; shift < 9; ++shift) {
        std::vector<unsigned char> moved(size + shift);
        std::memcpy(moved.data() + shift, bytes.data(), size);
        Checksum sum;
        for (std::uint64_t part = step; part != 0; --part) {
          sum.add(checksum_part(moved.data() + shift, size, Format::float16, part - 1, step));
        }
        EXPECT_EQ(sum.sum, whole.sum);
        EXPECT_EQ(sum.nans, whole.nans);
        EXPECT_EQ(sum.infinities, whole.infinities);
        EXPECT_EQ(sum.first, whole.first);
      }
    }
  }
}

// Files of different builds are compared. check_kernel.py has the same computation a second time.
TEST(Checksum, IsTheSameInEachBuild) {
  std::vector<unsigned char> bytes(1003);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<unsigned char>(i * i * 7 + i);
  const auto sum = [&](Format format) {
    return checksum_part(bytes.data(), bytes.size(), format, 0, 1).sum;
  };
  EXPECT_EQ(sum(Format::bytes), 0x07ab684e27d5d92aU);
  EXPECT_EQ(sum(Format::float64), 0x07ab684e27d5d92aU);
  EXPECT_EQ(sum(Format::float32), 0x07ab684e27d5d92aU);
  EXPECT_EQ(sum(Format::float16), 0x8c85a893ad5eabb0U);
  EXPECT_EQ(sum(Format::bfloat16), 0x07ab684e27d5d92aU);
  EXPECT_EQ(sum(Format::float8e4m3), 0xd6547b493838ee4bU);
  EXPECT_EQ(sum(Format::float8e5m2), 0xded49b0f82eebeaaU);
}

TEST(Checksum, EachBitAndEachPlaceCounts) {
  std::vector<float> values(100, 1.0F);
  const Checksum before = of(values, Format::float32);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::nextafter(1.0F, 2.0F);
    EXPECT_NE(of(values, Format::float32).sum, before.sum);
    values[i] = 1;
  }
  values[3] = 2;
  const Checksum third = of(values, Format::float32);
  std::swap(values[3], values[4]);
  EXPECT_NE(of(values, Format::float32).sum, third.sum);
  std::swap(values[4], values[6]);
  EXPECT_NE(of(values, Format::float32).sum, third.sum);
}

TEST(Checksum, NaNsAndInfinitiesOfEachFormat) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values = {1, infinity, -infinity, std::nanf("5"), 3e38F, 0};
  Checksum sum = of(values, Format::float32);
  EXPECT_EQ(sum.nans, 1U);
  EXPECT_EQ(sum.infinities, 2U);
  EXPECT_EQ(sum.first, 1U);
  sum = of(std::vector<double>{0, 1e308, std::nan("1"), double{infinity}}, Format::float64);
  EXPECT_EQ(sum.nans, 1U);
  EXPECT_EQ(sum.infinities, 1U);
  EXPECT_EQ(sum.first, 2U);
  // Its largest number, infinities, and NaNs. IEEE 754, and OCP's "8-bit Floating Point".
  using Halves = std::vector<std::uint16_t>;
  sum = of(Halves{0x7bff, 0x7c00, 0xfc00, 0x7c01, 0xffff}, Format::float16);
  EXPECT_EQ(sum.nans, 2U);
  EXPECT_EQ(sum.infinities, 2U);
  sum = of(Halves{0x7f7f, 0x7f80, 0xff80, 0x7f81, 0xffff}, Format::bfloat16);
  EXPECT_EQ(sum.nans, 2U);
  EXPECT_EQ(sum.infinities, 2U);
  using Bytes = std::vector<std::uint8_t>;
  sum = of(Bytes{0x7e, 0x78, 0x7f, 0xff, 0x80}, Format::float8e4m3);
  EXPECT_EQ(sum.nans, 2U);
  EXPECT_EQ(sum.infinities, 0U);
  sum = of(Bytes{0x7b, 0x7c, 0xfc, 0x7d, 0xff, 0x7f}, Format::float8e5m2);
  EXPECT_EQ(sum.nans, 3U);
  EXPECT_EQ(sum.infinities, 2U);
  EXPECT_EQ(sum.first, 1U);
  // Numbers that are none.
  sum = of(Bytes(64, 0xff), Format::bytes);
  EXPECT_EQ(sum.nans + sum.infinities, 0U);
  EXPECT_EQ(sum.first, Checksum::none);
}

TEST(Checksum, BitsThatTheOrderOfASumDecides) {
  std::uint32_t bits = 0xffc12345;
  float other_nan = 0;
  std::memcpy(&other_nan, &bits, sizeof bits);
  const std::vector<float> first = {1, std::nanf(""), 0.0F, 2}, second = {1, other_nan, -0.0F, 2};
  EXPECT_EQ(of(first, Format::float32).sum, of(second, Format::float32).sum);
  EXPECT_NE(of(first, Format::bytes).sum, of(second, Format::bytes).sum);
}

TEST(Checksum, OfTheHostInPiecesAndNeverOfAnAddressThatCannotBeRead) {
  std::vector<double> values(9000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sqrt(static_cast<double>(i));
  values[8000] = std::nan("");
  Checksum sum;
  ASSERT_TRUE(checksum_of_host(values.data(), values.size() * 8, Format::float64, sum));
  EXPECT_EQ(sum.sum, of(values, Format::float64).sum);
  EXPECT_EQ(sum.first, 8000U);
  // A driver reserves a device's addresses in this way.
  void* const reserved =
      ::mmap(nullptr, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT_FALSE(checksum_of_host(reserved, 100, Format::float64, sum));
  EXPECT_FALSE(checksum_of_host(nullptr, 100, Format::float64, sum));
  ::munmap(reserved, 65536);
}

}  // namespace
