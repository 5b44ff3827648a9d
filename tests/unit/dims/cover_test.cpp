// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core_test.hpp"
#include <warpsafe/dims/make_dims.hpp>
#include <warpsafe/dims/safe_grid.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <random>
#include <vector>

// The grid arithmetic against a plain model in 128 bits. proofs/ proves the formulas for all sizes;
// these tests hold the compiled functions to them.

namespace warpsafe::core_test {
namespace {

__extension__ using Wide = __int128;
using Amd = basic_hip_backend<amd_platform>;
using Threads = std::array<std::uint32_t, 3>;

struct Asked {
  Wide size;
  std::uint32_t threads;
  detail::CoverRule rule;
  std::uint64_t cap;
};

/// The blocks of `asked` along an axis of a device with these limits; 0: it cannot be covered.
Wide blocks_of(const Asked& asked, const DeviceLimits& floor, int axis, std::uint32_t items,
               bool capped) {
  const Wide width = std::max<Wide>(asked.threads, 1);
  const Wide per_block = items != 0 ? width * items : 1;
  if (asked.size < 0) return 0;
  // A subtraction of unsigned numbers that wrapped below 0.
  if (capped && asked.size >= Wide{1} << 63) return 0;
  if (asked.rule == detail::CoverRule::exact && asked.size % per_block != 0) return 0;
  Wide largest = floor.max_grid[axis];
  if (floor.max_threads_per_axis != 0)
    largest = std::min<Wide>(largest, floor.max_threads_per_axis / width);
  Wide needed = (asked.size + per_block - 1) / per_block;
  if (capped)
    needed = std::min({needed, static_cast<Wide>(asked.cap), Wide{0xffffffff} / width, largest});
  return needed <= largest ? needed : 0;
}

constexpr detail::SizeBits bits_of(Wide size) {
  return {static_cast<std::uint64_t>(size), size < 0};
}

template <class Rules, int Axis, std::uint32_t Items, bool Capped>
void expect_blocks_of_the_model(const Asked& asked) {
  EXPECT_EQ((detail::blocks_or_zero<Axis, Rules, Items, Capped>(bits_of(asked.size), asked.threads,
                                                                asked.rule, asked.cap)),
            static_cast<std::uint32_t>(blocks_of(asked, floor_of<Rules>, Axis, Items, Capped)))
      << "size " << static_cast<double>(asked.size) << ", threads " << asked.threads << ", exact "
      << (asked.rule == detail::CoverRule::exact) << ", cap " << asked.cap << ", axis " << Axis
      << ", items " << Items << ", capped " << Capped;
}

TEST(CoverModel, BlocksAlongAnAxis) {
  std::vector<Wide> sizes{-5, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 255, 256, 257};
  for (const Wide largest : {Wide{65535}, Wide{2147483647}, Wide{4294967295}, Wide{4194303}}) {
    for (const Wide per_block : {1, 2, 3, 8, 9, 24, 1024}) {
      for (const Wide more : {-1, 0, 1}) sizes.push_back(largest * per_block + more);
    }
  }
  for (const Wide more : {-3, -2, -1}) sizes.push_back((Wide{1} << 64) + more);
  sizes.push_back(-(Wide{1} << 63));
  for (const Wide size : sizes) {
    for (const std::uint32_t threads : {0U, 1U, 2U, 3U, 8U, 1024U}) {
      for (const auto rule : {detail::CoverRule::round_up, detail::CoverRule::exact}) {
        const Asked asked{size, threads, rule, 0};
        expect_blocks_of_the_model<default_backend, 0, 1, false>(asked);
        expect_blocks_of_the_model<default_backend, 1, 1, false>(asked);
        expect_blocks_of_the_model<default_backend, 2, 1, false>(asked);
        expect_blocks_of_the_model<default_backend, 0, 3, false>(asked);
        expect_blocks_of_the_model<default_backend, 0, 0, false>(asked);
        expect_blocks_of_the_model<Amd, 0, 1, false>(asked);
        expect_blocks_of_the_model<Amd, 0, 3, false>(asked);
        expect_blocks_of_the_model<Amd, 0, 0, false>(asked);
        expect_blocks_of_the_model<Amd, 1, 0, false>(asked);
        expect_blocks_of_the_model<Amd, 2, 1, false>(asked);
      }
      for (const std::uint64_t cap : {0ULL, 1ULL, 2ULL, 1000ULL, 65536ULL, 4194304ULL, ~0ULL}) {
        const Asked asked{size, threads, detail::CoverRule::round_up, cap};
        expect_blocks_of_the_model<default_backend, 0, 1, true>(asked);
        expect_blocks_of_the_model<default_backend, 0, 3, true>(asked);
        expect_blocks_of_the_model<default_backend, 0, 0, true>(asked);
        expect_blocks_of_the_model<default_backend, 1, 1, true>(asked);
        expect_blocks_of_the_model<Amd, 0, 1, true>(asked);
      }
    }
  }
}

/// The error that a size of `rank` axes must give, without its place; nullopt: there is a grid.
std::optional<Finding> finding_of_the_model(const std::array<Wide, 3>& sizes,
                                            const Threads& threads, int rank,
                                            detail::CoverRule rule, const DeviceLimits& floor) {
  const auto found = [](Errc code, Wide value, Wide limit, Axis axis) {
    return Finding{code, Stage::construction, static_cast<std::uint64_t>(value),
                   static_cast<std::uint64_t>(limit), axis};
  };
  const auto name = [&](int axis) { return static_cast<Axis>(axis); };
  bool zero = false;
  Wide total = 1;
  bool fits = true;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(rank); ++axis) {
    const int number = static_cast<int>(axis);
    if (threads[axis] == 0) return found(Errc::block_zero, 0, 1024, name(number));
    if (sizes[axis] < 0) {
      return found(Errc::size_negative, -sizes[axis], 0, rank == 1 ? Axis::none : name(number));
    }
    zero = zero || sizes[axis] == 0;
  }
  if (zero) return found(Errc::size_zero, 0, 1, Axis::none);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(rank); ++axis) {
    fits = fits && sizes[axis] <= (Wide{1} << 64) / total;
    if (fits) total *= sizes[axis];
    fits = fits && total < Wide{1} << 64;
  }
  if (!fits) return found(Errc::size_overflow, sizes[0], sizes[1], Axis::none);
  for (std::size_t axis = static_cast<std::size_t>(rank); axis < 3; ++axis) {
    if (threads[axis] > 1) {
      return found(Errc::block_axis_too_large, threads[axis], 1, name(static_cast<int>(axis)));
    }
  }
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(rank); ++axis) {
    const int number = static_cast<int>(axis);
    const Asked asked{sizes[axis], threads[axis], rule, 0};
    if (blocks_of(asked, floor, number, 1, false) != 0) continue;
    const Wide per_block = threads[axis];
    const Wide needed = (sizes[axis] + per_block - 1) / per_block;
    if (rule == detail::CoverRule::exact && sizes[axis] % per_block != 0) {
      return found(Errc::size_not_multiple, sizes[axis], per_block,
                   rank == 1 ? Axis::none : name(number));
    }
    if (needed > floor.max_grid[axis]) {
      return found(Errc::grid_too_large, needed, floor.max_grid[axis], name(number));
    }
    return found(Errc::axis_threads_too_many, needed * per_block, floor.max_threads_per_axis,
                 name(number));
  }
  return std::nullopt;
}

