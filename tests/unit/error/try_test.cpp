// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core_test.hpp"
#include <warpsafe/error/try.hpp>

#include <boost/outcome/result.hpp>
#include <gtest/gtest.h>

#include <coroutine>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

result<int> half(int number) {
  if (number % 2 != 0) {
    return LaunchError::make(Errc::size_not_multiple, Stage::construction,
                             static_cast<std::uint64_t>(number), 2, Axis::none, app);
  }
  return number / 2;
}

result<std::string> quarter_text(int number, int& reached) {
  WARPSAFE_TRY(const int once, half(number));
  reached = 1;
  WARPSAFE_TRY(auto twice, half(once));
  reached = 2;
  return std::to_string(twice);
}

/// The forms in which g++ and clang++ print a function's name. The macros read them while they
/// compile; here each is read at run time too.
TEST(Try, ReadsWhatAFunctionReturnsFromItsName) {
  using detail::Returns;
  const struct {
    const char* name;
    Returns returns;
  } names[] = {
      {"void run()", Returns::nothing},
      {"void S::run(int)", Returns::nothing},
      {"virtual void S::run()", Returns::nothing},
      {"static constexpr void S::run()", Returns::nothing},
      {"void", Returns::other},
      {"void* run()", Returns::other},
      {"void (*run())()", Returns::other},
      {"voidless run()", Returns::other},
      {"int main()", Returns::number},
      {"int main(int, char **)", Returns::number},
      {"inline bool S::ask() const", Returns::number},
      {"consteval int run()", Returns::number},
      {"int& run()", Returns::other},
      {"bool *run()", Returns::other},
      {"integer run()", Returns::other},
      {"warpsafe::result<int> run()", Returns::other},
      {"auto (anonymous class)::operator()() const", Returns::other},
      {"S::S()", Returns::itself},
      {"S::~S()", Returns::itself},
      {"constexpr S::S(int)", Returns::itself},
      {"ns::S::S(const ns::S &)", Returns::itself},
      {"S<int>::S(int) [T = int]", Returns::itself},
      {"S<int, ns::U>::~S() [with T = int]", Returns::itself},
      {"(anonymous namespace)::S::S()", Returns::itself},
      {"S::S2()", Returns::other},
      {"S2::S()", Returns::other},
      {"S::run()", Returns::other},
      {"U<S::S>::run()", Returns::other},
      {"S::S(int)::<lambda()>", Returns::other},
      {"S::S()::(anonymous class)::operator()() const", Returns::other},
      {"S::S", Returns::other},
      {"::S()", Returns::other},
      {"S()", Returns::other},
      {"", Returns::other},
      {"void(*run())()", Returns::other},
      {"void &run()", Returns::other},
      {"int (*run())()", Returns::other},
      {"int (S::*run())()", Returns::number},  // a pointer to a member, read as a number
      {"int (run)()", Returns::number},
      {"bool [*]", Returns::number},
      {"S::S(int) with S::run()", Returns::itself},
      {"S::S(ns::S::S)", Returns::itself},
      {"S::S{a}(int)", Returns::other},
      {"S::run(S::S())", Returns::other},
      {"S:S()", Returns::other},
      {"S:xS()", Returns::other},
      {"S<{}>::S()", Returns::itself},
      {"ns::{S}::T()", Returns::other},
      {"S::{a::S}()", Returns::other},
      {"{a}S::S()", Returns::other},
      {"a{}::S::S()", Returns::itself},
      {"S::S<int>", Returns::other},
      {"S<int>::S<long>()", Returns::itself},
      {"S::S(int (*)(S))::run()", Returns::other},
  };
  for (const auto& [name, returns] : names) EXPECT_EQ(detail::returned_by(name), returns) << name;
}

TEST(Try, ComparesNamesUpToTheirEnds) {
  const struct {
    const char *a, *b;
    bool same;
  } pairs[] = {
      {"S", "S", true},     {"S::", "S(", true},   {"S<int>", "S(", true}, {"S(", "S", true},
      {"S", "Sx", false},   {"Sx", "S", false},    {"Sx(", "S(", false},   {"S(", "Sx(", false},
      {"", "", false},      {"(", "(", false},     {"::S", "::S", false},  {"S", "T", false},
      {"S~", "S", false},   {"ST(", "SU(", false}, {"S)", "S)", true},     {"S(a", "S(b", true},
      {"S:a", "S<b", true}, {"S)", "S", false},
  };
  for (const auto& [a, b, same] : pairs)
    EXPECT_EQ(detail::is_same_name(a, b), same) << a << ' ' << b;
}

