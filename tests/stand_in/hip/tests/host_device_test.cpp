// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "host_fixture.hpp"

#include <dlfcn.h>

#include <climits>
#include <cstring>
#include <string_view>

namespace {

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
    EXPECT_EQ(attribute(hipDeviceAttributeMaxGridDimZ, device), 65536);
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
  for (const auto release : {STAND_IN_HIP_5_2, STAND_IN_HIP_5_7}) {
    stand_in_hip_set_release(release);
    int value = -1;
    EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeSharedMemPerBlockOptin, 0),
              hipErrorInvalidValue);
    EXPECT_EQ(value, -1);
  }
}

TEST_F(StandInHipHost, LimitsTheGridsYAndZIn5_2ByX) {
  stand_in_hip_set_release(STAND_IN_HIP_5_2);
  EXPECT_EQ(attribute(hipDeviceAttributeMaxGridDimY), INT_MAX);
  stand_in_hip_set_attribute(0, hipDeviceAttributeMaxGridDimY, 7);
  EXPECT_EQ(attribute(hipDeviceAttributeMaxGridDimY), 7);
}

TEST_F(StandInHipHost, EnablesPeerAccessOnce) {
  stand_in_hip_set_device_count(2);
  EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipSuccess);
  EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(hipDeviceDisablePeerAccess(1), hipSuccess);
  EXPECT_EQ(hipDeviceDisablePeerAccess(1), hipErrorPeerAccessNotEnabled);
  EXPECT_EQ(hipDeviceEnablePeerAccess(0, 0), hipErrorInvalidDevice);
  stand_in_hip_set_peers(0);
  EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipErrorPeerAccessUnsupported);
}

TEST_F(StandInHipHost, FillsThePropertiesFromTheAttributes) {
  stand_in_hip_set_attribute(0, hipDeviceAttributeMaxThreadsPerBlock, 512);
  stand_in_hip_set_device_name(0, "a name");
  hipDeviceProp_t properties{};
  ASSERT_EQ(hipGetDeviceProperties(&properties, 0), hipSuccess);
  EXPECT_STREQ(properties.name, "a name");
  EXPECT_STREQ(properties.gcnArchName, "gfx90a");
  EXPECT_EQ(properties.maxThreadsPerBlock, 512);
  EXPECT_EQ(properties.maxThreadsDim[2], 1024);
  EXPECT_EQ(properties.maxGridSize[1], 65536);
  EXPECT_EQ(properties.warpSize, 64);
  EXPECT_EQ(properties.multiProcessorCount, 110);
  EXPECT_EQ(properties.sharedMemPerBlock, 65536u);
  EXPECT_EQ(properties.totalGlobalMem, std::size_t{64} << 30);
  EXPECT_EQ(hipGetDeviceProperties(&properties, 1), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetDeviceProperties(nullptr, 0), hipErrorInvalidValue);
}

TEST_F(StandInHipHost, HasThePropertiesLayoutOfHip6UnderItsName) {
  using Query = hipError_t (*)(void*, int);
  const auto query = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "hipGetDevicePropertiesR0600"));
  ASSERT_NE(query, nullptr);
  std::array<char, 1472> bytes{};
  ASSERT_EQ(query(bytes.data(), 0), hipSuccess);
  const auto at = [&](std::size_t offset) {
    int value = 0;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  };
  EXPECT_EQ(at(308), 64);    // warpSize
  EXPECT_EQ(at(320), 1024);  // maxThreadsPerBlock
  EXPECT_EQ(at(324), 1024);  // maxThreadsDim
  EXPECT_EQ(at(388), 110);   // multiProcessorCount
  EXPECT_STREQ(bytes.data(), "AMD Instinct MI250X");
  EXPECT_STREQ(bytes.data() + 1160, "gfx90a");
}

TEST_F(StandInHipHost, NamesADeviceWithinTheRoomGiven) {
  std::array<char, 4> name{};
  ASSERT_EQ(hipDeviceGetName(name.data(), 4, 0), hipSuccess);
  EXPECT_EQ(std::string_view(name.data()), "AMD");
  EXPECT_EQ(hipDeviceGetName(name.data(), 0, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceGetName(name.data(), 4, 1), hipErrorInvalidDevice);
  std::size_t bytes = 0;
  ASSERT_EQ(hipDeviceTotalMem(&bytes, 0), hipSuccess);
  EXPECT_EQ(bytes, std::size_t{64} << 30);
  hipDevice_t device = -1;
  ASSERT_EQ(hipDeviceGet(&device, 0), hipSuccess);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(hipDeviceGet(&device, 1), hipErrorInvalidDevice);
  EXPECT_EQ(hipInit(0), hipSuccess);
}

}  // namespace
