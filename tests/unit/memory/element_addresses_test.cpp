// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "data_fixture.hpp"
#include <warpsafe/memory/detail/element_addresses.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

// Which words of a table are addresses, and which of them the device can read.

namespace warpsafe::core_test {
namespace {

struct Row {
  const float* data;
  std::size_t size;
  int (*function)(int);
  double value;
  void* last;
};
struct Inner {
  int* first;
  long count;
};
struct Nested {
  long before;
  Inner inner;
  int* after;
};
struct Hidden {
  union Either {
    int* pointer;
    long number;
  } either;
  std::optional<int*> maybe;
  int* known;
};

TEST(PointerWords, AreThoseThatPointersTake) {
  EXPECT_EQ(detail::pointer_words<Row>(),
            (detail::PointerWords<Row>{true, false, true, false, true}));
  EXPECT_EQ(detail::pointer_words<Inner>(), (detail::PointerWords<Inner>{true, false}));
  const auto nested = detail::pointer_words<Nested>();
  EXPECT_FALSE(nested[0]);
  EXPECT_TRUE(nested[3]);
  const auto hidden = detail::pointer_words<Hidden>();
  EXPECT_FALSE(hidden[0]) << "the bytes of a union may be a number";
  EXPECT_TRUE(hidden[hidden.size() - 1]);
}

TEST(IsMapped, IsMemoryOfTheProgram) {
  static char known = 0;
  EXPECT_TRUE(detail::is_mapped(&known));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): no memory
  EXPECT_FALSE(detail::is_mapped(reinterpret_cast<char*>(std::uintptr_t{4097})));
}

struct CheckedAddresses : DataTest {
  const DeviceBuffer<int> there = filled(counting(4));
  int* const device = const_cast<int*>(there.view().pointer().get());
  int on_host = 0;

  /// The number of the first element with an address of the host, or nothing.
  [[nodiscard]] static std::optional<std::uint64_t> refused(
      const std::vector<std::uintptr_t>& words, std::size_t width = 1,
      const bool* is_pointer = nullptr) {
    const result<void> checked = detail::check_addresses<default_backend>(
        words.data(), words.size() / width, width, is_pointer, app);
    if (checked.has_value()) return std::nullopt;
    const LaunchError error = error_in(checked);
    EXPECT_EQ(error.code, Errc::argument_host_pointer);
    EXPECT_EQ(error.stage, Stage::validation);
    EXPECT_EQ(error.vendor, Vendor::host);
    EXPECT_EQ(text(error.operation), "copy to device");
    EXPECT_EQ(error.site, app);
    return error.value;
  }
  static std::uintptr_t word(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address);
  }
};

TEST_F(CheckedAddresses, AreOfTheDeviceOrMarks) {
  EXPECT_EQ(refused({}), std::nullopt);
  EXPECT_EQ(refused({word(device), 0, word(device + 3), word(device + 4)}), std::nullopt)
      << "the end of a range, too";
  EXPECT_EQ(refused({word(device), word(&on_host)}), 1U);
  EXPECT_EQ(refused({word(&on_host), word(&on_host)}), 0U);
  EXPECT_EQ(refused({1, 4095, ~std::uintptr_t{0}, ~std::uintptr_t{4096}}), std::nullopt);
  EXPECT_EQ(refused({4096}), 0U);
  EXPECT_EQ(refused({~std::uintptr_t{4096} - 1}), 0U);
}

TEST_F(CheckedAddresses, OfAStructureAreThoseOfItsPointers) {
  const bool is_pointer[] = {false, true, false};
  EXPECT_EQ(refused({word(&on_host), word(device), word(&on_host)}, 3, is_pointer), std::nullopt);
  EXPECT_EQ(refused({0, word(device), 0, 0, word(&on_host), 0}, 3, is_pointer), 1U);
  EXPECT_EQ(refused({0, 4097, 0}, 3, is_pointer), std::nullopt) << "a flag, and no memory";
}

TEST_F(CheckedAddresses, TheFirst256AreAsked) {
  std::vector<std::uintptr_t> words(257, word(device));
  words[256] = word(&on_host);
  EXPECT_EQ(refused(words), std::nullopt);
  words[255] = word(&on_host);
  EXPECT_EQ(refused(words), 255U);
  // Words that are no pointers do not count.
  const bool is_pointer[] = {false, true};
  std::vector<std::uintptr_t> pairs(2 * 256, word(device));
  pairs[2 * 255 + 1] = word(&on_host);
  EXPECT_EQ(refused(pairs, 2, is_pointer), 255U);
}

}  // namespace
}  // namespace warpsafe::core_test
