// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Which argument may be passed for which parameter. Those that are refused do not compile in a
// launch (tests/misuse/compile); here the rules are asked themselves.

#include "rule_table.hpp"
#include <warpsafe/args/as_bytes.hpp>
#include <warpsafe/args/trust.hpp>
#include <warpsafe/kernel/detail/argument_types.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace warpsafe::core_test {
namespace {

using detail::check_argument;
using detail::check_parameter;
using detail::converts_keeping_value;
using detail::keeps_value;

TEST(ArgumentTypes, ANumberKeepsItsValueInATypeWithAsManyBits) {
  expect_rules({
      {&keeps_value<int, int>, true},
      {&keeps_value<bool, bool>, true},
      {&keeps_value<long double, long double>, true},
      {&keeps_value<bool, char>, false},
      {&keeps_value<bool, float>, false},
      {&keeps_value<signed char, bool>, true},
      // Whole numbers.
      {&keeps_value<std::int64_t, int>, true},
      {&keeps_value<std::int64_t, unsigned>, true},
      {&keeps_value<unsigned, int>, true},
      {&keeps_value<int, unsigned>, false},
      {&keeps_value<unsigned, std::int64_t>, false},
      {&keeps_value<int, std::int64_t>, false},
      {&keeps_value<std::uint64_t, std::int64_t>, true},
      {&keeps_value<std::uint16_t, std::uint8_t>, true},
      {&keeps_value<std::int8_t, std::uint8_t>, false},
      {&keeps_value<std::uint8_t, int>, false},
      {&keeps_value<unsigned long, unsigned long long>, true},
      // Floating point.
      {&keeps_value<double, float>, true},
      {&keeps_value<long double, double>, true},
      {&keeps_value<float, double>, false},
      {&keeps_value<double, long double>, false},
      {&keeps_value<std::int64_t, float>, false},
      {&keeps_value<std::uint64_t, double>, false},
      {&keeps_value<float, std::int16_t>, true},
      {&keeps_value<float, std::uint16_t>, true},
      {&keeps_value<float, int>, false},
      {&keeps_value<double, unsigned>, true},
      {&keeps_value<double, std::int64_t>, false},
      {&keeps_value<long double, std::uint64_t>, true},
      {&keeps_value<float, bool>, true},
  });
}

enum Small : std::int8_t { small_one = 1 };
enum Plain32 : int { plain_one = 1 };
enum Wide64 : std::int64_t { wide_one = 1 };
enum Unsigned32 : unsigned { unsigned_one = 1 };
enum Switch : bool { switched_off, switched_on };
enum NoFixedType { none_one = 1 };
enum NoFixedTypeHigh { high_one = 0x8000'0000U };
enum class Scoped : std::int8_t { one = 1 };
template <class T>
struct ConvertsTo {
  operator T() const { return T{}; }
};
struct ConvertsToAnything {
  template <class T>
  requires std::is_arithmetic_v<T>
  operator T() const { return T{}; }
};

TEST(ArgumentTypes, WhatConvertsToANumberIsAskedWhichNumberThatIs) {
  expect_rules({
      {&converts_keeping_value<int, Small>, true},
      {&converts_keeping_value<std::int8_t, Small>, true},
      {&converts_keeping_value<int, Plain32>, true},
      {&converts_keeping_value<std::int16_t, Plain32>, false},
      {&converts_keeping_value<int, Wide64>, false},
      {&converts_keeping_value<std::int64_t, Wide64>, true},
      {&converts_keeping_value<float, Small>, true},
      {&converts_keeping_value<float, Plain32>, false},
      {&converts_keeping_value<double, Plain32>, true},
      {&converts_keeping_value<double, Wide64>, false},
      {&converts_keeping_value<unsigned, Plain32>, true},  // its sign is checked in a launch
      {&converts_keeping_value<int, Unsigned32>, false},
      {&converts_keeping_value<std::int64_t, Unsigned32>, true},
      {&converts_keeping_value<int, NoFixedType>, true},
      {&converts_keeping_value<int, NoFixedTypeHigh>, false},
      {&converts_keeping_value<bool, Small>, false},
      {&converts_keeping_value<bool, NoFixedType>, false},
      {&converts_keeping_value<bool, Switch>, true},
      {&converts_keeping_value<int, Scoped>, false},  // converts to nothing
      {&converts_keeping_value<int, ConvertsTo<int>>, true},
      {&converts_keeping_value<std::int64_t, ConvertsTo<int>>, true},
      {&converts_keeping_value<int, ConvertsTo<std::int64_t>>, false},
      {&converts_keeping_value<float, ConvertsTo<double>>, false},
      {&converts_keeping_value<int, std::atomic<int>>, true},
      {&converts_keeping_value<int, std::atomic<long>>, false},
      {&converts_keeping_value<long, std::reference_wrapper<int>>, true},
      {&converts_keeping_value<int, ConvertsToAnything>, false},  // to no number above others
      {&converts_keeping_value<unsigned, std::reference_wrapper<int>>, false},
      {&converts_keeping_value<unsigned, std::reference_wrapper<unsigned>>, true},
      {&converts_keeping_value<unsigned, std::atomic<int>>, false},
      {&converts_keeping_value<std::size_t, std::integral_constant<int, -1>>, false},
      {&converts_keeping_value<std::size_t, std::integral_constant<int, 1>>, true},
      {&converts_keeping_value<int, std::string>, false},
      {&converts_keeping_value<bool, int*>, false},
      {&converts_keeping_value<bool, char[4]>, false},
      {&converts_keeping_value<bool, int std::pair<int, int>::*>, false},
      {&converts_keeping_value<bool, void (*)()>, false},
  });
}

struct HostRange {
  using value_type = float;
  operator DeviceSpan<float>() const { return {}; }
};
struct OtherSpan {
  operator DeviceSpan<float>() const { return {}; }
};
template <class T>
struct Container {
  T* first;
  using value_type = T;
};
template <class T>
struct CountedContainer : Container<T> {};

}  // namespace
}  // namespace warpsafe::core_test
namespace warpsafe {
template <class T>
struct device_pointer_traits<core_test::Container<T>> {
  static T* get(const core_test::Container<T>& container) noexcept { return container.first; }
};
template <class T>
struct device_pointer_traits<core_test::CountedContainer<T>>
    : device_pointer_traits<core_test::Container<T>> {
  static unsigned count(const core_test::CountedContainer<T>&) noexcept { return 3; }
};
}  // namespace warpsafe
namespace warpsafe::core_test {
namespace {

TEST(ArgumentTypes, ASpanIsMadeOfDeviceMemoryWithItsElements) {
  using detail::converts_to_span;
  using Span = DeviceSpan<float>;
  using ConstSpan = DeviceSpan<const float>;
  expect_rules({
      {&converts_to_span<Span, Span>, true},
      {&converts_to_span<ConstSpan, Span>, true},
      {&converts_to_span<Span, ConstSpan>, false},
      {&converts_to_span<Span, DeviceView<float>>, true},
      {&converts_to_span<ConstSpan, DeviceView<float>>, true},
      {&converts_to_span<Span, DeviceView<const float>>, false},
      {&converts_to_span<Span, DeviceView<int>>, false},
      {&converts_to_span<Span, trusted_span<float>>, true},
      {&converts_to_span<ConstSpan, trusted_span<float>>, true},
      {&converts_to_span<Span, trusted_span<const float>>, false},
      {&converts_to_span<Span, trusted_span<int>>, false},
      {&converts_to_span<Span, trusted_ptr<float>>, false},
      {&converts_to_span<Span, OtherSpan>, true},
      {&converts_to_span<Span, HostRange>, false},
      {&converts_to_span<Span, float*>, false},
      {&converts_to_span<Span, Container<float>>, false},
      {&converts_to_span<Span, CountedContainer<float>>, true},
      {&converts_to_span<ConstSpan, CountedContainer<float>>, true},
      {&converts_to_span<Span, CountedContainer<const float>>, false},
      {&converts_to_span<Span, CountedContainer<int>>, false},
  });
}

struct IntAndFloat {
  int a;
  float b;
};
struct Derived : IntAndFloat {};
struct MadeOfInt {
  MadeOfInt(int given) : number(given) {}
  int number;
};
struct MadeOfBoth {
  MadeOfBoth(IntAndFloat given) : number(given.a) {}
  int number;
};

TEST(ArgumentTypes, WhatIsNotRefusedIsAccepted) {
  using Bytes = DeviceView<std::byte>;
  expect_rules({
      {&check_parameter<1, int>, true},
      {&check_parameter<1, IntAndFloat>, true},
      {&check_parameter<2, float*>, true},
      {&check_parameter<3, DeviceSpan<float>>, true},
      {&check_argument<1, std::int64_t, int>, true},
      {&check_argument<1, int, Plain32>, true},
      {&check_argument<1, long, std::atomic<int>>, true},
      {&check_argument<1, int*, std::nullptr_t>, true},
      {&check_argument<1, device_ptr<int>, std::nullptr_t>, true},
      {&check_argument<1, int*, DeviceView<int>>, true},
      {&check_argument<1, const int*, DeviceView<int>>, true},
      {&check_argument<1, const int*, trusted_ptr<const int>>, true},
      {&check_argument<1, device_ptr<const int>, DeviceSpan<int>>, true},
      {&check_argument<1, void*, Bytes>, true},
      {&check_argument<1, const void*, DeviceView<const std::byte>>, true},
      {&check_argument<1, void*, trusted_ptr<float>>, true},
      {&check_argument<1, DeviceSpan<int>, DeviceView<int>>, true},
      {&check_argument<1, DeviceSpan<const int>, trusted_span<int>>, true},
      {&check_argument<1, IntAndFloat, IntAndFloat>, true},
      {&check_argument<1, IntAndFloat, Derived>, true},
      {&check_argument<1, MadeOfInt, int>, true},
      {&check_argument<1, MadeOfBoth, IntAndFloat>, true},
      {&check_argument<1, std::optional<long>, std::optional<int>>, true},
      {&check_argument<1, Scoped, Scoped>, true},
  });
}

struct HoldsOptional {
  operator std::optional<int>() const { return 1; }
};

TEST(ArgumentTypes, EveryNumberInsideAClassKeepsItsValue) {
  using detail::keeps_held_value;
  using Pair = std::pair<int, int>;
  expect_rules({
      {&keeps_held_value<Pair, std::pair<int, long>>, false},
      {&keeps_held_value<Pair, std::pair<long, int>>, false},
      {&keeps_held_value<Pair, std::pair<short, int>>, true},
      {&keeps_held_value<std::pair<long, double>, std::pair<int, float>>, true},
      {&keeps_held_value<std::tuple<int, float>, std::tuple<int, double>>, false},
      {&keeps_held_value<std::tuple<int, int>, std::pair<int, long>>, false},
      {&keeps_held_value<std::tuple<int, long>, Pair>, true},
      {&keeps_held_value<std::tuple<Pair, int>, std::tuple<std::pair<int, long>, int>>, false},
      {&keeps_held_value<std::optional<Pair>, std::optional<std::pair<int, long>>>, false},
      {&keeps_held_value<std::optional<Pair>, std::pair<int, long>>, false},
      {&keeps_held_value<std::optional<Pair>, std::pair<short, int>>, true},
      {&keeps_held_value<std::pair<std::optional<int>, int>, std::pair<long, int>>, false},
      {&keeps_held_value<std::optional<int>, std::atomic<long>>, false},
      {&keeps_held_value<std::optional<unsigned>, std::optional<int>>, false},
      {&keeps_held_value<std::optional<std::size_t>, std::optional<int>>, false},
      {&keeps_held_value<std::pair<unsigned, unsigned>, Pair>, false},
      {&keeps_held_value<std::pair<std::optional<unsigned>, int>, Pair>, false},
      {&keeps_held_value<Pair, std::pair<unsigned char, Plain32>>, true},
      {&keeps_held_value<Pair, std::pair<int, Wide64>>, false},
      {&keeps_held_value<std::optional<int>, Unsigned32>, false},
      {&keeps_held_value<std::optional<Scoped>, Scoped>, true},
      {&keeps_held_value<std::optional<int>, std::nullopt_t>, true},
      {&keeps_held_value<std::optional<int>, HoldsOptional>, true},
      {&keeps_held_value<std::pair<MadeOfInt, int>, Pair>, true},
  });
}

TEST(ArgumentTypes, EachParameterLiesAtItsAlignment) {
  struct alignas(16) Sixteen {
    char bytes[16];
  };
  expect_rules<std::size_t>({
      {&detail::parameter_bytes<>, 0},
      {&detail::parameter_bytes<char>, 1},
      {&detail::parameter_bytes<char, char>, 2},
      {&detail::parameter_bytes<char, double>, 16},
      {&detail::parameter_bytes<double, char>, 9},
      {&detail::parameter_bytes<char, double, char>, 17},
      {&detail::parameter_bytes<char, short, char, int>, 12},
      {&detail::parameter_bytes<int, float*, float*>, 24},
      {&detail::parameter_bytes<char, Sixteen, char>, 33},
      {&detail::parameter_bytes<IntAndFloat, short, int>, 16},
  });
}

}  // namespace
}  // namespace warpsafe::core_test
