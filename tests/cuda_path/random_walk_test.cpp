// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The stand-in ends the program where a thread makes a call that another thread's capture does not
// bear. It runs no kernels, so nothing is read.

#include "../gpu/random_walk/cuda_walk.hpp"
#include "../gpu/wanted.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace warpsafe::random_walk {
namespace {

TEST(RandomWalk, NoThreadBreaksTheCapturesOfAnother) {
  ASSERT_EQ(share_memory(0, 1), cudaSuccess);
  ASSERT_EQ(share_memory(1, 0), cudaSuccess);
  const std::uint64_t seeds = wanted("WS_TEST_SEEDS", 8);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Options chosen = options(seed, 1 + static_cast<unsigned>(seed % 8), 300);
    chosen.devices = 1 + static_cast<int>(seed % 2);
    chosen.most_bits = 8;
    chosen.computes = false;
    EXPECT_EQ(walk(chosen), "");
  }
}

}  // namespace
}  // namespace warpsafe::random_walk
