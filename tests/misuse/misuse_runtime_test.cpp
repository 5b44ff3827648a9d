// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The rows of rows.txt that only a run can show: a mistake whose numbers are known at run time is
// an error that says them, and what is accepted runs each item once. One suite per row.

#include "../unit/launch_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

// At global scope: messages are compared with the kernels' plain names.
WARPSAFE_KERNEL void nothing() {}
WARPSAFE_KERNEL void mark(unsigned* hits, std::uint64_t n) {
  const std::uint64_t i = warpsafe::thread_index().x;
  if (i < n) warpsafe::atomic_add(hits + i, 1U);
}
WARPSAFE_KERNEL void mark_through(warpsafe::device_ptr<unsigned> hits, std::uint64_t n) {
  const std::uint64_t i = warpsafe::thread_index().x;
  if (i < n) warpsafe::atomic_add(hits.get() + i, 1U);
}
WARPSAFE_KERNEL void mark_strided(unsigned* hits, std::uint64_t n) {
  for (auto i : warpsafe::grid_stride(n)) warpsafe::atomic_add(hits + i, 1U);
}
WARPSAFE_KERNEL void mark_matrix(unsigned* hits, warpsafe::extent<2> size) {
  const warpsafe::Index3 at = warpsafe::thread_index();
  if (size.contains(at)) warpsafe::atomic_add(hits + size.offset(at), 1U);
}
WARPSAFE_KERNEL void takes_unsigned(unsigned) {}

