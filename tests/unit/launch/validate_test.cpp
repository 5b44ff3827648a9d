// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core_test.hpp"
#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/dims/launch_options.hpp>
#include <warpsafe/dims/make_dims.hpp>
#include <warpsafe/dims/safe_grid.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/kernel_api.hpp>
#include <warpsafe/launch/detail/launch_rules.hpp>
#include <warpsafe/launch/launch_config.hpp>
#include <warpsafe/launch/validate.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <new>
#include <string>
#include <vector>

// At global scope: messages are compared with the kernels' plain names.
WARPSAFE_KERNEL void transpose(const float*, float*) {}
WARPSAFE_KERNEL void batch(int) {}
WARPSAFE_KERNEL void softmax(float*) {}

namespace warpsafe::core_test {
namespace {

constexpr auto launch_of(VendorDims blocks, VendorDims threads) {
  return LaunchConfig{GridDim::from_vendor(blocks), BlockDim::from_vendor(threads)};
}
constexpr auto launch_of(VendorDims blocks, VendorDims threads, std::uint64_t bytes) {
  return LaunchConfig{GridDim::from_vendor(blocks), BlockDim::from_vendor(threads),
                      shared(Bytes(bytes))};
}
constexpr VendorDims along(Axis axis, std::uint32_t number) {
  VendorDims dims;
  (axis == Axis::x ? dims.x : axis == Axis::y ? dims.y : dims.z) = number;
  return dims;
}

Finding validation(Errc code, std::uint64_t value, std::uint64_t limit, Axis axis = Axis::none) {
  return {code, Stage::validation, value, limit, axis};
}

// Launches just at each limit and just above it, with the tables of seven architectures.

struct Table {
  const DeviceLimits* limits;
  const char* name;
  std::uint32_t block_z;
  std::uint32_t warp;
  std::uint64_t shared_default;
  std::uint64_t shared_optin;
  bool amd;
  bool clusters;
};
constexpr Table tables[] = {
    {&limits::sm_75, "sm_75", 64, 32, 49152, 65536, false, false},
    {&limits::sm_80, "sm_80", 64, 32, 49152, 166912, false, false},
    {&limits::sm_90, "sm_90", 64, 32, 49152, 232448, false, true},
    {&limits::sm_100, "sm_100", 64, 32, 49152, 232448, false, true},
    {&limits::gfx90a, "gfx90a", 1024, 64, 65536, 65536, true, false},
    {&limits::gfx942, "gfx942", 1024, 64, 65536, 65536, true, false},
    {&limits::gfx1100, "gfx1100", 1024, 32, 65536, 65536, true, false},
};

class OnEachTable : public ::testing::TestWithParam<Table> {
 protected:
  const Table& table = GetParam();

