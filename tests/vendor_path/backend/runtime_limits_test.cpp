// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The limits that the backend reads from the attributes of a device.

#include "../stand_in.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using testing::ElementsAre;

constexpr int invalid_device_number = 1000;

#if defined(WARPSAFE_BACKEND_CUDA)
#define VENDOR_TEST_ATTRIBUTE(name) cudaDevAttr##name
using Attribute = cudaDeviceAttr;
void set_attribute(int device, Attribute attribute, int value) {
  stand_in_cuda_set_attribute(device, attribute, value);
}
#else
#define VENDOR_TEST_ATTRIBUTE(name) hipDeviceAttribute##name
using Attribute = hipDeviceAttribute_t;
void set_attribute(int device, Attribute attribute, int value) {
  amd_control_set_attribute(device, attribute, value);
}
#endif

/// The attributes that both vendors have, and the limits that they report.
const std::pair<Attribute, std::uint32_t ws::DeviceLimits::*> number_attributes[] = {
    {VENDOR_TEST_ATTRIBUTE(MaxThreadsPerBlock), &ws::DeviceLimits::max_threads_per_block},
    {VENDOR_TEST_ATTRIBUTE(WarpSize), &ws::DeviceLimits::warp_size},
    {VENDOR_TEST_ATTRIBUTE(MaxRegistersPerBlock), &ws::DeviceLimits::registers_per_block},
#if defined(WARPSAFE_BACKEND_CUDA)
    {cudaDevAttrMultiProcessorCount, &ws::DeviceLimits::multiprocessors},
#else
    {hipDeviceAttributeMultiprocessorCount, &ws::DeviceLimits::multiprocessors},
#endif
    {VENDOR_TEST_ATTRIBUTE(MaxThreadsPerMultiProcessor),
     &ws::DeviceLimits::max_threads_per_multiprocessor},
    {VENDOR_TEST_ATTRIBUTE(ComputeCapabilityMajor), &ws::DeviceLimits::compute_major},
    {VENDOR_TEST_ATTRIBUTE(ComputeCapabilityMinor), &ws::DeviceLimits::compute_minor}};
const std::pair<Attribute, bool ws::DeviceLimits::*> ability_attributes[] = {
    {VENDOR_TEST_ATTRIBUTE(CooperativeLaunch), &ws::DeviceLimits::cooperative_launch},
    {VENDOR_TEST_ATTRIBUTE(MemoryPoolsSupported), &ws::DeviceLimits::memory_pools},
    {VENDOR_TEST_ATTRIBUTE(ConcurrentManagedAccess), &ws::DeviceLimits::concurrent_managed_access}};
const Attribute axis_attributes[] = {
    VENDOR_TEST_ATTRIBUTE(MaxBlockDimX), VENDOR_TEST_ATTRIBUTE(MaxBlockDimY),
    VENDOR_TEST_ATTRIBUTE(MaxBlockDimZ), VENDOR_TEST_ATTRIBUTE(MaxGridDimX),
    VENDOR_TEST_ATTRIBUTE(MaxGridDimY),  VENDOR_TEST_ATTRIBUTE(MaxGridDimZ)};

#undef VENDOR_TEST_ATTRIBUTE

class RuntimeLimits : public VendorTest {
 protected:
  [[nodiscard]] static ws::DeviceLimits limits_of(int device) {
    ws::DeviceLimits limits;
    EXPECT_EQ(Backend::limits_of(device, limits), code::success);
    return limits;
  }
};

TEST_F(RuntimeLimits, EachLimitIsThatOfItsAttribute) {
  int value = 100;
  for (const auto& one : number_attributes) set_attribute(3, one.first, value++);
  for (const Attribute one : axis_attributes) set_attribute(3, one, value++);
  const ws::DeviceLimits limits = limits_of(3);
  value = 100;
  for (const auto& one : number_attributes) {
    EXPECT_EQ(limits.*one.second, static_cast<std::uint32_t>(value)) << value;
    ++value;
  }
  const auto first = static_cast<std::uint32_t>(value);
  EXPECT_THAT(limits.max_block, ElementsAre(first, first + 1, first + 2));
  EXPECT_THAT(limits.max_grid, ElementsAre(first + 3, first + 4, first + 5));
  EXPECT_EQ(limits.device, 3);
  if (!is_cuda) {
    EXPECT_EQ(limits.max_parameter_bytes, 4096U);
  }
  EXPECT_EQ(limits.vendor, is_cuda ? ws::Vendor::nvidia : ws::Vendor::amd);
}

