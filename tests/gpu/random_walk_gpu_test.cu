// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Threads that take steps at random find in memory what they computed on the host, on one device
// and on two whose kernels access each other's memory.

#include "gpu.hpp"
#include "random_walk/cuda_walk.hpp"
#include "wanted.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace warpsafe::random_walk {
namespace {

struct RandomWalkOnGpu : ::testing::Test {
  void SetUp() override { WARPSAFE_TEST_NEEDS_GPU(); }
  static void walk_on(int devices, std::uint64_t seeds) {
    for (const unsigned threads : {1U, 2U, 4U, 8U}) {
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        Options chosen = options(seed, threads, 800);
        chosen.devices = devices;
        ASSERT_EQ(walk(chosen), "") << threads << " threads";
      }
    }
  }
  const std::uint64_t seeds = wanted("WS_TEST_SEEDS", 10);
};

TEST_F(RandomWalkOnGpu, ThreadsFindWhatTheyComputed) { walk_on(1, seeds); }

TEST_F(RandomWalkOnGpu, TwoDevicesDoTheSame) {
  if (device_count().value() < 2) GTEST_SKIP() << "needs two GPUs, and found one";
  for (const int user : {0, 1}) {
    int possible = 0;
    ASSERT_EQ(cudaDeviceCanAccessPeer(&possible, user, 1 - user), cudaSuccess);
    if (possible == 0) GTEST_SKIP() << "device " << user << " cannot access the other's memory";
    ASSERT_EQ(share_memory(1 - user, user), cudaSuccess);
  }
  walk_on(2, seeds);
}

}  // namespace
}  // namespace warpsafe::random_walk
