// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The stand-in as a host compiler's program meets it: no kernel code, so kernels are declared. What
// is asserted here is what the runtime's source says, release by release.
#include "stand_in_hip.hpp"

#include <gtest/gtest.h>

#include <array>
#include <climits>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

void host_side(int, double) {}

class StandInHipHost : public testing::Test {
 protected:
  void SetUp() override {
    stand_in_hip_reset();
    const std::array arguments{StandInHipArgument{0, 4}, StandInHipArgument{8, 8}};
    const StandInHipKernelInfo info{1024, 0, 32, 16, 256, 64};
    stand_in_hip_declare_kernel(kernel, "declared", arguments.data(), arguments.size(), &info);
  }

  hipError_t launch(dim3 grid, dim3 block, std::size_t shared = 0, hipStream_t stream = nullptr) {
    int i = 7;
    double d = 2.5;
    std::array<void*, 2> arguments{&i, &d};
    return hipLaunchKernel(kernel, grid, block, arguments.data(), shared, stream);
  }

  hipStream_t make_stream(unsigned flags = hipStreamNonBlocking) {
    hipStream_t stream = nullptr;
    EXPECT_EQ(hipStreamCreateWithFlags(&stream, flags), hipSuccess);
    return stream;
  }

  const void* kernel = reinterpret_cast<const void*>(&host_side);
};

struct Answers {
  StandInHipRelease release;
  hipError_t zero_grid, zero_block, too_many_threads, over_shared, over_bound, axis_overflow;
};

class StandInHipReleases : public StandInHipHost, public testing::WithParamInterface<Answers> {
 protected:
  void SetUp() override {
    StandInHipHost::SetUp();
    stand_in_hip_set_release(GetParam().release);
  }
};

TEST_P(StandInHipReleases, AnswersEachLaunchMistake) {
  const Answers& expected = GetParam();
  EXPECT_EQ(launch(1, 64), hipSuccess);
  EXPECT_EQ(launch(0, 64), expected.zero_grid);
  EXPECT_EQ(launch(1, 0), expected.zero_block);
  EXPECT_EQ(launch(1, 1025), expected.too_many_threads);
  EXPECT_EQ(launch(1, 64, 65537), expected.over_shared);
  EXPECT_EQ(launch(1, 257), expected.over_bound);
  EXPECT_EQ(launch(1 << 26, 64), expected.axis_overflow);
  EXPECT_EQ(launch((1 << 26) - 1, 64), hipSuccess);
  EXPECT_EQ(stand_in_hip_undefined_uses(), 0u);
}

TEST_P(StandInHipReleases, NeverAddsStaticToDynamicSharedMemory) {
  EXPECT_EQ(launch(1, 64, 65536), hipSuccess);  // 1024 more are the kernel's own
}

TEST_P(StandInHipReleases, ChecksNoGridAxisOnThisArchitecture) {
  EXPECT_EQ(launch(dim3(1, 70000, 70000), 64), hipSuccess);
}

TEST_P(StandInHipReleases, KnowsNoUnregisteredFunction) {
  const void* unknown = this;
  EXPECT_EQ(hipLaunchKernel(unknown, 1, 1, nullptr, 0, nullptr), hipErrorInvalidDeviceFunction);
  hipFuncAttributes attributes{};
  EXPECT_EQ(hipFuncGetAttributes(&attributes, unknown), hipErrorInvalidSymbol);
}

INSTANTIATE_TEST_SUITE_P(
    Releases, StandInHipReleases,
    testing::Values(
        Answers{STAND_IN_HIP_5, hipErrorInvalidValue, hipErrorInvalidValue, hipErrorInvalidValue,
                hipErrorInvalidValue, hipErrorLaunchFailure, hipErrorInvalidConfiguration},
        Answers{STAND_IN_HIP_6, hipErrorInvalidValue, hipErrorInvalidValue, hipErrorInvalidValue,
                hipErrorInvalidValue, hipErrorLaunchFailure, hipErrorInvalidConfiguration},
        Answers{STAND_IN_HIP_7, hipErrorInvalidConfiguration, hipErrorInvalidConfiguration,
                hipErrorInvalidConfiguration, hipErrorInvalidValue, hipErrorLaunchFailure,
                hipErrorInvalidConfiguration}),
    [](const auto& answers) { return "Release" + std::to_string(answers.param.release); });

