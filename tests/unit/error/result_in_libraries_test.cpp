// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Results in matchers and mocks of GoogleTest, and in an adaptor to a type like std::expected.
// These ask a type which conversions it has, and a result refuses some with a sentence.

#include <warpsafe/dims/make_dims.hpp>
#include <warpsafe/error/exception.hpp>
#include <warpsafe/error/result.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace warpsafe::core_test {
namespace {

using testing::_;
using testing::Each;
using testing::ElementsAre;
using testing::Gt;
using testing::Not;
using testing::Optional;
using testing::Pair;
using testing::Property;
using testing::ResultOf;
using testing::Return;
using testing::Truly;

MATCHER(IsOk, "") { return arg.has_value(); }
MATCHER_P(HoldsValue, inner, "") {
  return arg.has_value() && testing::ExplainMatchResult(inner, arg.value(), result_listener);
}
MATCHER_P(FailsWith, code, "") { return !arg.has_value() && arg.error().code == code; }

result<int> one() { return 1; }
result<void> fine() { return success(); }
result<std::vector<float>> many() { return std::vector<float>{1, 2}; }

class Device {
 public:
  virtual ~Device() = default;
  virtual result<int> read(int) = 0;
  virtual result<void> write(int) = 0;
};
class MockDevice final : public Device {
 public:
  MOCK_METHOD(result<int>, read, (int), (override));
  MOCK_METHOD(result<void>, write, (int), (override));
};

/// std::expected of C++23 in small.
template <class E>
struct Unexpected {
  E error;
};
template <class T, class E>
class Expected {
 public:
  template <class U>
  requires(!std::is_same_v<std::remove_cvref_t<U>, Expected> &&
           std::is_constructible_v<T, U>) explicit(!std::is_convertible_v<U, T>) Expected(U&& value)
      : held_(std::in_place_index<0>, std::forward<U>(value)) {}
  Expected(Unexpected<E> error) : held_(std::in_place_index<1>, error.error) {}

  [[nodiscard]] bool has_value() const { return held_.index() == 0; }
  [[nodiscard]] const T& value() const { return std::get<0>(held_); }
  [[nodiscard]] const E& error() const { return std::get<1>(held_); }

 private:
  std::variant<T, E> held_;
};
template <class R>
Expected<typename R::value_type, LaunchError> to_expected(R result) {
  if (result.has_value()) return std::move(result).value();
  return Unexpected<LaunchError>{result.error()};
}

TEST(ResultInLibraries, MatchersTakeIt) {
  EXPECT_THAT(one(), IsOk());
  EXPECT_THAT(one(), HoldsValue(Gt(0)));
  EXPECT_THAT(many(), HoldsValue(ElementsAre(1, 2)));
  EXPECT_THAT(BlockDim::create(4096), FailsWith(Errc::block_axis_too_large));
  EXPECT_THAT(fine(), Not(FailsWith(Errc::size_zero)));
  EXPECT_THAT(one(), Property(&result<int>::has_value, true));
  EXPECT_THAT(one(), ResultOf([](const auto& made) { return made.has_value(); }, true));
  EXPECT_THAT(many(),
              Truly([](const result<std::vector<float>>& made) { return made.has_value(); }));
  EXPECT_THAT(std::vector({one(), one()}), Each(IsOk()));
  EXPECT_THAT(std::pair(one(), 2), Pair(IsOk(), 2));
  EXPECT_THAT(std::optional(one()), Optional(IsOk()));
  EXPECT_THAT(one(), testing::A<result<int>>());
  EXPECT_TRUE(one());
}

TEST(ResultInLibraries, MocksReturnIt) {
  MockDevice device;
  EXPECT_CALL(device, read(_))
      .WillOnce(Return(1))
      .WillOnce(Return(one()))
      .WillRepeatedly([](int number) { return result<int>(number); });
  EXPECT_CALL(device, write(3)).WillOnce(Return(success())).WillRepeatedly(Return(fine()));
  EXPECT_THAT(device.read(0), HoldsValue(1));
  EXPECT_THAT(device.read(0), HoldsValue(1));
  EXPECT_THAT(device.read(5), HoldsValue(5));
  EXPECT_THAT(device.write(3), IsOk());
  EXPECT_THAT(device.write(3), IsOk());
}

TEST(ResultInLibraries, AnAdaptorConvertsIt) {
  EXPECT_EQ(to_expected(one()).value(), 1);
  EXPECT_EQ(to_expected(many()).value().size(), 2U);
  EXPECT_EQ(to_expected(BlockDim::create(4096)).error().code, Errc::block_axis_too_large);
  const Expected<result<int>, LaunchError> nested = one();
  EXPECT_TRUE(nested.value().has_value());
}

}  // namespace
}  // namespace warpsafe::core_test