template <class Rules, class Size>
void expect_finding(const Size& size, const std::array<Wide, 3>& sizes, const Threads& threads,
                    int rank, detail::CoverRule rule) {
  const BlockDim block = BlockDim::from_vendor(VendorDims{threads[0], threads[1], threads[2]});
  const auto expected = finding_of_the_model(sizes, threads, rank, rule, floor_of<Rules>);
  const auto text = [&] {
    return ::testing::Message() << static_cast<double>(sizes[0]) << ' '
                                << static_cast<double>(sizes[1]) << ' '
                                << static_cast<double>(sizes[2]) << ", block " << threads[0] << ' '
                                << threads[1] << ' ' << threads[2] << ", rank " << rank;
  };
  const auto grid = rule == detail::CoverRule::exact ? SafeGrid<Rules>::cover_exact(size, block)
                                                     : SafeGrid<Rules>::cover(size, block);
  ASSERT_EQ(grid.has_value(), !expected.has_value()) << text();
  if (expected) {
    EXPECT_EQ(finding(error_in(grid)), *expected) << text();
    return;
  }
  for (int axis = 0; axis < rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    EXPECT_EQ(grid.value().blocks(axis),
              static_cast<std::uint32_t>(
                  blocks_of({sizes[at], threads[at], rule, 0}, floor_of<Rules>, axis, 1, false)))
        << text();
    EXPECT_EQ(grid.value().size(axis), static_cast<std::uint64_t>(sizes[at])) << text();
    EXPECT_EQ(grid.value().shape().grid[axis], grid.value().blocks(axis)) << text();
    EXPECT_EQ(grid.value().shape().block[axis], threads[at]) << text();
  }
  for (int axis = rank; axis < 3; ++axis) EXPECT_EQ(grid.value().shape().grid[axis], 1U) << text();
}

// 20000 sizes and blocks, most of them near a limit.
TEST(CoverModel, WhatIsRefusedAndWhy) {
  std::mt19937_64 random(7);
  const Wide near[] = {-(Wide{1} << 63),
                       -1,
                       0,
                       1,
                       1,
                       2,
                       3,
                       4,
                       5,
                       6,
                       65535,
                       65536,
                       65535 * 3 + 1,
                       Wide{1} << 31,
                       (Wide{1} << 32) - 1024,
                       (Wide{1} << 33),
                       (Wide{1} << 62)};
  const std::uint32_t widths[] = {0, 1, 1, 1, 2, 2, 3, 1024};
  for (int i = 0; i < 20000; ++i) {
    std::array<Wide, 3> sizes{1, 1, 1};
    Threads threads{};
    const int rank = 1 + static_cast<int>(random() % 3);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (axis < static_cast<std::size_t>(rank)) sizes[axis] = near[random() % std::size(near)];
      threads[axis] = widths[random() % std::size(widths)];
      if (axis >= static_cast<std::size_t>(rank)) threads[axis] = std::max(threads[axis], 1U);
    }
    const auto rule = random() % 4 == 0 ? detail::CoverRule::exact : detail::CoverRule::round_up;
    const auto whole = [&](int axis) {
      return static_cast<std::int64_t>(sizes[static_cast<std::size_t>(axis)]);
    };
    const auto both = [&]<class Rules>(Rules*) {
      if (rank == 1) expect_finding<Rules>(whole(0), sizes, threads, rank, rule);
      if (rank == 2) {
        expect_finding<Rules>(extent{x{whole(0)}, y{whole(1)}}, sizes, threads, rank, rule);
      }
      if (rank == 3) {
        expect_finding<Rules>(extent{x{whole(0)}, y{whole(1)}, z{whole(2)}}, sizes, threads, rank,
                              rule);
      }
    };
    both(static_cast<default_backend*>(nullptr));
    both(static_cast<Amd*>(nullptr));
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace warpsafe::core_test
