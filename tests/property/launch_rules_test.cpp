// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compares the compiled rules of a launch with the model of tests/proofs/validate.smt2, in 128-bit
// integers, at the neighbourhoods of every limit. The proof is about formulas; this is about the
// code.

#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/launch/detail/launch_rules.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace warpsafe {
namespace {

__extension__ using Wide = unsigned __int128;

/// A number that is often at a limit, or next to one.
template <class Number>
Number near(std::mt19937_64& random, std::initializer_list<std::uint64_t> limits) {
  const std::uint64_t choice = random();
  const std::uint64_t limit = limits.begin()[choice % limits.size()];
  return static_cast<Number>(limit + (choice >> 32 & 3U) - 1);  // -1 to 2; wraps to the largest
}

Wide product(const std::uint32_t (&dims)[3]) { return Wide{dims[0]} * dims[1] * dims[2]; }

/// The documented rules, as in the proof. Products of three numbers of 32 bits fit in 128; a
/// product of two of those is compared only where one of them is small.
bool model(const LaunchShape& shape, const KernelNeeds& needs, const KernelLimits& kernel,
           const DeviceLimits& device) {
  const Wide threads = product(shape.block);
  const Wide blocks = product(shape.grid);
  for (int i = 0; i < 3; ++i) {
    if (shape.block[i] < 1 || shape.block[i] > device.max_block[i]) return false;
    if (shape.grid[i] < 1 || shape.grid[i] > device.max_grid[i]) return false;
    if (device.max_threads_per_axis != 0 &&
        Wide{shape.grid[i]} * shape.block[i] > device.max_threads_per_axis) {
      return false;
    }
  }
  if (threads > device.max_threads_per_block) return false;
  if (needs.max_threads > 0 && threads > needs.max_threads) return false;
  if (kernel.max_threads_per_block > 0 && threads > kernel.max_threads_per_block) return false;
  if (needs.block_multiple > 0 && threads % needs.block_multiple != 0) return false;
  if (needs.warp_size > 0 && device.warp_size > 0 && needs.warp_size != device.warp_size)
    return false;
  // The largest index type of 64 bits is no limit.
  if (needs.index_max > 0 && needs.index_max != ~std::uint64_t{0} &&
      blocks * threads > Wide{needs.index_max} + 1) {
    return false;
  }
  if (shape.dynamic_shared < needs.min_dynamic_shared) return false;
  return Wide{shape.dynamic_shared} + kernel.static_shared <= device.shared_per_block_optin;
}

TEST(LaunchRules, AgreeWithTheDocumentedOnesAtEveryLimit) {
  std::mt19937_64 random(13);
  const DeviceLimits devices[] = {limits::cuda_floor, limits::amd_floor, limits::sm_90,
                                  limits::gfx942};
  constexpr std::uint64_t index_types[] = {
      0, 0x7f, 0x7fffffff, 0xffffffff, ~std::uint64_t{0} >> 1U, ~std::uint64_t{0}};
  int accepted = 0;
  for (int i = 0; i < 10'000'000; ++i) {
    DeviceLimits device = devices[random() % 4];
    LaunchShape shape;
    // Most launches are wrong in one place at most: otherwise the first rule would refuse them all.
    const auto wild = static_cast<int>(random() % 12);
    for (int axis = 0; axis < 3; ++axis) {
      const bool far = axis == 0;
      shape.grid[axis] =
          wild == axis ? near<std::uint32_t>(random, {1, 65535, 2147483647, 4194304, 4294967295})
          : far        ? near<std::uint32_t>(random, {2, 32768, 2097152, 4194303})
                       : near<std::uint32_t>(random, {2, 2, 2, 65534});
      shape.block[axis] = wild == axis + 3 ? near<std::uint32_t>(random, {1, 64, 1024, 4294967295})
                          : far            ? near<std::uint32_t>(random, {16, 32, 256, 512, 1022})
                                           : near<std::uint32_t>(random, {2, 2, 2});
      if (wild != axis && shape.grid[axis] == 0) shape.grid[axis] = 1;
      if (wild != axis + 3 && axis > 0) shape.block[axis] = shape.block[axis] % 2 + 1;
    }
    KernelNeeds needs{};
    KernelLimits kernel{};
    needs.index_max = index_types[random() % 6];
    if (wild == 6) needs.max_threads = near<std::uint32_t>(random, {256, 512, 1024});
    if (wild == 7) kernel.max_threads_per_block = near<std::uint32_t>(random, {256, 512, 1024});
    if (wild == 8) needs.block_multiple = near<std::uint32_t>(random, {2, 32, 64});
    if (wild == 9) needs.warp_size = random() % 2 != 0 ? 32 : 64;
    if (wild == 10) {
      const std::uint64_t most = device.shared_per_block_optin;
      shape.dynamic_shared = near<std::uint64_t>(random, {1, most, most - 1024, ~std::uint64_t{0}});
      kernel.static_shared = near<std::uint64_t>(random, {1, 1024, most, ~std::uint64_t{0}});
    }
    if (wild == 11) {
      needs.min_dynamic_shared = near<std::uint64_t>(random, {1, 1024});
      shape.dynamic_shared = near<std::uint64_t>(random, {1, 1024});
    }
    const bool expected = model(shape, needs, kernel, device);
    LaunchError error;
    ASSERT_EQ(detail::validate_launch(shape, needs, kernel, device, error), expected)
        << "case " << i;
    accepted += expected ? 1 : 0;
  }
  // Otherwise the cases test too little.
  EXPECT_GT(accepted, 1'000'000);
  EXPECT_LT(accepted, 9'000'000);
}

}  // namespace
}  // namespace warpsafe
