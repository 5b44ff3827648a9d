// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A time that is not that of the work. In a program of its own, because it is told once.

#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace warpsafe::core_test {
namespace {

WARPSAFE_KERNEL void set(DeviceSpan<int> x) {
  for (auto i : grid_stride(x.size())) x[i] = 1;
}

class TimedEvents : public testing::Test {
 protected:
  const Stream work = Stream::create().value();
  const Stream other = Stream::create().value();
  DeviceBuffer<int> x = DeviceBuffer<int>::create(work, 100).value();

  void run(const Stream& stream) {
    launch(stream, SafeGrid<>::cover(x.size(), block<64>), kernel<set>, x.view()).value();
  }
  /// What the measurement prints, if `body` comes between its two events on `stream`.
  template <class Body>
  static std::string said(const Stream& stream, const Body& body) {
    testing::internal::CaptureStderr();
    const auto begin = stream.record_timed({"time.cpp", nullptr, 7}).value();
    body();
    const auto end = stream.record_timed({"time.cpp", nullptr, 9}).value();
    EXPECT_TRUE(elapsed_ms(begin, end).has_value());
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(TimedEvents, AroundWorkOfAnotherStreamAreToldOnce) {
  // Right: the work's own stream, nothing at all, a wait of the host or of the stream.
  EXPECT_EQ(said(work, [&] { run(work); }), "");
  EXPECT_EQ(said(other, [] {}), "");
  const auto wait_of_host = [&] {
    run(work);
    work.synchronize().value();
  };
  EXPECT_EQ(said(other, wait_of_host), "");
  const auto wait_of_stream = [&] {
    run(work);
    wait(other, work.record().value()).value();
  };
  EXPECT_EQ(said(other, wait_of_stream), "");
  // Wrong.
  EXPECT_EQ(said(other, [&] { run(work); }),
            "warpsafe: the time from the event at time.cpp:7 to the event at time.cpp:9 is not "
            "that of the work in between: their stream got none, and other streams did; record "
            "both events on the work's stream\n");
  EXPECT_EQ(said(other, [&] { run(work); }), "");
}

}  // namespace
}  // namespace warpsafe::core_test
