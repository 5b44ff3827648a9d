// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// name[:skip[:count]], as the switches that inspect data take it.

#include <warpsafe/debug/detail/launch_filter.hpp>

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace warpsafe::core_test {
namespace {

// A filter owns its copy of the names; two filters cannot own the same copy.
static_assert(!std::is_trivially_destructible_v<debug::LaunchFilter>);
static_assert(!std::is_copy_constructible_v<debug::LaunchFilter>);
static_assert(!std::is_copy_assignable_v<debug::LaunchFilter>);

/// One letter per launch of `kernel`: whether the filter takes it.
std::string taken(const char* text, const char* kernel, int launches = 6) {
  debug::LaunchFilter filter;
  EXPECT_TRUE(filter.set(text)) << text;
  std::string found;
  for (int i = 0; i < launches; ++i) found += filter.selects(Name::of(kernel)) ? 'x' : '.';
  return found;
}

TEST(LaunchFilter, ANameTakesAllItsLaunches) {
  EXPECT_EQ(taken("axpy", "axpy"), "xxxxxx");
  EXPECT_EQ(taken("axpy", "axpyz"), "......");
  EXPECT_EQ(taken("other,axpy", "blas::axpy<float>"), "xxxxxx");
  EXPECT_EQ(taken("all", "axpy"), "xxxxxx");
}
TEST(LaunchFilter, SkipAndCountChooseAmongThem) {
  EXPECT_EQ(taken("axpy:2", "axpy"), "..xxxx");
  EXPECT_EQ(taken("axpy:2:3", "axpy"), "..xxx.");
  EXPECT_EQ(taken("axpy:0:1", "axpy"), "x.....");
  EXPECT_EQ(taken("all:4:0", "axpy"), "......");
}
TEST(LaunchFilter, ANamespaceIsNoNumber) {
  EXPECT_EQ(taken("blas::axpy", "blas::axpy"), "xxxxxx");
  EXPECT_EQ(taken("blas::axpy:5", "blas::axpy"), ".....x");
  EXPECT_EQ(taken("blas::axpy:1:2", "blas::axpy"), ".xx...");
}
TEST(LaunchFilter, LaunchesOfOtherKernelsDoNotCount) {
  debug::LaunchFilter filter;
  EXPECT_TRUE(filter.set("axpy:1:1"));
  EXPECT_FALSE(filter.selects(Name::of("scale")));
  EXPECT_FALSE(filter.selects(Name::of("axpy")));
  EXPECT_FALSE(filter.selects(Name::of("scale")));
  EXPECT_TRUE(filter.selects(Name::of("axpy")));
}
TEST(LaunchFilter, NumbersOfAnotherFormAreRefused) {
  for (const char* const text :
       {"axpy:", "axpy:1e9", "axpy:-1", "axpy:+1", "axpy: 1", "axpy:1 ", "axpy:0x10",
        "axpy:1:", "axpy:1:2:", "axpy:1:2:3", "axpy::1:x", "axpy:x", "axpy:99999999999999999999",
        "axpy:1:18446744073709551616", "a<b>:1.5"}) {
    debug::LaunchFilter filter;
    EXPECT_FALSE(filter.set(text)) << text;
    EXPECT_FALSE(debug::LaunchFilter::is_valid(text)) << text;
    EXPECT_FALSE(filter.on()) << text;
  }
  EXPECT_EQ(taken("axpy:0:18446744073709551615", "axpy"), "xxxxxx");
}
TEST(LaunchFilter, AColonInBracketsIsPartOfTheName) {
  EXPECT_EQ(taken("apply<(lambda at a.cpp:3:5)>:1:2", "apply<(lambda at a.cpp:3:5)>"), ".xx...");
  EXPECT_EQ(taken("apply<ns::f>,other::axpy:4", "apply<ns::f>"), "....xx");
  EXPECT_EQ(taken("apply<a:b>:1:2", "apply<a:b>"), ".xx...");
  EXPECT_EQ(taken("(lambda at a.cpp:3:5):1:2", "(lambda at a.cpp:3:5)"), ".xx...");
}

TEST(LaunchFilter, ANewTextBeginsToCountAgain) {
  debug::LaunchFilter filter;
  EXPECT_TRUE(filter.set("axpy:1:1"));
  EXPECT_FALSE(filter.selects(Name::of("axpy")));
  EXPECT_TRUE(filter.selects(Name::of("axpy")));
  EXPECT_TRUE(filter.set("axpy:0:1"));
  EXPECT_TRUE(filter.selects(Name::of("axpy")));
  EXPECT_FALSE(filter.selects(Name::of("axpy")));
  EXPECT_TRUE(filter.set("axpy"));
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(filter.selects(Name::of("axpy")));
}
TEST(LaunchFilter, AListHasWholeNames) {
  EXPECT_EQ(taken("xpy,axp", "axpy", 1), ".");
  EXPECT_EQ(taken(",axpy", "axpy", 1), "x") << "an empty name is none";
  EXPECT_FALSE(debug::is_listed(Name{"x", 0}, "x")) << "a kernel without a name";
  EXPECT_EQ(taken("scale,,axpy", "axpy", 1), "x");
  EXPECT_EQ(taken("pair<int,long>,axpy", "axpy", 1), "x");
  EXPECT_EQ(taken("pair<a<int>,long>", "pair<a<int>,long>", 1), "x");
  EXPECT_EQ(taken("f(int, float)::L::run,axpy", "f(int, float)::L::run", 1), "x");
  EXPECT_EQ(taken("f(int, float)::L::run,axpy", "axpy", 1), "x");
}

TEST(LaunchFilter, NothingIsTakenWhereNothingIsSet) {
  debug::LaunchFilter filter;
  EXPECT_FALSE(filter.on());
  EXPECT_TRUE(filter.set("axpy"));
  EXPECT_TRUE(filter.on());
  EXPECT_TRUE(filter.set(nullptr));
  EXPECT_FALSE(filter.on());
  EXPECT_TRUE(filter.set(""));
  EXPECT_FALSE(filter.on());
  EXPECT_FALSE(filter.selects(Name::of("axpy")));
}

}  // namespace
}  // namespace warpsafe::core_test
