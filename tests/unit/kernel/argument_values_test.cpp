// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What a launch checks in the value of one argument.

#include "asked_runtime.hpp"
#include <warpsafe/args/trust.hpp>
#include <warpsafe/kernel/detail/argument_facts.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

using detail::ValueChecks;

struct ArgumentValue : AskedRuntimeTest {
  /// What check_value says of an argument; nothing if it passes.
  std::optional<LaunchError> checked(ValueChecks checks, const void* argument, int device = 0) {
    LaunchError error = LaunchError::make(Errc{}, Stage{});
    const auto stream = detail::StreamAccess::make<AskedRuntime>(nullptr, device, {});
    const bool fine = detail::check_value(checks, argument, stream, 7, error);
    EXPECT_EQ(fine, error.code == Errc{});
    if (fine) return std::nullopt;
    EXPECT_EQ(error.stage, Stage::validation);
    EXPECT_EQ(error.argument(), 7U);
    if (error.code != Errc::memory_wrong_device) {
      EXPECT_EQ(error.limit, 0U);
    }
    return error;
  }
};

template <class T>
constexpr ValueChecks signed_number{sizeof(T), false, false, false, false};

TEST_F(ArgumentValue, ANegativeNumberIsSaidWithoutItsSign) {
  const auto expect = [&](auto number, std::uint64_t magnitude) {
    const auto error = checked(signed_number<decltype(number)>, &number);
    ASSERT_EQ(error.has_value(), magnitude != 0);
    if (!error) return;
    EXPECT_EQ(error->code, Errc::argument_negative);
    EXPECT_EQ(error->value, magnitude);
  };
  expect(std::int8_t{-128}, 128);
  expect(std::int8_t{-1}, 1);
  expect(std::int8_t{127}, 0);
  expect(std::int16_t{-300}, 300);
  expect(std::int16_t{0x00ff}, 0);
  expect(-70000, 70000);
  expect(0, 0);
  expect(INT64_MIN, std::uint64_t{1} << 63U);
  expect(std::int64_t{-5}, 5);
  expect(INT64_MAX, 0);
}

__extension__ using Int128 = __int128;

TEST_F(ArgumentValue, OfMoreThan64BitsIsSaidWithItsLast64) {
  const struct {
    Int128 number;
    unsigned char behind[16];
  } given{-12, {255, 255}};
  const auto error = checked(signed_number<Int128>, &given);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->value, 12U);
}

constexpr ValueChecks trusted_pointer = detail::value_checks<float*, trusted_ptr<float>>;
constexpr ValueChecks trusted_array = detail::value_checks<float*, trusted_span<float>>;
constexpr ValueChecks plain_span = detail::value_checks<DeviceSpan<float>, DeviceSpan<float>>;

/// A question about a span's device needs streams of another device.
TEST_F(ArgumentValue, TheRuntimeIsAskedAboutAPointerWhereItMatters) {
  struct Case {
    ValueChecks checks;
    unsigned long devices;
    bool asked;
  };
  const Case cases[] = {
      {trusted_pointer, 1, true}, {trusted_pointer, 3, true}, {trusted_pointer, 0, true},
      {trusted_array, 1, true},   {ValueChecks{}, 3, false},  {plain_span, 0, false},
      {plain_span, 1, false},     {plain_span, 2, true},      {plain_span, 6, true},
  };
  const detail::TrustedBytes argument{memory, {4, false}};
  for (const Case& one : cases) {
    answers = {};
    detail::devices_with_streams<AskedRuntime> = one.devices;
    EXPECT_FALSE(checked(one.checks, &argument).has_value());
    EXPECT_EQ(answers.asked_kind, one.asked ? 1 : 0) << &one - cases << ": " << one.devices;
    EXPECT_EQ(answers.memory, one.asked ? memory : nullptr);
  }
}

TEST_F(ArgumentValue, APointerToNothingIsNotAskedAbout) {
  detail::devices_with_streams<AskedRuntime> = 3;
  const detail::TrustedBytes null{nullptr, {4, false}};
  const detail::TrustedBytes none{memory, {0, false}};
  EXPECT_FALSE(checked(trusted_pointer, &null).has_value());
  EXPECT_FALSE(checked(trusted_array, &null).has_value());
  EXPECT_FALSE(checked(trusted_array, &none).has_value());
  EXPECT_EQ(answers.asked_kind, 0);
  EXPECT_FALSE(checked(trusted_pointer, &none).has_value()) << "which has no size";
  EXPECT_EQ(answers.asked_kind, 1);
}

