// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The backend's calls alone: what they ask the runtime, and what they make of its answers.
#include "../kernels.hpp"
#include "../stand_in.hpp"
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/capture_types.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;

class BackendCalls : public VendorTest {};

TEST_F(BackendCalls, ReturnTheRuntimesStatus) {
  const auto stream = make_stream();
  const ws::KernelEntry& kernel = ws::kernel<floats>.entry();
  int number = 0;
  bool answer = true;
  ws::MemoryKind kind{};
  ws::CaptureInfo capture{};
  ws::KernelLimits limits{};
  ws::DeviceLimits device{};
  void* memory = nullptr;
  Backend::native_event event{};
  ASSERT_EQ(Backend::event_create(event, false), code::success);
  const std::string capture_info = is_cuda ? "StreamGetCaptureInfo" : "StreamGetCaptureInfo_v2";
  const std::string attributes = "FuncGetAttributes";
  const std::vector<std::pair<std::string, std::function<int()>>> calls = {
      {"GetDeviceCount", [&] { return Backend::device_count(number); }},
      {"GetDevice", [&] { return Backend::current_device(number); }},
      {"DriverGetVersion", [&] { return Backend::versions(number, number); }},
      {"RuntimeGetVersion", [&] { return Backend::versions(number, number); }},
      {"GetSymbolAddress", [&] { return Backend::symbol_address(memory, &number); }},
      {"DeviceGetAttribute", [&] { return Backend::limits_of(0, device); }},
      {attributes, [&] { return Backend::attributes_of(kernel, limits); }},
      {"EventQuery", [&] { return Backend::event_query(event); }},
      {"EventSynchronize", [&] { return Backend::event_synchronize(event); }},
      {"StreamQuery", [&] { return Backend::stream_query(stream.native()); }},
      {"StreamSynchronize", [&] { return Backend::stream_synchronize(stream.native()); }},
      {"StreamIsCapturing", [&] { return Backend::stream_capturing(stream.native(), answer); }},
      {"ThreadExchangeStreamCaptureMode", [&] { return Backend::exchange_capture_mode(number); }},
      {"DeviceGetAttribute", [&] { return Backend::has_memory_pools(0, answer); }},
      {"PointerGetAttributes", [&] { return Backend::pointer_kind(&number, kind, number); }},
      {capture_info, [&] { return Backend::capture_info(stream.native(), capture); }},
      {is_cuda ? "PointerGetAttributes" : "DeviceCanAccessPeer",
       [&] { return Backend::can_access(0, &number, 1, answer); }},
  };
  for (const auto& [name, call] : calls) {
    number = 0;
    fail(name, 1, code::not_supported);
    EXPECT_EQ(call(), code::not_supported) << name;
    number = 0;
    if (name != "GetSymbolAddress") EXPECT_EQ(call(), code::success) << name;
  }
  EXPECT_EQ(Backend::event_destroy(event), code::success);
}

TEST_F(BackendCalls, ADeviceThatCannotBeAskedHasNoMemoryPools) {
  bool answer = false;
  EXPECT_EQ(Backend::has_memory_pools(0, answer), code::success);
  EXPECT_TRUE(answer);
  fail("DeviceGetAttribute", 1, code::not_supported);
  EXPECT_EQ(Backend::has_memory_pools(0, answer), code::not_supported);
  EXPECT_FALSE(answer);
}

