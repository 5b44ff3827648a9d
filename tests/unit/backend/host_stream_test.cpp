// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Streams and events of the host backend. Streams are asynchronous, run their work in order, and
// are ordered with each other only by events.

#include "host_test_kernel.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace warpsafe::host_test {
namespace {

void append(std::vector<int>* log, int value) { log->push_back(value); }
void see(const Flag* flag, bool* seen) { *seen = *flag; }

struct HostStream : HostTest {
  HostStream() {
    EXPECT_EQ(host_backend::stream_create(other, 0), 0);
    EXPECT_EQ(host_backend::event_create(event, true), 0);
  }
  ~HostStream() override {
    EXPECT_EQ(host_backend::event_destroy(event), 0);
    EXPECT_EQ(host_backend::stream_destroy(other), 0);
  }
  HostStream(const HostStream&) = delete;
  HostStream& operator=(const HostStream&) = delete;

  host::StreamHandle* other = nullptr;
  host::EventHandle* event = nullptr;
};

TEST_F(HostStream, ALaunchReturnsBeforeTheKernelHasRun) {
  Flag go = false;
  EXPECT_EQ(host_backend::stream_query(stream), 0);
  ASSERT_EQ(launch_raw(stream, shape_of(1, 1), wait_for, &go), 0);
  EXPECT_EQ(host_backend::stream_query(stream), host_backend::not_ready);
  EXPECT_EQ(host_backend::peek_last_error(), 0) << "an unfinished query is no failure";
  go = true;
  EXPECT_EQ(synchronize(), 0);
  EXPECT_EQ(host_backend::stream_query(stream), 0);
}

TEST_F(HostStream, OperationsRunInTheirOrder) {
  std::vector<int> log;
  std::vector<int> expected;
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(launch_raw(stream, shape_of(1, 1), append, &log, i), 0);
    expected.push_back(i);
  }
  ASSERT_EQ(synchronize(), 0);
  EXPECT_EQ(log, expected);
}

TEST_F(HostStream, StreamsRunSideBySide) {
  Flag go = false;
  ASSERT_EQ(launch_raw(stream, shape_of(1, 1), wait_for, &go), 0);
  ASSERT_EQ(launch_raw(other, shape_of(1, 1), set, &go), 0);
  EXPECT_EQ(synchronize(), 0);
}

TEST_F(HostStream, AWaitDoesNotCoverWhatAnotherThreadSubmitsMeanwhile) {
  constexpr auto wait = host::call_of<&host_backend::stream_synchronize>;
  Flag go = false;
  Flag go_later = false;
  Flag waited = false;
  ASSERT_EQ(launch_raw(stream, shape_of(1, 1), wait_for, &go), 0);
  const auto before = host::calls_made(wait);
  std::thread waiting([&] {
    EXPECT_EQ(host_backend::stream_synchronize(stream), 0);
    waited = true;
  });
  while (host::calls_made(wait) == before) std::this_thread::yield();
  EXPECT_EQ(launch_raw(stream, shape_of(1, 1), wait_for, &go_later), 0);
  go = true;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!waited && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_TRUE(waited);
  go_later = true;
  waiting.join();
  EXPECT_EQ(synchronize(), 0);
}

TEST_F(HostStream, AWaitHoldsTheStreamUntilTheRecordIsDone) {
  Flag go = false;
  Flag first = false;
  bool seen = false;
  ASSERT_EQ(launch_raw(stream, shape_of(1, 1), wait_for, &go), 0);
  ASSERT_EQ(launch_raw(stream, shape_of(1, 1), set, &first), 0);
  ASSERT_EQ(host_backend::event_record(event, stream), 0);
  EXPECT_EQ(host_backend::event_query(event), host_backend::not_ready);
  ASSERT_EQ(host_backend::stream_wait(other, event), 0);
  ASSERT_EQ(launch_raw(other, shape_of(1, 1), see, &first, &seen), 0);
  EXPECT_EQ(host_backend::stream_query(other), host_backend::not_ready);
  go = true;
  ASSERT_EQ(host_backend::stream_synchronize(other), 0);
  EXPECT_TRUE(seen);
  EXPECT_EQ(host_backend::event_query(event), 0);
}