TEST_F(ArgumentValue, ATrustedSpanHasNoNegativeSize) {
  const detail::TrustedBytes negative{memory, {3, true}};
  const auto error = checked(trusted_array, &negative);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, Errc::argument_negative);
  EXPECT_EQ(error->value, 3U);
}

/// The pointer is given to work of device 2.
TEST_F(ArgumentValue, TheRuntimesAnswerDecides) {
  struct Case {
    ValueChecks checks;
    int status;
    MemoryKind kind;
    int memory_device;
    bool access;
    std::optional<Errc> code;
  };
  constexpr auto host = MemoryKind::unregistered;
  constexpr auto device = MemoryKind::device;
  const Case cases[] = {
      {trusted_pointer, 0, host, -1, true, Errc::argument_host_pointer},
      {trusted_pointer, 1, device, 2, true, Errc::argument_host_pointer},
      {trusted_pointer, 1, host, -1, true, Errc::argument_host_pointer},
      {plain_span, 0, host, -1, true, {}},
      {plain_span, 1, device, 2, false, {}},
      {trusted_pointer, 0, device, 2, false, {}},
      {trusted_pointer, 0, device, 1, true, {}},
      {trusted_pointer, 0, device, 1, false, Errc::memory_wrong_device},
      {trusted_pointer, 0, device, 0, false, Errc::memory_wrong_device},
      {plain_span, 0, device, 1, false, Errc::memory_wrong_device},
      {plain_span, 0, MemoryKind::managed, 1, false, {}},
      {trusted_pointer, 0, MemoryKind::pinned, 1, false, {}},
  };
  detail::devices_with_streams<AskedRuntime> = 6;
  const detail::TrustedBytes argument{memory, {4, false}};
  for (const Case& one : cases) {
    answers = {one.status, one.access, one.kind, one.memory_device};
    const auto error = checked(one.checks, &argument, 2);
    ASSERT_EQ(error.has_value(), one.code.has_value()) << &one - cases;
    const bool asked = one.kind == MemoryKind::device && one.memory_device != 2;
    EXPECT_EQ(answers.asked_access, asked ? 1 : 0) << &one - cases;
    if (!error) continue;
    EXPECT_EQ(error->code, *one.code);
    if (*one.code == Errc::argument_host_pointer) {
      EXPECT_EQ(error->value, 0U);
    }
    if (*one.code == Errc::memory_wrong_device) {
      EXPECT_EQ(error->value, 2U);
      EXPECT_EQ(error->limit, static_cast<std::uint64_t>(one.memory_device));
    }
  }
}

TEST_F(ArgumentValue, IsCheckedIfAnythingInItIs) {
  EXPECT_FALSE((ValueChecks{0, false, false, false, false}).any());
  EXPECT_FALSE((ValueChecks{0, false, true, true, false}).any()) << "its size is checked elsewhere";
  EXPECT_TRUE((ValueChecks{1, false, false, false, false}).any());
  EXPECT_TRUE((ValueChecks{0, true, false, false, false}).any());
  EXPECT_TRUE((ValueChecks{0, false, false, false, true}).any());
}

enum Signed { minus_one = -1 };

TEST_F(ArgumentValue, OnlyASignedNumberForAnUnsignedOneMayBeNegative) {
  const std::vector<std::pair<bool (*)() noexcept, bool>> cases = {
      {&detail::may_be_negative<unsigned, int>, true},
      {&detail::may_be_negative<std::uint64_t, std::int8_t>, true},
      {&detail::may_be_negative<std::uint8_t, std::int8_t>, true},
      {&detail::may_be_negative<int, int>, false},
      {&detail::may_be_negative<std::int64_t, int>, false},
      {&detail::may_be_negative<unsigned, unsigned>, false},
      {&detail::may_be_negative<int, unsigned char>, false},
      {&detail::may_be_negative<std::uint64_t, bool>, false},
      {&detail::may_be_negative<float, int>, false},
      {&detail::may_be_negative<unsigned, float>, false},
      {&detail::may_be_negative<float*, int>, false},
      {&detail::may_be_negative<unsigned, Signed>, true},
      {&detail::may_be_negative<int, Signed>, false},
      {&detail::may_be_negative<std::optional<unsigned>, int>, true},
      {&detail::may_be_negative<std::optional<unsigned>, Signed>, true},
      {&detail::may_be_negative<std::optional<unsigned>, unsigned char>, false},
      {&detail::may_be_negative<std::optional<long>, int>, false},
      {&detail::may_be_negative<std::optional<unsigned>, std::optional<unsigned>>, false},
  };
  for (const auto& [may_be_negative, expected] : cases) {
    EXPECT_EQ(may_be_negative(), expected) << &may_be_negative - &cases[0].first;
  }
}

}  // namespace
}  // namespace warpsafe::core_test