TEST_F(BackendCalls, LimitsComeFromTheDevicesAttributes) {
  const auto read = [](int device) {
    ws::DeviceLimits limits;
    EXPECT_EQ(Backend::limits_of(device, limits), code::success);
    return limits;
  };
  const ws::DeviceLimits limits = read(2);
  EXPECT_EQ(limits.vendor, is_cuda ? ws::Vendor::nvidia : ws::Vendor::amd);
  EXPECT_EQ(limits.device, 2);
  EXPECT_EQ(limits.max_threads_per_block, 1024U);
  EXPECT_EQ(limits.max_block[0], 1024U);
  EXPECT_EQ(limits.max_block[1], 1024U);
  EXPECT_EQ(limits.max_block[2], is_cuda ? 64U : 1024U);
  EXPECT_EQ(limits.max_parameter_bytes, is_cuda ? 32764U : 4096U);
  EXPECT_EQ(limits.memory_pools, true);

  // An attribute that an older runtime does not know is not reported; what fails otherwise fails.
  fail("DeviceGetAttribute", 1, code::invalid_value);
  EXPECT_EQ(read(2).max_threads_per_block, 0U);
  fail("DeviceGetAttribute", 3, code::invalid_value);
  EXPECT_EQ(read(2).max_threads_per_block, 1024U);
  ws::DeviceLimits failed;
  fail("DeviceGetAttribute", 4, code::not_supported);
  fail("DeviceGetAttribute", 5, code::unknown);
  EXPECT_EQ(Backend::limits_of(2, failed), code::not_supported);
}

#if defined(WARPSAFE_BACKEND_CUDA)
TEST_F(BackendCalls, ParametersHave32764BytesFromVoltaOn) {
  for (const auto& [major, bytes] : {std::pair{6, 4096U}, {7, 32764U}, {8, 32764U}}) {
    stand_in_cuda_set_attribute(0, cudaDevAttrComputeCapabilityMajor, major);
    ws::DeviceLimits limits;
    EXPECT_EQ(Backend::limits_of(0, limits), code::success);
    EXPECT_EQ(limits.max_parameter_bytes, bytes) << major;
  }
}

TEST_F(BackendCalls, ClustersHaveEightBlocksOrSixteenWhereThereAreAny) {
  for (const int clusters : {0, 1}) {
    stand_in_cuda_set_attribute(0, cudaDevAttrClusterLaunch, clusters);
    ws::DeviceLimits limits;
    EXPECT_EQ(Backend::limits_of(0, limits), code::success);
    EXPECT_EQ(limits.max_cluster_blocks, clusters == 0 ? 0U : 8U);
    EXPECT_EQ(limits.max_cluster_blocks_optin, clusters == 0 ? 0U : 16U);
  }
}

TEST_F(BackendCalls, AskingForAnotherDevicesAccessLeavesTheCurrentOne) {
  const auto stream = make_stream(3);
  auto buffer = ws::DeviceBuffer<float>::create(stream, 10).value();
  const void* const memory = buffer.view().pointer().get();
  bool answer = false;
  const auto calls =
      calls_of([&] { EXPECT_EQ(Backend::can_access(3, memory, 3, answer), code::success); });
  EXPECT_TRUE(answer);
  EXPECT_THAT(calls,
              testing::ElementsAre("GetDevice", "SetDevice", "PointerGetAttributes", "SetDevice"));
  EXPECT_EQ(ws::current_device().value(), ws::DeviceId(0));
  EXPECT_THAT(
      calls_of([&] { EXPECT_EQ(Backend::can_access(0, memory, 3, answer), code::success); }),
      testing::ElementsAre("GetDevice", "PointerGetAttributes"));
  fail("SetDevice", 2, code::unknown);
  EXPECT_EQ(Backend::can_access(3, memory, 3, answer), code::unknown) << "not restored";
  fail("GetDevice", 1, code::unknown);
  EXPECT_EQ(Backend::can_access(3, memory, 3, answer), code::unknown);
  EXPECT_FALSE(answer);
  ASSERT_EQ(Backend::set_device(0), code::success);
}
#endif

