// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The library's lock: one holder at a time, and none that a fork has left behind.

#include <warpsafe/core/detail/process_lock.hpp>

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

namespace warpsafe::core_test {
namespace {

using detail::Locked;
using detail::ProcessLock;

/// Runs `body` in a child of a fork. Returns what `body` returns; -1 if the child does not end.
template <class Body>
int in_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    ::alarm(20);
    ::_exit(body());
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ProcessLock, AThreadThatIsCancelledWhileItWaitsTakesTheLockFirst) {
  ProcessLock lock{};
  std::atomic<bool> tries{false}, taken{false};
  lock.lock();
  std::thread other([&] {
    tries = true;
    // As a destructor is: an exception, as a cancellation is, would end the program.
    [&]() noexcept { const Locked held(lock); }();
    taken = true;
    ::pause();
  });
  while (!tries) std::this_thread::yield();
  ::usleep(10'000);  // longer than it yields, so that it sleeps
  pthread_cancel(other.native_handle());
  ::usleep(10'000);
  EXPECT_FALSE(taken);
  lock.unlock();
  other.join();
  EXPECT_TRUE(taken);
  EXPECT_TRUE(lock.try_lock());
}
TEST(ProcessLock, LetsNobodyInWhileItIsHeld) {
  ProcessLock lock{};
  lock.lock();
  EXPECT_FALSE(lock.try_lock());
  std::atomic<bool> tries{false}, released{false}, early{false};
  std::thread other([&] {
    tries = true;
    const Locked held(lock);
    early = !released;
  });
  while (!tries) std::this_thread::yield();
  ::usleep(10'000);  // longer than it yields, so that it sleeps
  released = true;
  lock.unlock();
  other.join();
  EXPECT_FALSE(early);
  EXPECT_TRUE(lock.try_lock()) << "its end frees it";
}

TEST(ProcessLock, CountsWithManyThreads) {
  ProcessLock lock{};
  int count = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        const Locked held(lock);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 4000);
}

TEST(ProcessLock, AChildTakesWhatAThreadOfItsParentHeld) {
  ProcessLock lock{};
  lock.lock();
  const auto take = [&] {
    lock.lock();
    const int taken = lock.try_lock() ? 1 : 0;  // held now, by this child
    lock.unlock();
    return taken + (lock.try_lock() ? 0 : 2);
  };
  EXPECT_EQ(in_child(take), 0);
  EXPECT_EQ(in_child([&] { return in_child(take); }), 0) << "a child's child";
  EXPECT_EQ(in_child([&] {
              lock.lock();
              return in_child(take);  // held by the child, and not by its child
            }),
            0);
  EXPECT_FALSE(lock.try_lock()) << "the parent's is another copy";
}

TEST(ProcessNumber, DiffersInEachChild) {
  const unsigned mine = detail::process_number();
  EXPECT_NE(mine, 0U);
  EXPECT_EQ(detail::process_number(), mine);
  EXPECT_EQ(in_child([&] {
              const unsigned childs = detail::process_number();
              const bool differ = in_child([&] {
                                    const unsigned last = detail::process_number();
                                    return last != mine && last != childs ? 0 : 1;
                                  }) == 0;
              return childs != mine && childs != 0 && differ ? 0 : 1;
            }),
            0);
  EXPECT_EQ(detail::process_number(), mine);
}

}  // namespace
}  // namespace warpsafe::core_test