TEST_F(HostStream, AWaitIsForTheRecordThatWasCurrentWhenItWasCalled) {
  Flag go = false;
  ASSERT_EQ(host_backend::event_record(event, stream), 0);
  ASSERT_EQ(host_backend::stream_wait(other, event), 0);
  ASSERT_EQ(launch_raw(stream, shape_of(1, 1), wait_for, &go), 0);
  ASSERT_EQ(host_backend::event_record(event, stream), 0);
  EXPECT_EQ(host_backend::stream_synchronize(other), 0) << "only the first record counts";
  EXPECT_EQ(host_backend::event_query(event), host_backend::not_ready);
  go = true;
  EXPECT_EQ(host_backend::event_synchronize(event), 0);
}

TEST_F(HostStream, AnEventThatWasNeverRecordedHoldsNobody) {
  EXPECT_EQ(host_backend::stream_wait(stream, event), 0);
  EXPECT_EQ(host_backend::event_query(event), 0);
  EXPECT_EQ(host_backend::event_synchronize(event), 0);
  EXPECT_EQ(synchronize(), 0);
}

TEST_F(HostStream, AWaitOutlivesItsEvent) {
  Flag go = false;
  host::EventHandle* brief = nullptr;
  ASSERT_EQ(host_backend::event_create(brief, false), 0);
  ASSERT_EQ(launch_raw(stream, shape_of(1, 1), wait_for, &go), 0);
  ASSERT_EQ(host_backend::event_record(brief, stream), 0);
  ASSERT_EQ(host_backend::stream_wait(other, brief), 0);
  ASSERT_EQ(host_backend::event_destroy(brief), 0);
  EXPECT_EQ(host_backend::stream_query(other), host_backend::not_ready);
  go = true;
  EXPECT_EQ(host_backend::stream_synchronize(other), 0);
}

TEST_F(HostStream, DeviceSynchronizeWaitsForAllStreams) {
  std::vector<int> log;
  ASSERT_EQ(launch_raw(stream, shape_of(1, 1), append, &log, 1), 0);
  ASSERT_EQ(host_backend::event_record(event, stream), 0);
  ASSERT_EQ(host_backend::stream_wait(other, event), 0);
  ASSERT_EQ(launch_raw(other, shape_of(1, 1), append, &log, 2), 0);
  ASSERT_EQ(host_backend::device_synchronize(), 0);
  EXPECT_EQ(log, (std::vector<int>{1, 2}));
}

TEST_F(HostStream, ADestroyedStreamStillDoesItsWork) {
  Flag go = false;
  Flag done = false;
  host::StreamHandle* brief = nullptr;
  ASSERT_EQ(host_backend::stream_create(brief, 0), 0);
  ASSERT_EQ(launch_raw(brief, shape_of(1, 1), wait_for, &go), 0);
  ASSERT_EQ(launch_raw(brief, shape_of(1, 1), set, &done), 0);
  ASSERT_EQ(host_backend::stream_destroy(brief), 0);
  EXPECT_EQ(launch_raw(brief, shape_of(1, 1), set, &done),
            raw(HostStatus::invalid_resource_handle));
  go = true;
  ASSERT_EQ(host_backend::device_synchronize(), 0);
  EXPECT_TRUE(done);
}