TEST_F(BackendCalls, AKernelsLimitsAreItsAttributes) {
  const ws::KernelEntry& kernel = ws::kernel<bounded>.entry();
  ws::KernelLimits limits;
#if defined(WARPSAFE_BACKEND_CUDA)
  StandInCudaKernelInfo info{};
  ASSERT_EQ(stand_in_cuda_kernel_info("_ZN11vendor_test7boundedEv", &info), 0);
  info.static_shared_bytes = 1000;
  info.local_bytes = 48;
  info.constant_bytes = 400;
  info.registers = 33;
  ASSERT_EQ(stand_in_cuda_override_kernel("_ZN11vendor_test7boundedEv", &info), 0);
  cudaFuncAttributes native{};
  ASSERT_EQ(cudaFuncGetAttributes(&native, kernel.function), cudaSuccess);
#else
  hipFuncAttributes native{};
  ASSERT_EQ(hipFuncGetAttributes(&native, kernel.function), hipSuccess);
#endif
  ASSERT_EQ(Backend::attributes_of(kernel, limits), code::success);
  EXPECT_EQ(limits.max_threads_per_block, 256U);
  EXPECT_EQ(limits.registers, static_cast<std::uint32_t>(native.numRegs));
  EXPECT_EQ(limits.static_shared, native.sharedSizeBytes);
  EXPECT_EQ(limits.max_dynamic_shared,
            static_cast<std::uint64_t>(native.maxDynamicSharedSizeBytes));
  EXPECT_EQ(limits.local_bytes, native.localSizeBytes);
  EXPECT_EQ(limits.binary_version, static_cast<std::uint32_t>(native.binaryVersion));
  EXPECT_EQ(limits.ptx_version, static_cast<std::uint32_t>(native.ptxVersion));
  if (is_cuda) {
    EXPECT_EQ(limits.registers, 33U);
    EXPECT_EQ(limits.local_bytes, 48U);
    EXPECT_EQ(limits.constant_bytes, 400U);
  }
}

TEST_F(BackendCalls, ADeviceThatIsNotThereHasNoName) {
  EXPECT_FALSE(Backend::device_name(0).empty());
  for (const int device : {-1, 64, 65, 1 << 20}) EXPECT_TRUE(Backend::device_name(device).empty());
}

TEST_F(BackendCalls, ALaunchKeepsTheOrderOfItsAxes) {
  const auto stream = make_stream();
  const ws::KernelEntry& kernel = ws::kernel<nothing>.entry();
  ws::LaunchShape shape;
  const std::uint32_t grid[3] = {2, 3, 5};
  const std::uint32_t block[3] = {4, 6, 7};
  for (int axis = 0; axis != 3; ++axis) {
    shape.grid[axis] = grid[axis];
    shape.block[axis] = block[axis];
  }
  shape.dynamic_shared = 96;
  for (const bool cooperative : {false, true}) {
    shape.cooperative = cooperative;
    ASSERT_EQ(Backend::launch(kernel, shape, nullptr, stream.native()), code::success);
    const Launch launch = last_launch();
    EXPECT_EQ(launch.cooperative, cooperative ? 1 : 0);
    EXPECT_EQ(std::vector({launch.grid.x, launch.grid.y, launch.grid.z}),
              std::vector({2U, 3U, 5U}));
    EXPECT_EQ(std::vector({launch.block.x, launch.block.y, launch.block.z}),
              std::vector({4U, 6U, 7U}));
    EXPECT_EQ(launch.dynamic_shared_bytes, 96U);
    EXPECT_EQ(launch.stream, stream.native());
  }
}

