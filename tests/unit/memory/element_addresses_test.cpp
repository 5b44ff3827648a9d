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

// Which addresses in a table the device can read, and which structures may not hold one.

namespace warpsafe::core_test {
namespace {

struct Row {
  const float* data;
  std::size_t size;
};
struct Nested {
  long before;
  Row rows[2];
};
struct Hidden {
  int kind;
  std::optional<int*> maybe;
};
struct Declared {
  const float* data;
  std::uintptr_t key;
};
struct Numbers {
  int count;
  double values[3];
};
class Closed {
 public:
  explicit Closed(int* value) : value_(value) {}

 private:
  [[maybe_unused]] int* value_;
};

}  // namespace
}  // namespace warpsafe::core_test
template <>
inline constexpr bool warpsafe::is_device_copyable<warpsafe::core_test::Declared> = true;
namespace warpsafe::core_test {
namespace {

TEST(UndeclaredAddress, IsThatOfAStructure) {
  EXPECT_TRUE(detail::has_undeclared_address<Row>());
  EXPECT_TRUE(detail::has_undeclared_address<Nested>());
  EXPECT_TRUE((detail::has_undeclared_address<std::array<const float*, 2>>()));
  EXPECT_TRUE(detail::has_undeclared_address<Hidden>());
  EXPECT_FALSE(detail::has_undeclared_address<Declared>()) << "as it declares";
  EXPECT_FALSE(detail::has_undeclared_address<Numbers>());
  EXPECT_FALSE(detail::has_undeclared_address<DeviceSpan<float>>());
  EXPECT_FALSE(detail::has_undeclared_address<float*>()) << "the driver is asked";
  EXPECT_FALSE(detail::has_undeclared_address<Closed>()) << "not examined";
}

struct CheckedAddresses : DataTest {
  const DeviceBuffer<int> there = filled(counting(4));
  int* const device = const_cast<int*>(there.view().pointer().get());
  int on_host = 0;

  /// The number of the first element with an address of the host, or nothing.
  [[nodiscard]] static std::optional<std::uint64_t> refused(
      const std::vector<std::uintptr_t>& words) {
    const result<void> checked =
        detail::check_addresses<default_backend>(words.data(), words.size(), app);
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

TEST_F(CheckedAddresses, TheFirst256AreAsked) {
  std::vector<std::uintptr_t> words(257, word(device));
  words[256] = word(&on_host);
  EXPECT_EQ(refused(words), std::nullopt);
  words[255] = word(&on_host);
  EXPECT_EQ(refused(words), 255U);
}

}  // namespace
}  // namespace warpsafe::core_test