TEST(Try, GivesTheValueOrReturnsTheError) {
  int reached = 0;
  EXPECT_EQ(quarter_text(12, reached).value(), "3");
  EXPECT_EQ(reached, 2);
  reached = 0;
  EXPECT_EQ(error_in(quarter_text(6, reached)).value, 3U);
  EXPECT_EQ(reached, 1) << "and goes no further";
  reached = 0;
  const LaunchError error = error_in(quarter_text(5, reached));
  EXPECT_EQ(error.value, 5U);
  EXPECT_TRUE(is_app(error.site)) << "all of it comes through";
  EXPECT_EQ(reached, 0);
}

result<void> all_even(int a, int b) {
  WARPSAFE_TRYV(half(a));
  WARPSAFE_TRYV(half(b));
  return success();
}

TEST(Try, OfNothingReturnsTheErrorAlone) {
  EXPECT_TRUE(all_even(2, 4).has_value());
  EXPECT_EQ(error_in(all_even(1, 4)).value, 1U);
  EXPECT_EQ(error_in(all_even(2, 5)).value, 5U);
}

result<std::unique_ptr<int>> make(int number) { return std::make_unique<int>(number); }
result<std::unique_ptr<int>> pass_on(int number) {
  WARPSAFE_TRY(auto pointer, make(number));
  ++*pointer;
  return pointer;
}

TEST(Try, MovesTheValueOut) { EXPECT_EQ(*pass_on(4).value(), 5); }

TEST(Try, EvaluatesItsExpressionOnce) {
  int calls = 0;
  const auto counted = [&]() -> result<int> {
    ++calls;
    return calls;
  };
  const auto twice = [&]() -> result<int> {
    WARPSAFE_TRY(const int first, counted());
    WARPSAFE_TRYV(counted());
    return first;
  };
  EXPECT_EQ(twice().value(), 1);
  EXPECT_EQ(calls, 2);
}

template <class A, class B>
result<int> difference_of(A a, B b) {
  return a - b;
}
result<int> with_commas() {
  WARPSAFE_TRY(const int three, difference_of<int, int>(5, 2));
  return three;
}

TEST(Try, TakesAnExpressionWithCommas) { EXPECT_EQ(with_commas().value(), 3); }

// A single statement, in every place of one.
result<int> sum_of_halves(const std::vector<int>& numbers, int what) {
  for (const int number : numbers) WARPSAFE_TRYV(half(number));
  int sum = 0;
  for (const int number : numbers) {
    WARPSAFE_TRY(const int once, half(number));
    sum += once;
  }
  bool other = false;
  if (what == 1)
    WARPSAFE_TRYV(half(1));
  else
    other = true;
  switch (what) {
    case 2:
      WARPSAFE_TRYV(half(3));
      break;
    case 3: {
      WARPSAFE_TRY(const int once, half(8));
      return sum + once;
    }
    default:
      WARPSAFE_TRYV(half(sum));
  }
  do WARPSAFE_TRYV(half(sum));
  while (sum % 2 != 0);
  return other ? sum : -1;
}

TEST(Try, IsOneStatementAfterForIfAndCase) {
  EXPECT_EQ(sum_of_halves({2, 4, 6}, 0).value(), 6);
  EXPECT_EQ(error_in(sum_of_halves({2, 5, 6}, 0)).value, 5U);
  EXPECT_EQ(error_in(sum_of_halves({2, 4, 6}, 1)).value, 1U) << "the else is the outer if's";
  EXPECT_EQ(error_in(sum_of_halves({2, 4, 6}, 2)).value, 3U);
  EXPECT_EQ(sum_of_halves({2, 4, 6}, 3).value(), 10);
}

template <class T>
struct Checker {
  static result<T> checked(T number) {
    WARPSAFE_TRYV(half(number));
    return number;
  }
  virtual result<void> both(T a, T b) const {
    const auto one = [&](T number) -> result<T> {
      WARPSAFE_TRY(const T once, half(number));
      return once;
    };
    WARPSAFE_TRYV(one(a));
    WARPSAFE_TRYV(one(b));
    return success();
  }
  virtual ~Checker() = default;
};

