// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The loop over a block's threads, without a runner: the order of the threads, and their values.

#include "host_test_kernel.hpp"
#include <warpsafe/backend/detail/host_thread.hpp>

#include <gmock/gmock.h>

#include <array>
#include <vector>

namespace warpsafe::host_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

/// A thread of a block of (3,2,2), without functions to call.
HostThread thread_at(unsigned x, unsigned y, unsigned z) {
  HostThread thread{};
  const std::array<unsigned, 3> index{x, y, z};
  const std::array<unsigned, 3> size{3, 2, 2};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    thread.thread[axis] = index.at(axis);
    thread.block_dim[axis] = size.at(axis);
  }
  thread.continues = true;
  return thread;
}
template <class Call>
void run(HostThread& thread, Call call) {
  detail::host_thread = &thread;
  host::run_threads(call);
  detail::host_thread = nullptr;
}
unsigned decimal(const HostThread& thread) {
  return 100 * thread.thread[2] + 10 * thread.thread[1] + thread.thread[0];
}

TEST(ThreadLoop, GoesOnToTheEndOfTheBlock) {
  HostThread thread = thread_at(1, 0, 0);
  std::vector<unsigned> seen;
  run(thread, [&] { seen.push_back(decimal(thread)); });
  EXPECT_THAT(seen, ElementsAre(1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112));
  thread = thread_at(2, 1, 1);
  seen.clear();
  run(thread, [&] { seen.push_back(decimal(thread)); });
  EXPECT_THAT(seen, ElementsAre(112));
}

TEST(ThreadLoop, EndsOnceOthersHaveTheNextThreads) {
  HostThread thread = thread_at(0, 0, 0);
  std::vector<unsigned> seen;
  const auto until_the_fourth = [&] {
    seen.push_back(decimal(thread));
    if (seen.size() == 4) thread.continues = false;
  };
  run(thread, until_the_fourth);
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 10));
  EXPECT_EQ(decimal(thread), 10U);
  run(thread, until_the_fourth);
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 10, 10));
}

TEST(ThreadLoop, CallsTheEndOnceTheThreadsAfterItHaveOthers) {
  static int ended = 0;
  ended = 0;
  HostThread thread = thread_at(0, 0, 0);
  thread.end = [](HostThread& self, void*) { ended += static_cast<int>(100 + self.thread[0]); };
  run(thread, [] {});
  EXPECT_EQ(ended, 0) << "the last thread of the loop returns";
  thread = thread_at(1, 0, 0);
  thread.end = [](HostThread& self, void*) {
    ended += static_cast<int>(100 + self.thread[0]);
    self.end = nullptr;
  };
  run(thread, [&] { thread.continues = false; });
  EXPECT_EQ(ended, 101);
}

TEST(ThreadLoop, GoesOnWithTheThreadThatTheEndFinds) {
  HostThread thread = thread_at(2, 0, 0);
  std::vector<unsigned> seen;
  // Thread (2,0,0) ends; then (1,1,1) of the next block, which continues to the end.
  thread.end = [](HostThread& self, void*) {
    for (unsigned& axis : self.thread) axis = 1;
    ++self.block[0];
    self.continues = true;
  };
  run(thread, [&] {
    seen.push_back(1000 * thread.block[0] + decimal(thread));
    if (seen.size() == 1) thread.continues = false;
  });
  EXPECT_THAT(seen, ElementsAre(2, 1111, 1112));
}

struct Table {
  int entries[32];
};

/// Spoils its own parameters, and where one of them came from.
void spoil(int* source, int number, Table table, std::vector<int>* seen) {
  seen->push_back(number + table.entries[31]);
  *source = 70;
  number = 700;
  table.entries[31] = 7000;
}

TEST(ThreadLoop, EveryThreadHasTheLaunchsValues) {
  int number = 1;
  int* source = &number;
  Table table{};
  table.entries[31] = 2;
  std::vector<int> seen;
  std::vector<int>* sink = &seen;
  void* args[] = {&source, &number, &table, &sink};
  HostThread thread = thread_at(0, 0, 0);
  detail::host_thread = &thread;
  host::ThreadLoop<&spoil, int*, int, Table, std::vector<int>*>::run(nullptr, args);
  detail::host_thread = nullptr;
  EXPECT_EQ(seen.size(), 12U);
  EXPECT_THAT(seen, Each(3));
}

}  // namespace
}  // namespace warpsafe::host_test
