// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Group B, the limits of devices and kernels.
#include "misuse.hpp"
#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/launch/occupancy.hpp>
#include <warpsafe/launch/validate.hpp>

namespace misuse_test {
namespace {

using ws::block;
using ws::BlockDim;
using ws::Bytes;
using ws::cluster;
using ws::configure;
using ws::grid;
using ws::GridDim;
using ws::kernel;
using ws::launch;
using ws::shared;

using MisuseB01 = Misuse;
using MisuseB02 = Misuse;
using MisuseB03 = Misuse;
using MisuseB05 = Misuse;
using MisuseB06 = Misuse;
using MisuseB07 = Misuse;
using MisuseB08 = Misuse;
using MisuseB09 = Misuse;
using MisuseB11 = Misuse;
using MisuseB12 = Misuse;
using MisuseB13 = Misuse;
using MisuseB14 = Misuse;
using MisuseB15 = Misuse;
using MisuseB16 = Misuse;
using MisuseB17 = Misuse;
using MisuseB19 = Misuse;
using MisuseB20 = Misuse;

TEST_F(MisuseB01, BlockOver1024IsSaid) {
  expect_caught(launch(stream, as_written(one_block, {2048}), kernel<nothing>),
                at_launch(Errc::block_too_large, 2048, 1024),
                {"block=(2048,1,1) is 2048 threads, limit 1024", "try block<1024>"});
  const auto launch_2_to_the_32 = [&] {
    return launch(stream, as_written(one_block, {65536, 65536, 1}), kernel<nothing>);
  };
  if (is_hip && !checked && !on_hip_7()) {
    // 0 threads in 32 bits: the runtime lets the launch through, and the device ends the process.
    EXPECT_DEATH(
        {
          static_cast<void>(launch_2_to_the_32());
          static_cast<void>(stream.synchronize());
        },
        "HSA_STATUS_ERROR");
    RecordProperty("open", "yes");
    return;
  }
  expect_caught(launch_2_to_the_32(), at_launch(Errc::block_too_large, 4294967296, 1024),
                {"is 4294967296 threads"});
}

TEST_F(MisuseB02, RegistersLowerTheKernelsOwnLimit) {
  allow_threads(kernel<heavy>, 896);
  expect_caught(launch(stream, as_written(one_block, {1024}), kernel<heavy>),
                at_launch(Errc::kernel_threads_exceeded, 1024, 896),
                {"block=(1024,1,1) is 1024 threads, limit 896", "launch bounds and registers"},
                Off::refused, "heavy");
  expect_fine(launch(stream, as_written(one_block, {896}), kernel<heavy>));
}

TEST_F(MisuseB03, RunTimeBlockOverTheDeclaredBound) {
  const auto bounded = kernel<nothing, ws::max_threads<256>>;
  // Only warpsafe knows a need that is declared but not compiled into the kernel.
  expect_caught(launch(stream, configure(grid<1>, BlockDim::create(512)), bounded),
                at_launch(Errc::kernel_threads_exceeded, 512, 256),
                {"block=(512,1,1) is 512 threads, limit 256"}, Off::let_through);
  expect_fine(launch(stream, configure(grid<1>, BlockDim::create(256)), bounded));
}

TEST_F(MisuseB03, RunTimeBlockOverTheCompiledBound) {
  allow_threads(kernel<bounded>, 256);
  expect_caught(launch(stream, configure(grid<1>, BlockDim::create(512)), kernel<bounded>),
                at_launch(Errc::kernel_threads_exceeded, 512, 256),
                {"block=(512,1,1) is 512 threads, limit 256"}, Off::refused, "bounded");
}

TEST_F(MisuseB05, ThirdAxisIsTheDevices) {
  const auto config = configure(grid<1>, BlockDim::create(1, 1, 128));
  if (is_hip) {
    expect_fine(launch(stream, config, kernel<nothing>));
    expect_fine(ws::validate(config.value(), kernel<nothing>, ws::limits::gfx90a));
    const auto there = ws::validate(config.value(), kernel<nothing>, ws::limits::sm_90);
    EXPECT_EQ(finding(error_in(there)), at_launch(Errc::block_axis_too_large, 128, 64, Axis::z));
    return note_impossible("legal on AMD, where a block has up to 1024 threads along z");
  }
  expect_caught(launch(stream, config, kernel<nothing>),
                at_launch(Errc::block_axis_too_large, 128, 64, Axis::z),
                {"block.z 128 invalid (limit: 1..64", "put the long axis in x"});
}

TEST_F(MisuseB06, WarpSizeIsCompared) {
  constexpr unsigned other = 96 - warp;  // 64 for 32, and the other way round
  expect_caught(
      launch(stream, as_written(one_block, {64}), kernel<nothing, ws::requires_warp<other>>),
      at_launch(Errc::warp_size_mismatch, warp, other),
      {other == 64 ? "requires warps of 64 threads" : "requires warps of 32 threads",
       warp == 64 ? "have 64" : "have 32"},
      Off::let_through);
  expect_fine(
      launch(stream, as_written(one_block, {64}), kernel<nothing, ws::requires_warp<warp>>));
}

TEST_F(MisuseB07, OptInIsMadeForTheUser) {
  const auto config = configure(grid<1>, block<32>, shared(Bytes(60 * 1024)));
  const auto before = opt_ins();
  expect_fine(launch(stream, config, kernel<opted_in>));
  expect_fine(launch(stream, config, kernel<opted_in>));
  EXPECT_LE(opt_ins(), before + 1) << "once for both";
  EXPECT_TRUE(is_hip || opt_ins() == before + 1);
  note_impossible("shared(Bytes(61440)) opts the kernel in, once");
}

TEST_F(MisuseB08, OverTheOptInMaximumIsSaid) {
  const auto config = configure(grid<1>, block<32>, shared(Bytes(shared_limit + 1)));
  expect_caught(launch(stream, config, kernel<nothing>),
                at_launch(Errc::shared_too_large, shared_limit + 1, shared_limit),
                {is_hip ? "shared memory 65537 bytes exceeds limit 65536 (0 static + 65537 dynamic"
                        : "shared memory 232449 bytes exceeds limit 232448 (0 static + 232449 "
                          "dynamic, opt-in included): 1 too many"});
}

TEST_F(MisuseB09, StaticAndDynamicAreAdded) {
  constexpr std::uint64_t fixed = 40960;
#if defined(WARPSAFE_BACKEND_HOST)
  ws::KernelLimits of_kernel;
  of_kernel.static_shared = fixed;
  ASSERT_TRUE(ws::host::set_kernel_limits(0, kernel<with_static>.entry().function, of_kernel));
#endif
  constexpr std::uint64_t left = shared_limit - fixed;
  const auto much = configure(grid<1>, block<64>, shared(Bytes(left + 1)));
  expect_caught(
      launch(stream, much, kernel<with_static>),
      at_launch(Errc::shared_too_large, shared_limit + 1, shared_limit),
      {is_hip ? "(40960 static + 24577 dynamic" : "(40960 static + 191489 dynamic", "1 too many"},
      Off::refused, "with_static");
  expect_fine(
      launch(stream, configure(grid<1>, block<64>, shared(Bytes(left))), kernel<with_static>));
}

TEST_F(MisuseB11, OptInIsMadeOnEachDevice) {
  two_devices();
  const auto config = configure(grid<1>, block<32>, shared(Bytes(60 * 1024)));
  const auto before = opt_ins();
  for (const int device : {0, 1}) {
    const auto guard = ws::DeviceGuard::create(ws::DeviceId(device));
    ASSERT_TRUE(guard.has_value());
    const auto own = ws::Stream::create();
    ASSERT_TRUE(own.has_value());
    expect_fine(launch(own.value(), config, kernel<opted_in_per_device>));
  }
  EXPECT_TRUE(is_hip || opt_ins() == before + 2);
  note_impossible("the opt-in is made on each device that the kernel is launched on");
}

TEST_F(MisuseB12, AnotherLaunchOfTheKernelDoesNotLowerTheOptIn) {
  const auto large = configure(grid<1>, block<32>, shared(Bytes(60 * 1024)));
  const auto small = configure(grid<1>, block<32>, shared(Bytes(4 * 1024)));
  const auto before = opt_ins();
  for (const auto& config : {large, small, large}) {
    expect_fine(launch(stream, config, kernel<raised_only>));
  }
  EXPECT_LE(opt_ins(), before + 1);
  note_impossible("an opt-in is only ever raised");
}

#if !defined(WARPSAFE_BACKEND_HIP)
TEST_F(MisuseB13, ClusterThatDoesNotDivideIsSaid) {
  expect_caught(
      launch(stream, configure(GridDim::from_blocks(3), block<32>, cluster<2>), kernel<nothing>),
      made(Errc::cluster_not_divisor, 3, 2, Axis::x),
      {"grid.x 3 is not a multiple of cluster.x 2"});
}

TEST_F(MisuseB14, LargeClusterIsRefused) {
  const auto sixteen = ws::ClusterDim::create(16);
  expect_caught(launch(stream, configure(grid<16>, block<32>, sixteen), kernel<nothing>),
                at_launch(Errc::cluster_too_large, 16, 8), {"a cluster of 16 blocks, limit 8"});
  expect_fine(launch(stream, LaunchConfig{grid<16>, block<32>, ws::non_portable_cluster<16>},
                     kernel<nothing>));
}

TEST_F(MisuseB15, DeviceWithoutClustersIsSaid) {
#if defined(WARPSAFE_BACKEND_HOST)
  become(ws::limits::sm_80);
  const ws::Stream& there = stream;
#else
  const int device = fresh_device();
  stand_in_cuda_set_attribute(device, cudaDevAttrClusterLaunch, 0);
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(device)).value();
  const ws::Stream there = make_stream(device);
#endif
  expect_caught(launch(there, LaunchConfig{grid<4>, block<32>, cluster<2>}, kernel<nothing>),
                at_launch(Errc::cluster_unsupported, 2, 0),
                {"this device has no clusters of blocks", device_name});
}
#endif

TEST_F(MisuseB16, CooperativeGridMustFitAtOnce) {
  const auto most = ws::max_resident_blocks(stream, kernel<nothing>, block<1024>);
  ASSERT_TRUE(most.has_value());
  const std::uint64_t fits = most.value().count.magnitude;
  const auto cooperative = [](std::uint64_t blocks) {
    return configure(GridDim::from_blocks(blocks), block<1024>, ws::cooperative);
  };
  const std::string words = "a cooperative grid of " + std::to_string(fits + 1) +
                            " blocks, limit " + std::to_string(fits);
  expect_caught(launch(stream, cooperative(fits + 1), kernel<nothing>),
                at_launch(Errc::cooperative_too_large, fits + 1, fits), {words.c_str()});
  expect_fine(launch(stream, cooperative(fits), kernel<nothing>));
}

TEST_F(MisuseB17, CooperativeProductIsFormedIn64Bits) {
  constexpr auto counts_far = kernel<nothing, ws::index<std::uint64_t>>;
  const auto most = ws::max_resident_blocks(stream, counts_far, block<1>);
  ASSERT_TRUE(most.has_value());
  const std::uint64_t fits = most.value().count.magnitude;
  // 2^32 + 256 blocks of one thread: 256 in 32 bits.
  const LaunchConfig config{GridDim::from_vendor(Vendor3{(1U << 24) + 1, 256}), block<1>,
                            ws::cooperative};
  expect_caught(launch(stream, config, counts_far),
                at_launch(Errc::cooperative_too_large, 4294967552, is_hip ? 4294967295 : fits),
                {"a cooperative grid of 4294967552 blocks"},
                Off::refused);  // the HIP backend counts for itself
}

TEST_F(MisuseB19, LimitReadAsZeroIsTheDocumentedOne) {
  ws::DeviceLimits reported = ws::limits::gfx90a;
  reported.shared_per_block_optin = 0;
  reported.max_threads_per_block = 0;
  reported.max_grid[1] = 0;
  const ws::DeviceLimits used = ws::limits::or_floor(reported, ws::limits::amd_floor);
  EXPECT_EQ(used.shared_per_block_optin, 65536U);
  EXPECT_EQ(used.max_threads_per_block, 1024U);
  EXPECT_EQ(used.max_grid[1], 65535U);
  EXPECT_TRUE(used.floored);
#if defined(WARPSAFE_BACKEND_CUDA) || defined(WARPSAFE_BACKEND_HIP)
  const int device = fresh_device();
#if defined(WARPSAFE_BACKEND_CUDA)
  stand_in_cuda_set_attribute(device, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
#else
  amd_control_set_attribute(device, hipDeviceAttributeSharedMemPerBlockOptin, 0);
#endif
  const auto asked = ws::device_limits(ws::DeviceId(device));
  ASSERT_TRUE(asked.has_value());
  EXPECT_GE(asked.value().shared_per_block_optin, 49152U);
#endif
  note_impossible("the documented limit replaces a limit that is reported as 0, and errors say so");
}

TEST_F(MisuseB20, AmdsReported65536IsTheDocumented65535) {
  ws::DeviceLimits reported = ws::limits::gfx90a;
  reported.max_grid[1] = 65536;
  reported.max_grid[2] = 65536;
  const ws::DeviceLimits used = ws::limits::or_floor(reported, ws::limits::amd_floor);
  const auto config = as_written({1, 65536, 1}, {1, 1, 1});
  EXPECT_EQ(finding(error_in(ws::validate(config, kernel<nothing>, used))),
            at_launch(Errc::grid_too_large, 65536, 65535, Axis::y));
  expect_caught(launch(stream, config, kernel<nothing>),
                at_launch(Errc::grid_too_large, 65536, 65535, Axis::y),
                {"grid.y 65536 invalid (limit: 1..65535)"},
                is_hip ? Off::let_through : Off::refused);
}

}  // namespace
}  // namespace misuse_test