namespace warpsafe::core_test {
namespace {

constexpr CheckLevel full = CheckLevel::full;
constexpr CheckLevel off = CheckLevel::off;

struct Vendor3 {
  std::uint32_t x = 1, y = 1, z = 1;
};
constexpr auto as_written(Vendor3 blocks, Vendor3 threads) {
  return LaunchConfig{GridDim::from_vendor(blocks), BlockDim::from_vendor(threads)};
}

struct Misuse : LaunchTest {
  /// What a check must have found, said, and left alone.
  template <class Outcome>
  void expect_refused(const Outcome& outcome, const Finding& expected,
                      std::initializer_list<const char*> words,
                      const char* kernel_name = "nothing") const {
    const LaunchError error = error_in(outcome);
    EXPECT_EQ(finding(error), expected);
    EXPECT_EQ(text(error.kernel), kernel_name);
    EXPECT_EQ(error.severity, Severity::recoverable);
    const std::string all = message(error);
    EXPECT_THAT(all,
                ::testing::StartsWith("Kernel '" + std::string(kernel_name) + "' not launched: "));
    for (const char* word : words) EXPECT_THAT(all, ::testing::HasSubstr(word));
  }
  /// A configuration that full checks refuse in these words, and the runtime at any level.
  template <class Config, class K>
  void expect_refused_by_both(const Config& config, K kernel, const Finding& expected,
                              std::initializer_list<const char*> words) const {
    const auto launches = host::calls_made(Call::launch);
    expect_refused(launch<full>(stream, config, kernel), expected, words);
    EXPECT_EQ(host::calls_made(Call::launch), launches) << "it was launched";
    expect_refused_by_runtime(config, kernel);
  }
  template <class Config, class K>
  void expect_refused_by_runtime(const Config& config, K kernel) const {
    const LaunchError error = error_in(launch<off>(stream, config, kernel));
    EXPECT_EQ(error.stage, Stage::launch);
    EXPECT_NE(error.raw, 0);
    EXPECT_THAT(message(error), ::testing::HasSubstr("Kernel 'nothing' launch failed: "));
  }
  /// Launches at both ends of the checks and counts on the device.
  template <class Config, class K, class Size>
  void expect_each_item_once(const Config& config, K kernel, std::size_t items, Size size) {
    unsigned* const hits = device_array<unsigned>(items);
    for (const CheckLevel level : {full, off}) {
      std::fill(hits, hits + items, 0U);
      const auto launched = level == full ? launch<full>(stream, config, kernel, trust(hits), size)
                                          : launch<off>(stream, config, kernel, trust(hits), size);
      ASSERT_TRUE(launched.has_value()) << message(launched.error());
      wait();
      EXPECT_EQ(std::count(hits, hits + items, 1U), static_cast<std::ptrdiff_t>(items));
    }
  }
};

Finding made(Errc code, std::uint64_t value, std::uint64_t limit, Axis axis = Axis::none) {
  return {code, Stage::construction, value, limit, axis};
}
Finding checked(Errc code, std::uint64_t value, std::uint64_t limit, Axis axis = Axis::none) {
  return {code, Stage::validation, value, limit, axis};
}

using MisuseA01 = Misuse;
using MisuseA02 = Misuse;
using MisuseA03 = Misuse;
using MisuseA04 = Misuse;
using MisuseA05 = Misuse;
using MisuseA06 = Misuse;
using MisuseA07 = Misuse;
using MisuseA10 = Misuse;
using MisuseA11 = Misuse;
using MisuseA12 = Misuse;
using MisuseA14 = Misuse;
using MisuseA16 = Misuse;
using MisuseA17 = Misuse;
using MisuseA18 = Misuse;
using MisuseA19 = Misuse;
using MisuseA21 = Misuse;
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
using MisuseC03 = Misuse;
using MisuseC04 = Misuse;
using MisuseC08 = Misuse;
using MisuseC10 = Misuse;
using MisuseC11 = Misuse;
using MisuseC15 = Misuse;
using MisuseD02 = Misuse;
using MisuseD06 = Misuse;
using MisuseD07 = Misuse;
using MisuseD09 = Misuse;
using MisuseD12 = Misuse;
using MisuseD14 = Misuse;

// A. Dimension arithmetic.

TEST_F(MisuseA01, CountNearIntMaxIsCoveredExactly) {
  constexpr int n = std::numeric_limits<int>::max();
  const auto grid = SafeGrid<>::cover(n, block<256>);
  ASSERT_TRUE(grid.has_value());
  EXPECT_EQ(grid.value().blocks(0), 8388608U);
  EXPECT_EQ(grid.value().size(0), 2147483647U);
  const auto unchecked = SafeGrid<>::cover<off>(std::numeric_limits<unsigned>::max(), block<256>);
  EXPECT_EQ(unchecked.value().blocks(0), 16777216U);
}

TEST_F(MisuseA01, EveryTailIsCoveredOnce) {
  for (const std::uint64_t n : {1U, 255U, 256U, 257U, 1000U}) {
    expect_each_item_once(configure(SafeGrid<>::cover(n, block<256>)), kernel<mark>, n, n);
  }
}

TEST_F(MisuseA02, CountNarrowedToANegativeOneIsSaid) {
  const auto narrowed = static_cast<int>(3000000000LL);
  expect_refused(SafeGrid<>::cover(narrowed, block<256>, kernel<nothing>),
                 made(Errc::size_negative, 1294967296, 0), {"the size is -1294967296"});
}

TEST_F(MisuseA03, WideCountIsNotTruncated) {
  expect_refused(SafeGrid<>::cover(std::int64_t{1} << 40, block<1>, kernel<nothing>),
                 made(Errc::grid_too_large, 1099511627776, 2147483647, Axis::x),
                 {"grid.x 1099511627776 invalid (limit: 1..2147483647)"});
  const auto from_blocks = GridDim::from_blocks((std::int64_t{1} << 32) + 1);
  EXPECT_EQ(finding(error_in(from_blocks)),
            made(Errc::grid_too_large, 4294967297, 2147483647, Axis::x));
  EXPECT_EQ(finding(error_in(BlockDim::create((std::int64_t{1} << 32) + 256))),
            made(Errc::block_axis_too_large, 4294967552, 1024, Axis::x));
}

TEST_F(MisuseA03, WideCountWithoutChecksIsRefusedRatherThanTruncated) {
  const auto grid = SafeGrid<>::cover<off>((std::int64_t{1} << 40) + 1, block<1>);
  expect_refused_by_runtime(configure<off>(grid), kernel<nothing>);
}

TEST_F(MisuseA04, SizeOfZeroIsAnErrorOrAnEmptyGrid) {
  const std::vector<float> no_data;
  expect_refused(SafeGrid<>::cover(no_data, block<256>, kernel<nothing>),
                 made(Errc::size_zero, 0, 1),
                 {"the size to cover is 0; cover_or_empty is for sizes that may be zero"});
  expect_refused_by_runtime(configure<off>(SafeGrid<>::cover<off>(0, block<256>)), kernel<nothing>);
  const auto launches = host::calls_made(Call::launch);
  const auto empty = configure(SafeGrid<>::cover_or_empty(no_data, block<256>));
  EXPECT_TRUE(launch<full>(stream, empty, kernel<nothing>).has_value());
  EXPECT_TRUE(launch<off>(stream, empty, kernel<nothing>).has_value());
  EXPECT_EQ(host::calls_made(Call::launch), launches);
}

TEST_F(MisuseA05, NegativeDimensionIsSaid) {
  expect_refused(launch(stream, configure(GridDim::from_blocks(-1), block<32>), kernel<nothing>),
                 made(Errc::dimension_negative, 1, 2147483647, Axis::x),
                 {"grid.x is -1; a dimension is at least 1"});
  EXPECT_EQ(finding(error_in(BlockDim::create(16, -2))),
            made(Errc::dimension_negative, 2, 1024, Axis::y));
  expect_refused_by_runtime(configure<off>(SafeGrid<>::cover<off>(-1, block<256>)),
                            kernel<nothing>);
}

TEST_F(MisuseA06, OccupancyOfZeroIsSaid) {
  EXPECT_EQ(finding(error_in(BlockDim::create(0))), made(Errc::block_zero, 0, 1024, Axis::x));
  expect_refused(SafeGrid<>::cover(1000, BlockDim::from_vendor(Vendor3{0, 1, 1}), kernel<nothing>),
                 made(Errc::block_zero, 0, 1024, Axis::x), {"block.x 0 invalid (limit: 1..1024)"});
  expect_refused(SafeGrid<>::grid_stride(1000, block<256>, max_blocks(0), kernel<nothing>),
                 made(Errc::grid_zero, 0, 2147483647, Axis::x),
                 {"grid.x 0 invalid (limit: 1..2147483647)"});
  expect_refused_by_both(as_written({1, 1, 1}, {256, 0, 1}), kernel<nothing>,
                         checked(Errc::block_zero, 0, 1024, Axis::y), {"block.y 0 invalid"});
}

TEST_F(MisuseA07, CoverNeitherDropsTheTailNorAddsABlock) {
  EXPECT_EQ(SafeGrid<>::cover(1024, block<256>).value().blocks(0), 4U);
  EXPECT_EQ(SafeGrid<>::cover(1025, block<256>).value().blocks(0), 5U);
  EXPECT_EQ(SafeGrid<>::cover(255, block<256>).value().blocks(0), 1U);
}

TEST_F(MisuseA10, UnguardedKernelsNeedAnExactGrid) {
  expect_refused(SafeGrid<>::cover_exact(1000, block<256>, kernel<nothing>),
                 made(Errc::size_not_multiple, 1000, 256),
                 {"size 1000", "the 256 items of one block: 232 left over"});
  expect_refused_by_runtime(configure<off>(SafeGrid<>::cover_exact<off>(1000, block<256>)),
                            kernel<nothing>);
  const std::uint64_t exact = 1024;
  expect_each_item_once(configure(SafeGrid<>::cover_exact(exact, block<256>)), kernel<mark>, exact,
                        exact);
}

TEST_F(MisuseA11, LongSecondAndThirdAxesAreSaid) {
  expect_refused(
      SafeGrid<>::cover(extent{rows{70000}, cols{16}}, block<256>, kernel<nothing>),
      made(Errc::grid_too_large, 70000, 65535, Axis::y),
      {"grid.y 70000 invalid (limit: 1..65535)", "put the long axis in x (limit 2147483647)"});
  expect_refused_by_both(as_written({1, 70000, 1}, {32, 1, 1}), kernel<nothing>,
                         checked(Errc::grid_too_large, 70000, 65535, Axis::y), {"grid.y 70000"});
  expect_refused_by_both(as_written({1, 1, 65536}, {32, 1, 1}), kernel<nothing>,
                         checked(Errc::grid_too_large, 65536, 65535, Axis::z), {"grid.z 65536"});
  EXPECT_TRUE(launch(stream, as_written({1, 65535, 1}, {1, 1, 1}), kernel<nothing>).has_value());
}

TEST_F(MisuseA12, AmdCountsTheThreadsOfEachAxis) {
  expect_refused(
      SafeGrid<hip_backend>::cover(std::uint64_t{1} << 33, block<1024>, kernel<nothing>),
      made(Errc::axis_threads_too_many, 8589934592, 4294967295, Axis::x),
      {"grid.x times block.x is 8589934592 threads, limit 4294967295 in each axis on AMD"});
  EXPECT_TRUE(SafeGrid<cuda_backend>::cover(std::uint64_t{1} << 33, block<1024>).has_value());
  const LaunchConfig wide{GridDim::from_vendor(Vendor3{1U << 23}), block<1024>};
  EXPECT_EQ(error_in(validate(wide, kernel<nothing>, limits::gfx90a)).code,
            Errc::axis_threads_too_many);
  EXPECT_TRUE(validate(wide, kernel<nothing>, limits::sm_90).has_value());
  const LaunchConfig flat{GridDim::from_vendor(Vendor3{1U << 16, 1U << 12}), block<64, 16>};
  EXPECT_TRUE(validate(flat, kernel<nothing>, limits::gfx90a).has_value())
      << "2^38 threads in all, below 2^32 in each axis: legal";
}

TEST_F(MisuseA14, RowsRunAlongYAndColumnsAlongX) {
  const extent size{rows{37}, cols{100}};
  const auto grid = SafeGrid<>::cover(size, block<32, 8>);
  EXPECT_EQ(grid.value().blocks(0), 4U);
  EXPECT_EQ(grid.value().blocks(1), 5U);
  expect_each_item_once(configure(grid), kernel<mark_matrix>, 3700, size);
}

TEST_F(MisuseA16, MoreThreadsThanTheIndexCountsAreRefused) {
  const auto indexed = kernel<nothing, index<int>>;
  const auto config = as_written({1U << 21, 1, 1}, {1024, 1, 1});
  EXPECT_TRUE(validate(config, indexed, limits::sm_90).has_value()) << "2^31 indices from 0 fit";
  const auto more = as_written({(1U << 21) + 1, 1, 1}, {1024, 1, 1});
  expect_refused(launch(stream, more, indexed),
                 checked(Errc::index_overflow, 2147484672, 2147483648),
                 {"the grid has 2147484672 threads", "limit 2147483648"});
}

TEST_F(MisuseA17, StrideStaysBelow32Bits) {
  const auto grid =
      SafeGrid<>::grid_stride(std::uint64_t{1} << 40, block<1024>, max_blocks(1U << 30));
  EXPECT_EQ(grid.value().blocks(0), 4194303U);
  const std::uint64_t step = std::uint64_t{grid.value().blocks(0)} * 1024;
  EXPECT_LT(step, std::uint64_t{1} << 32);
  EXPECT_EQ(SafeGrid<>::grid_stride<off>(std::uint64_t{1} << 40, block<1024>, max_blocks(1U << 30))
                .value()
                .blocks(0),
            4194303U);
}

TEST_F(MisuseA18, CappedGridStillReachesEachItem) {
  const std::uint64_t n = 1000;
  const auto config = configure(SafeGrid<>::grid_stride(n, block<64>, max_blocks(3)));
  expect_each_item_once(config, kernel<mark_strided, grid_stride_kernel>, n, n);
}

TEST_F(MisuseA19, BlockOfTheDataSizeIsSaid) {
  const int columns = 2048;
  EXPECT_EQ(finding(error_in(BlockDim::create(columns))),
            made(Errc::block_axis_too_large, 2048, 1024, Axis::x));
  expect_refused(launch(stream, configure(grid<1>, BlockDim::create(64, 32)), kernel<nothing>),
                 made(Errc::block_too_large, 2048, 1024),
                 {"block=(64,32,1) is 2048 threads, limit 1024"});
}

TEST_F(MisuseA21, ExtentsAreMultipliedIn64Bits) {
  const auto grid = SafeGrid<>::cover(extent{rows{46341}, cols{46341}}, block<16, 16>);
  EXPECT_EQ(grid.value().blocks(0), 2897U);
  EXPECT_EQ(grid.value().blocks(1), 2897U);
  const std::uint64_t side = std::uint64_t{1} << 33;
  expect_refused(SafeGrid<>::cover(extent{rows{side}, cols{side}}, block<16, 16>, kernel<nothing>),
                 made(Errc::size_overflow, side, side),
                 {"the extent 8589934592 x 8589934592", "more than 18446744073709551615 elements"});
}

// B. Device and kernel limits.

TEST_F(MisuseB01, BlockOver1024IsSaid) {
  expect_refused_by_both(as_written({1, 1, 1}, {2048, 1, 1}), kernel<nothing>,
                         checked(Errc::block_too_large, 2048, 1024),
                         {"block=(2048,1,1) is 2048 threads, limit 1024", "try block<1024>"});
  expect_refused_by_both(as_written({1, 1, 1}, {65536, 65536, 1}), kernel<nothing>,
                         checked(Errc::block_too_large, 4294967296, 1024),
                         {"is 4294967296 threads"});
}

TEST_F(MisuseB02, RegistersLowerTheKernelsOwnLimit) {
  KernelLimits of_kernel;
  of_kernel.max_threads_per_block = 896;
  of_kernel.registers = 72;
  ASSERT_TRUE(host::set_kernel_limits(0, kernel<nothing>.entry().function, of_kernel));
  expect_refused_by_both(as_written({1, 1, 1}, {1024, 1, 1}), kernel<nothing>,
                         checked(Errc::kernel_threads_exceeded, 1024, 896),
                         {"1024 threads, limit 896", "launch bounds and registers"});
  EXPECT_TRUE(launch(stream, as_written({1, 1, 1}, {896, 1, 1}), kernel<nothing>).has_value());
}

TEST_F(MisuseB03, RunTimeBlockOverTheDeclaredBound) {
  const auto bounded = kernel<nothing, max_threads<256>>;
  const auto block = BlockDim::create(512);
  expect_refused(launch(stream, configure(grid<1>, block), bounded),
                 checked(Errc::kernel_threads_exceeded, 512, 256), {"512 threads, limit 256"});
  EXPECT_TRUE(launch(stream, configure(grid<1>, BlockDim::create(256)), bounded).has_value());
}

TEST_F(MisuseB05, ThirdAxisIsTheDevices) {
  const auto config = configure(grid<1>, BlockDim::create(1, 1, 128));
  expect_refused(launch(stream, config, kernel<nothing>),
                 checked(Errc::block_axis_too_large, 128, 64, Axis::z),
                 {"block.z 128 invalid (limit: 1..64)"});
  expect_refused_by_runtime(config, kernel<nothing>);
  EXPECT_TRUE(validate(config.value(), kernel<nothing>, limits::gfx90a).has_value())
      << "AMD allows it";
}

TEST_F(MisuseB06, WarpSizeIsCompared) {
  become(limits::gfx90a);
  expect_refused(
      launch(stream, as_written({1, 1, 1}, {64, 1, 1}), kernel<nothing, requires_warp<32>>),
      checked(Errc::warp_size_mismatch, 64, 32), {"written for warps of 32 threads", "have 64"});
  become(limits::sm_90);
  EXPECT_TRUE(launch(stream, as_written({1, 1, 1}, {64, 1, 1}), kernel<nothing, requires_warp<32>>)
                  .has_value());
}

TEST_F(MisuseB07, OptInIsMadeForTheUser) {
  become(limits::sm_90);
  const auto config = configure(grid<1>, block<32>, shared(Bytes(64 * 1024)));
  const auto before = host::calls_made(Call::raise_dynamic_shared);
  EXPECT_TRUE(launch<full>(stream, config, kernel<nothing>).has_value());
  EXPECT_TRUE(launch<off>(stream, config, kernel<nothing>).has_value());
  EXPECT_EQ(host::calls_made(Call::raise_dynamic_shared), before + 1) << "once for both";
}

TEST_F(MisuseB08, OverTheOptInMaximumIsSaid) {
  become(limits::sm_90);
  const auto config = configure(grid<1>, block<32>, shared(Bytes(232449)));
  expect_refused(launch(stream, config, kernel<nothing>),
                 checked(Errc::shared_too_large, 232449, 232448),
                 {"Shared memory 232449 bytes exceeds limit 232448 (0 static + 232449 dynamic, "
                  "opt-in included): 1 too many"});
  EXPECT_FALSE(launch<off>(stream, config, kernel<nothing>).has_value());
}

TEST_F(MisuseB09, StaticAndDynamicAreAdded) {
  become(limits::gfx90a);
  KernelLimits of_kernel;
  of_kernel.static_shared = 40 * 1024;
  ASSERT_TRUE(host::set_kernel_limits(0, kernel<nothing>.entry().function, of_kernel));
  const auto config = configure(grid<1>, block<64>, shared(Bytes(32 * 1024)));
  expect_refused(launch(stream, config, kernel<nothing>),
                 checked(Errc::shared_too_large, 73728, 65536),
                 {"Shared memory 73728 bytes exceeds limit 65536 (40960 static + 32768 dynamic",
                  "8192 too many"});
  const auto fits = configure(grid<1>, block<64>, shared(Bytes(24 * 1024)));
  EXPECT_TRUE(launch(stream, fits, kernel<nothing>).has_value()) << "exactly the limit";
}

WARPSAFE_KERNEL void opted_in_per_device() {}

TEST_F(MisuseB11, OptInIsMadeOnEachDevice) {
  host::set_device_count(2);
  DeviceLimits table = limits::sm_90;
  table.name = Name::of("Test GPU");
  ASSERT_TRUE(host::set_limits(0, table));
  ASSERT_TRUE(host::set_limits(1, table));
  const auto config = configure(grid<1>, block<32>, shared(Bytes(64 * 1024)));
  for (const int device : {0, 1}) {
    const auto guard = DeviceGuard::create(DeviceId(device));
    ASSERT_TRUE(guard.has_value());
    const auto own = Stream::create();
    ASSERT_TRUE(own.has_value());
    const auto launched = launch(own.value(), config, kernel<opted_in_per_device>);
    EXPECT_TRUE(launched.has_value()) << message(launched.error());
  }
  EXPECT_EQ(host::calls_made(Call::raise_dynamic_shared), 2U);
}

WARPSAFE_KERNEL void raised_only() {}

TEST_F(MisuseB12, AnotherLaunchOfTheKernelDoesNotLowerTheOptIn) {
  become(limits::sm_90);
  const auto large = configure(grid<1>, block<32>, shared(Bytes(100 * 1024)));
  const auto small = configure(grid<1>, block<32>, shared(Bytes(4 * 1024)));
  for (const auto& config : {large, small, large}) {
    const auto launched = launch(stream, config, kernel<raised_only>);
    EXPECT_TRUE(launched.has_value()) << message(launched.error());
  }
  EXPECT_EQ(host::calls_made(Call::raise_dynamic_shared), 1U);
}

TEST_F(MisuseB13, ClusterThatDoesNotDivideIsSaid) {
  become(limits::sm_90);
  const auto config = configure(GridDim::from_blocks(3), block<32>, cluster<2>);
  expect_refused(launch(stream, config, kernel<nothing>),
                 made(Errc::cluster_not_divisor, 3, 2, Axis::x),
                 {"grid.x 3 is not a multiple of cluster.x 2"});
  expect_refused_by_runtime(configure<off>(GridDim::from_blocks(3), block<32>, cluster<2>),
                            kernel<nothing>);
}

TEST_F(MisuseB14, LargeClusterIsAskedOfTheDevice) {
  become(limits::gfx90a);
  const LaunchConfig large{grid<16>, block<32>, non_portable_cluster<16>};
  expect_refused(launch(stream, large, kernel<nothing>), checked(Errc::cluster_unsupported, 16, 0),
                 {"clusters of blocks do not exist"});
  become(limits::sm_90);
  const auto asked = host::calls_made(Call::max_cluster_blocks);
  EXPECT_TRUE(launch(stream, large, kernel<nothing>).has_value());
  EXPECT_EQ(host::calls_made(Call::max_cluster_blocks), asked + 1);
}

TEST_F(MisuseB15, DeviceWithoutClustersIsSaid) {
  become(limits::sm_80);
  const LaunchConfig pairs{grid<4>, block<32>, cluster<2>};
  expect_refused_by_both(pairs, kernel<nothing>, checked(Errc::cluster_unsupported, 2, 0),
                         {"clusters of blocks do not exist on this device", "'Test GPU'"});
}

TEST_F(MisuseB16, CooperativeGridMustFitAtOnce) {
  become(limits::sm_80);  // 4 multiprocessors of 2048 threads
  const auto config = configure(grid<9>, block<1024>, cooperative);
  expect_refused_by_both(config, kernel<nothing>, checked(Errc::cooperative_too_large, 9, 8),
                         {"a cooperative grid of 9 blocks, limit 8"});
  EXPECT_TRUE(
      launch(stream, configure(grid<8>, block<1024>, cooperative), kernel<nothing>).has_value());
}

TEST_F(MisuseB17, CooperativeProductIsFormedIn64Bits) {
  become(limits::gfx90a);
  const LaunchConfig config{GridDim::from_vendor(Vendor3{65535, 65535, 2}), block<1>, cooperative};
  EXPECT_THAT(config.shape().grid, ::testing::ElementsAre(65535, 65535, 2))
      << "an option without data lies on the grid's memory";
  const LaunchError error = error_in(launch(stream, config, kernel<nothing>));
  EXPECT_EQ(error.code, Errc::cooperative_too_large);
  EXPECT_EQ(error.value, 8589672450U) << "4294705154 in 32 bits";
}

TEST_F(MisuseB19, LimitReadAsZeroIsTheDocumentedOne) {
  DeviceLimits reported = limits::gfx90a;
  reported.shared_per_block_optin = 0;
  reported.max_threads_per_block = 0;
  reported.max_grid[1] = 0;
  const DeviceLimits used = limits::or_floor(reported, limits::amd_floor);
  EXPECT_EQ(used.shared_per_block_optin, 65536U);
  EXPECT_EQ(used.max_threads_per_block, 1024U);
  EXPECT_EQ(used.max_grid[1], 65535U);
  EXPECT_TRUE(used.floored);
}

TEST_F(MisuseB20, AmdsReported65536IsTheDocumented65535) {
  DeviceLimits reported = limits::gfx90a;
  reported.max_grid[1] = 65536;
  reported.max_grid[2] = 65536;
  const DeviceLimits used = limits::or_floor(reported, limits::amd_floor);
  const auto config = as_written({1, 65536, 1}, {1, 1, 1});
  EXPECT_EQ(finding(error_in(validate(config, kernel<nothing>, used))),
            checked(Errc::grid_too_large, 65536, 65535, Axis::y));
}

// C. The launch call itself.

TEST_F(MisuseC03, NegativeForUnsignedIsSaid) {
  const LaunchError error =
      error_in(launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<takes_unsigned>, -5));
  EXPECT_EQ(error.code, Errc::argument_negative);
  EXPECT_EQ(error.stage, Stage::validation);
  EXPECT_THAT(message(error),
              ::testing::StartsWith("Kernel 'takes_unsigned' not launched: argument 1 is -5"));
}

TEST_F(MisuseC04, TrustedHostMemoryIsFound) {
  std::vector<unsigned> host_memory(4);
  const LaunchError error = error_in(launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<mark>,
                                            trust(host_memory.data()), std::uint64_t{4}));
  EXPECT_EQ(error.code, Errc::argument_host_pointer);
  EXPECT_THAT(message(error),
              ::testing::StartsWith("Kernel 'mark' not launched: argument 1 is host memory"));
}

