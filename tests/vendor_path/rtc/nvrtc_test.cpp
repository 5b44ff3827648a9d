// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// NVRTC compiles kernel_api.hpp, without a GPU and without a standard header.
#include "source.hpp"

#include <gmock/gmock.h>
#include <nvrtc.h>

#include <cstddef>
#include <string>
#include <vector>

namespace rtc_test {
namespace {

using testing::HasSubstr;

class Nvrtc : public testing::TestWithParam<const char*> {
 protected:
  std::string compile(const char* architecture) {
    nvrtcProgram program = nullptr;
    EXPECT_EQ(nvrtcCreateProgram(&program, source, "everything.cu", 0, nullptr, nullptr),
              NVRTC_SUCCESS);
    std::vector<const char*> options{architecture, GetParam(), "--include-path=" RTC_TEST_INCLUDE};
    const auto status =
        nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
    std::size_t size = 0;
    EXPECT_EQ(nvrtcGetProgramLogSize(program, &size), NVRTC_SUCCESS);
    std::string log(size, '\0');
    EXPECT_EQ(nvrtcGetProgramLog(program, log.data()), NVRTC_SUCCESS);
    EXPECT_EQ(status, NVRTC_SUCCESS) << log;
    std::string ptx;
    if (status == NVRTC_SUCCESS) {
      EXPECT_EQ(nvrtcGetPTXSize(program, &size), NVRTC_SUCCESS);
      ptx.resize(size);
      EXPECT_EQ(nvrtcGetPTX(program, ptx.data()), NVRTC_SUCCESS);
    }
    EXPECT_EQ(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
    return ptx;
  }
};

TEST_P(Nvrtc, CompilesKernelApi) {
  for (const char* architecture :
       {"--gpu-architecture=compute_75", "--gpu-architecture=compute_90"}) {
    const std::string ptx = compile(architecture);
    EXPECT_THAT(ptx, HasSubstr(".entry everything"));
    EXPECT_THAT(ptx, HasSubstr(".maxntid 256"));
    EXPECT_THAT(ptx, HasSubstr(".minnctapersm 2"));
  }
}

INSTANTIATE_TEST_SUITE_P(Standards, Nvrtc, testing::Values("--std=c++17", "--std=c++20"),
                         [](const auto& instance) {
                           return "cxx" + std::string(instance.param).substr(9);
                         });

}  // namespace
}  // namespace rtc_test
