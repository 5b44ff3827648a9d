// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The stand-in in programs compiled by hipcc: registration, <<<>>> and the code object's metadata.
#include "stand_in_hip.hpp"

#include "own_code.hpp"
#include "stand_in_hip_kernels.hpp"

#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>

#include <array>
#include <csignal>
#include <vector>

namespace {

using stand_in_hip::own_image;

class StandInHip : public testing::Test {
 protected:
  void SetUp() override { stand_in_hip_reset(); }
};

StandInHipLaunch only_launch() {
  const auto launches = stand_in_hip::launches();
  EXPECT_EQ(launches.size(), 1u);
  return launches.empty() ? StandInHipLaunch{} : launches[0];
}

TEST_F(StandInHip, CapturesTripleChevrons) {
  float value = 0;
  launch_mixed(dim3(1, 2, 3), dim3(4, 5), 128, 7, 2.5, 'x', &value, Pair{1.5, 'y'});
  ASSERT_EQ(hipGetLastError(), hipSuccess);
  const StandInHipLaunch launch = only_launch();
  EXPECT_STREQ(launch.function, "hipLaunchKernel");
  EXPECT_STREQ(launch.kernel, "_Z5mixedidcPKf4Pair");
  EXPECT_EQ(launch.host_function, mixed_kernel());
  EXPECT_EQ(launch.grid.z, 3u);
  EXPECT_EQ(launch.block.y, 5u);
  EXPECT_EQ(launch.dynamic_shared_bytes, 128u);
  ASSERT_EQ(launch.arguments_known, 1);
  ASSERT_EQ(launch.argument_count, 5u);
  EXPECT_EQ(stand_in_hip::argument<int>(launch, 0), 7);
  EXPECT_EQ(stand_in_hip::argument<double>(launch, 1), 2.5);
  EXPECT_EQ(stand_in_hip::argument<char>(launch, 2), 'x');
  EXPECT_EQ(stand_in_hip::argument<float*>(launch, 3), &value);
  EXPECT_EQ(stand_in_hip::argument<Pair>(launch, 4).a, 1.5);
  EXPECT_EQ(stand_in_hip::argument<Pair>(launch, 4).b, 'y');
  EXPECT_EQ(launch.arguments[3].offset, 24u);
}

TEST_F(StandInHip, LeavesOutTheCompilersOwnArguments) {
  launch_printing(12);
  const StandInHipLaunch launch = only_launch();
  ASSERT_EQ(launch.argument_count, 1u);
  EXPECT_EQ(stand_in_hip::argument<int>(launch, 0), 12);
}

TEST_F(StandInHip, ReadsKernelAttributesFromTheCodeObject) {
  hipFuncAttributes attributes{};
  ASSERT_EQ(hipFuncGetAttributes(&attributes, mixed_kernel()), hipSuccess);
  EXPECT_EQ(attributes.sharedSizeBytes, 64 * sizeof(int));
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  EXPECT_GT(attributes.numRegs, 0);
  ASSERT_EQ(hipFuncGetAttributes(&attributes, bounded_kernel()), hipSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 256);
  EXPECT_EQ(attributes.sharedSizeBytes, 0u);
}

TEST_F(StandInHip, HoldsALaunchToItsDeclaredBounds) {
  int value = 0;
  launch_bounded(1, 256, &value);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
  launch_bounded(1, 257, &value);
  EXPECT_EQ(hipGetLastError(), hipErrorLaunchFailure);
  EXPECT_EQ(stand_in_hip_launch_count(), 2u);
}

TEST_F(StandInHip, LosesAnErrorThatIsNotAskedForBeforeRelease7) {
  launch_nothing(0, 1);
  launch_nothing(1, 1);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
  stand_in_hip_set_release(STAND_IN_HIP_7);
  launch_nothing(0, 1);
  launch_nothing(1, 1);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidConfiguration);
}

TEST_F(StandInHip, CapturesEveryKindOfLaunch) {
  int value = 0;
  int* pointer = &value;
  std::array<void*, 1> arguments{&pointer};
  const void* kernel = bounded_kernel();
  EXPECT_EQ(hipLaunchKernel(kernel, 1, 1, arguments.data(), 0, nullptr), hipSuccess);
  EXPECT_EQ(hipLaunchCooperativeKernel(kernel, 1, 1, arguments.data(), 0, nullptr), hipSuccess);
  EXPECT_EQ(hipExtLaunchKernel(kernel, 1, 1, arguments.data(), 0, nullptr, nullptr, nullptr, 0),
            hipSuccess);
  launch_bounded_ggl(1, 1, pointer);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
  const auto launches = stand_in_hip::launches();
  ASSERT_EQ(launches.size(), 4u);
  for (const StandInHipLaunch& launch : launches) {
    EXPECT_STREQ(launch.kernel, "_Z7boundedIiEvPT_");
    EXPECT_EQ(stand_in_hip::argument<int*>(launch, 0), pointer);
  }
  EXPECT_EQ(launches[1].cooperative, 1);
  EXPECT_STREQ(launches[2].function, "hipExtLaunchKernel");
}

