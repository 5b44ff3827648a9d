// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launch_fixture.hpp"
#include <warpsafe/launch/kernel_report.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpsafe::core_test {

namespace {

WARPSAFE_KERNEL void reported() {}

class KernelReport : public LaunchTest {
 protected:
  void SetUp() override { become(limits::sm_90); }
  static void compiled_with(std::uint32_t registers, std::uint64_t static_shared = 0) {
    KernelLimits limits;
    limits.registers = registers;
    limits.static_shared = static_shared;
    limits.max_threads_per_block = 1024;
    limits.max_dynamic_shared = 232448 - static_shared;
    ASSERT_TRUE(host::set_kernel_limits(0, kernel<reported>.entry().function, limits));
  }
  template <class... Parts>
  Occupancy of(const Parts&... parts) {
    return occupancy(stream, configure(parts...), kernel<reported>).value();
  }
  static std::string written(const Occupancy& occupancy) {
    char buffer[512];
    const std::size_t size = format_occupancy(occupancy, buffer, sizeof buffer);
    return {buffer, size};
  }
};

TEST_F(KernelReport, ThreadsAreTheLimit) {
  const Occupancy found = of(grid<100>, block<256>);
  EXPECT_EQ(found.blocks, 8U);
  EXPECT_EQ(found.percent(), 100U);
  EXPECT_EQ(found.limit, OccupancyLimit::threads);
  EXPECT_EQ(written(found),
            "Occupancy of 'reported' with blocks of 256 threads and 0 bytes "
            "of dynamic shared memory: 8 per multiprocessor, 64 of 64 warps (100%); no more "
            "threads fit\n  100 blocks, 32 at once on the device: 4 waves");
}

TEST_F(KernelReport, BlocksAreTheLimit) {
  const Occupancy found = of(grid<1>, block<32>);
  EXPECT_EQ(found.blocks, 32U);
  EXPECT_EQ(found.percent(), 50U);
  EXPECT_EQ(found.limit, OccupancyLimit::blocks);
  EXPECT_NE(written(found).find("; no more blocks fit\n  1 block, 128 at once on the device: 1 "
                                "wave"),
            std::string::npos)
      << written(found);
}

TEST_F(KernelReport, SharedMemoryIsTheLimit) {
  compiled_with(16, 2048);
  const Occupancy found = of(grid<1>, block<128>, shared<float>(12288));
  EXPECT_EQ(found.dynamic_shared, 49152U);
  EXPECT_EQ(found.blocks, 4U) << "of 228 KiB each takes 48 + 2 + 1, which the system keeps";
  EXPECT_EQ(found.limit, OccupancyLimit::shared);
}

TEST_F(KernelReport, RegistersAreTheLimit) {
  compiled_with(128);
  const Occupancy found = of(grid<1>, block<256>);
  EXPECT_EQ(found.blocks, 2U);
  EXPECT_EQ(found.percent(), 25U);
  EXPECT_EQ(found.limit, OccupancyLimit::registers);
}

TEST_F(KernelReport, NothingFits) {
  compiled_with(255);
  const Occupancy found = of(grid<1>, block<1024>);
  EXPECT_EQ(found.blocks, 0U);
  EXPECT_EQ(found.waves(), 0U);
  EXPECT_EQ(written(found),
            "Occupancy of 'reported' with blocks of 1024 threads and 0 bytes "
            "of dynamic shared memory: 0 per multiprocessor, 0 of 64 warps (0%); not a single "
            "block fits");
}

TEST_F(KernelReport, ARefusedConfigurationComesBack) {
  EXPECT_EQ(
      error_in(occupancy(stream, configure(SafeGrid<>::cover(0, block<32>)), kernel<reported>))
          .code,
      Errc::size_zero);
}

TEST_F(KernelReport, SaysWhatTheDriverKnows) {
  KernelLimits limits;
  limits.registers = 40;
  limits.static_shared = 6000;
  limits.max_dynamic_shared = 43152;
  limits.local_bytes = 24;
  limits.constant_bytes = 8;
  limits.max_threads_per_block = 256;
  limits.binary_version = 90;
  limits.ptx_version = 80;
  char buffer[512];
  format_kernel(Name::of("axpy"), limits, buffer, sizeof buffer);
  EXPECT_STREQ(buffer,
               "Kernel 'axpy': max_threads_per_block=256, registers=40, static_shared=6000, "
               "max_dynamic_shared=43152, local_bytes=24, constant_bytes=8, binary_version=90, "
               "ptx_version=80\n  24 bytes per thread lie in local memory: registers that were "
               "spilled, or arrays that are indexed at run time");
  ASSERT_TRUE(host::set_kernel_limits(0, kernel<reported>.entry().function, limits));
  const auto size = format_kernel(stream, kernel<reported>, buffer, sizeof buffer);
  ASSERT_TRUE(size.has_value());
  EXPECT_EQ(size.value(), std::string(buffer).size());
  EXPECT_EQ(std::string(buffer).find("Kernel 'reported': max_threads_per_block=256, "), 0U);
  host::set_device_count(0);
  EXPECT_FALSE(format_kernel(stream, kernel<reported>, buffer, sizeof buffer).has_value());
}

TEST(OccupancyReport, SaysWhatFillsAMultiprocessor) {
  constexpr std::uint64_t kib = 1024;
  DeviceLimits device;
  device.max_threads_per_multiprocessor = 2048;
  device.max_blocks_per_multiprocessor = 32;
  device.shared_per_multiprocessor = 228 * kib;
  device.reserved_shared_per_block = kib;
  DeviceLimits unknown;
  unknown.reserved_shared_per_block = kib;
  DeviceLimits shared_alone = unknown;
  shared_alone.shared_per_multiprocessor = 228 * kib;
  using enum OccupancyLimit;
  const struct {
    const DeviceLimits& device;
    std::uint32_t blocks, threads;
    std::uint64_t shared;
    OccupancyLimit limit;
  } cases[] = {
      {device, 0, 1, 0, nothing_fits},
      {device, 8, 256, 0, threads},
      {device, 7, 256, 0, registers},  // the eighth block fits exactly
      {device, 2, 1024, 0, threads},
      {device, 1, 1024, 0, registers},
      {device, 32, 32, 0, blocks},
      {device, 31, 32, 0, registers},
      {device, 4, 128, 50 * kib, shared},
      {device, 3, 128, 56 * kib, registers},  // four take 57 KiB each, and nothing is left
      {device, 3, 128, 56 * kib + 1, shared},
      {device, 1, 128, 113 * kib, registers},
      {device, 1, 128, 113 * kib + 1, shared},
      {unknown, 1, 1024, 200 * kib, registers},  // no limit is reported
      {shared_alone, 300, 32, 0, registers},     // blocks without shared memory reserve none
      {shared_alone, 300, 32, 1, shared},
  };
  for (const auto& one : cases) {
    const auto limit = &detail::occupancy_limit;
    EXPECT_EQ(limit(one.blocks, one.threads, one.shared, one.device), one.limit)
        << one.blocks << " blocks of " << one.threads << " threads and " << one.shared << " bytes";
  }
}

TEST(OccupancyReport, RoundsPercentAndCountsTheLastWave) {
  const struct {
    std::uint32_t warps, most;
    std::uint64_t launched, at_once;
    std::uint32_t percent;
    std::uint64_t waves;
  } cases[] = {
      {0, 0, 1, 0, 0, 0},   {5, 0, 0, 4, 0, 0},   {64, 64, 1, 4, 100, 1}, {1, 3, 4, 4, 33, 1},
      {2, 3, 5, 4, 67, 2},  {1, 8, 8, 4, 13, 2},  {1, 200, 9, 4, 1, 3},   {1, 2, 7, 1, 50, 7},
      {1, 201, 1, 1, 0, 1}, {3, 400, 1, 1, 1, 1},
  };
  for (const auto& one : cases) {
    Occupancy found;
    found.warps = one.warps;
    found.most_warps = one.most;
    found.blocks_launched = one.launched;
    found.blocks_at_once = one.at_once;
    EXPECT_EQ(found.percent(), one.percent) << one.warps << " of " << one.most;
    EXPECT_EQ(found.waves(), one.waves) << one.launched << " in " << one.at_once;
  }
}

TEST(OccupancyReport, OneThatIsNotFilledInIsNothing) {
  Occupancy nothing;
  char buffer[512];
  const std::string start =
      "Occupancy of '' with blocks of 0 threads and 0 bytes of dynamic shared memory: 0 per "
      "multiprocessor";
  const std::size_t written = format_occupancy(nothing, buffer, sizeof buffer);
  EXPECT_EQ(written, std::string(buffer).size());
  EXPECT_EQ(buffer, start + "; not a single block fits");
  nothing.limit = OccupancyLimit::shared;
  format_occupancy(nothing, buffer, sizeof buffer);
  EXPECT_EQ(buffer, start +
                        "; no more shared memory is left\n  0 blocks, 0 at once on the device: "
                        "0 waves");
  nothing.limit = OccupancyLimit::registers;
  nothing.most_warps = 64;
  nothing.blocks_at_once = 2;
  nothing.blocks_launched = 1;
  format_occupancy(nothing, buffer, sizeof buffer);
  EXPECT_EQ(buffer, start +
                        ", 0 of 64 warps (0%); registers, or another resource, are the limit\n"
                        "  1 block, 2 at once on the device: 1 wave");
}

TEST_F(KernelReport, APartOfAWarpTakesAWholeOne) {
  const Occupancy found = of(grid<10>, block<33>);
  EXPECT_EQ(found.blocks, 32U);
  EXPECT_EQ(found.warps, 64U);
  EXPECT_EQ(found.limit, OccupancyLimit::threads);
}

/// A device of AMD that reports neither its warp size nor most other limits.
struct WarplessRuntime : host_backend {
  static constexpr DeviceLimits floor = limits::amd_floor;
  static int limits_of(int, DeviceLimits& limits) noexcept {
    limits.max_threads_per_multiprocessor = 2048;
    limits.multiprocessors = 3;
    return 0;
  }
  static int resident_blocks(const KernelEntry&, std::uint32_t, std::uint64_t,
                             int& count) noexcept {
    count = 7;
    return 0;
  }
};

TEST_F(KernelReport, WithoutAWarpSizeAThreadIsAWarp) {
  const auto known = detail::StreamAccess::make<WarplessRuntime>(stream.native(), 0);
  const auto found = occupancy(known, configure(grid<10>, block<33>), kernel<reported>).value();
  EXPECT_EQ(found.most_warps, 2048U);
  EXPECT_EQ(found.warps, 7 * 33U);
  EXPECT_EQ(found.blocks_at_once, 21U);
  EXPECT_EQ(found.limit, OccupancyLimit::registers);
}

TEST_F(KernelReport, AKernelWithoutLocalMemoryHasOneLine) {
  char buffer[512];
  const std::size_t size = format_kernel(Name::of("axpy"), {}, buffer, sizeof buffer);
  EXPECT_EQ(std::string(buffer, size), "Kernel 'axpy': nothing");
}

}  // namespace

}  // namespace warpsafe::core_test