TEST_F(StandInHipHost, RecordsALaunchWithItsArguments) {
  const hipStream_t stream = make_stream();
  ASSERT_EQ(launch(dim3(2, 3, 4), dim3(8, 4, 2), 100, stream), hipSuccess);
  const auto launches = stand_in_hip::launches();
  ASSERT_EQ(launches.size(), 1u);
  const StandInHipLaunch& made = launches[0];
  EXPECT_STREQ(made.function, "hipLaunchKernel");
  EXPECT_STREQ(made.kernel, "declared");
  EXPECT_EQ(made.host_function, kernel);
  EXPECT_EQ(made.grid.x, 2u);
  EXPECT_EQ(made.grid.y, 3u);
  EXPECT_EQ(made.grid.z, 4u);
  EXPECT_EQ(made.block.x, 8u);
  EXPECT_EQ(made.block.y, 4u);
  EXPECT_EQ(made.block.z, 2u);
  EXPECT_EQ(made.dynamic_shared_bytes, 100u);
  EXPECT_EQ(made.stream, stream);
  EXPECT_EQ(made.device, 0);
  ASSERT_EQ(made.arguments_known, 1);
  ASSERT_EQ(made.argument_count, 2u);
  EXPECT_EQ(made.argument_byte_count, 16u);
  EXPECT_EQ(stand_in_hip::argument<int>(made, 0), 7);
  EXPECT_EQ(stand_in_hip::argument<double>(made, 1), 2.5);
  const auto calls = stand_in_hip::calls();
  ASSERT_EQ(made.sequence, calls.size());
  EXPECT_STREQ(calls.back().function, "hipLaunchKernel");
  EXPECT_EQ(calls.back().stream, stream);
}

TEST_F(StandInHipHost, RecordsARefusedLaunchWithoutReadingItsArguments) {
  EXPECT_EQ(hipLaunchKernel(kernel, 0, 1, nullptr, 0, nullptr), hipErrorInvalidValue);
  const auto launches = stand_in_hip::launches();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].result, hipErrorInvalidValue);
  EXPECT_EQ(launches[0].arguments_known, 0);
}

TEST_F(StandInHipHost, OverwritesTheLastErrorWithSuccessUntilRelease7) {
  int device = -1;
  for (const auto release : {STAND_IN_HIP_5, STAND_IN_HIP_6}) {
    stand_in_hip_set_release(release);
    EXPECT_EQ(launch(0, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidValue);
    EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidValue);
    EXPECT_EQ(hipGetDevice(&device), hipSuccess);
    EXPECT_EQ(hipGetLastError(), hipSuccess);
  }
  stand_in_hip_set_release(STAND_IN_HIP_7);
  EXPECT_EQ(launch(0, 1), hipErrorInvalidConfiguration);
  EXPECT_EQ(hipGetDevice(&device), hipSuccess);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidConfiguration);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