  template <class K = BasicKernel<Provenance::host, softmax>, class Config>
  void expect_accepted(const Config& config, K kernel_to_use = {},
                       const KernelLimits& of_kernel = {}) const {
    const result<void> answer = validate(config, kernel_to_use, *table.limits, of_kernel);
    EXPECT_TRUE(answer.has_value()) << message(answer.error());
  }
  template <class K = BasicKernel<Provenance::host, softmax>, class Config>
  LaunchError expect_refused(const Config& config, const Finding& expected, K kernel_to_use = {},
                             const KernelLimits& of_kernel = {}) const {
    const result<void> answer = validate(config, kernel_to_use, *table.limits, of_kernel);
    const LaunchError error = error_in(answer);
    EXPECT_EQ(finding(error), expected);
    EXPECT_EQ(text(error.device_name), table.name);
    EXPECT_EQ(error.vendor, table.amd ? Vendor::amd : Vendor::nvidia);
    EXPECT_EQ(error.device, -1) << "no device was asked";
    EXPECT_FALSE(error.limit_is_floor);
    const LaunchShape shape = config.shape();
    EXPECT_THAT(error.grid, ::testing::ElementsAreArray(shape.grid));
    EXPECT_THAT(error.block, ::testing::ElementsAreArray(shape.block));
    EXPECT_EQ(error.dynamic_shared, shape.dynamic_shared);
    EXPECT_EQ(text(error.kernel), text(K::name()));
    return error;
  }
};

TEST_P(OnEachTable, TheTableIsTheArchitectures) {
  EXPECT_EQ(text(table.limits->name), table.name);
  EXPECT_EQ(table.limits->warp_size, table.warp);
  EXPECT_EQ(table.limits->shared_per_block, table.shared_default);
  EXPECT_EQ(table.limits->shared_per_block_optin, table.shared_optin);
  EXPECT_EQ(table.limits->max_threads_per_axis, table.amd ? 4294967295U : 0U);
  EXPECT_FALSE(table.limits->floored);
}

TEST_P(OnEachTable, ThreadsPerBlock) {
  expect_accepted(launch_of({}, {1024}));
  expect_accepted(launch_of({}, {32, 32}));
  expect_refused(launch_of({}, {1025}), validation(Errc::block_too_large, 1025, 1024));
  expect_refused(launch_of({}, {64, 64}), validation(Errc::block_too_large, 4096, 1024));
  expect_refused(launch_of({}, {65536, 65536}),
                 validation(Errc::block_too_large, std::uint64_t{1} << 32, 1024));
  expect_refused(
      launch_of({}, {4294967295, 4294967295, 4294967295}),
      validation(Errc::block_too_large, std::numeric_limits<std::uint64_t>::max(), 1024));
}

TEST_P(OnEachTable, BlockAxes) {
  expect_accepted(launch_of({}, along(Axis::y, 1024)));
  expect_accepted(launch_of({}, along(Axis::z, table.block_z)));
  if (table.block_z < 1024) {
    expect_refused(
        launch_of({}, along(Axis::z, table.block_z + 1)),
        validation(Errc::block_axis_too_large, table.block_z + 1, table.block_z, Axis::z));
  }
  DeviceLimits narrow = *table.limits;
  narrow.max_block[0] = narrow.max_block[1] = 512;
  for (const Axis axis : {Axis::x, Axis::y}) {
    EXPECT_TRUE(validate(launch_of({}, along(axis, 512)), kernel<softmax>, narrow).has_value());
    EXPECT_EQ(finding(error_in(validate(launch_of({}, along(axis, 513)), kernel<softmax>, narrow))),
              validation(Errc::block_axis_too_large, 513, 512, axis));
  }
}

TEST_P(OnEachTable, ZeroBlocksAndThreads) {
  for (const Axis axis : {Axis::x, Axis::y, Axis::z}) {
    const int i = static_cast<int>(axis);
    expect_refused(launch_of({}, along(axis, 0)),
                   validation(Errc::block_zero, 0, table.limits->max_block[i], axis));
    expect_refused(launch_of(along(axis, 0), {}),
                   validation(Errc::grid_zero, 0, table.limits->max_grid[i], axis));
  }
}

TEST_P(OnEachTable, GridAxes) {
  expect_accepted(launch_of(along(Axis::x, 2147483647), {}));
  expect_refused(launch_of(along(Axis::x, 2147483648), {}),
                 validation(Errc::grid_too_large, 2147483648, 2147483647, Axis::x));
  for (const Axis axis : {Axis::y, Axis::z}) {
    expect_accepted(launch_of(along(axis, 65535), {}));
    expect_refused(launch_of(along(axis, 65536), {}),
                   validation(Errc::grid_too_large, 65536, 65535, axis));
  }
}

TEST_P(OnEachTable, ThreadsAlongAnAxis) {
  const auto at_the_limit = launch_of({4194303}, {1024});  // 2^32 - 1024 threads
  const auto above = launch_of({4194304}, {1024});         // 2^32
  constexpr auto counts = kernel<softmax, index<std::uint64_t>>;
  expect_accepted(at_the_limit, counts);
  if (table.amd) {
    expect_refused(above, validation(Errc::axis_threads_too_many, 4294967296, 4294967295, Axis::x));
    expect_accepted(launch_of({2147483647}, {2}), counts);
    expect_refused(launch_of({2147483647}, {3}),
                   validation(Errc::axis_threads_too_many, 6442450941, 4294967295, Axis::x));
  } else {
    expect_accepted(above, counts);
  }
  // The rule applies to each axis, not to the total.
  expect_accepted(launch_of({65536, 65535, 65535}, {1024}), counts);
}

TEST_P(OnEachTable, TheKernelsOwnThreads) {
  KernelLimits bound;
  bound.max_threads_per_block = 256;
  expect_accepted(launch_of({}, {256}), kernel<softmax>, bound);
  const LaunchError error =
      expect_refused(launch_of({}, {16, 17}), validation(Errc::kernel_threads_exceeded, 272, 256),
                     kernel<softmax>, bound);
  EXPECT_EQ(error.accepted_threads(), 256U);
  expect_accepted(launch_of({}, {128}), kernel<softmax, max_threads<128>>);
  expect_refused(launch_of({}, {129}), validation(Errc::kernel_threads_exceeded, 129, 128),
                 kernel<softmax, max_threads<128>>);
}

TEST_P(OnEachTable, BlockMultiple) {
  expect_accepted(launch_of({}, {64}), kernel<softmax, block_multiple_of<32>>);
  expect_accepted(launch_of({}, {8, 4, 2}), kernel<softmax, block_multiple_of<32>>);
  expect_refused(launch_of({}, {100}), validation(Errc::block_not_multiple, 100, 32),
                 kernel<softmax, block_multiple_of<32>>);
}

TEST_P(OnEachTable, WarpSize) {
  if (table.warp == 32) {
    expect_accepted(launch_of({}, {64}), kernel<softmax, requires_warp<32>>);
    expect_refused(launch_of({}, {64}), validation(Errc::warp_size_mismatch, 32, 64),
                   kernel<softmax, requires_warp<64>>);
  } else {
    expect_accepted(launch_of({}, {64}), kernel<softmax, requires_warp<64>>);
    expect_refused(launch_of({}, {64}), validation(Errc::warp_size_mismatch, 64, 32),
                   kernel<softmax, requires_warp<32>>);
  }
}

TEST_P(OnEachTable, IndexType) {
  // 2^31 threads are the indices 0 to 2^31 - 1, which int counts.
  expect_accepted(launch_of({2097152}, {1024}), kernel<softmax, index<int>>);
  expect_refused(launch_of({2097153}, {1024}),
                 validation(Errc::index_overflow, 2147484672, 2147483648),
                 kernel<softmax, index<int>>);
  expect_accepted(launch_of({4194303, 1}, {1024}), kernel<softmax, index<unsigned>>);
  expect_refused(launch_of({4194303, 2}, {1024}),
                 validation(Errc::index_overflow, 8589932544, 4294967296),
                 kernel<softmax, index<unsigned>>);
  expect_accepted(launch_of({4194303, 65535, 65535}, {1024}),
                  kernel<softmax, index<std::uint64_t>>);
}

TEST_P(OnEachTable, KernelThatDeclaresNoIndexTypeCountsLikeAnInt) {
  expect_accepted(launch_of({2097152}, {1024}), kernel<softmax>);
  EXPECT_EQ(expect_refused(launch_of({2097153}, {1024}),
                           validation(Errc::index_overflow, 2147484672, 2147483648))
                .subcode,
            Subcode::threads_assumed_int);
  EXPECT_EQ(expect_refused(launch_of({2097153}, {1024}),
                           validation(Errc::index_overflow, 2147484672, 2147483648),
                           kernel<softmax, index<int>>)
                .subcode,
            Subcode::none);
}

TEST_P(OnEachTable, ElementsAreCountedToo) {
  const auto strided = [](std::uint64_t n) {
    return LaunchConfig{SafeGrid<>::grid_stride(n, block<256>, warpsafe::max_blocks(100)).value()};
  };
  const std::uint64_t most = std::uint64_t{1} << 31;
  const DeviceLimits& limits = *table.limits;
  constexpr auto walks = kernel<softmax, grid_stride_kernel>;
  EXPECT_TRUE(warpsafe::validate(strided(most), walks, limits).has_value());
  const auto refused = warpsafe::validate(strided(most + 1), walks, limits);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::index_overflow);
  EXPECT_EQ(refused.error().value, most + 1);
  EXPECT_EQ(refused.error().limit, most);
  EXPECT_EQ(refused.error().subcode, Subcode::elements_assumed_int);
  constexpr auto wide = kernel<softmax, grid_stride_kernel, index<std::uint64_t>>;
  EXPECT_TRUE(warpsafe::validate(strided(most << 20U), wide, limits).has_value());
}

TEST_P(OnEachTable, SharedMemory) {
  expect_accepted(launch_of({}, {32}, table.shared_optin));
  const LaunchError error = expect_refused(
      launch_of({}, {32}, table.shared_optin + 1),
      validation(Errc::shared_too_large, table.shared_optin + 1, table.shared_optin));
  EXPECT_EQ(error.static_shared(), 0U);
  EXPECT_EQ(error.subcode == Subcode::opt_in_included, table.shared_optin > table.shared_default);
}

TEST_P(OnEachTable, StaticAndDynamicSharedMemoryAreAdded) {
  KernelLimits tiled;
  tiled.static_shared = 6000;
  expect_accepted(launch_of({}, {32}, table.shared_optin - 6000), kernel<softmax>, tiled);
  const LaunchError error =
      expect_refused(launch_of({}, {32}, table.shared_optin - 5999),
                     validation(Errc::shared_too_large, table.shared_optin + 1, table.shared_optin),
                     kernel<softmax>, tiled);
  EXPECT_EQ(error.static_shared(), 6000U);
  EXPECT_EQ(error.dynamic_shared, table.shared_optin - 5999);
  // A sum that wraps must not count as small. Only a vendor's own number of bytes is so large: a
  // configuration takes it for a negative one.
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  LaunchShape shape = launch_of({}, {32}, 0).shape();
  shape.dynamic_shared = most - 1;
  LaunchError wrapped;
  EXPECT_FALSE(detail::validate_numbers(shape, {}, tiled, *table.limits, wrapped));
  EXPECT_EQ(wrapped.code, Errc::shared_too_large);
  EXPECT_EQ(wrapped.value, most);
}

TEST_P(OnEachTable, SharedMemoryThatTheKernelNeeds) {
  expect_accepted(launch_of({}, {32}, 1024), kernel<softmax, needs_shared<float, 256>>);
  expect_refused(launch_of({}, {32}, 1023), validation(Errc::shared_missing, 1023, 1024),
                 kernel<softmax, needs_shared<float, 256>>);
}

TEST_P(OnEachTable, Clusters) {
  const LaunchConfig eight{grid<16>, block<32>, cluster<8>};
  const LaunchConfig sixteen{grid<32>, block<32>, non_portable_cluster<16>};
  if (table.clusters) {
    expect_accepted(eight);
    expect_accepted(sixteen);
    // A LaunchConfig would find these itself; the numbers of a raw launch come without one.
    LaunchShape shape = LaunchConfig{grid<6, 4>, block<32>, cluster<2, 2>}.shape();
    const auto problem = [&] {
      LaunchError error = LaunchError::make(Errc{}, Stage::validation);
      const bool accepted = detail::validate_numbers(shape, {}, {}, *table.limits, error);
      EXPECT_EQ(accepted, error.code == Errc{});
      return finding(error);
    };
    EXPECT_EQ(problem().code, Errc{});
    shape.grid[0] = 7;
    EXPECT_EQ(problem(), validation(Errc::cluster_not_divisor, 7, 2, Axis::x));
    shape.grid[0] = 6;
    shape.grid[1] = 5;
    EXPECT_EQ(problem(), validation(Errc::cluster_not_divisor, 5, 2, Axis::y));
    shape.cluster[1] = 0;
    EXPECT_EQ(problem(), validation(Errc::cluster_not_divisor, 5, 0, Axis::y));
    DeviceLimits strict = *table.limits;
    strict.max_cluster_blocks_optin = 8;
    EXPECT_EQ(finding(error_in(validate(sixteen, kernel<softmax>, strict))),
              validation(Errc::cluster_too_large, 16, 8));
    KernelLimits large;
    large.max_cluster_blocks = 4;
    expect_refused(eight, validation(Errc::cluster_too_large, 8, 4), kernel<softmax>, large);
  } else {
    expect_refused(eight, validation(Errc::cluster_unsupported, 8, 0));
    expect_refused(sixteen, validation(Errc::cluster_unsupported, 16, 0));
  }
}

TEST_P(OnEachTable, CooperativeLaunches) {
  const auto of = [](std::uint32_t blocks) {
    return LaunchConfig{GridDim::from_vendor(VendorDims{blocks}), block<32>, cooperative};
  };
  expect_accepted(of(1 << 20));
  KernelLimits resident;
  resident.resident_blocks = 264;
  expect_accepted(of(264), kernel<softmax>, resident);
  expect_refused(of(265), validation(Errc::cooperative_too_large, 265, 264), kernel<softmax>,
                 resident);
  DeviceLimits without = *table.limits;
  without.cooperative_launch = false;
  EXPECT_EQ(finding(error_in(validate(of(7), kernel<softmax>, without))),
            validation(Errc::cooperative_unsupported, 7, 0));
}

// AMD's runtime counts all threads of a cooperative launch in 32 bits, NVIDIA's does not.
TEST_P(OnEachTable, CooperativeLaunchesOf2To32Threads) {
  const auto of = [](std::uint32_t x, std::uint32_t y) {
    return LaunchConfig{GridDim::from_vendor(VendorDims{x, y}), block<1024>, cooperative};
  };
  const auto far = kernel<softmax, index<std::uint64_t>>;
  expect_accepted(of(1398101, 3), far);  // 2^32 - 1024 threads
  if (table.amd) {
    expect_refused(of(65536, 64), validation(Errc::cooperative_too_large, 4194304, 4194303), far);
  } else {
    expect_accepted(of(65536, 64), far);
  }
}

TEST_P(OnEachTable, APortableKernelMustBeLegalOnBothVendors) {
  const auto portable_softmax = kernel<softmax, portable, index<std::uint64_t>>;
  expect_accepted(launch_of({4194303}, {1024}, 49152), portable_softmax);
  const auto only_on_cuda =
      error_in(validate(launch_of({4194304}, {1024}), portable_softmax, *table.limits));
  EXPECT_EQ(finding(only_on_cuda),
            validation(Errc::axis_threads_too_many, 4294967296, 4294967295, Axis::x));
  EXPECT_EQ(only_on_cuda.vendor, Vendor::amd);
  const auto deep =
      error_in(validate(launch_of({}, along(Axis::z, 65)), portable_softmax, *table.limits));
  EXPECT_EQ(finding(deep), validation(Errc::block_axis_too_large, 65, 64, Axis::z));
  const auto more_shared =
      error_in(validate(launch_of({}, {32}, 49153), portable_softmax, *table.limits));
  EXPECT_EQ(finding(more_shared), validation(Errc::shared_too_large, 49153, 49152));
  EXPECT_EQ(text(more_shared.kernel), "softmax");
}

INSTANTIATE_TEST_SUITE_P(Architectures, OnEachTable, ::testing::ValuesIn(tables),
                         [](const auto& made) { return std::string(made.param.name); });

// The configuration's own problem.

TEST(Validate, TakesAGridAsItComesFromCover) {
  const auto grid = SafeGrid<>::cover(1000, block<256>).value();
  EXPECT_TRUE(validate(grid, kernel<softmax>, limits::sm_90).has_value());
  DeviceLimits narrow = limits::sm_90;
  narrow.max_threads_per_block = 128;
  EXPECT_EQ(error_in(validate(grid, kernel<softmax>, narrow)).code, Errc::block_too_large);

  // The grid itself has no problem, whatever the memory contained before.
  alignas(LaunchError) unsigned char memory[sizeof(LaunchError)];
  std::memset(memory, 0xff, sizeof memory);
  const auto* const problem = ::new (static_cast<void*>(memory)) LaunchError(grid.problem());
  EXPECT_EQ(problem->code, Errc{});
}

TEST(Validate, AnEmptyGridIsFine) {
  const auto nothing = configure(SafeGrid<>::cover_or_empty(0, block<256>)).value();
  EXPECT_TRUE(validate(nothing, kernel<softmax>, limits::sm_90).has_value());
}

TEST(Validate, TheConfigurationsOwnProblemComesFirst) {
  const LaunchConfig negative{grid<1>, block<32>, shared<float>(-1)};
  const LaunchError error =
      error_in(validate(negative, kernel<softmax>, limits::sm_90, KernelLimits{}, app));
  EXPECT_EQ(error.code, Errc::shared_negative);
  EXPECT_EQ(text(error.kernel), "softmax");
  EXPECT_TRUE(is_app(error.site));
  const LaunchConfig uneven{GridDim::from_vendor(VendorDims{3}), block<32>, cluster<2>};
  EXPECT_EQ(error_in(validate(uneven, kernel<softmax>, limits::sm_90)).code,
            Errc::cluster_not_divisor);
}

TEST(Validate, RemembersItsCallersLine) {
  const auto config = launch_of({}, {2048});
  const LaunchError error = error_in(validate(config, kernel<softmax>, limits::sm_90));
  EXPECT_EQ(error.site.line, __LINE__ - 1U);
}

constexpr bool passes_while_compiling(std::uint32_t threads) {
  return validate(launch_of({}, {threads}), kernel<softmax>, limits::sm_90).has_value();
}
static_assert(passes_while_compiling(1024));
static_assert(!passes_while_compiling(1025));

// Exact texts.

template <class Config, class K>
std::string said_of(const Config& config, K kernel_to_use, const DeviceLimits& device,
                    const KernelLimits& of_kernel = {}) {
  return said(validate(config, kernel_to_use, device, of_kernel, app));
}

TEST(ValidateSays, ABlockIsTooLarge) {
  DeviceLimits h200 = limits::sm_90;
  h200.device = 0;
  h200.name = Name::of("NVIDIA H200");
  EXPECT_EQ(said_of(launch_of({2800}, {64, 64}), kernel<transpose>, h200),
            "Kernel 'transpose' not launched: block=(64,64,1) is 4096 threads, limit 1024 "
            "(maxThreadsPerBlock of device 0 'NVIDIA H200')\n"
            "  grid=(2800,1,1), block=(64,64,1), shared=0 bytes, at app.cpp:7\n"
            "  try block<32,32> and recompute the grid with cover(extent, block<32,32>)");
}

TEST(ValidateSays, AnAxisOfTheGridIsTooLong) {
  EXPECT_EQ(
      said_of(launch_of({1, 70000}, {256}), kernel<batch>, limits::sm_90),
      "Kernel 'batch' not launched: grid.y 70000 invalid (limit: 1..65535); put the long axis "
      "in x (limit 2147483647)\n"
      "  grid=(1,70000,1), block=(256,1,1), shared=0 bytes, at app.cpp:7");
}

TEST(ValidateSays, SharedMemoryIsTooLarge) {
  KernelLimits tiled;
  tiled.static_shared = 6000;
  EXPECT_EQ(said_of(launch_of({1}, {256}, 64000), kernel<softmax>, limits::gfx90a, tiled),
            "Kernel 'softmax' not launched: shared memory 70000 bytes exceeds limit 65536 (6000 "
            "static + 64000 dynamic, no opt-in on this device): 4464 too many\n"
            "  grid=(1,1,1), block=(256,1,1), shared=64000 bytes, at app.cpp:7");
  EXPECT_EQ(said_of(launch_of({1}, {256}, 232000), kernel<softmax>, limits::sm_90, tiled),
            "Kernel 'softmax' not launched: shared memory 238000 bytes exceeds limit 232448 (6000 "
            "static + 232000 dynamic, opt-in included): 5552 too many\n"
            "  grid=(1,1,1), block=(256,1,1), shared=232000 bytes, at app.cpp:7");
}

TEST(ValidateSays, AZeroAxisWithoutALaunchToShow) {
  EXPECT_EQ(
      said_of(launch_of({0}, {256}), kernel<softmax>, limits::sm_90),
      "Kernel 'softmax' not launched: grid.x 0 invalid (limit: 1..2147483647); a grid without "
      "blocks runs nothing, and the runtime refuses it\n  at app.cpp:7");
}

TEST(ValidateSays, ThatALimitIsDocumentedWhereTheDeviceReportsNone) {
  DeviceLimits silent = limits::or_floor(DeviceLimits{}, limits::amd_floor);
  silent.device = 0;
  const LaunchError error = error_in(validate(launch_of({}, {2048}), kernel<softmax>, silent));
  EXPECT_TRUE(error.limit_is_floor);
  EXPECT_THAT(message(error), ::testing::HasSubstr("(maxThreadsPerBlock of device 0, documented; "
                                                   "the device reports none)"));
}

// The suggested block is read from the text, used, and accepted.

/// The block of "try block<…>", or no axes where there is none.
std::vector<std::uint32_t> suggested(const std::string& said) {
  std::vector<std::uint32_t> axes;
  const std::string before = "\n  try block<";
  std::size_t at = said.find(before);
  if (at == std::string::npos) return axes;
  at += before.size();
  for (std::uint32_t number = 0; at < said.size(); ++at) {
    if (said[at] >= '0' && said[at] <= '9') {
      number = 10 * number + static_cast<std::uint32_t>(said[at] - '0');
    } else {
      axes.push_back(number);
      number = 0;
      if (said[at] != ',') return axes;
    }
  }
  return axes;
}

template <class K>
void follow_suggestion(VendorDims threads, K kernel_to_use, const DeviceLimits& device,
                       const KernelLimits& of_kernel = {}) {
  const std::string said =
      said_of(launch_of({100, 100}, threads), kernel_to_use, device, of_kernel);
  std::vector<std::uint32_t> axes = suggested(said);
  ASSERT_FALSE(axes.empty()) << said;
  axes.resize(3, 1);
  const auto smaller = BlockDim::create(axes[0], axes[1], axes[2]);
  ASSERT_TRUE(smaller.has_value()) << said;
  EXPECT_LE(axes[2], 64U) << "block<…> takes no more\n" << said;
  const auto config =
      configure(SafeGrid<>::cover(extent{x{1000}, y{1000}, z{10}}, smaller.value()));
  ASSERT_TRUE(config.has_value()) << message(config.error());
  const result<void> now = validate(config.value(), kernel_to_use, device, of_kernel);
  EXPECT_TRUE(now.has_value()) << said << "\n and then: " << message(now.error());
}

TEST(Suggestion, WorksForEveryBlockThatIsTooLarge) {
  const VendorDims too_large[] = {{64, 64},
                                  {2048},
                                  {1025},
                                  {1, 2048},
                                  {1, 1, 2048},
                                  {2, 2, 300},
                                  {65536, 65536},
                                  {33, 32},
                                  {16, 16, 16},
                                  {3, 7, 100},
                                  {4294967295, 4294967295, 4294967295}};
  for (const Table& table : tables) {
    for (const VendorDims& threads : too_large) {
      follow_suggestion(threads, kernel<softmax>, *table.limits);
    }
  }
}

TEST(Suggestion, StaysWithinTheKernelsOwnLimits) {
  KernelLimits bound;
  bound.max_threads_per_block = 96;
  for (const VendorDims& threads : {VendorDims{128}, VendorDims{97}, VendorDims{4096, 2}}) {
    follow_suggestion(threads, kernel<softmax>, limits::sm_90, bound);
    follow_suggestion(threads, kernel<softmax, max_threads<64>>, limits::sm_90, bound);
    follow_suggestion(threads, kernel<softmax, max_threads<128>>, limits::gfx90a, bound);
  }
}

TEST(Suggestion, IsOnlyGivenWhereTheKernelsMultipleAllowsIt) {
  const auto warps_only = kernel<softmax, block_multiple_of<32>, max_threads<64>>;
  follow_suggestion({128}, warps_only, limits::sm_90);
  follow_suggestion({2048}, warps_only, limits::sm_90);
  const std::string said = said_of(launch_of({1}, {96}), warps_only, limits::sm_90);
  EXPECT_TRUE(suggested(said).empty()) << "48 is no multiple of 32\n" << said;
}

// The rules over plain numbers, where no table has the limit.

LaunchShape shape_of(std::uint32_t blocks, std::uint32_t threads) {
  LaunchShape shape;
  for (int axis = 0; axis < 3; ++axis) shape.grid[axis] = shape.block[axis] = 1;
  shape.grid[0] = blocks;
  shape.block[0] = threads;
  return shape;
}

TEST(Rules, WithoutAnyLimitNoNumberOfThreadsIsSuggested) {
  LaunchShape shape;
  for (std::uint32_t& axis : shape.block) axis = 8;
  DeviceLimits device;
  EXPECT_EQ(detail::suggestable_threads(shape, KernelNeeds{}, KernelLimits{}, device), 0U);
  device.max_threads_per_block = 1;
  EXPECT_EQ(detail::suggestable_threads(shape, KernelNeeds{}, KernelLimits{}, device), 1U);
}

TEST(Rules, AnAxisMayHaveJustTheThreadsOfItsLimit) {
  LaunchError error;
  EXPECT_TRUE(detail::validate_launch(shape_of(16843009, 255), KernelNeeds{}, KernelLimits{},
                                      limits::gfx90a, error));
}

TEST(Rules, AWarpOfOneThreadIsANumberLikeAnyOther) {
  const LaunchShape shape = shape_of(1, 1);
  KernelNeeds needs;
  needs.warp_size = 1;
  LaunchError error;
  EXPECT_FALSE(detail::validate_launch(shape, needs, KernelLimits{}, limits::sm_90, error));
  EXPECT_EQ(finding(error), validation(Errc::warp_size_mismatch, 32, 1));
  DeviceLimits device = limits::sm_90;
  device.warp_size = 1;
  needs.warp_size = 32;
  EXPECT_FALSE(detail::validate_launch(shape, needs, KernelLimits{}, device, error));
  EXPECT_EQ(finding(error), validation(Errc::warp_size_mismatch, 1, 32));
}

TEST(Rules, ADeviceOfUnknownWarpsTakesAKernelOfAnyWarp) {
  DeviceLimits device = limits::sm_90;
  device.warp_size = 0;
  KernelNeeds needs;
  needs.warp_size = 32;
  LaunchError error;
  EXPECT_TRUE(detail::validate_launch(shape_of(1, 32), needs, KernelLimits{}, device, error));
}

TEST(Rules, ANumberOfThreadsThatDoesNotFitIsTheLargest) {
  EXPECT_EQ(detail::total_threads(std::uint64_t{1} << 40, 1 << 10), std::uint64_t{1} << 50);
  EXPECT_EQ(detail::total_threads(std::uint64_t{1} << 62, 4), ~std::uint64_t{0});
}

TEST(Rules, AKernelsOwnLimitOfAClusterIsItsLargestCluster) {
  LaunchShape shape = shape_of(16, 32);
  shape.has_cluster = true;
  shape.cluster[1] = shape.cluster[2] = 1;
  KernelLimits allowed;
  allowed.max_cluster_blocks = 4;
  for (const std::uint32_t blocks : {1U, 2U, 4U, 8U}) {
    shape.cluster[0] = blocks;
    LaunchError error;
    EXPECT_EQ(detail::validate_launch(shape, KernelNeeds{}, allowed, limits::sm_90, error),
              blocks <= 4)
        << blocks;
  }
}

TEST(Rules, OptingInNeverPermitsASmallerClusterThanTheDevicesOwn) {
  DeviceLimits device = limits::sm_90;
  device.max_cluster_blocks_optin = 0;  // as a device that reports none
  LaunchShape shape = shape_of(16, 32);
  shape.has_cluster = shape.non_portable_cluster = true;
  shape.cluster[0] = 8;
  shape.cluster[1] = shape.cluster[2] = 1;
  LaunchError error;
  EXPECT_TRUE(detail::validate_launch(shape, KernelNeeds{}, KernelLimits{}, device, error));
}

TEST(Rules, AnAmdCooperativeGridHasAtMost2To32Minus1Threads) {
  LaunchShape shape = shape_of(1431655765, 3);
  shape.cooperative = true;
  DeviceLimits device = limits::gfx90a;
  device.max_threads_per_axis = 0;
  LaunchError error;
  EXPECT_TRUE(detail::validate_residency(shape, KernelLimits{}, device, error));
  ++shape.grid[0];
  EXPECT_FALSE(detail::validate_residency(shape, KernelLimits{}, device, error));
  EXPECT_EQ(finding(error), validation(Errc::cooperative_too_large, 1431655766, 1431655765));
}

TEST(Rules, AnIndexReachesAsManyElementsAsItHasValuesAndNoElementsAtAll) {
  KernelNeeds needs;
  needs.index_max = 255;
  const LaunchShape shape = shape_of(2, 32);
  for (const std::uint64_t elements : {0U, 1U, 255U, 256U}) {
    LaunchError error;
    EXPECT_TRUE(detail::validate_reach(elements, shape, needs, error)) << elements;
  }
  LaunchError error;
  EXPECT_FALSE(detail::validate_reach(257, shape, needs, error));
  EXPECT_EQ(finding(error), validation(Errc::index_overflow, 257, 256));
  EXPECT_THAT(error.grid, ::testing::ElementsAre(2, 1, 1));
  EXPECT_THAT(error.block, ::testing::ElementsAre(32, 1, 1));
}

TEST(Rules, ALimitIsCalledAFloorOnlyIfADeviceWasAsked) {
  const LaunchShape shape = shape_of(1, 2048);
  for (const bool floored : {false, true}) {
    for (const int ordinal : {-1, 0, 1}) {
      DeviceLimits device = limits::sm_90;
      device.floored = floored;
      device.device = ordinal;
      LaunchError error;
      EXPECT_FALSE(detail::validate_launch(shape, KernelNeeds{}, KernelLimits{}, device, error));
      EXPECT_EQ(error.limit_is_floor, floored && ordinal >= 0) << ordinal;
    }
  }
}

TEST(Revalidate, ReadsTheOptionsOfTheRecord) {
  const auto with = [](std::initializer_list<LaunchOption> options) {
    LaunchRecord record{};
    for (int axis = 0; axis < 3; ++axis) record.grid[axis] = record.block[axis] = 6;
    for (const LaunchOption option : options) record.options |= static_cast<std::uint8_t>(option);
    return record;
  };
  LaunchRecord record = with({LaunchOption::cluster});
  record.cluster[0] = 2;
  record.cluster[1] = 4;
  record.cluster[2] = 1;
  EXPECT_EQ(finding(error_in(revalidate(record, limits::sm_90))),
            validation(Errc::cluster_not_divisor, 6, 4, Axis::y));
  int queue = 0;
  record.stream = &queue;
  EXPECT_EQ(error_in(revalidate(record, limits::sm_90)).stream, &queue);
  record.cluster[1] = 2;
  record.cluster[2] = 3;
  EXPECT_EQ(finding(error_in(revalidate(record, limits::sm_90))),
            validation(Errc::cluster_too_large, 12, 8));
  record.options |= static_cast<std::uint8_t>(LaunchOption::non_portable_cluster);
  DeviceLimits device = limits::sm_90;
  device.max_cluster_blocks_optin = 16;
  EXPECT_TRUE(revalidate(record, device).has_value());
  record.options = 0;
  EXPECT_TRUE(revalidate(record, limits::sm_80).has_value()) << "it has no cluster";

  device.cooperative_launch = false;
  EXPECT_TRUE(revalidate(with({}), device).has_value());
  EXPECT_EQ(error_in(revalidate(with({LaunchOption::cooperative}), device)).code,
            Errc::cooperative_unsupported);
  EXPECT_TRUE(
      revalidate(with({LaunchOption::priority, LaunchOption::programmatic}), device).has_value());
}

}  // namespace
}  // namespace warpsafe::core_test
