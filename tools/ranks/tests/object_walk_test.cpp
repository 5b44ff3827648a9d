// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "tools/common/object_walk.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <thread>

namespace warpsafe::ranks {
namespace {

int count(dl_phdr_info*, std::size_t, void* objects) {
  ++*static_cast<int*>(objects);
  return 0;
}

TEST(ObjectWalks, AChildCanWalkAfterAForkBesideWalks) {
  std::atomic<bool> stop{false};
  const auto walk = [&stop] {
    for (int objects = 0; !stop;) ObjectWalks::walk(&count, &objects);
  };
  std::thread one(walk);
  std::thread other(walk);
  int status = 0;
  for (int i = 0; i < 200 && status == 0; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);
      int own = 0;
      ::dl_iterate_phdr(&count, &own);  // as a throw does
      int objects = 0;
      ObjectWalks::walk(&count, &objects);
      ::_exit(objects > 0 && objects == own ? 0 : 1);
    }
    ASSERT_EQ(::waitpid(child, &status, 0), child);
  }
  stop = true;
  one.join();
  other.join();
  EXPECT_EQ(status, 0);
}

TEST(ObjectWalks, AVisitorMayWalkAndFork) {
  const auto visit = [](dl_phdr_info*, std::size_t, void* result) {
    int objects = 0;
    ObjectWalks::walk(&count, &objects);
    const pid_t child = ::fork();
    if (child == 0) ::_exit(7);
    int status = 0;
    ::waitpid(child, &status, 0);
    *static_cast<bool*>(result) = objects > 0 && WEXITSTATUS(status) == 7;
    return 1;
  };
  bool is_right = false;
  EXPECT_EQ(ObjectWalks::walk(visit, &is_right), 1);
  EXPECT_TRUE(is_right);
}

}  // namespace
}  // namespace warpsafe::ranks