TEST_F(StandInHipHost, KeepsNotReadyOutOfTheLastErrorInRelease7) {
  const hipStream_t stream = make_stream();
  stand_in_hip_set_deferred(1);
  void* memory = nullptr;
  ASSERT_EQ(hipMalloc(&memory, 16), hipSuccess);
  ASSERT_EQ(hipMemsetAsync(memory, 1, 16, stream), hipSuccess);
  EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
  EXPECT_EQ(stand_in_hip_last_error(), hipErrorNotReady);
  stand_in_hip_set_release(STAND_IN_HIP_7);
  stand_in_hip_plant_last_error(hipSuccess);
  EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
  EXPECT_EQ(stand_in_hip_last_error(), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(hipStreamQuery(stream), hipSuccess);
}

TEST_F(StandInHipHost, HasALastErrorPerThread) {
  stand_in_hip_plant_last_error(hipErrorNotFound);
  hipError_t elsewhere = hipErrorUnknown;
  std::thread([&] { elsewhere = hipPeekAtLastError(); }).join();
  EXPECT_EQ(elsewhere, hipSuccess);
  EXPECT_EQ(hipPeekAtLastError(), hipErrorNotFound);
}

TEST_F(StandInHipHost, FailsTheCallThatWasAskedFor) {
  stand_in_hip_fail("hipMalloc", 2, hipErrorOutOfMemory);
  void* first = nullptr;
  void* second = nullptr;
  EXPECT_EQ(hipMalloc(&first, 8), hipSuccess);
  EXPECT_EQ(hipMalloc(&second, 8), hipErrorOutOfMemory);
  EXPECT_EQ(second, nullptr);
  EXPECT_EQ(hipMalloc(&second, 8), hipSuccess);
  EXPECT_EQ(stand_in_hip_count("hipMalloc"), 3u);
  EXPECT_EQ(stand_in_hip_live_objects(), 2u);
}

TEST_F(StandInHipHost, SurfacesAnAsynchronousErrorAtASynchronisingCall) {
  stand_in_hip_post_async_error(hipErrorIllegalAddress);
  EXPECT_EQ(launch(1, 1), hipSuccess);
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
  EXPECT_EQ(launch(1, 1), hipSuccess);
  stand_in_hip_set_release(STAND_IN_HIP_7);
  stand_in_hip_post_async_error(hipErrorIllegalAddress);
  EXPECT_EQ(hipStreamSynchronize(nullptr), hipErrorIllegalAddress);
  EXPECT_EQ(launch(1, 1), hipErrorIllegalAddress);
  EXPECT_EQ(hipGetLastError(), hipErrorIllegalAddress);
}

TEST_F(StandInHipHost, SaysThereIsNoDeviceAndKeepsTheLastError) {
  stand_in_hip_set_device_count(0);
  int count = -1;
  EXPECT_EQ(hipGetDeviceCount(&count), hipErrorNoDevice);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(hipSetDevice(0), hipErrorNoDevice);
  EXPECT_EQ(launch(1, 1), hipErrorNoDevice);
  EXPECT_EQ(hipGetLastError(), hipErrorNoDevice);
  EXPECT_EQ(hipGetLastError(), hipErrorNoDevice);
}

int attribute(hipDeviceAttribute_t which, int device = 0) {
  int value = -1;
  EXPECT_EQ(hipDeviceGetAttribute(&value, which, device), hipSuccess);
  return value;
}

TEST_F(StandInHipHost, HasTheTablesOfThreeArchitectures) {
  stand_in_hip_set_device_count(3);
  ASSERT_EQ(stand_in_hip_set_device_preset(1, "gfx942"), 0);
  ASSERT_EQ(stand_in_hip_set_device_preset(2, "gfx1100"), 0);
  EXPECT_EQ(stand_in_hip_set_device_preset(2, "gfx9999"), -1);
  const std::array wavefronts{64, 64, 32};
  const std::array threads{2048, 2048, 1024};
  for (int device = 0; device < 3; ++device) {
    const auto index = static_cast<std::size_t>(device);
    EXPECT_EQ(attribute(hipDeviceAttributeMaxThreadsPerBlock, device), 1024);
    EXPECT_EQ(attribute(hipDeviceAttributeMaxBlockDimZ, device), 1024);
    EXPECT_EQ(attribute(hipDeviceAttributeMaxGridDimX, device), INT_MAX);
    EXPECT_EQ(attribute(hipDeviceAttributeMaxGridDimY, device), 65536);
    EXPECT_EQ(attribute(hipDeviceAttributeMaxSharedMemoryPerBlock, device), 65536);
    EXPECT_EQ(attribute(hipDeviceAttributeSharedMemPerBlockOptin, device), 65536);
    EXPECT_EQ(attribute(hipDeviceAttributeReservedSharedMemPerBlock, device), 0);
    EXPECT_EQ(attribute(hipDeviceAttributeWarpSize, device), wavefronts[index]);
    EXPECT_EQ(attribute(hipDeviceAttributeMaxThreadsPerMultiProcessor, device), threads[index]);
  }
  EXPECT_EQ(attribute(hipDeviceAttributeComputeCapabilityMajor, 2), 11);
  int value = 0;
  EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 3), hipErrorInvalidDevice);
  EXPECT_EQ(hipDeviceGetAttribute(nullptr, hipDeviceAttributeWarpSize, 0), hipErrorInvalidValue);
}

TEST_F(StandInHipHost, ReportsNoOptInSharedMemoryBeforeRelease6) {
  stand_in_hip_set_release(STAND_IN_HIP_5);
  EXPECT_EQ(attribute(hipDeviceAttributeSharedMemPerBlockOptin), 0);
}

extern "C" hipError_t hipGetDevicePropertiesR0600(void* properties, int device);