TEST_F(MisuseC04, TrustedMemoryGoesWhereADevicePtrIsTaken) {
  const std::uint64_t n = 300;
  expect_each_item_once(configure(SafeGrid<>::cover(n, block<64>)), kernel<mark_through>, n, n);
  std::vector<unsigned> host_memory(4);
  const LaunchError error =
      error_in(launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<mark_through>,
                      trust(host_memory.data()), std::uint64_t{4}));
  EXPECT_EQ(error.code, Errc::argument_host_pointer);
}

TEST_F(MisuseC08, BorrowedNullStreamIsSaid) {
  const host_backend::native_stream none = nullptr;
  const LaunchError error = error_in(StreamRef::borrow(none, DeviceId(0)));
  EXPECT_EQ(error.code, Errc::stream_null);
  EXPECT_THAT(message(error), ::testing::HasSubstr("create a Stream"));
}

TEST_F(MisuseC10, TooLittleSharedMemoryIsSaid) {
  const auto needy = kernel<nothing, needs_shared<float, 256>>;
  expect_refused(launch(stream, configure(grid<1>, block<32>, shared<float>(255)), needy),
                 checked(Errc::shared_missing, 1020, 1024),
                 {"needs 1024 bytes of dynamic shared memory, the launch gives 1020"});
}

