// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// How the host backend runs kernels: every thread once, barriers, shared memory, and
// failures.

#include "host_test_kernel.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace warpsafe::host_test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

std::string text_of(int status) {
  const Name text = host_backend::error_text(status);
  return {text.data, text.size};
}

void count_thread(unsigned* counts) {
  ++counts[block_number() * self().block_dim[0] * self().block_dim[1] * self().block_dim[2] +
           thread_number()];
}

struct HostKernel : HostTest {};

TEST_F(HostKernel, RunsEachThreadOfAThreeDimensionalGridOnce) {
  // Axes with a common divisor too: wrong arithmetic may meet each block of the others once.
  for (const auto& grid : {std::array<std::uint32_t, 3>{3, 4, 2}, {4, 6, 2}, {2, 2, 2}}) {
    LaunchShape shape;
    const std::uint32_t block[3] = {5, 3, 2};
    std::copy_n(grid.begin(), 3, shape.grid);
    std::copy_n(block, 3, shape.block);
    std::vector<unsigned> counts(shape.blocks() * 30, 0);
    ASSERT_EQ(launch_raw(stream, shape, count_thread, counts.data()), 0);
    ASSERT_EQ(synchronize(), 0);
    EXPECT_THAT(counts, Each(1U));
  }
}

void reverse_through_shared(int* data, int rounds) {
  int* const shared = reinterpret_cast<int*>(self().dynamic_shared);
  const unsigned threads = self().block_dim[0];
  int* const mine = data + block_number() * threads;
  for (int round = 0; round < rounds; ++round) {
    shared[self().thread[0]] = mine[self().thread[0]];
    sync_block();
    mine[self().thread[0]] = shared[threads - 1 - self().thread[0]];
    sync_block();
  }
}

TEST_F(HostKernel, SeveralHostThreadsLaunchBarriersAtOnce) {
  std::vector<std::thread> launchers;
  std::atomic<int> wrong = 0;
  for (std::uint32_t threads = 3; threads <= 6; ++threads) {
    launchers.emplace_back([threads, &wrong] {
      host::StreamHandle* own = nullptr;
      if (host_backend::stream_create(own, 0) != 0) ++wrong;
      LaunchShape shape = shape_of(5, threads, threads * sizeof(int));
      for (int i = 0; i < 10; ++i) {
        std::vector<int> data(std::size_t{5} * threads);
        std::iota(data.begin(), data.end(), 0);
        const std::vector<int> before = data;
        if (launch_raw(own, shape, reverse_through_shared, data.data(), 2) != 0) ++wrong;
        if (host_backend::stream_synchronize(own) != 0 || data != before) ++wrong;
      }
      if (host_backend::stream_destroy(own) != 0) ++wrong;
    });
  }
  for (std::thread& launcher : launchers) launcher.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(HostKernel, BarriersOrderTheBlockAsOftenAsTheyAreCalled) {
  for (const int rounds : {1, 2, 7}) {
    std::vector<int> data(8 * 64);
    std::iota(data.begin(), data.end(), 0);
    ASSERT_EQ(launch_raw(stream, shape_of(8, 64, 64 * sizeof(int)), reverse_through_shared,
                         data.data(), rounds),
              0);
    ASSERT_EQ(synchronize(), 0);
    for (int i = 0; i < 8 * 64; ++i) {
      const int reversed = i / 64 * 64 + 63 - i % 64;
      ASSERT_EQ(data[static_cast<std::size_t>(i)], rounds % 2 == 1 ? reversed : i);
    }
  }
}

void static_variables(const char* key, double* seen) {
  auto* const shared =
      static_cast<double*>(self().static_shared(self(), key, 2 * sizeof(double), alignof(double)));
  auto* const other =
      static_cast<double*>(self().static_shared(self(), key + 1, sizeof(double), alignof(double)));
  if (self().thread[0] == 0) {
    shared[0] = block_number();
    shared[1] = 0.5;
    other[0] = 100;
  }
  sync_block();
  seen[block_number() * self().block_dim[0] + self().thread[0]] = shared[0] + shared[1] + other[0];
}

TEST_F(HostKernel, StaticSharedVariablesBelongToTheBlock) {
  std::vector<double> seen(4 * 8);
  static constexpr char keys[2] = {};
  ASSERT_EQ(launch_raw(stream, shape_of(4, 8), static_variables, keys, seen.data()), 0);
  ASSERT_EQ(synchronize(), 0);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i], static_cast<double>(i / 8) + 100.5);
  }
}

