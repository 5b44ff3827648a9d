// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The host backend's handles: as early as a vendor may, each means another object.

#include "host_test_kernel.hpp"
#include <warpsafe/backend/host/detail/handle_table.hpp>

#include <memory>
#include <thread>

namespace warpsafe::host_test {
namespace {

using host::Handle;
using host::HandleTable;

TEST(HandleTable, FindsWhatAHandleMeans) {
  HandleTable<int> table;
  EXPECT_TRUE(table.empty());
  Handle<int>* const one = table.add(host::make_owned<int>(1));
  Handle<int>* const two = table.add(host::make_owned<int>(2));
  EXPECT_NE(one, two);
  EXPECT_EQ(table.size(), 2U);
  EXPECT_EQ(*table.find(one), 1);
  EXPECT_EQ(*table.find(two), 2);
  Handle<int> never;
  EXPECT_EQ(table.find(&never), nullptr);
  EXPECT_EQ(table.find(nullptr), nullptr);
  EXPECT_EQ(table.remove(&never), nullptr);
  EXPECT_EQ(table.former(&never), nullptr);
}

TEST(HandleTable, GivesTheNewestFreeHandleOutAgain) {
  HandleTable<int> table;
  Handle<int>* const one = table.add(host::make_owned<int>(1));
  Handle<int>* const two = table.add(host::make_owned<int>(2));
  const auto first = table.remove(one);
  const auto second = table.remove(two);
  EXPECT_EQ(*first, 1);
  EXPECT_EQ(table.find(one), nullptr);
  EXPECT_EQ(table.remove(one), nullptr) << "it is gone";
  EXPECT_EQ(table.former(one), first.get());
  Handle<int>* const other = table.add(host::make_owned<int>(3), false);
  EXPECT_NE(other, one);
  EXPECT_NE(other, two);
  EXPECT_EQ(table.add(host::make_owned<int>(4)), two);
  EXPECT_EQ(table.add(host::make_owned<int>(5)), one);
  EXPECT_EQ(*table.find(one), 5);
  EXPECT_EQ(table.former(one), nullptr) << "it means another one";
}

struct HostHandles : HostTest {};

TEST_F(HostHandles, AStreamsComesBackWhileItsWorkStillRuns) {
  Flag go = false;
  Flag done = false;
  host::StreamHandle* first = nullptr;
  ASSERT_EQ(host_backend::stream_create(first, 0), 0);
  std::uint64_t number = 0;
  ASSERT_EQ(host_backend::stream_id(first, number), 0);
  ASSERT_EQ(launch_raw(first, shape_of(1, 1), wait_for, &go), 0);
  ASSERT_EQ(launch_raw(first, shape_of(1, 1), set, &done), 0);
  ASSERT_EQ(host_backend::stream_destroy(first), 0);
  host::StreamHandle* second = nullptr;
  ASSERT_EQ(host_backend::stream_create(second, 0), 0);
  EXPECT_EQ(second, first);
  std::uint64_t next = 0;
  ASSERT_EQ(host_backend::stream_id(second, next), 0);
  EXPECT_NE(next, number);
  EXPECT_EQ(host_backend::stream_synchronize(second), 0) << "it has no work";
  EXPECT_FALSE(done);
  go = true;
  EXPECT_EQ(host_backend::device_synchronize(), 0);
  EXPECT_TRUE(done);
  EXPECT_EQ(host_backend::stream_destroy(second), 0);
}

TEST_F(HostHandles, AnEventsComesBackWhileAStreamWaitsForIt) {
  Flag go = false;
  Flag done = false;
  host::StreamHandle* other = nullptr;
  ASSERT_EQ(host_backend::stream_create(other, 0), 0);
  host::EventHandle* first = nullptr;
  ASSERT_EQ(host_backend::event_create(first, false), 0);
  ASSERT_EQ(launch_raw(stream, shape_of(1, 1), wait_for, &go), 0);
  ASSERT_EQ(host_backend::event_record(first, stream), 0);
  ASSERT_EQ(host_backend::stream_wait(other, first), 0);
  ASSERT_EQ(launch_raw(other, shape_of(1, 1), set, &done), 0);
  ASSERT_EQ(host_backend::event_destroy(first), 0);
  host::EventHandle* second = nullptr;
  ASSERT_EQ(host_backend::event_create(second, false), 0);
  EXPECT_EQ(second, first);
  EXPECT_EQ(host_backend::event_query(second), 0) << "it was never recorded";
  EXPECT_FALSE(done);
  go = true;
  EXPECT_EQ(host_backend::stream_synchronize(other), 0);
  EXPECT_TRUE(done);
  EXPECT_EQ(host_backend::event_destroy(second), 0);
  EXPECT_EQ(host_backend::stream_destroy(other), 0);
}

TEST_F(HostHandles, AGraphsAndItsInstancesComeBack) {
  Flag done = false;
  const auto capture = [&] {
    EXPECT_EQ(host_backend::capture_begin(stream, CaptureMode::relaxed), 0);
    EXPECT_EQ(launch_raw(stream, shape_of(1, 1), set, &done), 0);
    host_backend::native_graph graph = nullptr;
    EXPECT_EQ(host_backend::capture_end(stream, graph), 0);
    return graph;
  };
  auto* const first = capture();
  host_backend::native_graph_exec exec = nullptr;
  ASSERT_EQ(host_backend::graph_instantiate(exec, first), 0);
  ASSERT_EQ(host_backend::graph_destroy(first), 0);
  auto* const second = capture();
  EXPECT_EQ(second, first);
  ASSERT_EQ(host_backend::graph_launch(exec, stream), 0);
  auto* const before = exec;
  ASSERT_EQ(host_backend::graph_exec_destroy(exec), 0);
  ASSERT_EQ(host_backend::graph_instantiate(exec, second), 0);
  EXPECT_EQ(exec, before);
  EXPECT_EQ(synchronize(), 0);
  EXPECT_TRUE(done) << "a launch in flight continues";
  EXPECT_EQ(host_backend::graph_exec_destroy(exec), 0);
  EXPECT_EQ(host_backend::graph_destroy(second), 0);
}

// The per-thread default stream.

TEST_F(HostHandles, APerThreadStreamIsOfItsThreadAndDevice) {
  host::set_device_count(2);
  std::uint64_t mine = 0;
  std::uint64_t again = 0;
  std::uint64_t there = 0;
  std::uint64_t far = 0;
  ASSERT_EQ(host_backend::stream_id(host::per_thread_stream(), mine), 0);
  ASSERT_EQ(host_backend::stream_id(host::per_thread_stream(), again), 0);
  std::thread([&] {
    EXPECT_EQ(host_backend::stream_id(host::per_thread_stream(), there), 0);
  }).join();
  ASSERT_EQ(host_backend::set_device(1), 0);
  ASSERT_EQ(host_backend::stream_id(host::per_thread_stream(), far), 0);
  ASSERT_EQ(host_backend::set_device(0), 0);
  EXPECT_EQ(again, mine);
  EXPECT_NE(there, mine);
  EXPECT_NE(far, mine);
}

TEST_F(HostHandles, APerThreadStreamEndsWithItsThreadButNotItsWork) {
  Flag go = false;
  Flag done = false;
  host::Runtime& runtime = host::Runtime::get();
  const auto streams = [&] {
    const host::Lock lock(runtime.mutex);
    return runtime.streams.size();
  };
  const std::size_t before = streams();
  std::thread([&] {
    EXPECT_EQ(launch_raw(host::per_thread_stream(), shape_of(1, 1), wait_for, &go), 0);
    EXPECT_EQ(launch_raw(host::per_thread_stream(), shape_of(1, 1), set, &done), 0);
    EXPECT_EQ(streams(), before + 1);
  }).join();
  EXPECT_EQ(streams(), before);
  EXPECT_FALSE(done);
  go = true;
  EXPECT_EQ(host_backend::device_synchronize(), 0);
  EXPECT_TRUE(done);
}

TEST_F(HostHandles, APerThreadStreamIsOrderedWithTheLegacyStream) {
  Flag go = false;
  Flag done = false;
  ASSERT_EQ(launch_raw(host::per_thread_stream(), shape_of(1, 1), wait_for, &go), 0);
  ASSERT_EQ(launch_raw(host::legacy_stream(), shape_of(1, 1), set, &done), 0);
  EXPECT_EQ(host_backend::stream_query(host::legacy_stream()), host_backend::not_ready);
  EXPECT_FALSE(done);
  go = true;
  EXPECT_EQ(host_backend::stream_synchronize(host::legacy_stream()), 0);
  EXPECT_TRUE(done);
}

TEST_F(HostHandles, TheLegacyStreamIsRefusedWhileABlockingStreamCaptures) {
  const int implicit = raw(HostStatus::stream_capture_implicit);
  host::StreamHandle* const blocking = host::create_blocking_stream(0);
  ASSERT_EQ(host_backend::capture_begin(blocking, CaptureMode::relaxed), 0);
  bool capturing = false;
  EXPECT_EQ(host_backend::stream_capturing(host::legacy_stream(), capturing), implicit);
  host_backend::native_graph graph = nullptr;
  EXPECT_EQ(host_backend::capture_end(blocking, graph), 0) << "the question breaks nothing";
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
  ASSERT_EQ(host_backend::capture_begin(blocking, CaptureMode::relaxed), 0);
  EXPECT_EQ(launch_raw(host::legacy_stream(), shape_of(1, 1), nothing), implicit);
  EXPECT_EQ(host_backend::capture_end(blocking, graph),
            raw(HostStatus::stream_capture_invalidated));
  EXPECT_EQ(host_backend::stream_destroy(blocking), 0);
}

}  // namespace
}  // namespace warpsafe::host_test
