// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core_test.hpp"
#include <warpsafe/error/message.hpp>
#include <warpsafe/error/result.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

LaunchError too_large() {
  LaunchError error =
      LaunchError::make(Errc::grid_too_large, Stage::construction, 70000, 65535, Axis::y, app);
  error.kernel = Name::of("batch");
  return error;
}
constexpr const char* text_of_too_large =
    "Kernel 'batch' not launched: grid.y 70000 invalid (limit: 1..65535); put the long axis in x "
    "(limit 2147483647)\n  at app.cpp:7";

// A temporary result hands out values: a reference into it would dangle in the body of a loop.
template <class R>
using ValueOf = decltype(std::declval<R>().value());
template <class R>
using ErrorOf = decltype(std::declval<R>().error());
static_assert(std::is_same_v<ValueOf<result<std::string>>, std::string>);
static_assert(std::is_same_v<ValueOf<const result<std::string>>, std::string>);
static_assert(std::is_same_v<ValueOf<result<std::string>&>, std::string&>);
static_assert(std::is_same_v<ValueOf<const result<std::string>&>, const std::string&>);
static_assert(std::is_same_v<ValueOf<answer<std::string>>, std::string>);
static_assert(std::is_same_v<ValueOf<result<void>>, void>);
static_assert(std::is_same_v<ErrorOf<result<void>>, LaunchError>);
static_assert(std::is_same_v<ErrorOf<const result<int>>, LaunchError>);
static_assert(std::is_same_v<ErrorOf<result<int>&>, LaunchError&>);
static_assert(std::is_same_v<ErrorOf<const result<int>&>, const LaunchError&>);

TEST(Result, ALoopOverATemporarysValueHasItsElements) {
  const auto make = []() -> result<std::vector<std::string>> {
    return std::vector<std::string>{"a text that no small string holds", "and another one"};
  };
  std::string all;
  for (const std::string& one : make().value()) all += one;
  EXPECT_EQ(all, "a text that no small string holdsand another one");
  const auto& kept = make().value();
  EXPECT_EQ(kept.size(), 2U);
  const auto& why = result<int>(too_large()).error();
  EXPECT_EQ(why.code, Errc::grid_too_large);
}

TEST(Result, HoldsAValueOrAnError) {
  const result<int> good = 5;
  EXPECT_TRUE(good.has_value());
  EXPECT_EQ(good.value(), 5);
  const result<int> bad = too_large();
  EXPECT_FALSE(bad.has_value());
  EXPECT_TRUE(bad.has_error());
  EXPECT_EQ(bad.error().value, 70000U);
}

TEST(Result, OfVoidSucceedsWithSuccess) {
  const result<void> good = success();
  EXPECT_TRUE(good.has_value());
  EXPECT_NO_THROW(good.value());
  const result<void> bad = too_large();
  EXPECT_FALSE(bad.has_value());
}

TEST(Result, MovesAValueThatOnlyMoves) {
  result<std::unique_ptr<int>> made = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = std::move(made).value();
  EXPECT_EQ(*taken, 3);
}

TEST(Result, ValueOfAnErrorThrowsTheWholeErrorWithItsText) {
  const result<int> bad = too_large();
  try {
    static_cast<void>(bad.value());
    FAIL() << "nothing was thrown";
  } catch (const LaunchException& exception) {
    EXPECT_STREQ(exception.what(), text_of_too_large);
    EXPECT_EQ(exception.error().code, Errc::grid_too_large);
    EXPECT_EQ(exception.error().limit, 65535U);
  }
  const result<void> nothing = too_large();
  EXPECT_THROW(nothing.value(), LaunchException);
  EXPECT_THROW(static_cast<void>(result<std::string>(too_large()).value()), std::exception);
}

TEST(Result, ErrorOfAValueThrowsToo) {
  const result<int> good = 5;
  EXPECT_THROW(static_cast<void>(good.error()), BadResultAccess);
  unsigned line = 0;
  try {
    line = __LINE__ + 1;
    static_cast<void>(good.error());
    FAIL() << "nothing was thrown";
  } catch (const std::exception& exception) {
    EXPECT_EQ(exception.what(),
              "warpsafe: error() was called on a result that holds a value, so there is no error; "
              "as a condition, a result is true on success: write if (!result.has_value()) before "
              "error()\n  at " +
                  std::string(__FILE__) + ":" + std::to_string(line));
  }
}

// A CUDA programmer's `if (auto error = call())` means "if it failed".
TEST(Result, ErrorInAConditionThatMeansFailureNamesItsLine) {
  unsigned line = 0;
  try {
    line = __LINE__ + 1;
    if (auto error = success()) static_cast<void>(error.error());
    FAIL() << "nothing was thrown";
  } catch (const BadResultAccess& exception) {
    EXPECT_TRUE(std::string(exception.what()).ends_with(":" + std::to_string(line)));
  }
  try {
    line = __LINE__ + 1;
    static_cast<void>(result<int>(5).error());
    FAIL() << "nothing was thrown";
  } catch (const BadResultAccess& exception) {
    EXPECT_TRUE(std::string(exception.what()).ends_with(":" + std::to_string(line)));
  }
}

TEST(LaunchException, LeavesOutTheMiddleOfANameThatIsTooLong) {
  for (const std::size_t length : {512U, 513U, 3000U}) {
    const std::string name = "begin" + std::string(length - 8, 'k') + "end";
    LaunchError error = too_large();
    error.kernel = Name::of(name.c_str());
    const std::string whole = message(error);
    const std::string reason = whole.substr(whole.find("' not launched: "));
    EXPECT_EQ(whole.substr(0, whole.size() - reason.size()), "Kernel '" + name);
    EXPECT_EQ(LaunchException(error).what(),
              "Kernel '" +
                  (length == 512 ? name : name.substr(0, 256) + "..." + name.substr(length - 256)) +
                  reason);
  }
}

TEST(LaunchException, CutsATextThatIsTooLong) {
  const std::string long_text(3000, 't');
  LaunchError error = LaunchError::make(Errc::runtime_failed, Stage::runtime_call);
  error.raw_text = error.raw_name = Name::of(long_text.c_str());
  const LaunchException exception(error);
  EXPECT_EQ(std::string(exception.what()).size(), 1023U);
  EXPECT_THAT(exception.what(), ::testing::StartsWith("ttt"));
}

}  // namespace
}  // namespace warpsafe::core_test