TEST_F(MisuseC11, ImpossibleCountsOfSharedMemoryAreSaid) {
  const int negative = -4;
  expect_refused(
      launch(stream, configure(grid<1>, block<32>, shared<float>(negative)), kernel<nothing>),
      made(Errc::shared_negative, 4, sizeof(float)), {"-4 elements"});
  const std::uint64_t much = std::uint64_t{1} << 62;
  expect_refused(
      launch(stream, configure(grid<1>, block<32>, shared<double>(much)), kernel<nothing>),
      made(Errc::shared_overflow, much, sizeof(double)),
      {"4611686018427387904 elements of 8 bytes does not fit"});
  expect_refused_by_runtime(configure<off>(grid<1>, block<32>, shared<double>(much)),
                            kernel<nothing>);
}

TEST_F(MisuseC15, CurrentDeviceIsCompared) {
  host::set_device_count(2);
  const auto guard = DeviceGuard::create(DeviceId(1));
  ASSERT_TRUE(guard.has_value());
  expect_refused(launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<nothing>),
                 checked(Errc::stream_wrong_device, 1, 0),
                 {"the stream belongs to device 0, the current device is 1"});
}

// D. Errors.

TEST_F(MisuseD02, EarlierErrorIsNeitherBlamedNorCleared) {
  host::plant_last_error(HostStatus::invalid_pitch);
  const LaunchConfig config{grid<1>, block<32>};
  EXPECT_TRUE(launch<full>(stream, config, kernel<nothing>).has_value());
  EXPECT_TRUE(launch<off>(stream, config, kernel<nothing>).has_value());
  EXPECT_FALSE(launch(stream, as_written({1, 1, 1}, {2048, 1, 1}), kernel<nothing>).has_value());
  EXPECT_EQ(host::take_last_error(), HostStatus::invalid_pitch);
}

