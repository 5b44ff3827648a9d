// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A .cpp that nvcc compiles: plain C++, on the CPU model.

#undef WARPSAFE_BACKEND_HOST
#define __NVCC__ 1  // NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>

WARPSAFE_KERNEL void does_nothing() {}

namespace warpsafe {
namespace {

TEST(NvccOfPlainCpp, TheFirstLaunchSaysThatTheCpuRunsKernels) {
  static bool is_first = true;  // of the process
  if (!std::exchange(is_first, false)) GTEST_SKIP() << "the line is printed once";
  ::testing::internal::CaptureStderr();
  const auto stream = Stream::create().value();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "nothing has run yet";
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<does_nothing>).has_value());
  }
  ASSERT_TRUE(stream.synchronize().has_value());
  EXPECT_EQ(
      ::testing::internal::GetCapturedStderr(),
      std::string("warpsafe: nvcc compiled ") + __BASE_FILE__ +
          " as plain C++, so its kernels run on the CPU model of a GPU: for the GPU, name the "
          "file .cu or add -x cu; for the CPU without this line, define "
          "WARPSAFE_BACKEND_HOST\n");
}

TEST(NvccOfPlainCpp, TheSwitchOfTheLogTurnsItOff) {
  const char* const line = std::exchange(host::notice, "a line\n");
  ASSERT_EQ(::setenv("WARPSAFE_LOG", "off", 1), 0);
  ::testing::internal::CaptureStderr();
  const auto stream = Stream::create().value();
  ASSERT_TRUE(launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<does_nothing>).has_value());
  ASSERT_TRUE(stream.synchronize().has_value());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ASSERT_EQ(::unsetenv("WARPSAFE_LOG"), 0);
  host::notice = line;
}

}  // namespace
}  // namespace warpsafe
