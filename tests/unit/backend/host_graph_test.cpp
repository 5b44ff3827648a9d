// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The host backend's members for captures and graphs. They return the statuses that an H200
// returned.

#include "launch_fixture.hpp"
#include <warpsafe/kernel_api.hpp>
#include <warpsafe/stream/event.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <thread>

namespace warpsafe::core_test {
namespace {

using Backend = host_backend;

struct HostGraph : LaunchTest {
  host_backend::native_stream const on = stream.native();
  const Stream second = Stream::create().value();
  int* const numbers = device_array<int>(2);

  HostGraph() { numbers[0] = numbers[1] = 0; }
  [[nodiscard]] CaptureState state() const {
    CaptureInfo info{};
    EXPECT_EQ(Backend::capture_info(on, info), 0);
    return info.state;
  }
  [[nodiscard]] int fill(unsigned char value) const {
    return Backend::fill(numbers, value, sizeof(int), on);
  }
  void end(HostStatus expected) const {
    Backend::native_graph graph = nullptr;
    EXPECT_EQ(Backend::capture_end(on, graph), raw(expected));
    EXPECT_EQ(graph != nullptr, expected == HostStatus::success);
    if (graph != nullptr) {
      EXPECT_EQ(Backend::graph_destroy(graph), 0);
    }
    EXPECT_EQ(state(), CaptureState::none);
  }
};

TEST_F(HostGraph, UnsafeCallsBreakACaptureByItsMode) {
  Backend::native_event event = nullptr;
  ASSERT_EQ(Backend::event_create(event, false), 0);
  ASSERT_EQ(Backend::event_record(event, second.native()), 0);
  ASSERT_TRUE(second.synchronize().has_value());
  void* memory = nullptr;
  const auto unsafe = [&](int call) {
    switch (call) {
      case 0:
        return Backend::stream_synchronize(second.native());
      case 1:
        return Backend::stream_query(second.native());
      case 2:
        return Backend::event_query(event);
      case 3:
        return Backend::event_synchronize(event);
      default:
        return Backend::host_allocate(memory, 16);
    }
  };
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::thread, CaptureMode::relaxed}) {
    for (int call = 0; call < 5; ++call) {
      ASSERT_EQ(Backend::capture_begin(on, mode), 0);
      ASSERT_EQ(fill(1), 0);
      const bool fine = mode == CaptureMode::relaxed;
      EXPECT_EQ(unsafe(call), fine ? 0 : raw(HostStatus::stream_capture_unsupported)) << call;
      EXPECT_EQ(state(), fine ? CaptureState::active : CaptureState::broken) << call;
      end(fine ? HostStatus::success : HostStatus::stream_capture_invalidated);
    }
  }
  EXPECT_EQ(Backend::event_destroy(event), 0);
  EXPECT_EQ(Backend::host_deallocate(memory), 0);
}

TEST_F(HostGraph, AThreadThatIsRelaxedMayMakeThem) {
  ASSERT_EQ(Backend::capture_begin(on, CaptureMode::global), 0);
  int mode = Backend::relaxed_capture;
  ASSERT_EQ(Backend::exchange_capture_mode(mode), 0);
  EXPECT_EQ(Backend::stream_synchronize(second.native()), 0);
  ASSERT_EQ(Backend::exchange_capture_mode(mode), 0);
  end(HostStatus::success);
}

TEST_F(HostGraph, WhatACapturingStreamAllowsInNoMode) {
  for (int call = 0; call < 4; ++call) {
    ASSERT_EQ(Backend::capture_begin(on, CaptureMode::relaxed), 0);
    int device = 0;
    const int status = call == 0   ? Backend::stream_synchronize(on)
                       : call == 1 ? Backend::stream_query(on)
                       : call == 2 ? Backend::device_synchronize()
                                   : Backend::stream_device(on, device);
    EXPECT_EQ(status, raw(HostStatus::stream_capture_unsupported)) << call;
    EXPECT_EQ(fill(1), raw(HostStatus::stream_capture_invalidated)) << call;
    end(HostStatus::stream_capture_invalidated);
  }
}

TEST_F(HostGraph, ACopyReadsItsSourceWhenItIsReplayed) {
  int source = 1;
  int target = 0;
  ASSERT_EQ(Backend::capture_begin(on, CaptureMode::global), 0);
  ASSERT_EQ(Backend::copy(numbers, &source, sizeof source, CopyKind::host_to_device, on), 0);
  ASSERT_EQ(Backend::copy(&target, numbers, sizeof target, CopyKind::device_to_host, on), 0);
  Backend::native_graph graph = nullptr;
  ASSERT_EQ(Backend::capture_end(on, graph), 0);
  Backend::native_graph_exec exec = nullptr;
  ASSERT_EQ(Backend::graph_instantiate(exec, graph), 0);
  for (source = 5; source < 8; ++source) {
    ASSERT_EQ(Backend::graph_launch(exec, on), 0);
    wait();
    EXPECT_EQ(target, source);
  }
  EXPECT_EQ(Backend::graph_exec_destroy(exec), 0);
  EXPECT_EQ(Backend::graph_destroy(graph), 0);
}

