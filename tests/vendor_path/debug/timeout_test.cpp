// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A watched wait over a vendor's runtime polls instead of blocking, and leaves the last-error slot
// unchanged. Also what the trace says about the runtime's calls.

#include "../stand_in.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/memory/buffer.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace vendor_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;
using warpsafe::Errc;

struct Watched : ::testing::Test {
  Watched() {
    reset();
    successes_leave_last_error();
    warpsafe::debug::set_log_sink(&sink);
  }
  void SetUp() override { skip_what_differs(); }
  ~Watched() override {
    warpsafe::debug::clear_timeout();
    warpsafe::debug::set_log_level(warpsafe::debug::LogLevel::off);
    warpsafe::debug::set_log_sink(nullptr);
    reset();
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  /// Later work of the stream does not end until it is released.
  static void hold([[maybe_unused]] NativeStream stream) {
#if defined(WARPSAFE_BACKEND_CUDA)
    stand_in_cuda_hold(stream);
#else
    amd_control_set_deferred(1);
#endif
  }
  static void let_go([[maybe_unused]] NativeStream stream) {
#if defined(WARPSAFE_BACKEND_CUDA)
    stand_in_cuda_release(stream);
#else
    amd_control_set_deferred(0);
#endif
  }
  static void take(void* user, warpsafe::debug::LogLevel, const char* text,
                   std::size_t size) noexcept {
    static_cast<Watched*>(user)->said.emplace_back(text, size);
  }
  warpsafe::debug::LogSink sink{&take, this};
  std::vector<std::string> said;
};

TEST_F(Watched, AWaitAsksAndIsGivenUpAndTheSlotStaysAsItWas) {
  const auto stream = warpsafe::Stream::create().value();
  auto buffer = warpsafe::DeviceBuffer<int>::create(stream, 4).value();
  hold(stream.native());
  ASSERT_TRUE(buffer.zero(stream).has_value());
  const auto blocked = count("StreamSynchronize");
  warpsafe::debug::set_timeout(20, true);
  const auto waited = stream.synchronize();
  warpsafe::debug::clear_timeout();
  ASSERT_FALSE(waited.has_value());
  EXPECT_EQ(waited.error().code, Errc::wait_timed_out) << waited.error();
  EXPECT_EQ(count("StreamSynchronize"), blocked);
  EXPECT_GT(count("StreamQuery"), 0U);
  EXPECT_EQ(last_error(), code::success);
  ASSERT_THAT(said, SizeIs(1));
  EXPECT_THAT(said[0], StartsWith("warpsafe: a wait has lasted 0.02 s"));
  let_go(stream.native());
  const auto ended = stream.synchronize();
  EXPECT_TRUE(ended.has_value());
}

TEST_F(Watched, ACaptureThatBeginsDuringAWaitGoesOn) {
  const auto stream = warpsafe::Stream::create().value();
  const auto other = warpsafe::Stream::create().value();
  auto buffer = warpsafe::DeviceBuffer<int>::create(stream, 4).value();
  for (const bool on_event : {false, true}) {
    const std::string question = on_event ? "EventQuery" : "StreamQuery";
    std::atomic<bool> ended = false;
    const auto asks_twice_more = [&] {
      const auto before = count(question);
      while (!ended && count(question) < before + 2) std::this_thread::yield();
    };
    hold(stream.native());
    ASSERT_TRUE(buffer.zero(stream).has_value());
    auto event = stream.record().value();
    warpsafe::debug::set_timeout(60'000);
    std::thread waiter([&] {
      EXPECT_TRUE((on_event ? event.synchronize() : stream.synchronize()).has_value());
      ended = true;
    });
    asks_twice_more();
    EXPECT_EQ(begin_capture(other.native()), code::success);
    asks_twice_more();
    EXPECT_EQ(end_capture(other.native()), 0) << question << ": no node, and not broken";
    let_go(stream.native());
    waiter.join();
    warpsafe::debug::clear_timeout();
  }
}

TEST_F(Watched, AStreamThatCapturesIsNotAsked) {
  const auto stream = warpsafe::Stream::create().value();
  const auto other = warpsafe::Stream::create().value();
  ASSERT_EQ(begin_capture(other.native()), code::success);
  warpsafe::debug::set_timeout(20, true);
  const auto asked = count("StreamQuery");
  // Without checks nothing asks whether other code captures the stream, so the wait is made.
  EXPECT_FALSE(other.synchronize<warpsafe::CheckLevel::off>().has_value());
  EXPECT_EQ(count("StreamQuery"), asked);
  EXPECT_EQ(end_capture(other.native()), -1);
}

}  // namespace
}  // namespace vendor_test
