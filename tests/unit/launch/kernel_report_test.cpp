// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launch_fixture.hpp"
#include <warpsafe/launch/kernel_report.hpp>

#include <gtest/gtest.h>

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
               "Kernel 'axpy': numRegs=40, sharedSizeBytes=6000, maxDynamicSharedSizeBytes=43152, "
               "localSizeBytes=24, constSizeBytes=8, maxThreadsPerBlock=256, binaryVersion=90, "
               "ptxVersion=80\n  24 bytes per thread lie in local memory: registers that were "
               "spilled, or arrays that are indexed at run time");
  ASSERT_TRUE(host::set_kernel_limits(0, kernel<reported>.entry().function, limits));
  const auto size = format_kernel(stream, kernel<reported>, buffer, sizeof buffer);
  ASSERT_TRUE(size.has_value());
  EXPECT_EQ(size.value(), std::string(buffer).size());
  EXPECT_EQ(std::string(buffer).find("Kernel 'reported': numRegs=40, "), 0U);
  host::set_device_count(0);
  EXPECT_FALSE(format_kernel(stream, kernel<reported>, buffer, sizeof buffer).has_value());
}

}  // namespace

}  // namespace warpsafe::core_test
