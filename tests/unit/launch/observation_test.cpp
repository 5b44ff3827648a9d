// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What a launch does where no file of the program includes debug.hpp.

#include "core_test.hpp"
#include <warpsafe/launch/detail/observation.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

/// While one exists, the program has no debug tools, and no switch of the environment is set.
class WithoutTools {
 public:
  WithoutTools() {
    __atomic_store_n(&detail::observers_in_use, nullptr, __ATOMIC_RELEASE);
    __atomic_store_n(&detail::switches_checked, false, __ATOMIC_RELAXED);
    for (const char* name :
         {"LOG", "SYNC", "BREAK", "TRACE", "REFERENCE", "SHADOW", "TIMEOUT", "ON_ERROR", "GUARD"}) {
      const std::string variable = std::string("WARPSAFE_") + name;
      const char* const value = std::getenv(variable.c_str());
      values_.emplace_back(variable, value == nullptr ? std::optional<std::string>() : value);
      ::unsetenv(variable.c_str());
    }
  }
  ~WithoutTools() {
    for (const auto& [name, value] : values_) {
      if (value) {
        ::setenv(name.c_str(), value->c_str(), 1);
      } else {
        ::unsetenv(name.c_str());
      }
    }
    __atomic_store_n(&detail::switches_checked, checked_, __ATOMIC_RELAXED);
    __atomic_store_n(&detail::observers_in_use, hooks_, __ATOMIC_RELEASE);
  }
  WithoutTools(const WithoutTools&) = delete;
  WithoutTools& operator=(const WithoutTools&) = delete;

 private:
  Observer* const hooks_ = detail::observers_in_use;
  bool checked_ = __atomic_load_n(&detail::switches_checked, __ATOMIC_RELAXED);
  std::vector<std::pair<std::string, std::optional<std::string>>> values_;
};

/// What the first launch writes to standard error.
std::string written_by_a_launch() {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(detail::launch_observers(), nullptr);
  return ::testing::internal::GetCapturedStderr();
}

TEST(UnreadSwitches, AreNamedOnce) {
  const WithoutTools without;
  ::setenv("WARPSAFE_TIMEOUT", "5", 1);
  ::setenv("WARPSAFE_LOG", "", 1);
  ::setenv("WARPSAFE_GUARD", "1", 1);  // needs no tools
  const std::string rest =
      " is set, and this program does not read it: #include <warpsafe/debug.hpp> in one of its "
      "files that are compiled with checks\n";
  EXPECT_EQ(written_by_a_launch(),
            "warpsafe: WARPSAFE_LOG" + rest + "warpsafe: WARPSAFE_TIMEOUT" + rest);
  EXPECT_EQ(written_by_a_launch(), "");
  ::testing::internal::CaptureStderr();
  detail::warn_unread_switches();  // as another thread's first launch may
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(UnreadSwitches, NothingIsSaidIfNoneIsSet) {
  const WithoutTools without;
  EXPECT_EQ(written_by_a_launch(), "");
  ::setenv("WARPSAFE_LOG", "1", 1);
  EXPECT_EQ(written_by_a_launch(), "") << "the environment is read once";
}

TEST(UnreadSwitches, NothingIsSaidOfOneThatAsksForNothing) {
  const WithoutTools without;
  ::setenv("WARPSAFE_LOG", "off", 1);  // of the line about nvcc, which needs no tools
  EXPECT_EQ(written_by_a_launch(), "");
}

TEST(UnreadSwitches, TheToolsReadThemSoNothingIsSaid) {
  const WithoutTools without;
  ::setenv("WARPSAFE_LOG", "1", 1);
  Observer tools;
  __atomic_store_n(&detail::observers_in_use, &tools, __ATOMIC_RELEASE);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(detail::launch_observers(), &tools);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace warpsafe::core_test