TEST_F(StandInHip, RefusesAPointerListThatIsMissing) {
  const void* kernel = bounded_kernel();
  EXPECT_EQ(hipLaunchKernel(kernel, 1, 1, nullptr, 0, nullptr), hipErrorInvalidValue);
  const void* empty = nothing_kernel();
  EXPECT_EQ(hipLaunchKernel(empty, 1, 1, nullptr, 0, nullptr), hipSuccess);
}

TEST_F(StandInHip, AsksForCodeOfTheDevicesArchitectureWhenToldTo) {
  ASSERT_EQ(stand_in_hip_set_device_preset(0, "gfx000"), 0);
  launch_nothing(1, 1);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
  stand_in_hip_require_matching_code(1);
  launch_nothing(1, 1);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidDeviceFunction);
  hipFuncAttributes attributes{};
  EXPECT_EQ(hipFuncGetAttributes(&attributes, nothing_kernel()), hipErrorInvalidKernelFile);
  stand_in_hip_set_release(STAND_IN_HIP_7);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidKernelFile);
  launch_nothing(1, 1);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidKernelFile);
  stand_in_hip_set_release(STAND_IN_HIP_6_4);
  ASSERT_EQ(stand_in_hip_set_device_preset(0, "gfx90a"), 0);
  launch_nothing(1, 1);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