TEST_F(StandInHipHost, WritesBothLayoutsOfTheProperties) {
  stand_in_hip_set_attribute(0, hipDeviceAttributeMaxThreadsPerBlock, 512);
  stand_in_hip_set_device_name(0, "a name");
  hipDeviceProp_t old{};
  ASSERT_EQ(hipGetDeviceProperties(&old, 0), hipSuccess);
  EXPECT_STREQ(old.name, "a name");
  EXPECT_EQ(old.maxThreadsPerBlock, 512);
  EXPECT_EQ(old.warpSize, 64);
  EXPECT_STREQ(old.gcnArchName, "gfx90a");
  std::array<char, 1472> bytes{};
  ASSERT_EQ(hipGetDevicePropertiesR0600(bytes.data(), 0), hipSuccess);
  const auto at = [&](std::size_t offset) {
    int value = 0;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  };
  EXPECT_STREQ(bytes.data(), "a name");
  EXPECT_EQ(at(308), 64);
  EXPECT_EQ(at(320), 512);
  EXPECT_EQ(at(324), 1024);
  EXPECT_EQ(at(388), 110);
  EXPECT_STREQ(bytes.data() + 1160, "gfx90a");
}

TEST_F(StandInHipHost, AnswersKernelAttributesAndOverrides) {
  hipFuncAttributes attributes{};
  ASSERT_EQ(hipFuncGetAttributes(&attributes, kernel), hipSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 256);
  EXPECT_EQ(attributes.numRegs, 32);
  EXPECT_EQ(attributes.sharedSizeBytes, 1024u);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 65536 - 1024);
  const StandInHipKernelInfo change{-1, -1, 64, -1, 128, -1};
  ASSERT_EQ(stand_in_hip_override_kernel(kernel, &change), 0);
  ASSERT_EQ(hipFuncGetAttributes(&attributes, kernel), hipSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 128);
  EXPECT_EQ(attributes.numRegs, 64);
  EXPECT_EQ(attributes.sharedSizeBytes, 1024u);
  EXPECT_EQ(launch(1, 129), hipErrorLaunchFailure);
  EXPECT_EQ(stand_in_hip_override_kernel(this, &change), -1);
}

TEST_F(StandInHipHost, StoresTheDynamicMaximumAndIgnoresItAtLaunch) {
  constexpr auto maximum = hipFuncAttributeMaxDynamicSharedMemorySize;
  EXPECT_EQ(hipFuncSetAttribute(kernel, maximum, 65536), hipErrorInvalidValue);
  EXPECT_EQ(hipFuncSetAttribute(kernel, maximum, -1), hipErrorInvalidValue);
  EXPECT_EQ(hipFuncSetAttribute(kernel, maximum, 4096), hipSuccess);
  hipFuncAttributes attributes{};
  ASSERT_EQ(hipFuncGetAttributes(&attributes, kernel), hipSuccess);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 4096);
  EXPECT_EQ(launch(1, 1, 8192), hipSuccess);
}

TEST_F(StandInHipHost, CalculatesOccupancy) {
  int blocks = -1;
  // 32 vector registers of 512: eight waves (the limit) on each of four SIMDs, of 64 threads each.
  ASSERT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0), hipSuccess);
  EXPECT_EQ(blocks, 8);
  // 1024 + 31744 bytes twice fill the 65536 of a compute unit.
  ASSERT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 31744), hipSuccess);
  EXPECT_EQ(blocks, 2);
  ASSERT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 1025, 0), hipSuccess);
  EXPECT_EQ(blocks, 0);
  EXPECT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 0, 0),
            hipErrorInvalidValue);
  const StandInHipKernelInfo heavy{0, -1, 256, -1, 1024, -1};
  ASSERT_EQ(stand_in_hip_override_kernel(kernel, &heavy), 0);
  ASSERT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0), hipSuccess);
  EXPECT_EQ(blocks, 2);
}

hipError_t launch_cooperative(const void* kernel, dim3 grid, dim3 block) {
  int i = 0;
  double d = 0;
  std::array<void*, 2> arguments{&i, &d};
  return hipLaunchCooperativeKernel(kernel, grid, block, arguments.data(), 0, nullptr);
}