#if defined(WARPSAFE_BACKEND_CUDA)
TEST_F(BackendCalls, EachOptionOfALaunchIsAnAttribute) {
  const auto stream = make_stream();
  ws::LaunchShape shape;
  for (int axis = 0; axis != 3; ++axis) shape.grid[axis] = shape.block[axis] = 4;
  shape.has_cluster = true;
  shape.cluster[0] = 4;
  shape.cluster[1] = 2;
  shape.cluster[2] = 1;
  shape.cooperative = true;
  shape.programmatic = true;
  shape.has_priority = true;
  shape.priority = -3;
  const ws::KernelEntry& kernel = ws::kernel<nothing>.entry();
  static_cast<void>(Backend::launch(kernel, shape, nullptr, stream.native()));
  const Launch launch = last_launch();
  EXPECT_EQ(std::vector({launch.cluster.x, launch.cluster.y, launch.cluster.z}),
            std::vector({4U, 2U, 1U}));
  EXPECT_EQ(launch.cooperative, 1);
  EXPECT_EQ(launch.programmatic_serialization, 1);
  EXPECT_EQ(launch.priority, -3);

  // More than 8 blocks need a permission for the kernel first.
  shape = {};
  for (int axis = 0; axis != 3; ++axis) shape.grid[axis] = shape.block[axis] = 4;
  shape.has_cluster = shape.non_portable_cluster = true;
  shape.cluster[0] = 4;
  shape.cluster[1] = 4;
  fail("FuncSetAttribute", 1, code::not_supported);
  EXPECT_EQ(Backend::launch(kernel, shape, nullptr, stream.native()), code::not_supported);
  EXPECT_EQ(launches().size(), 1U);
  int blocks = -1;
  fail("FuncSetAttribute", 1, code::not_supported);
  EXPECT_EQ(Backend::max_cluster_blocks(kernel, shape, blocks), code::not_supported);
}
#else
TEST_F(BackendCalls, WhatTheRuntimeHasNotIsNotSupported) {
  const auto stream = make_stream();
  const ws::KernelEntry& kernel = ws::kernel<nothing>.entry();
  ws::LaunchShape shape;
  for (int axis = 0; axis != 3; ++axis) shape.grid[axis] = shape.block[axis] = 1;
  const auto launch = [&](const auto& change) {
    ws::LaunchShape changed = shape;
    change(changed);
    return Backend::launch(kernel, changed, nullptr, stream.native());
  };
  EXPECT_EQ(launch([](ws::LaunchShape& s) { s.has_priority = true; }), code::not_supported);
  EXPECT_EQ(launch([](ws::LaunchShape& s) { s.has_cluster = true; }), code::not_supported);
  EXPECT_EQ(launch([](ws::LaunchShape& s) { s.programmatic = true; }), code::not_supported);
  int blocks = 7;
  EXPECT_EQ(Backend::max_cluster_blocks(kernel, shape, blocks), code::not_supported);
  EXPECT_EQ(blocks, 0);
  // 2^32 threads wrap around in AMD's runtime, which then hangs.
  const auto cooperative = [&](std::uint32_t x, std::uint32_t y, std::uint32_t threads) {
    ws::LaunchShape s = shape;
    s.cooperative = true;
    s.grid[0] = x;
    s.grid[1] = y;
    s.block[0] = threads;
    return ws::detail::hip_cooperative_fits(s);
  };
  EXPECT_TRUE(cooperative(65535, 1, 1024));
  EXPECT_TRUE(cooperative(0xffffffff, 1, 1));
  EXPECT_FALSE(cooperative(1U << 22U, 1, 1024));
  EXPECT_FALSE(cooperative(0xffffffff, 0xffffffff, 1024));
  EXPECT_FALSE(cooperative(0xffffffff, 2, 1));
  EXPECT_EQ(launch([](ws::LaunchShape& s) {
              s.cooperative = true;
              s.grid[0] = 1U << 22U;
              s.block[0] = 1024;
            }),
            code::cooperative_too_large);
  EXPECT_TRUE(launches().empty());
}

TEST_F(BackendCalls, ADeviceIsThereIfTheRuntimeCountsOne) {
  EXPECT_TRUE(ws::detail::hip_has_device());
  fail("GetDeviceCount", 1, code::no_device);
  EXPECT_FALSE(ws::detail::hip_has_device());
  set_device_count(0);
  EXPECT_FALSE(ws::detail::hip_has_device());
}
#endif

}  // namespace
}  // namespace vendor_test