TEST_F(HostStream, ElapsedTimeIsOfTimedAndFinishedRecords) {
  host::EventHandle* end = nullptr;
  ASSERT_EQ(host_backend::event_create(end, true), 0);
  float ms = -1;
  EXPECT_EQ(host_backend::event_elapsed(ms, event, end), raw(HostStatus::invalid_resource_handle));
  Flag go = false;
  ASSERT_EQ(host_backend::event_record(event, stream), 0);
  ASSERT_EQ(launch_raw(stream, shape_of(1, 1), wait_for, &go), 0);
  ASSERT_EQ(host_backend::event_record(end, stream), 0);
  EXPECT_EQ(host_backend::event_elapsed(ms, event, end), host_backend::not_ready);
  go = true;
  ASSERT_EQ(synchronize(), 0);
  EXPECT_EQ(host_backend::event_elapsed(ms, event, end), 0);
  EXPECT_GT(ms, 0);
  ASSERT_EQ(host_backend::event_destroy(end), 0);

  ASSERT_EQ(host_backend::event_create(end, false), 0);
  ASSERT_EQ(host_backend::event_record(end, stream), 0);
  ASSERT_EQ(synchronize(), 0);
  EXPECT_EQ(host_backend::event_elapsed(ms, event, end), raw(HostStatus::invalid_resource_handle))
      << "not timed";
  ASSERT_EQ(host_backend::event_destroy(end), 0);
}

TEST_F(HostStream, WhatIsNoStreamIsRefused) {
  bool capturing = true;
  int device = -1;
  const int invalid = raw(HostStatus::invalid_resource_handle);
  for (host::StreamHandle* none :
       {static_cast<host::StreamHandle*>(nullptr), reinterpret_cast<host::StreamHandle*>(event)}) {
    EXPECT_EQ(host_backend::stream_synchronize(none), invalid);
    EXPECT_EQ(host_backend::stream_query(none), invalid);
    EXPECT_EQ(host_backend::stream_destroy(none), invalid);
    EXPECT_EQ(host_backend::stream_device(none, device), invalid);
    EXPECT_EQ(host_backend::stream_capturing(none, capturing), invalid);
    EXPECT_EQ(host_backend::event_record(event, none), invalid);
  }
  EXPECT_EQ(host_backend::stream_wait(stream, nullptr), invalid);
  EXPECT_EQ(host_backend::event_destroy(nullptr), invalid);
  EXPECT_EQ(host_backend::stream_capturing(stream, capturing), 0);
  EXPECT_FALSE(capturing);
}

TEST_F(HostStream, AStreamKnowsItsDevice) {
  host::set_device_count(2);
  ASSERT_EQ(host_backend::set_device(1), 0);
  host::StreamHandle* second = nullptr;
  ASSERT_EQ(host_backend::stream_create(second, 0), 0);
  int device = -1;
  EXPECT_EQ(host_backend::stream_device(second, device), 0);
  EXPECT_EQ(device, 1);
  Flag flag = false;
  EXPECT_EQ(launch_raw(second, shape_of(1, 1), set, &flag), 0);
  EXPECT_EQ(launch_raw(stream, shape_of(1, 1), set, &flag),
            raw(HostStatus::invalid_resource_handle))
      << "not the current device's";
  EXPECT_EQ(host_backend::event_record(event, second), raw(HostStatus::invalid_resource_handle))
      << "the event is device 0's";
  EXPECT_EQ(host_backend::stream_synchronize(second), 0);
  EXPECT_TRUE(flag);
  EXPECT_EQ(host_backend::stream_destroy(second), 0);
}

TEST_F(HostStream, ManyStreamsComeAndGo) {
  std::atomic<int> count = 0;
  for (int i = 0; i < 50; ++i) {
    host::StreamHandle* brief = nullptr;
    ASSERT_EQ(host_backend::stream_create(brief, 0), 0);
    ASSERT_EQ(launch_raw(
                  brief, shape_of(2, 2), +[](std::atomic<int>* all) { ++*all; }, &count),
              0);
    ASSERT_EQ(host_backend::stream_destroy(brief), 0);
  }
  ASSERT_EQ(host_backend::device_synchronize(), 0);
  EXPECT_EQ(count, 200);
}

}  // namespace
}  // namespace warpsafe::host_test