TEST_F(StandInHipHost, LimitsACooperativeGridAndWrapsItsSizeBeforeRelease7) {
  EXPECT_EQ(launch_cooperative(kernel, 110 * 8, 256), hipSuccess);
  EXPECT_EQ(launch_cooperative(kernel, 110 * 8 + 1, 256), hipErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(launch_cooperative(kernel, dim3(1 << 16, 1 << 16), 1), hipSuccess);
  stand_in_hip_set_release(STAND_IN_HIP_7);
  EXPECT_EQ(launch_cooperative(kernel, dim3(1 << 16, 1 << 16), 1),
            hipErrorCooperativeLaunchTooLarge);
  stand_in_hip_set_release(STAND_IN_HIP_6);
  stand_in_hip_set_attribute(0, hipDeviceAttributeCooperativeLaunch, 0);
  EXPECT_EQ(launch_cooperative(kernel, 1, 64), hipErrorLaunchFailure);
}

TEST_F(StandInHipHost, RunsOnTheStreamsDeviceUntilRelease7RefusesIt) {
  stand_in_hip_set_device_count(2);
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  const hipStream_t stream = make_stream();
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  EXPECT_EQ(launch(1, 1, 0, stream), hipSuccess);
  EXPECT_EQ(stand_in_hip::launches().back().device, 1);
  stand_in_hip_set_release(STAND_IN_HIP_7);
  EXPECT_EQ(launch(1, 1, 0, stream), hipErrorInvalidResourceHandle);
}

extern "C" hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device);

TEST_F(StandInHipHost, KnowsAStreamsDeviceFlagsAndPriority) {
  stand_in_hip_set_device_count(2);
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, -5), hipSuccess);
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  hipDevice_t device = -1;
  EXPECT_EQ(hipStreamGetDevice(stream, &device), hipSuccess);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(hipStreamGetDevice(nullptr, &device), hipSuccess);
  EXPECT_EQ(device, 0);
  unsigned flags = 0;
  EXPECT_EQ(hipStreamGetFlags(stream, &flags), hipSuccess);
  EXPECT_EQ(flags, unsigned{hipStreamNonBlocking});
  int priority = 0;
  EXPECT_EQ(hipStreamGetPriority(stream, &priority), hipSuccess);
  EXPECT_EQ(priority, -1);
  EXPECT_EQ(hipStreamCreateWithFlags(&stream, 77), hipErrorInvalidValue);
}

TEST_F(StandInHipHost, AnswersForADestroyedStream) {
  const hipStream_t stream = make_stream();
  ASSERT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(launch(1, 1, 0, stream), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamSynchronize(stream), hipErrorContextIsDestroyed);
  EXPECT_EQ(hipStreamDestroy(stream), hipErrorContextIsDestroyed);
  EXPECT_EQ(stand_in_hip_undefined_uses(), 0u);
  stand_in_hip_set_release(STAND_IN_HIP_7);
  EXPECT_EQ(hipStreamSynchronize(stream), hipErrorContextIsDestroyed);
  EXPECT_EQ(stand_in_hip_undefined_uses(), 1u);
  EXPECT_EQ(hipStreamDestroy(nullptr), hipErrorInvalidHandle);
}

