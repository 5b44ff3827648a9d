// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Accesses compared with sets of bytes.

#include <warpsafe/backend/memory_access.hpp>

#include <gtest/gtest.h>

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpsafe::debug {
namespace {

constexpr std::uintptr_t access_base = 1000;
using AccessedBytes = std::bitset<64>;

AccessedBytes bytes_of_access(const MemoryAccess& access) {
  AccessedBytes set;
  for (std::size_t row = 0; row < access.rows; ++row) {
    for (std::size_t byte = 0; byte < access.bytes; ++byte) {
      set.set(access.begin - access_base + row * access.pitch + byte);
    }
  }
  return set;
}
AccessedBytes bytes_between(std::uintptr_t from, std::uintptr_t to) {
  AccessedBytes set;
  for (std::uintptr_t at = from; at < to; ++at) set.set(at - access_base);
  return set;
}

std::vector<MemoryAccess> many_accesses() {
  std::vector<MemoryAccess> all;
  for (const std::uintptr_t first : {0U, 1U, 5U, 13U}) {
    for (const std::size_t bytes : {0U, 1U, 2U, 4U}) {
      for (const std::size_t rows : {1U, 2U, 4U}) {
        for (const std::size_t pitch : {4U, 5U, 9U}) {
          all.push_back({.begin = access_base + first,
                         .bytes = bytes,
                         .rows = rows,
                         .pitch = rows == 1 ? 0 : pitch});
        }
      }
    }
  }
  return all;
}

TEST(MemoryAccessBytes, AnAccessTouchesItsBytesAndNotTheGapsBetweenRows) {
  for (const MemoryAccess& access : many_accesses()) {
    const AccessedBytes bytes = bytes_of_access(access);
    for (std::uintptr_t from = access_base; from < access_base + 45; ++from) {
      for (std::uintptr_t to = access_base; to < access_base + 45; ++to) {
        ASSERT_EQ(access.touches(from, to), (bytes & bytes_between(from, to)).any())
            << access.begin << ' ' << access.bytes << ' ' << access.rows << ' ' << access.pitch
            << ": " << from << ' ' << to;
      }
    }
  }
}

TEST(MemoryAccessBytes, AnAccessWithoutRowsTouchesNothing) {
  const MemoryAccess nothing{.begin = access_base, .bytes = 4, .rows = 0, .pitch = 8};
  EXPECT_EQ(nothing.extent(), 0U);
  EXPECT_EQ(nothing.end(), access_base);
  const MemoryAccess row{.begin = access_base, .bytes = 4};
  EXPECT_FALSE(nothing.touches(access_base, access_base + 1));
  EXPECT_FALSE(nothing.touches(access_base - 1, access_base + 9));
  EXPECT_FALSE(nothing.overlaps(row));
  EXPECT_FALSE(row.overlaps(nothing));
}

TEST(MemoryAccessBytes, TwoAccessesOverlapIfTheyShareAByte) {
  const std::vector<MemoryAccess> all = many_accesses();
  for (const MemoryAccess& a : all) {
    for (const MemoryAccess& b : all) {
      ASSERT_EQ(a.overlaps(b), (bytes_of_access(a) & bytes_of_access(b)).any())
          << a.begin << ' ' << a.bytes << ' ' << a.rows << ' ' << a.pitch << " and " << b.begin
          << ' ' << b.bytes << ' ' << b.rows << ' ' << b.pitch;
    }
  }
}

TEST(MemoryAccessBytes, TheExtentReachesFromTheFirstByteToTheLast) {
  EXPECT_EQ((MemoryAccess{.begin = access_base, .bytes = 7}.extent()), 7U);
  EXPECT_EQ((MemoryAccess{.begin = access_base, .bytes = 7, .pitch = 9}.extent()), 7U);
  EXPECT_EQ((MemoryAccess{.begin = access_base, .bytes = 7, .rows = 3, .pitch = 9}.extent()), 25U);
  EXPECT_EQ((MemoryAccess{.begin = access_base, .bytes = 7, .rows = 3, .pitch = 9}.end()),
            access_base + 25);
}

TEST(MemoryAccessBytes, AnAccessMadeWithoutNumbersReadsNothing) {
  const MemoryAccess plain{};
  EXPECT_EQ(plain.begin, 0U);
  EXPECT_EQ(plain.bytes, 0U);
  EXPECT_EQ(plain.kind, AccessKind::read);
  EXPECT_EQ(plain.rows, 1U);
  EXPECT_EQ(plain.pitch, 0U);
}

}  // namespace
}  // namespace warpsafe::debug
