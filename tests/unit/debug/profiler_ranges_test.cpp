// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launch_fixture.hpp"
#include <warpsafe/debug/profiler_ranges.hpp>

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace named {
template <class T>
WARPSAFE_KERNEL void ranged() {}
}  // namespace named

namespace warpsafe::core_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> told;  // one thread launches here

struct NotedCalls {
  static void push(const char* text) noexcept { told.push_back(std::string("push ") + text); }
  static void pop() noexcept { told.emplace_back("pop"); }
  static void mark(const char* text) noexcept { told.push_back(std::string("mark ") + text); }
};

struct Ranges : LaunchTest {
  Ranges() { told.clear(); }
  auto go() { return launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<named::ranged<int>>); }
};

TEST_F(Ranges, AreAroundLaunchesAndWaitsAndErrorsAreMarks) {
  {
    const debug::ProfilerRanges<NotedCalls> ranges;
    ASSERT_TRUE(go().has_value());
    ASSERT_TRUE(stream.synchronize().has_value());
    host::fail_next(call_of<&host_backend::launch>, 1, HostStatus::invalid_value);
    ASSERT_FALSE(go().has_value());
  }
  EXPECT_THAT(told, ElementsAre(StartsWith("push named::ranged"), "pop", "push stream synchronize",
                                "pop", StartsWith("push named::ranged"), "pop",
                                StartsWith("mark Kernel 'named::ranged")));
  told.clear();
  ASSERT_TRUE(go().has_value());
  EXPECT_THAT(told, IsEmpty()) << "it has ended";
}

#if __has_include(<nvtx3/nvToolsExt.h>)
TEST_F(Ranges, NvidiasRunWithoutAProfiler) {
  const debug::NvtxRanges ranges;
  EXPECT_TRUE(go().has_value());
  EXPECT_TRUE(stream.synchronize().has_value());
}
#endif
#if __has_include(<rocprofiler-sdk-roctx/roctx.h>) || __has_include(<roctracer/roctx.h>)
static_assert(sizeof(debug::RoctxRanges) != 0, "AMD's compile");
#endif

}  // namespace
}  // namespace warpsafe::core_test