TEST_F(StandInHipHost, CopiesAndFillsWithinBounds) {
  void* device = nullptr;
  ASSERT_EQ(hipMalloc(&device, 16), hipSuccess);
  std::array<unsigned char, 16> in{1, 2, 3};
  std::array<unsigned char, 16> out{};
  EXPECT_EQ(hipMemcpy(device, in.data(), 16, hipMemcpyHostToDevice), hipSuccess);
  EXPECT_EQ(hipMemcpy(out.data(), device, 16, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_EQ(out, in);
  EXPECT_EQ(hipMemcpy(device, in.data(), 17, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(out.data(), in.data(), 16, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(device, in.data(), 16, static_cast<hipMemcpyKind>(7)),
            hipErrorInvalidMemcpyDirection);
  EXPECT_EQ(hipMemset(device, 5, 17), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset(out.data(), 5, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset2D(device, 8, 9, 2, 2), hipSuccess);
  EXPECT_EQ(hipMemcpy2D(out.data(), 2, device, 8, 2, 2, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_EQ(out[0] + out[1] + out[2] + out[3], 36);
  EXPECT_EQ(hipMemcpy2D(out.data(), 1, device, 8, 2, 2, hipMemcpyDeviceToHost),
            hipErrorInvalidPitchValue);
  EXPECT_EQ(hipFree(device), hipSuccess);
  EXPECT_EQ(hipFree(device), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(nullptr), hipSuccess);
  EXPECT_EQ(hipFreeAsync(nullptr, nullptr), hipErrorInvalidValue);
}

TEST_F(StandInHipHost, DefersStreamWorkUntilASynchronisation) {
  stand_in_hip_set_deferred(1);
  const hipStream_t stream = make_stream();
  void* device = nullptr;
  ASSERT_EQ(hipMallocAsync(&device, 4, stream), hipSuccess);
  int value = 42;
  int back = 0;
  ASSERT_EQ(hipMemcpyAsync(device, &value, 4, hipMemcpyHostToDevice, stream), hipSuccess);
  ASSERT_EQ(hipMemcpyAsync(&back, device, 4, hipMemcpyDeviceToHost, stream), hipSuccess);
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipEventCreateWithFlags(&event, hipEventDisableTiming), hipSuccess);
  EXPECT_EQ(hipEventQuery(event), hipSuccess);  // never recorded
  ASSERT_EQ(hipEventRecord(event, stream), hipSuccess);
  int called = 0;
  ASSERT_EQ(hipLaunchHostFunc(
                stream, [](void* data) { ++*static_cast<int*>(data); }, &called),
            hipSuccess);
  ASSERT_EQ(hipFreeAsync(device, stream), hipSuccess);
  EXPECT_EQ(hipEventQuery(event), hipErrorNotReady);
  EXPECT_EQ(back, 0);
  EXPECT_EQ(called, 0);
  EXPECT_EQ(hipEventSynchronize(event), hipSuccess);
  EXPECT_EQ(back, 42);
  EXPECT_EQ(called, 1);
  EXPECT_EQ(hipEventQuery(event), hipSuccess);
  EXPECT_EQ(hipEventDestroy(event), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(stand_in_hip_live_objects(), 0u);
}

TEST_F(StandInHipHost, TellsHostFromDeviceMemory) {
  void* device = nullptr;
  void* host = nullptr;
  ASSERT_EQ(hipMalloc(&device, 64), hipSuccess);
  ASSERT_EQ(hipHostMalloc(&host, 64, hipHostMallocDefault), hipSuccess);
  hipPointerAttribute_t attributes{};
  ASSERT_EQ(hipPointerGetAttributes(&attributes, static_cast<char*>(device) + 63), hipSuccess);
  EXPECT_EQ(attributes.memoryType, hipMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 0);
  ASSERT_EQ(hipPointerGetAttributes(&attributes, host), hipSuccess);
  EXPECT_EQ(attributes.memoryType, hipMemoryTypeHost);
  int local = 0;
  EXPECT_EQ(hipPointerGetAttributes(&attributes, &local), hipSuccess);
  EXPECT_EQ(attributes.device, -2);
  stand_in_hip_set_release(STAND_IN_HIP_5);
  EXPECT_EQ(hipPointerGetAttributes(&attributes, &local), hipErrorInvalidValue);
  std::size_t free = 0;
  std::size_t total = 0;
  ASSERT_EQ(hipMemGetInfo(&free, &total), hipSuccess);
  EXPECT_EQ(total - free, 64u);
  EXPECT_EQ(hipMalloc(&device, total + 1), hipErrorOutOfMemory);
}

TEST_F(StandInHipHost, CapturesIntoAGraphAndReplaysIt) {
  const hipStream_t stream = make_stream();
  hipStreamCaptureStatus status = hipStreamCaptureStatusActive;
  ASSERT_EQ(hipStreamIsCapturing(stream, &status), hipSuccess);
  EXPECT_EQ(status, hipStreamCaptureStatusNone);
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), hipSuccess);
  ASSERT_EQ(hipStreamIsCapturing(stream, &status), hipSuccess);
  EXPECT_EQ(status, hipStreamCaptureStatusActive);
  ASSERT_EQ(launch(1, 1, 0, stream), hipSuccess);
  EXPECT_EQ(stand_in_hip::launches().back().captured, 1);
  hipGraph_t graph = nullptr;
  ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  std::size_t nodes = 0;
  ASSERT_EQ(hipGraphGetNodes(graph, nullptr, &nodes), hipSuccess);
  EXPECT_EQ(nodes, 1u);
  hipGraphExec_t exec = nullptr;
  ASSERT_EQ(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipSuccess);
  ASSERT_EQ(hipGraphDestroy(graph), hipSuccess);
  ASSERT_EQ(hipGraphLaunch(exec, stream), hipSuccess);
  const auto launches = stand_in_hip::launches();
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[1].replayed, 1);
  EXPECT_EQ(launches[1].captured, 0);
  EXPECT_EQ(stand_in_hip::argument<int>(launches[1], 0), 7);
  ASSERT_EQ(hipGraphExecDestroy(exec), hipSuccess);
}

TEST_F(StandInHipHost, InvalidatesACaptureByADeviceSynchronisation) {
  const hipStream_t stream = make_stream();
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  stand_in_hip_plant_last_error(hipErrorNotFound);
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorStreamCaptureUnsupported);
  EXPECT_EQ(stand_in_hip_last_error(), hipErrorNotFound);  // its answer goes past the slot
  EXPECT_EQ(launch(1, 1, 0, stream), hipErrorStreamCaptureInvalidated);
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorIllegalState);
  EXPECT_EQ(launch(1, 1, 0, stream), hipSuccess);
}

TEST_F(StandInHipHost, RefusesAllocationsDuringACaptureThatIsNotRelaxed) {
  const hipStream_t stream = make_stream();
  void* memory = nullptr;
  hipGraph_t graph = nullptr;
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
  EXPECT_EQ(hipMalloc(&memory, 4), hipSuccess);
  ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  EXPECT_EQ(hipMalloc(&memory, 4), hipErrorStreamCaptureUnsupported);
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
}

TEST_F(StandInHipHost, JoinsForkedStreamsIntoOneCapture) {
  const hipStream_t origin = make_stream();
  const hipStream_t fork = make_stream();
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipEventCreate(&event), hipSuccess);
  for (const bool joined : {false, true}) {
    ASSERT_EQ(hipStreamBeginCapture(origin, hipStreamCaptureModeThreadLocal), hipSuccess);
    ASSERT_EQ(hipEventRecord(event, origin), hipSuccess);
    ASSERT_EQ(hipStreamWaitEvent(fork, event, 0), hipSuccess);
    ASSERT_EQ(launch(1, 1, 0, fork), hipSuccess);
    EXPECT_EQ(stand_in_hip::launches().back().captured, 1);
    hipGraph_t graph = nullptr;
    EXPECT_EQ(hipStreamEndCapture(fork, &graph), hipErrorStreamCaptureUnmatched);
    if (joined) {
      ASSERT_EQ(hipEventRecord(event, fork), hipSuccess);
      ASSERT_EQ(hipStreamWaitEvent(origin, event, 0), hipSuccess);
    }
    EXPECT_EQ(hipStreamEndCapture(origin, &graph),
              joined ? hipSuccess : hipErrorStreamCaptureUnjoined);
  }
}

TEST_F(StandInHipHost, NamesErrors) {
  EXPECT_STREQ(hipGetErrorName(hipErrorInvalidConfiguration), "hipErrorInvalidConfiguration");
  EXPECT_STREQ(hipGetErrorString(hipErrorInvalidConfiguration), "invalid configuration argument");
  EXPECT_STREQ(hipGetErrorName(static_cast<hipError_t>(912)), "hipErrorInvalidTexture");
  EXPECT_STREQ(hipGetErrorString(static_cast<hipError_t>(912)), "unknown error");
  EXPECT_STREQ(hipGetErrorName(static_cast<hipError_t>(1999)), "hipErrorUnknown");
}

TEST_F(StandInHipHost, TakesTheVersionOfTheModel) {
  int version = 0;
  stand_in_hip_set_release(STAND_IN_HIP_7);
  ASSERT_EQ(hipRuntimeGetVersion(&version), hipSuccess);
  EXPECT_EQ(version / 10000000, 7);
  ASSERT_EQ(hipDriverGetVersion(&version), hipSuccess);
  EXPECT_EQ(version / 10000000, 7);
}

TEST_F(StandInHipHost, CountsConcurrentCalls) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) EXPECT_EQ(launch(1, 1), hipSuccess);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stand_in_hip_count("hipLaunchKernel"), 200u);
  EXPECT_EQ(stand_in_hip_launch_count(), 200u);
}

}  // namespace