TEST_F(RuntimeLimits, AnAbilityIsThereIfItsAttributeIsNotZero) {
  for (const auto& one : ability_attributes) {
    for (const auto& other : ability_attributes) set_attribute(3, other.first, 0);
    EXPECT_FALSE(limits_of(3).*one.second);
    set_attribute(3, one.first, 1);
    const ws::DeviceLimits limits = limits_of(3);
    for (const auto& other : ability_attributes) {
      EXPECT_EQ(limits.*other.second, one.first == other.first);
    }
  }
}

TEST_F(RuntimeLimits, ANumberThatIsNoneIsNotReported) {
  set_attribute(3, number_attributes[2].first, -1);
  EXPECT_EQ(limits_of(3).registers_per_block, 0U);
  // The k-th question of limits_of, which an older runtime does not know.
  for (const unsigned k : {1U, 2U, 3U}) {
    fail("DeviceGetAttribute", k, code::invalid_value);
    static_cast<void>(limits_of(3));
  }
  fail("DeviceGetAttribute", 1, code::invalid_value);
  EXPECT_EQ(limits_of(3).max_threads_per_block, 0U);
}

TEST_F(RuntimeLimits, TheFirstFailureOfAQuestionAboutLimitsIsReturned) {
  ws::DeviceLimits limits;
  EXPECT_EQ(Backend::limits_of(invalid_device_number, limits), code::invalid_device);
  fail("DeviceGetAttribute", 2, code::unknown);
  fail("DeviceGetAttribute", 3, code::not_initialized);
  EXPECT_EQ(Backend::limits_of(3, limits), code::unknown);
  reset();
  fail("DeviceGetAttribute", 5, code::unknown);
  EXPECT_EQ(Backend::limits_of(0, limits), code::unknown);
}

#if defined(WARPSAFE_BACKEND_CUDA)
TEST_F(RuntimeLimits, EightBlocksAreAPortableClusterWhereThereAreClusters) {
  set_attribute(3, cudaDevAttrClusterLaunch, 1);
  EXPECT_EQ(limits_of(3).max_cluster_blocks, 8U);
  EXPECT_EQ(limits_of(3).max_cluster_blocks_optin, 16U);
  set_attribute(3, cudaDevAttrClusterLaunch, 0);
  EXPECT_EQ(limits_of(3).max_cluster_blocks, 0U);
  EXPECT_EQ(limits_of(3).max_cluster_blocks_optin, 0U);
}

TEST_F(RuntimeLimits, ParametersTake32764BytesFromVoltaOn) {
  for (const auto& [major, parameter_bytes] :
       std::vector<std::pair<int, std::uint32_t>>{{6, 4096}, {7, 32764}, {8, 32764}, {9, 32764}}) {
    set_attribute(3, cudaDevAttrComputeCapabilityMajor, major);
    EXPECT_EQ(limits_of(3).max_parameter_bytes, parameter_bytes) << major;
  }
}

TEST_F(RuntimeLimits, SharedMemoryIsThatOfItsAttributes) {
  set_attribute(3, cudaDevAttrMaxSharedMemoryPerBlock, 1001);
  set_attribute(3, cudaDevAttrMaxSharedMemoryPerBlockOptin, 1002);
  set_attribute(3, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 1003);
  set_attribute(3, cudaDevAttrReservedSharedMemoryPerBlock, 1004);
  set_attribute(3, cudaDevAttrMaxBlocksPerMultiprocessor, 1005);
  const ws::DeviceLimits limits = limits_of(3);
  EXPECT_EQ(limits.shared_per_block, 1001U);
  EXPECT_EQ(limits.shared_per_block_optin, 1002U);
  EXPECT_EQ(limits.shared_per_multiprocessor, 1003U);
  EXPECT_EQ(limits.reserved_shared_per_block, 1004U);
  EXPECT_EQ(limits.max_blocks_per_multiprocessor, 1005U);
}
#endif

}  // namespace
}  // namespace vendor_test
