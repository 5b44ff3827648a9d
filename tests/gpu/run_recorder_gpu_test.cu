// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The tools that follow a run, on a device: a wait that hangs, the GPU's times, the calls in the
// log.

#include "gpu.hpp"
#include <warpsafe/args/trust.hpp>
#include <warpsafe/debug.hpp>
#include <warpsafe/debug/profiler_ranges.hpp>
#include <warpsafe/debug/run/journal_file.hpp>
#include <warpsafe/debug/run/run_recorder.hpp>
#include <warpsafe/debug/run/timeline_export.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ws = warpsafe;

/// Runs until the host sets the flag, in memory that both can reach.
WARPSAFE_KERNEL void holds(const int* go) {
  const volatile int* const looked_at = go;
  while (*looked_at == 0) {
  }
}
WARPSAFE_KERNEL void burns(long long cycles) {
  const long long begun = clock64();
  while (clock64() - begun < cycles) {
  }
}

namespace {

constexpr ws::LaunchConfig small{ws::grid<1>, ws::block<32>};

std::vector<std::string> messages;  // of one thread
void take(void*, ws::debug::LogLevel, const char* text, std::size_t size) noexcept {
  messages.emplace_back(text, size);
}
constexpr ws::debug::LogSink sink{&take, nullptr};

TEST(RunRecorderGpu, AWaitThatHangsSaysWhatIsInFlightAndIsGivenUp) {
  WARPSAFE_TEST_NEEDS_GPU();
  static_cast<void>(cudaGetLastError());  // another test's
  const auto stream = ws::Stream::create().value();
  auto flag = ws::PinnedBuffer<int>::create(1).value();
  volatile int* const go = flag.span().data();
  *go = 0;
  ws::debug::set_log_sink(&sink);
  ws::debug::set_timeout(200, true);
  messages.clear();
  ASSERT_TRUE(
      ws::launch(stream, small, ws::kernel<holds>, ws::trust(flag.span().data())).has_value());
  const auto waited = stream.synchronize();
  *go = 1;
  ws::debug::clear_timeout();
  ws::debug::set_log_sink(nullptr);
  ASSERT_FALSE(waited.has_value());
  EXPECT_EQ(waited.error().code, ws::Errc::wait_timed_out) << waited.error();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_NE(messages[0].find("'holds', grid=(1,1,1), block=(32,1,1)"), std::string::npos)
      << messages[0];
  const auto ended = stream.synchronize();
  EXPECT_TRUE(ended.has_value());
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "the questions left nothing in the slot";
}

TEST(RunRecorderGpu, GpuTimesMatchTheKernels) {
  WARPSAFE_TEST_NEEDS_GPU();
  const auto stream = ws::Stream::create().value();
  // The first launch of a kernel loads it, in the time of that launch.
  ASSERT_TRUE(ws::launch(stream, small, ws::kernel<burns>, 1LL).has_value());
  ASSERT_TRUE(stream.synchronize().has_value());
  // Another process may hold the GPU or the core for a while, so one of some runs has to be exact.
  // Wrong times are wrong in each.
  constexpr std::uint64_t millisecond = 1'000'000;
  std::string found;
  ws::debug::RunRecord run;
  for (int i = 0; i < 20; ++i) {
    ws::debug::RunRecorder recorder;
    recorder.start({.gpu_times = true});
    ASSERT_TRUE(ws::launch(stream, small, ws::kernel<burns>, 1000LL).has_value());
    ASSERT_TRUE(ws::launch(stream, small, ws::kernel<burns>, 10'000'000LL).has_value());
    ASSERT_TRUE(stream.synchronize().has_value());
    recorder.stop();
    run = recorder.run();
    ASSERT_EQ(run.launches.size(), 2U);
    ASSERT_EQ(run.waits.size(), 1U);
    const auto& quick = run.launches[0];
    const auto& slow = run.launches[1];
    ASSERT_NE(slow.gpu_begun, 0U);
    EXPECT_GE(slow.gpu_begun, quick.gpu_ended);
    // Both clocks start together: the GPU's work ends shortly before the wait for it ends.
    const std::uint64_t waited = run.waits[0].wait.ended;
    if (slow.gpu_ended - slow.gpu_begun > 10 * (quick.gpu_ended - quick.gpu_begun) &&
        slow.gpu_ended < waited + millisecond / 2 && slow.gpu_ended + millisecond > waited) {
      found.clear();
      break;
    }
    found += " quick " + std::to_string(quick.gpu_ended - quick.gpu_begun) + ", slow " +
             std::to_string(slow.gpu_ended - slow.gpu_begun) + ", ended " +
             std::to_string(slow.gpu_ended) + ", waited " + std::to_string(waited) + ';';
  }
  EXPECT_EQ(found, "") << "nanoseconds of 20 runs";
  EXPECT_GT(run.environment.versions.driver, 12000);
  EXPECT_GT(run.environment.versions.runtime, 12000);
  EXPECT_EQ(ws::debug::write_journal(run, "/dev/null"), 0);
  EXPECT_EQ(ws::debug::write_trace(run, "/dev/null"), 0);
}

TEST(RunRecorderGpu, TheTraceHasTheProgramsOperations) {
  WARPSAFE_TEST_NEEDS_GPU();
  ws::debug::set_log_sink(&sink);
  ws::debug::set_log_level(ws::debug::LogLevel::trace);
  messages.clear();
  const auto stream = ws::Stream::create().value();
  ASSERT_TRUE(ws::launch(stream, small, ws::kernel<burns>, 1U).has_value());
  ASSERT_TRUE(stream.synchronize().has_value());
  ws::debug::set_log_level(ws::debug::LogLevel::off);
  ws::debug::set_log_sink(nullptr);
  std::string all;
  for (const std::string& one : messages) all += one + '\n';
  for (const char* line : {"  stream create, stream 0x", " launch(stream 0x", ") = cudaSuccess, ",
                           "  stream synchronize, stream 0x"}) {
    EXPECT_NE(all.find(line), std::string::npos) << line << " is not in\n" << all;
  }
}

#if __has_include(<nvtx3/nvToolsExt.h>)
TEST(RunRecorderGpu, RangesAreMadeWhetherAProfilerLooksOrNot) {
  WARPSAFE_TEST_NEEDS_GPU();
  const ws::debug::NvtxRanges ranges;
  const auto stream = ws::Stream::create().value();
  ASSERT_TRUE(ws::launch(stream, small, ws::kernel<burns>, 1U).has_value());
  EXPECT_TRUE(stream.synchronize().has_value());
}
#endif

}  // namespace
