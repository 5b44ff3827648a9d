// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What a launch knows about an argument from its type and its parameter's.

#include "rule_table.hpp"
#include <warpsafe/args/align.hpp>
#include <warpsafe/args/device_view.hpp>
#include <warpsafe/args/trust.hpp>
#include <warpsafe/error/exception.hpp>
#include <warpsafe/kernel/detail/argument_facts.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace warpsafe::core_test {

/// Of other libraries: one has a size of its own, one a size that its traits tell.
struct FactsOfSized {
  int* first;
  short length;
  [[nodiscard]] short size() const { return length; }
};
struct FactsOfCounted {
  int* first;
  [[nodiscard]] std::size_t size() const { return 1000; }  // bytes, say
};
/// A named type that holds a view.
struct OwnerHolder {
  detail::MemoryOwner* owner;
  [[nodiscard]] detail::MemoryOwner* memory_owner() const { return owner; }
};
class Incomplete;
struct IncompleteVector {
  Incomplete* first;
};

}  // namespace warpsafe::core_test

namespace warpsafe {
template <>
struct device_pointer_traits<core_test::FactsOfSized> {
  static int* get(const core_test::FactsOfSized& vector) noexcept { return vector.first; }
};
template <>
struct device_pointer_traits<core_test::FactsOfCounted> {
  static int* get(const core_test::FactsOfCounted& vector) noexcept { return vector.first; }
  static short count(const core_test::FactsOfCounted&) noexcept { return 7; }
};
template <>
struct device_pointer_traits<core_test::IncompleteVector> {
  static core_test::Incomplete* get(const core_test::IncompleteVector& vector) noexcept {
    return vector.first;
  }
};
template <>
inline constexpr bool detail::holds_owner<core_test::OwnerHolder> = true;
}  // namespace warpsafe

