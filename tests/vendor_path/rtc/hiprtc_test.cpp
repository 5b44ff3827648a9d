// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// hipRTC compiles kernel_api.hpp, without a GPU.
#include "source.hpp"

#include <gmock/gmock.h>
#include <hip/hiprtc.h>

#include <cstddef>
#include <string>
#include <vector>

namespace rtc_test {
namespace {

class Hiprtc : public testing::TestWithParam<const char*> {};

TEST_P(Hiprtc, CompilesKernelApi) {
  hiprtcProgram program = nullptr;
  ASSERT_EQ(hiprtcCreateProgram(&program, source, "everything.hip", 0, nullptr, nullptr),
            HIPRTC_SUCCESS);
  std::vector<const char*> options{"--offload-arch=gfx90a", GetParam(), "-I" RTC_TEST_INCLUDE};
  const auto status =
      hiprtcCompileProgram(program, static_cast<int>(options.size()), options.data());
  std::size_t size = 0;
  EXPECT_EQ(hiprtcGetProgramLogSize(program, &size), HIPRTC_SUCCESS);
  std::string log(size, '\0');
  if (size != 0) {
    EXPECT_EQ(hiprtcGetProgramLog(program, log.data()), HIPRTC_SUCCESS);
  }
  EXPECT_EQ(status, HIPRTC_SUCCESS) << log;
  if (status == HIPRTC_SUCCESS) {
    ASSERT_EQ(hiprtcGetCodeSize(program, &size), HIPRTC_SUCCESS);
    std::string code(size, '\0');
    ASSERT_EQ(hiprtcGetCode(program, code.data()), HIPRTC_SUCCESS);
    EXPECT_THAT(code, testing::HasSubstr("everything.kd")) << "the kernel's descriptor";
  }
  EXPECT_EQ(hiprtcDestroyProgram(&program), HIPRTC_SUCCESS);
}

INSTANTIATE_TEST_SUITE_P(Standards, Hiprtc, testing::Values("-std=c++17", "-std=c++20"),
                         [](const auto& instance) {
                           return "cxx" + std::string(instance.param).substr(8);
                         });

}  // namespace
}  // namespace rtc_test