void read_shared_first(std::uint32_t* seen) {
  if (self().thread[0] != 0) return;
  const auto* const words = reinterpret_cast<const std::uint32_t*>(self().dynamic_shared);
  seen[block_number()] = words[3];
  const_cast<std::uint32_t*>(words)[3] = 7;
}

TEST_F(HostKernel, SharedMemoryIsNotWhatTheLastBlockLeft) {
  std::vector<std::uint32_t> seen(16, 0);
  ASSERT_EQ(launch_raw(stream, shape_of(16, 2, 16), read_shared_first, seen.data()), 0);
  ASSERT_EQ(synchronize(), 0);
  EXPECT_THAT(seen, Each(host::fresh_pattern));
}

void see_dynamic_shared(const void** address, std::size_t* bytes) {
  *address = self().dynamic_shared;
  *bytes = self().dynamic_shared_bytes;
}

TEST_F(HostKernel, NoDynamicSharedMemoryIsNull) {
  const void* address = this;
  std::size_t bytes = 1;
  ASSERT_EQ(launch_raw(stream, shape_of(1, 1), see_dynamic_shared, &address, &bytes), 0);
  ASSERT_EQ(synchronize(), 0);
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(bytes, 0U);
}

TEST_F(HostKernel, ThereIsNoThreadOutsideOfKernels) { EXPECT_EQ(detail::host_thread, nullptr); }

void copy_arguments(char a, double b, std::uint64_t c, double* out) {
  out[0] = a;
  out[1] = b;
  out[2] = static_cast<double>(c);
}

TEST_F(HostKernel, ArgumentsAreCopiedAtTheLaunch) {
  double out[3] = {9, 9, 9};
  // launch_raw()'s own copies of the values are destroyed before the kernel runs.
  ASSERT_EQ(launch_raw(stream, shape_of(1, 1), copy_arguments, 'x', 2.5, 1ULL << 40, out), 0);
  ASSERT_EQ(synchronize(), 0);
  EXPECT_EQ(out[0], 'x');
  EXPECT_EQ(out[1], 2.5);
  EXPECT_EQ(out[2], 0x1p40);
}

// Divergence.

void half_waits() {
  if (self().thread[0] < 3) sync_block("half.cu", 12);
}
TEST_F(HostKernel, ThreadsThatFinishWhileOthersWaitAreReported) {
  ASSERT_EQ(launch_raw(stream, shape_of(1, 8), half_waits), 0);
  const int status = synchronize();
  ASSERT_EQ(status, raw(HostStatus::barrier_divergence));
  EXPECT_EQ(host_backend::classify(status), Errc::barrier_divergence);
  EXPECT_EQ(text_of(status),
            "barrier divergence in block (0,0,0): of 8 threads, 3 wait at half.cu:12, 5 have "
            "finished");
  EXPECT_EQ(synchronize(), 0) << "the context is not lost";
}

TEST_F(HostKernel, TheModelRunsOnAfterADivergence) {
  std::vector<int> data(64);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(launch_raw(stream, shape_of(4, 64), half_waits), 0);
    ASSERT_EQ(synchronize(), raw(HostStatus::barrier_divergence));
    std::iota(data.begin(), data.end(), 0);
    ASSERT_EQ(launch_raw(stream, shape_of(1, 64, 256), reverse_through_shared, data.data(), 1), 0);
    ASSERT_EQ(synchronize(), 0);
    EXPECT_EQ(data[0], 63);
  }
}

