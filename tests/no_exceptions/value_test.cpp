// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Without exceptions, .value() of an error says why and ends the program.

#include <warpsafe/dims/safe_grid.hpp>
#include <warpsafe/error/exception.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/error/try.hpp>

#include <gtest/gtest.h>

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "this test is about a program without exceptions and run-time type information"
#endif

namespace warpsafe {
namespace {

LaunchError too_large() {
  LaunchError error = LaunchError::make(Errc::grid_too_large, Stage::construction, 70000, 65535,
                                        Axis::y, {"src/app.cpp", "main", 7});
  error.kernel = Name::of("batch");
  return error;
}

TEST(WithoutExceptions, ValuesAreRead) {
  const result<int> good = 5;
  EXPECT_EQ(good.value(), 5);
  const result<int> bad = too_large();
  EXPECT_EQ(bad.error().value, 70000U);
  result<void> nothing = success();
  nothing.value();
}

TEST(WithoutExceptions, ErrorsAreHandedOn) {
  const auto fail = []() -> result<int> { return too_large(); };
  const auto pass_on = [&]() -> result<void> {
    WARPSAFE_TRY(const int number, fail());
    static_cast<void>(number);
    return success();
  };
  EXPECT_EQ(pass_on().error().limit, 65535U);
}

TEST(WithoutExceptionsDeathTest, ValueOfAnErrorSaysWhyAndTerminates) {
  const result<int> bad = too_large();
  EXPECT_DEATH(static_cast<void>(bad.value()),
               "Kernel 'batch' not launched: grid.y 70000 invalid .limit: 1..65535.; put the long "
               "axis in x .limit 2147483647.\n  at app.cpp:7\n");
  const result<void> nothing = too_large();
  EXPECT_DEATH(nothing.value(), "Kernel 'batch' not launched: grid.y 70000 invalid");
  EXPECT_DEATH(static_cast<void>(SafeGrid<>::cover_untrusted(-5, block<256>).value()),
               "Launch configuration refused: the size is -5; a size must be at least 0");
}

TEST(WithoutExceptionsDeathTest, ErrorOfAValueSaysWhyAndTerminates) {
  const result<int> good = 5;
  EXPECT_DEATH(static_cast<void>(good.error()),
               "warpsafe: error.. was called on a result that holds a value");
}

}  // namespace
}  // namespace warpsafe