TEST_F(StandInHip, CopiesToAndFromDeviceVariables) {
  int value = 11;
  ASSERT_EQ(hipMemcpyToSymbol(weights_symbol(), &value, 4, 8, hipMemcpyHostToDevice), hipSuccess);
  int back = 0;
  ASSERT_EQ(hipMemcpyFromSymbol(&back, weights_symbol(), 4, 8, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_EQ(back, 11);
  EXPECT_EQ(hipMemcpyToSymbol(weights_symbol(), &value, 4, 13, hipMemcpyHostToDevice),
            hipErrorInvalidValue);
  std::size_t size = 0;
  ASSERT_EQ(hipGetSymbolSize(&size, weights_symbol()), hipSuccess);
  EXPECT_EQ(size, 4 * sizeof(int));
}

TEST_F(StandInHip, LaunchesAModulesKernel) {
  const std::vector<char> image = own_image();
  ASSERT_FALSE(image.empty());
  hipModule_t module = nullptr;
  ASSERT_EQ(hipModuleLoadData(&module, image.data()), hipSuccess);
  hipFunction_t function = nullptr;
  EXPECT_EQ(hipModuleGetFunction(&function, module, "bounded"), hipErrorNotFound);
  ASSERT_EQ(hipModuleGetFunction(&function, module, "_Z7boundedIiEvPT_"), hipSuccess);
  int value = 0;
  int* pointer = &value;
  std::array<void*, 1> arguments{&pointer};
  const auto launch = [&](unsigned grid_x, unsigned grid_y, unsigned block) {
    return hipModuleLaunchKernel(function, grid_x, grid_y, 1, block, 1, 1, 0, nullptr,
                                 arguments.data(), nullptr);
  };
  EXPECT_EQ(launch(1, 1, 256), hipSuccess);
  EXPECT_EQ(stand_in_hip::argument<int*>(only_launch(), 0), pointer);
  EXPECT_EQ(launch(1, 65537, 1), hipErrorInvalidValue);
  EXPECT_EQ(launch(1 << 26, 1, 64), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch(1, 1, 257), hipErrorLaunchFailure);
  stand_in_hip_set_release(STAND_IN_HIP_7);
  EXPECT_EQ(launch(1 << 26, 1, 64), hipErrorInvalidValue);
  EXPECT_EQ(launch(0, 1, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipModuleUnload(module), hipSuccess);
}

TEST_F(StandInHip, CutsAModulesWorkItemsTo32BitsInYAndZ) {
  const std::vector<char> image = own_image();
  hipModule_t module = nullptr;
  ASSERT_EQ(hipModuleLoadData(&module, image.data()), hipSuccess);
  hipFunction_t function = nullptr;
  ASSERT_EQ(hipModuleGetFunction(&function, module, "_Z7nothingv"), hipSuccess);
  const auto launch = [&](unsigned y, unsigned z) {
    return hipModuleLaunchKernel(function, 1, y, z, 1, 4, 4, 0, nullptr, nullptr, nullptr);
  };
  // Release 5 limits only a single axis of the grid, to 2^31 - 1: 4 * (2^30 + 1) is 4 then.
  stand_in_hip_set_release(STAND_IN_HIP_5_7);
  EXPECT_EQ(launch((1u << 30) + 1, 1), hipSuccess);
  EXPECT_EQ(launch(1, (1u << 30) + 1), hipSuccess);
  EXPECT_EQ(launch(1u << 30, 1), hipErrorInvalidValue);  // none are left
  EXPECT_EQ(launch(1u << 31, 1), hipErrorInvalidValue);
}

TEST_F(StandInHip, TakesAModulesArgumentsAsOneBlock) {
  const std::vector<char> image = own_image();
  hipModule_t module = nullptr;
  ASSERT_EQ(hipModuleLoadData(&module, image.data()), hipSuccess);
  hipFunction_t function = nullptr;
  ASSERT_EQ(hipModuleGetFunction(&function, module, "_Z7boundedIiEvPT_"), hipSuccess);
  int value = 0;
  int* pointer = &value;
  std::size_t size = sizeof pointer;
  std::array<void*, 5> extra{HIP_LAUNCH_PARAM_BUFFER_POINTER, &pointer,
                             HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  const auto launch = [&] {
    return hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra.data());
  };
  EXPECT_EQ(launch(), hipSuccess);
  EXPECT_EQ(stand_in_hip::argument<int*>(only_launch(), 0), pointer);
  extra[4] = nullptr;
  EXPECT_EQ(launch(), hipErrorInvalidValue);
}

TEST_F(StandInHip, AnswersAModulesFunctionAttributes) {
  const std::vector<char> image = own_image();
  hipModule_t module = nullptr;
  ASSERT_EQ(hipModuleLoadData(&module, image.data()), hipSuccess);
  hipFunction_t function = nullptr;
  ASSERT_EQ(hipModuleGetFunction(&function, module, "_Z5mixedidcPKf4Pair"), hipSuccess);
  const auto attribute = [&](hipFunction_attribute which) {
    int value = -1;
    EXPECT_EQ(hipFuncGetAttribute(&value, which, function), hipSuccess);
    return value;
  };
  EXPECT_EQ(attribute(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_EQ(attribute(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 256);
  EXPECT_EQ(attribute(HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 65536 - 256);
  EXPECT_EQ(attribute(HIP_FUNC_ATTRIBUTE_BINARY_VERSION), 90);
  EXPECT_GT(attribute(HIP_FUNC_ATTRIBUTE_NUM_REGS), 0);
  int value = 0;
  EXPECT_EQ(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, nullptr),
            hipErrorInvalidHandle);
}

TEST_F(StandInHip, RefusesImagesThatHoldNoCodeForTheDevice) {
  const std::vector<char> image = own_image();
  hipModule_t module = nullptr;
  const std::array<char, 64> nonsense{};
  EXPECT_EQ(hipModuleLoadData(&module, nonsense.data()), hipErrorInvalidImage);
  EXPECT_EQ(hipModuleLoad(&module, "/nonexistent"), hipErrorFileNotFound);
  EXPECT_EQ(hipModuleLoad(&module, "/dev/null"), hipErrorInvalidValue);
  stand_in_hip_require_matching_code(1);
  ASSERT_EQ(stand_in_hip_set_device_preset(0, "gfx000"), 0);
  EXPECT_EQ(hipModuleLoadData(&module, image.data()), hipErrorInvalidValue);
  stand_in_hip_set_release(STAND_IN_HIP_5_7);
  EXPECT_EQ(hipModuleLoadData(&module, image.data()), hipErrorNoBinaryForGpu);
  EXPECT_EQ(hipModuleLoadData(&module, nonsense.data()), hipErrorInvalidKernelFile);
}

TEST_F(StandInHip, EndsAProgramWithoutCodeForADeviceIn5_2) {
  stand_in_hip_set_release(STAND_IN_HIP_5_2);
  stand_in_hip_require_matching_code(1);
  ASSERT_EQ(stand_in_hip_set_device_preset(0, "gfx000"), 0);
  int count = 0;
  EXPECT_EXIT(static_cast<void>(hipGetDeviceCount(&count)), testing::KilledBySignal(SIGABRT),
              "a device has no code in the program");
}

TEST_F(StandInHip, SharesManagedVariables) {
  ASSERT_NE(managed_variable(), nullptr);
  EXPECT_EQ(*managed_variable(), 5);
  *managed_variable() = 6;
  EXPECT_EQ(*managed_variable(), 6);
}

}  // namespace
