// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The names of functions, statuses and steps in a library's traits.

#include "toy_fixture.hpp"

#include <string>

namespace warpsafe::handle_test {
namespace {

enum Answer { answer_yes = 1, answer_no = 40, answer_unlisted = 3 };
[[maybe_unused]] int turn_v2(int side) { return side; }
[[maybe_unused]] int turn_v2_64(int side) { return side; }

struct Plain {};
struct Versioned {
  static constexpr Name name = Name::of("some library");
  static constexpr Name version_suffix = Name::of("_v2");
};

std::string text(Name name) { return {name.data, name.size}; }

TEST(HandleTraits, EnumeratorsHaveTheirOwnNames) {
  const auto name = [](Answer answer) {
    return text(detail::enumerator_name<answer_yes, answer_no>(answer));
  };
  EXPECT_THAT(name(answer_yes), testing::EndsWith("answer_yes"));
  EXPECT_THAT(name(answer_no), testing::EndsWith("answer_no"));
  EXPECT_EQ(name(answer_unlisted), "");
}

TEST(HandleTraits, AVersionThatAMacroAddedIsLeftOut) {
  EXPECT_THAT(text(detail::FunctionName<Versioned, turn_v2>::value), testing::EndsWith("turn"));
  EXPECT_THAT(text(detail::FunctionName<Versioned, turn_v2_64>::value),
              testing::EndsWith("turn_64"));
  EXPECT_THAT(text(detail::FunctionName<Plain, turn_v2>::value), testing::EndsWith("turn_v2"))
      << "where the library says so alone";
}

TEST(HandleTraits, StepsCarryTheLibrarysName) {
  using detail::HandleStep;
  EXPECT_EQ(text(detail::StepName<Versioned, HandleStep::create>::value), "some library create");
  EXPECT_EQ(text(detail::StepName<Versioned, HandleStep::bind>::value), "some library set stream");
  EXPECT_EQ(text(detail::StepName<Versioned, HandleStep::destroy>::value), "some library destroy");
}

TEST(HandleTraits, AFunctionIsListedByItself) {
  EXPECT_TRUE((detail::is_listed<turn_v2, Functions<turn_v2_64, turn_v2>>));
  EXPECT_FALSE((detail::is_listed<turn_v2, Functions<turn_v2_64>>));
  EXPECT_FALSE((detail::is_listed<turn_v2, Functions<>>));
}

}  // namespace
}  // namespace warpsafe::handle_test
