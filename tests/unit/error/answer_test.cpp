// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/error/exception.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/error/try.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace warpsafe::core_test {
namespace {

// The message for its use as a condition: f01w in tests/misuse/compile/f_tokens.cpp.
static_assert(!std::is_convertible_v<answer<bool>, bool>);

result<bool> negated(const answer<bool>& asked) {
  WARPSAFE_TRY(const bool done, asked);
  return !done;
}

TEST(Answer, IsAValue) {
  EXPECT_FALSE(answer<bool>(false).value());
  EXPECT_FALSE(negated(true).value());
  EXPECT_TRUE(negated(false).value());
}

TEST(Answer, OrAnError) {
  const answer<bool> refused = LaunchError::make(Errc::stream_capturing, Stage::runtime_call);
  EXPECT_FALSE(refused.has_value());
  EXPECT_EQ(negated(refused).error().code, Errc::stream_capturing);
}

TEST(Answer, IsReturnedWhereAResultIs) {
  const auto ask = []() -> result<bool> { return answer<bool>(false); };
  EXPECT_FALSE(ask().value());
}

}  // namespace
}  // namespace warpsafe::core_test