std::atomic<int> arrived = 0;
std::atomic<bool> go = false;
/// The first of two that run at the same time waits for its predecessor before the second begins,
/// and ends before the second waits.
void meet() {
  if (arrived.fetch_add(1) == 0) {
    wait_for_predecessor();
    while (arrived != 2) std::this_thread::yield();
  } else {
    while (!go) std::this_thread::yield();
    wait_for_predecessor();
  }
}

TEST_F(HostGraph, TwoExecutablesOfOneGraphRunAtTheSameTime) {
  ASSERT_EQ(Backend::capture_begin(on, CaptureMode::global), 0);
  const LaunchConfig dependent{grid<1>, block<1>, dependent_launch};
  ASSERT_TRUE(launch(stream, dependent, kernel<meet, waits_for_predecessor>).has_value());
  Backend::native_graph graph = nullptr;
  ASSERT_EQ(Backend::capture_end(on, graph), 0);
  Backend::native_graph_exec first = nullptr;
  Backend::native_graph_exec other = nullptr;
  ASSERT_EQ(Backend::graph_instantiate(first, graph), 0);
  ASSERT_EQ(Backend::graph_instantiate(other, graph), 0);
  ASSERT_EQ(Backend::graph_launch(first, on), 0);
  while (arrived == 0) std::this_thread::yield();
  ASSERT_EQ(Backend::graph_launch(other, second.native()), 0);
  EXPECT_EQ(Backend::stream_synchronize(on), 0) << "it has waited";
  go = true;
  EXPECT_EQ(Backend::stream_synchronize(second.native()), 0);
  EXPECT_EQ(Backend::graph_exec_destroy(first), 0);
  EXPECT_EQ(Backend::graph_exec_destroy(other), 0);
  EXPECT_EQ(Backend::graph_destroy(graph), 0);
}

TEST_F(HostGraph, ALaunchOnACapturingStreamBreaksTheCaptureInEveryMode) {
  ASSERT_EQ(Backend::capture_begin(on, CaptureMode::global), 0);
  Backend::native_graph graph = nullptr;
  ASSERT_EQ(Backend::capture_end(on, graph), 0);
  Backend::native_graph_exec exec = nullptr;
  ASSERT_EQ(Backend::graph_instantiate(exec, graph), 0);
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::thread, CaptureMode::relaxed}) {
    ASSERT_EQ(Backend::capture_begin(on, mode), 0);
    EXPECT_EQ(Backend::graph_launch(exec, on), raw(HostStatus::stream_capture_unsupported));
    end(HostStatus::stream_capture_invalidated);
  }
  EXPECT_EQ(Backend::graph_exec_destroy(exec), 0);
  EXPECT_EQ(Backend::graph_destroy(graph), 0);
}

TEST_F(HostGraph, HandlesThatAreNoneAreRefused) {
  Backend::native_graph graph = nullptr;
  Backend::native_graph_exec exec = nullptr;
  std::size_t count = 0;
  GraphChange change{};
  CaptureInfo info{};
  const int invalid = raw(HostStatus::invalid_value);
  EXPECT_EQ(Backend::graph_nodes(graph, count), invalid);
  EXPECT_EQ(Backend::graph_destroy(graph), invalid);
  EXPECT_EQ(Backend::graph_instantiate(exec, graph), invalid);
  EXPECT_EQ(Backend::graph_exec_destroy(exec), invalid);
  EXPECT_EQ(Backend::graph_launch(exec, on), invalid);
  EXPECT_EQ(Backend::graph_update(exec, graph, change), invalid);
  const int no_stream = raw(HostStatus::invalid_resource_handle);
  EXPECT_EQ(Backend::capture_begin(nullptr, CaptureMode::global), no_stream);
  EXPECT_EQ(Backend::capture_end(nullptr, graph), no_stream);
  EXPECT_EQ(Backend::capture_info(nullptr, info), no_stream);
  EXPECT_EQ(Backend::capture_end(on, graph), raw(HostStatus::illegal_state));
  host::take_last_error();
}

TEST_F(HostGraph, OnlyItsOriginEndsIt) {
  ASSERT_EQ(Backend::capture_begin(on, CaptureMode::global), 0);
  {
    const Event fork = stream.record().value();
    ASSERT_TRUE(warpsafe::wait(second, fork).has_value());
  }
  Backend::native_graph graph = nullptr;
  EXPECT_EQ(Backend::capture_end(second.native(), graph),
            raw(HostStatus::stream_capture_unmatched));
  end(HostStatus::stream_capture_invalidated);
}

TEST_F(HostGraph, ADestroyedOriginEndsIt) {
  Backend::native_stream mine = nullptr;
  ASSERT_EQ(Backend::stream_create(mine, 0), 0);
  ASSERT_EQ(Backend::capture_begin(mine, CaptureMode::global), 0);
  EXPECT_EQ(Backend::stream_destroy(mine), 0);
  EXPECT_EQ(Backend::stream_synchronize(second.native()), 0) << "nothing captures any more";
}

}  // namespace
}  // namespace warpsafe::core_test