namespace warpsafe::core_test {
namespace {

using detail::ArgumentFacts;
using detail::MemoryOwner;
using detail::unknown_extent;

TEST(ArgumentFacts, TheSourceIsTheOwnerAndTheNumberOfElements) {
  int memory[4] = {};
  MemoryOwner owner;
  const auto expect = [](const auto& argument, const MemoryOwner* its_owner, std::uint64_t count) {
    const detail::ArgumentSource source =
        detail::source_of<std::remove_cvref_t<decltype(argument)>>(&argument);
    EXPECT_EQ(source.owner, its_owner);
    EXPECT_EQ(source.count, count);
  };
  const DeviceSpan<int> span(detail::DeviceAccess::pointer(&memory[0]), 4);
  expect(DeviceView<int>(span, 0, &owner), &owner, 4);
  expect(DeviceView<int>(), nullptr, 0);
  expect(align<4>(DeviceView<int>(span, 0, &owner)).value(), &owner, unknown_extent);
  expect(span, nullptr, 4);
  expect(trust(&memory[0], 3), nullptr, 3);
  expect(trust(&memory[0], -3), nullptr, 0);
  expect(trust(&memory[0]), nullptr, unknown_extent);
  expect(detail::DeviceAccess::pointer(&memory[0]), nullptr, unknown_extent);
  expect(FactsOfSized{&memory[0], 5}, nullptr, 5);
  expect(FactsOfCounted{&memory[0]}, nullptr, 7);
  expect(OwnerHolder{&owner}, &owner, unknown_extent);
}

struct HalfPadded {
  double wide;
  int narrow;
};

TEST(ArgumentFacts, OnlyWhatIsTheParametersBytesIsPassedInPlace) {
  using detail::is_passed_in_place;
  using View = DeviceView<float>;
  expect_rules({
      {&is_passed_in_place<int, int>, true},
      {&is_passed_in_place<int, volatile int>, false},
      {&is_passed_in_place<long, int>, false},
      {&is_passed_in_place<HalfPadded, HalfPadded>, true},
      {&is_passed_in_place<DeviceSpan<float>, View>, true},
      {&is_passed_in_place<DeviceSpan<const float>, View>, true},
      {&is_passed_in_place<DeviceSpan<const float>, DeviceSpan<float>>, true},
      {&is_passed_in_place<DeviceSpan<float>, trusted_span<float>>, false},
      {&is_passed_in_place<float*, View>, true},
      {&is_passed_in_place<const float*, View>, true},
      {&is_passed_in_place<device_ptr<float>, View>, true},
      {&is_passed_in_place<float*, trusted_ptr<float>>, true},
      {&is_passed_in_place<float*, trusted_span<float>>, true},
      {&is_passed_in_place<device_ptr<float>, device_ptr<float>>, true},
      {&is_passed_in_place<int*, FactsOfSized>, false},
      {&is_passed_in_place<float*, std::nullptr_t>, false},
  });
}

TEST(ArgumentFacts, APointersElementsAreThoseOfItsArgument) {
  using detail::element_bytes_behind;
  expect_rules<std::uint32_t>({
      {&element_bytes_behind<void*, DeviceView<std::byte>>, 1},
      {&element_bytes_behind<void*, trusted_ptr<double>>, 8},
      {&element_bytes_behind<void*, trusted_ptr<void>>, 1},
      {&element_bytes_behind<const void*, trusted_ptr<const void>>, 1},
      {&element_bytes_behind<float*, DeviceView<float>>, 4},
      {&element_bytes_behind<int*, FactsOfSized>, 4},
      {&element_bytes_behind<Incomplete*, IncompleteVector>, 0},
      {&element_bytes_behind<float*, std::nullptr_t>, 0},
      {&element_bytes_behind<DeviceSpan<float>, DeviceView<float>>, 0},
      {&element_bytes_behind<int, int>, 0},
  });
}

template <class P, class A>
ArgumentFacts facts_of() {
  const auto make = &detail::make_argument_facts<P, A>;
  return make();
}

TEST(ArgumentFacts, OfANumber) {
  const ArgumentFacts same = facts_of<short, short>();
  EXPECT_EQ(same.size, 2U);
  EXPECT_EQ(same.alignment, 2U);
  EXPECT_EQ(same.element_bytes, 0U);
  EXPECT_EQ(same.checks.signed_bytes, 0U);
  EXPECT_FALSE(same.has_owner);
  EXPECT_FALSE(same.reaches_memory);
  EXPECT_FALSE(same.is_span);
  EXPECT_EQ(same.convert, nullptr);
  EXPECT_EQ(same.source, nullptr);
  EXPECT_EQ(same.clear_padding, nullptr);

  const ArgumentFacts wider = facts_of<std::uint64_t, short>();
  EXPECT_EQ(wider.size, 8U);
  EXPECT_EQ(wider.alignment, 8U);
  EXPECT_EQ(wider.checks.signed_bytes, 2U);
  ASSERT_NE(wider.convert, nullptr);
  const short given = 300;
  std::uint64_t made = 0;
  wider.convert(&given, &made);
  EXPECT_EQ(made, 300U);
}

TEST(ArgumentFacts, OfDeviceMemory) {
  using View = DeviceView<float>;
  const ArgumentFacts span = facts_of<DeviceSpan<const float>, View>();
  EXPECT_EQ(span.size, 16U);
  EXPECT_EQ(span.alignment, 8U);
  EXPECT_TRUE(span.has_owner);
  EXPECT_TRUE(span.reaches_memory);
  EXPECT_TRUE(span.is_span);
  EXPECT_EQ(span.convert, nullptr);
  EXPECT_EQ(span.source, &detail::source_of<View>);

  const ArgumentFacts pointer = facts_of<float*, View>();
  EXPECT_EQ(pointer.size, 8U);
  EXPECT_EQ(pointer.element_bytes, 4U);
  EXPECT_TRUE(pointer.has_owner);
  EXPECT_TRUE(pointer.reaches_memory);
  EXPECT_FALSE(pointer.is_span);

  const ArgumentFacts trusted = facts_of<float*, trusted_ptr<float>>();
  EXPECT_TRUE(trusted.checks.is_trusted);
  EXPECT_FALSE(trusted.checks.is_trusted_span);
  EXPECT_FALSE(trusted.has_owner);
  EXPECT_TRUE(trusted.reaches_memory);
  EXPECT_EQ(trusted.source, &detail::source_of<trusted_ptr<float>>);

  EXPECT_EQ((facts_of<float*, DeviceSpan<float>>().source), nullptr) << "its size is behind it";

  const ArgumentFacts null = facts_of<float*, std::nullptr_t>();
  EXPECT_FALSE(null.reaches_memory);
  EXPECT_EQ(null.source, nullptr);
  EXPECT_EQ(null.element_bytes, 0U);

  const ArgumentFacts aligned = facts_of<aligned_ptr<float, 16>, aligned_view<float, 16>>();
  EXPECT_TRUE(aligned.has_owner);
  EXPECT_TRUE(aligned.checks.has_size);
}

TEST(ArgumentFacts, OfAnOwnerWithoutMemory) {
  const ArgumentFacts holder = facts_of<OwnerHolder, OwnerHolder>();
  EXPECT_TRUE(holder.has_owner);
  EXPECT_FALSE(holder.reaches_memory);
  EXPECT_EQ(holder.source, &detail::source_of<OwnerHolder>);
}

TEST(ArgumentFacts, PaddingIsClearedWhereThereIsSome) {
  EXPECT_EQ((facts_of<std::array<int, 3>, std::array<int, 3>>().clear_padding), nullptr);
  const ArgumentFacts padded = facts_of<HalfPadded, HalfPadded>();
  ASSERT_NE(padded.clear_padding, nullptr);
  alignas(HalfPadded) unsigned char bytes[sizeof(HalfPadded)];
  std::memset(bytes, 0xee, sizeof bytes);
  auto* const value = ::new (static_cast<void*>(bytes)) HalfPadded;
  value->wide = 2.5;
  value->narrow = -1;
  padded.clear_padding(value);
  EXPECT_EQ(value->wide, 2.5);
  EXPECT_EQ(value->narrow, -1);
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
  unsigned char padding[4] = {1, 1, 1, 1};
  std::memcpy(padding, reinterpret_cast<const unsigned char*>(value) + 12, 4);
  for (const unsigned char byte : padding) EXPECT_EQ(byte, 0);
#endif
#endif
}

TEST(ArgumentFacts, ACopyLiesAtTheNextMultipleOfItsAlignment) {
  for (const std::size_t alignment : {1U, 2U, 8U, 16U}) {
    for (std::size_t used = 0; used < 40; ++used) {
      std::size_t expected = used;
      while (expected % alignment != 0) ++expected;
      EXPECT_EQ(detail::place_after(used, alignment), expected) << used << ' ' << alignment;
    }
  }
}

// The memory behind an argument.

TEST(MemoryOwner, OfNothingIsNoDevicesAndNoVendors) {
  const MemoryOwner none;
  EXPECT_EQ(none.vendor, static_cast<unsigned char>(Vendor::unknown));
  EXPECT_EQ(none.of_device, -1);
  EXPECT_EQ(none.start, nullptr);
  EXPECT_EQ(none.accessed_from, 0U);
}

TEST(MemoryOwner, IsFoundBehindAViewAndAHolder) {
  MemoryOwner owner;
  const DeviceView<int> view(DeviceSpan<int>(), 0, &owner);
  const OwnerHolder holder{&owner};
  EXPECT_EQ(detail::owner_of(view), &owner);
  EXPECT_EQ(detail::owner_of(holder), &owner);
  EXPECT_EQ(detail::owner_of(DeviceView<int>()), nullptr);
  EXPECT_EQ(detail::owner_of(3), nullptr);
  EXPECT_EQ(detail::owner_of(OwnerHolder{nullptr}), nullptr);
}

}  // namespace
}  // namespace warpsafe::core_test