TEST_F(MisuseD06, FaultIsReportedByTheWaitAsTheDevices) {
  host::fault_in_kernel(1, HostStatus::illegal_address);
  ASSERT_TRUE(launch(stream, LaunchConfig{grid<1>, block<32>}, kernel<nothing>).has_value());
  const LaunchError error = error_in(stream.synchronize());
  EXPECT_EQ(error.code, Errc::execution_failed);
  EXPECT_EQ(error.stage, Stage::completion);
  EXPECT_THAT(message(error), ::testing::StartsWith("Device synchronization failed"));
}

TEST_F(MisuseD07, LostContextSaysThatRetryingIsUseless) {
  host::fault_in_kernel(1, HostStatus::illegal_address);
  ASSERT_TRUE(launch(stream, LaunchConfig{grid<1>, block<32>}, kernel<nothing>).has_value());
  EXPECT_EQ(error_in(stream.synchronize()).severity, Severity::context_lost);
  const LaunchError again =
      error_in(launch<off>(stream, LaunchConfig{grid<1>, block<32>}, kernel<nothing>));
  EXPECT_FALSE(again.recoverable());
  EXPECT_THAT(message(again), ::testing::HasSubstr("the device's context is lost"));
}

TEST_F(MisuseD09, NothingThrowsFromADestructor) {
  static_assert(std::is_nothrow_destructible_v<Stream>);
  static_assert(std::is_nothrow_destructible_v<Event>);
  static_assert(std::is_nothrow_destructible_v<DeviceGuard>);
  {
    auto failing = Stream::create();
    ASSERT_TRUE(failing.has_value());
    host::fail_next(Call::stream_destroy, 1, HostStatus::launch_failure);
  }
  auto told = Stream::create();
  ASSERT_TRUE(told.has_value());
  host::fail_next(Call::stream_destroy, 1, HostStatus::invalid_value);
  EXPECT_EQ(error_in(told.value().close()).raw, raw(HostStatus::invalid_value));
}

TEST_F(MisuseD12, EachLaunchAnswersForItself) {
  const LaunchConfig good{grid<1>, block<32>};
  EXPECT_TRUE(launch<off>(stream, good, kernel<nothing>).has_value());
  EXPECT_FALSE(
      launch<off>(stream, as_written({1, 1, 1}, {2048, 1, 1}), kernel<nothing>).has_value());
  EXPECT_TRUE(launch<off>(stream, good, kernel<nothing>).has_value()) << "the second one's error";
}

TEST_F(MisuseD14, RuntimesOwnRefusalHasKernelAndDimensions) {
  host::fail_next(Call::launch, 1, HostStatus::invalid_value);
  const LaunchError error =
      error_in(launch<off>(stream, as_written({7, 1, 1}, {32, 2, 1}), kernel<takes_unsigned>, 1U));
  EXPECT_EQ(error.code, Errc::launch_refused);
  EXPECT_THAT(message(error),
              ::testing::StartsWith("Kernel 'takes_unsigned' launch failed: hostErrorInvalidValue "
                                    "(grid=(7,1,1), block=(32,2,1))"));
}

}  // namespace
}  // namespace warpsafe::core_test
