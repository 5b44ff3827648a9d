// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// WARPSAFE_TRACE and AMD's profilers: which of their functions are called, and when.

#include "../vendor_path/kernels.hpp"
#include "../vendor_path/stand_in.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/memory/buffer.hpp>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using ::testing::_;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class Rocprof : public VendorTest {
 protected:
  void SetUp() override {
    VendorTest::SetUp();
    successes_leave_last_error();
    ws::debug::set_trace("counted", folder.c_str());
  }
  void TearDown() override {
    ws::debug::set_trace(nullptr);
    std::filesystem::remove_all(folder);
    VendorTest::TearDown();
  }
  /// Loads a library like a preloaded profiler, or like a library that the program links.
  void bring_in(const char* path) {
    void* const library = ::dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    using Take = void(const char*);
    auto* const report_to =
        reinterpret_cast<void (*)(Take*)>(::dlsym(library, "profiler_stand_in_report_to"));
    ASSERT_NE(report_to, nullptr);
    report_to(&take);
  }
  /// The profiler's calls around the launch of `counted`, with the launch and waits between them.
  std::vector<std::string> told_around_a_launch() {
    said.clear();
    const auto stream = make_stream();
    const auto buffer = ws::DeviceBuffer<float>::create(stream, 4).value();
    const std::size_t before = recorded_calls().size();
    const ws::LaunchConfig config{ws::grid<1>, ws::block<32>};
    EXPECT_THAT(ws::launch(stream, config, ws::kernel<counted>, buffer.view(), 4U), Succeeds());
    const auto calls = recorded_calls();
    std::vector<std::string> found;
    std::size_t next = 0;
    for (std::size_t i = before; i <= calls.size(); ++i) {
      while (next < said.size() && said[next].second == i) found.push_back(said[next++].first);
      if (i == calls.size()) break;
      const std::string name = calls[i].function;
      if (name == "hipLaunchKernel" || name == "hipStreamSynchronize" || name == "hipMemcpyAsync")
        found.push_back(name);
    }
    return found;
  }

  static void take(const char* call) { said.emplace_back(call, recorded_calls().size()); }
  static inline std::vector<std::pair<std::string, std::size_t>> said;
  const std::string folder = ::testing::TempDir() + "rocprof_test." + std::to_string(::getpid());
};

bool loaded = false;  // the profilers, which stay

// In another process, because a loaded library stays in use once it was found.
using RocprofDeathTest = Rocprof;
TEST_F(RocprofDeathTest, ROCTxAloneIsTold) {
  if (loaded) GTEST_SKIP() << "the profilers are loaded: the first round of the tests did this";
  EXPECT_EXIT(
      {
        bring_in(HIP_PATH_ROCTX);
        EXPECT_THAT(told_around_a_launch(), Contains("roctxProfilerResume"));
        std::_Exit(HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

// One test for the same reason.
TEST_F(Rocprof, SeesTheLaunchAlone) {
  if (loaded) GTEST_SKIP() << "the profilers are loaded: the first round of the tests did this";
  loaded = true;
  EXPECT_THAT(told_around_a_launch(),
              ElementsAre("hipStreamSynchronize", "hipMemcpyAsync", "hipStreamSynchronize",
                          "hipLaunchKernel", "hipStreamSynchronize", "hipStreamSynchronize"))
      << "without a profiler";

  ASSERT_NO_FATAL_FAILURE(bring_in(HIP_PATH_ROCTRACER));
  EXPECT_THAT(told_around_a_launch(),
              ElementsAre("hipStreamSynchronize", "hipMemcpyAsync", "hipStreamSynchronize",
                          "roctracer_start", "hipLaunchKernel", "hipStreamSynchronize",
                          "roctracer_stop", "hipStreamSynchronize"));

  // If both are loaded, the newer one is used.
  ASSERT_NO_FATAL_FAILURE(bring_in(HIP_PATH_ROCTX));
  EXPECT_THAT(told_around_a_launch(),
              ElementsAre("hipStreamSynchronize", "hipMemcpyAsync", "hipStreamSynchronize",
                          "roctxProfilerResume", "hipLaunchKernel", "hipStreamSynchronize",
                          "roctxProfilerPause", "hipStreamSynchronize"));

  ws::detail::BackendCalls other{};
  other.vendor = ws::Vendor::host;
  said.clear();
  ws::debug::detail::switch_profiler(other, true);
  EXPECT_THAT(said, IsEmpty()) << "they record no other backend";

  const auto stream = make_stream();
  const auto buffer = ws::DeviceBuffer<float>::create(stream, 4).value();
  fail("LaunchKernel", 1, code::invalid_value);
  said.clear();
  const ws::LaunchConfig config{ws::grid<1>, ws::block<32>};
  EXPECT_FALSE(ws::launch(stream, config, ws::kernel<counted>, buffer.view(), 4U).has_value());
  EXPECT_THAT(said, ElementsAre(Pair("roctxProfilerResume", _), Pair("roctxProfilerPause", _)))
      << "of a launch that the runtime refuses, too";
}

}  // namespace
}  // namespace vendor_test
