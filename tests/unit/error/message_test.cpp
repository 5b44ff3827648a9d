// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core_test.hpp"
#include <warpsafe/error/message.hpp>

#include <gmock/gmock.h>

#include <set>
#include <sstream>
#include <string>
#include <system_error>

namespace warpsafe::core_test {
namespace {

// The codes are numbered from 1 without gaps.
constexpr int last_code = 0
#define WARPSAFE_ERROR(number, name, meaning, reason) +1
#include <warpsafe/error/detail/launch_rows.hpp>
#include <warpsafe/error/detail/runtime_rows.hpp>
#undef WARPSAFE_ERROR
    ;

TEST(Describe, EveryCodeHasATextOfItsOwn) {
  std::set<std::string> texts;
  for (int code = 1; code <= last_code; ++code) texts.insert(describe(static_cast<Errc>(code)));
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(last_code));
  EXPECT_EQ(texts.count("unknown error"), 0U);
  EXPECT_STREQ(describe(Errc::grid_too_large), "a grid axis is over its limit");
}

TEST(Describe, WhatIsNoCodeIsUnknown) {
  EXPECT_STREQ(describe(Errc{}), "unknown error");
  EXPECT_STREQ(describe(static_cast<Errc>(last_code + 1)), "unknown error");
  EXPECT_THAT(message(LaunchError::make(static_cast<Errc>(last_code + 1), Stage{})),
              testing::StartsWith("Refused: "));
}

TEST(ErrorCode, IsTheCodeInACategoryOfItsOwn) {
  const std::error_code code = Errc::block_too_large;
  EXPECT_EQ(code.value(), static_cast<int>(Errc::block_too_large));
  EXPECT_EQ(code.category(), launch_category());
  EXPECT_STREQ(code.category().name(), "warpsafe");
  EXPECT_EQ(code.message(), "too many threads per block");
  EXPECT_EQ(make_error_code(LaunchError::make(Errc::block_too_large, Stage::launch)), code);
  EXPECT_TRUE(code == Errc::block_too_large);
  EXPECT_FALSE(code == Errc::block_zero);
  EXPECT_TRUE(static_cast<bool>(code)) << "no code is 0";
}

constexpr int last_subcode = static_cast<int>(Subcode::in_descriptor);

TEST(Message, EveryCodeAtEveryStageIsOneToSixLinesWithoutAnEmptyClause) {
  for (int number = 1; number <= last_code; ++number) {
    for (int stage = 0; stage <= static_cast<int>(Stage::runtime_call); ++stage) {
      LaunchError error = LaunchError::make(static_cast<Errc>(number), static_cast<Stage>(stage), 8,
                                            2, Axis::y, app);
      error.raw = 1;
      error.raw_name = Name::of("vendorErrorName");
      error.raw_text = Name::of("the vendor's text");
      for (int subcode = 0; subcode <= last_subcode; ++subcode) {
        error.subcode = static_cast<Subcode>(subcode);
        const std::string said = message(error);
        EXPECT_THAT(said, ::testing::HasSubstr("app.cpp:7")) << number;
        EXPECT_THAT(said, ::testing::Not(::testing::HasSubstr(": \n"))) << said;
        EXPECT_THAT(said, ::testing::Not(::testing::HasSubstr("  \n"))) << said;
        EXPECT_THAT(said, ::testing::Not(::testing::HasSubstr("{"))) << "a field without a value";
      }
    }
  }
}

TEST(Message, IsWholeForNamesOfAnyLength) {
  for (const std::size_t length : {0U, 200U, 254U, 255U, 256U, 300U, 511U, 512U, 5000U}) {
    const std::string name(length, 'k');
    LaunchError error = LaunchError::make(Errc::size_zero, Stage::validation);
    error.kernel = Name::of(name.c_str());
    EXPECT_EQ(message(error), "Kernel '" + (length == 0 ? "(unnamed)" : name) +
                                  "' not launched: the size to cover is 0; cover_or_empty is for "
                                  "sizes that may be zero");
  }
}

TEST(Message, IsWhatAStreamPrints) {
  std::ostringstream out;
  const LaunchError error = LaunchError::make(Errc::size_zero, Stage::construction, app);
  out << error;
  EXPECT_EQ(out.str(), message(error));
}

}  // namespace
}  // namespace warpsafe::core_test