void parts_at_the_second_barrier() {
  sync_block();
  sync_block("later.cu", self().thread[0] < 32 ? 1 : 2);
}
TEST_F(HostKernel, ThreadsThatPartAtALaterBarrierAreReported) {
  ASSERT_EQ(launch_raw(stream, shape_of(2, 64), parts_at_the_second_barrier), 0);
  const int status = synchronize();
  ASSERT_EQ(status, raw(HostStatus::barrier_divergence));
  EXPECT_THAT(text_of(status), HasSubstr(": of 64 threads, 32 wait at later.cu:"));
  EXPECT_THAT(text_of(status), HasSubstr(", 32 at later.cu:"));
}

// Exceptions.

void throws_at_five() {
  if (self().thread[0] == 5) throw std::runtime_error("five");
}
TEST_F(HostKernel, AnExceptionIsALostContextWithAText) {
  ASSERT_EQ(launch_raw(stream, shape_of(1, 8), throws_at_five), 0);
  ASSERT_EQ(synchronize(), raw(HostStatus::launch_failure));
  EXPECT_EQ(text_of(raw(HostStatus::launch_failure)),
            "the kernel threw in block (0,0,0), thread (5,0,0): five");
  EXPECT_EQ(synchronize(), raw(HostStatus::launch_failure)) << "a lost context stays lost";
  EXPECT_EQ(launch_raw(stream, shape_of(1, 8), half_waits), raw(HostStatus::launch_failure));
  host::reset();
  EXPECT_EQ(synchronize(), 0);
}

void count_blocks(std::atomic<unsigned>* blocks) {
  if (self().thread[0] == 0) ++*blocks;
}

TEST_F(HostKernel, ManySmallBlocksAllRun) {
  std::atomic<unsigned> blocks = 0;
  const std::uint32_t count = host::thread_sanitizer ? 200 : 20000;
  ASSERT_EQ(launch_raw(stream, shape_of(count, 4), count_blocks, &blocks), 0);
  ASSERT_EQ(synchronize(), 0);
  EXPECT_EQ(blocks, count);
}

/// Block n passes n barriers. After the first barrier, each thread reads what the previous one
/// wrote.
void barriers_by_block(unsigned* sums) {
  unsigned* const shared = reinterpret_cast<unsigned*>(self().dynamic_shared);
  const unsigned threads = self().block_dim[0] * self().block_dim[1] * self().block_dim[2];
  const unsigned me = thread_number();
  unsigned sum = 0;
  for (unsigned round = 0; round < block_number() % 4; ++round) {
    shared[round * threads + me] = me + round;
    sync_block();
    sum += shared[round * threads + (me + threads - 1) % threads];
  }
  sums[block_number() * threads + me] = sum;
}

TEST_F(HostKernel, BlocksOfOneGridMayDifferInTheirBarriers) {
  LaunchShape shape = shape_of(16, 5, 3 * 30 * sizeof(unsigned));
  shape.block[1] = 3;
  shape.block[2] = 2;
  std::vector<unsigned> sums(std::size_t{16} * 30, 1000);
  ASSERT_EQ(launch_raw(stream, shape, barriers_by_block, sums.data()), 0);
  ASSERT_EQ(synchronize(), 0);
  for (unsigned block = 0; block < 16; ++block) {
    for (unsigned thread = 0; thread < 30; ++thread) {
      const unsigned rounds = block % 4;
      const unsigned before = (thread + 29) % 30;
      EXPECT_EQ(sums[block * 30 + thread], rounds * before + rounds * (rounds - 1) / 2);
    }
  }
}

TEST_F(HostKernel, FullBlocksWithBarriersRun) {
  const std::uint32_t blocks = host::thread_sanitizer ? 1 : 16;
  std::vector<int> data(blocks * 1024);
  std::iota(data.begin(), data.end(), 0);
  ASSERT_EQ(
      launch_raw(stream, shape_of(blocks, 1024, 4096), reverse_through_shared, data.data(), 5), 0);
  ASSERT_EQ(synchronize(), 0);
  EXPECT_EQ(data[0], 1023);
  EXPECT_EQ(data[blocks * 1024 - 1], static_cast<int>((blocks - 1) * 1024));
}

}  // namespace
}  // namespace warpsafe::host_test