#define TRY_TEST_TEXT(...) #__VA_ARGS__
#define TRY_TEST_EXPANDED(...) TRY_TEST_TEXT(__VA_ARGS__)
// Compilers report the undeclared name, and no text of the library.
TEST(Try, OfADeclarationWithoutBracesNamesTheBraces) {
  const std::string one = TRY_TEST_EXPANDED(WARPSAFE_TRY(const int value, outcome));
  EXPECT_EQ(one.find("auto&& warpsafe_try_needs_braces_"), 0U) << one;
}
#undef TRY_TEST_EXPANDED
#undef TRY_TEST_TEXT

TEST(Try, WorksInTemplatesMembersAndLambdas) {
  EXPECT_EQ(Checker<int>::checked(4).value(), 4);
  EXPECT_FALSE(Checker<int>::checked(5).has_value());
  EXPECT_TRUE(Checker<int>().both(2, 4).has_value());
  EXPECT_EQ(error_in(Checker<int>().both(2, 7)).value, 7U);
}

/// A coroutine of the simplest kind: it runs at once.
struct Task {
  struct promise_type {
    result<int>* to = nullptr;
    Task get_return_object() {
      auto made = std::make_unique<result<int>>(0);
      to = made.get();
      return {std::move(made)};
    }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    void return_value(result<int> returned) { *to = returned; }
    static void unhandled_exception() noexcept {}
  };
  std::unique_ptr<result<int>> value;
};
Task halve_twice(int number) {
  WARPSAFE_CO_TRY(const int once, half(number));
  for (int i = 0; i < 2; ++i) WARPSAFE_CO_TRYV(half(once));
  co_return once / 2;
}

TEST(Try, HasAFormForCoroutines) {
  EXPECT_EQ(halve_twice(12).value->value(), 3);
  EXPECT_EQ(error_in(*halve_twice(6).value).value, 3U);
  EXPECT_EQ(error_in(*halve_twice(5).value).value, 5U);
}

using detail::returned_by;
using detail::Returns;
static_assert(returned_by("void f()") == Returns::nothing);
static_assert(returned_by("warpsafe::v0_1_0::result<void> f()") == Returns::other);
static_assert(returned_by("static boost::outcome_v2::basic_result<int, E, P> S::f()") ==
              Returns::other);
static_assert(returned_by("static void S::f(int)") == Returns::nothing);
static_assert(returned_by("void (anonymous namespace)::f()") == Returns::nothing);
static_assert(returned_by("int main()") == Returns::number);
static_assert(returned_by("void* f()") == Returns::other);
static_assert(returned_by("void *f()") == Returns::other);
static_assert(returned_by("void (*f())(int)") == Returns::other);
static_assert(returned_by("voider f()") == Returns::other);
static_assert(returned_by("f()::<lambda()>") == Returns::other);
// The names that g++ and clang++ give to constructors and destructors.
static_assert(returned_by("S::S(int)") == Returns::itself);
static_assert(returned_by("virtual n::S::~S()") == Returns::itself);
static_assert(returned_by("constexpr n::{anonymous}::S::S()") == Returns::itself);
static_assert(returned_by("(anonymous namespace)::S::S()") == Returns::itself);
static_assert(returned_by("S<T>::S(T) [with T = void (*)(int)]") == Returns::itself);
static_assert(returned_by("S<void (*)(int)>::S(int (&)[3])") == Returns::itself);
static_assert(returned_by("f(int, long)::S::S()") == Returns::itself);
static_assert(returned_by("S::S()::<lambda()>") == Returns::other);
static_assert(returned_by("auto S::S()::(anonymous class)::operator()() const") == Returns::other);
static_assert(returned_by("R n::n(int)") == Returns::other);
static_assert(returned_by("S::operator()(S)") == Returns::other);
static_assert(returned_by("S::operator<(S)") == Returns::other);
static_assert(returned_by("R S::Sum(int)") == Returns::other);

namespace outcome = BOOST_OUTCOME_V2_NAMESPACE;

outcome::result<std::string, std::error_code> in_the_callers_own_result(int number) {
  WARPSAFE_TRY(const int once, half(number));
  return std::to_string(once);
}

TEST(Try, ReturnsFromAFunctionOfStandardErrorCodes) {
  EXPECT_EQ(in_the_callers_own_result(4).value(), "2");
  const auto failed = in_the_callers_own_result(3);
  ASSERT_TRUE(failed.has_error());
  EXPECT_EQ(failed.error(), Errc::size_not_multiple);
  EXPECT_STREQ(failed.error().category().name(), "warpsafe");
}

}  // namespace
}  // namespace warpsafe::core_test
