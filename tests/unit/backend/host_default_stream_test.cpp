// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The default stream of a modelled device, and the streams that are ordered with it.

#include "host_test_kernel.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace warpsafe::host_test {
namespace {

struct HostDefaultStream : HostTest {
  HostDefaultStream() : legacy(host::legacy_stream()), blocking(host::create_blocking_stream(0)) {}
  ~HostDefaultStream() override { EXPECT_EQ(host_backend::stream_destroy(blocking), 0); }
  HostDefaultStream(const HostDefaultStream&) = delete;
  HostDefaultStream& operator=(const HostDefaultStream&) = delete;

  /// Whether work given to `second` waits for work given to `first` before.
  [[nodiscard]] bool ordered(host::StreamHandle* first, host::StreamHandle* second) const {
    Flag go = false;
    EXPECT_EQ(launch_raw(first, shape_of(1, 1), wait_for, &go), 0);
    return ordered_with_go(go, second);
  }
  /// Whether work given to `second` waits for `go`.
  [[nodiscard]] static bool ordered_with_go(Flag& go, host::StreamHandle* second) {
    Flag done = false;
    EXPECT_EQ(launch_raw(second, shape_of(1, 1), set, &done), 0);
    // Work that waits for nothing runs; work that waits cannot while `go` is false.
    for (int i = 0; i < 50 && !done; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const bool waited = !done;
    go = true;
    EXPECT_EQ(host_backend::device_synchronize(), 0);
    EXPECT_TRUE(done);
    return waited;
  }
  host::StreamHandle* legacy;
  host::StreamHandle* blocking;
};

TEST_F(HostDefaultStream, IsOnePerDevice) {
  host::set_device_count(2);
  EXPECT_EQ(host::create_blocking_stream(2), nullptr);
  const host::StreamState& first = state_of(legacy);
  ASSERT_EQ(host_backend::set_device(1), 0);
  int device = -1;
  EXPECT_EQ(host_backend::stream_device(legacy, device), 0);
  EXPECT_EQ(device, 1) << "the handle means the current device's";
  EXPECT_NE(&state_of(legacy), &first);
  ASSERT_EQ(host_backend::set_device(0), 0);
  EXPECT_EQ(&state_of(legacy), &first);
}

TEST_F(HostDefaultStream, IsNobodysToDestroy) {
  EXPECT_EQ(host_backend::stream_destroy(legacy), raw(HostStatus::invalid_resource_handle));
  EXPECT_EQ(host_backend::stream_query(legacy), 0);
}

TEST_F(HostDefaultStream, WaitsForBlockingStreamsWhichWaitForIt) {
  EXPECT_TRUE(ordered(blocking, legacy));
  EXPECT_TRUE(ordered(legacy, blocking));
}

TEST_F(HostDefaultStream, IsOrderedWithNoOtherStream) {
  EXPECT_FALSE(ordered(stream, legacy));
  EXPECT_FALSE(ordered(legacy, stream));
  EXPECT_FALSE(ordered(stream, blocking));
}

TEST_F(HostDefaultStream, ABlockingStreamMadeLaterComesAfterIt) {
  Flag go = false;
  ASSERT_EQ(launch_raw(legacy, shape_of(1, 1), wait_for, &go), 0);
  host::StreamHandle* const late = host::create_blocking_stream(0);
  EXPECT_EQ(launch_raw(late, shape_of(1, 1), nothing), 0);
  EXPECT_EQ(host_backend::stream_query(late), host_backend::not_ready);
  go = true;
  EXPECT_EQ(host_backend::stream_synchronize(late), 0);
  EXPECT_EQ(host_backend::stream_destroy(late), 0);
}

// As on an H200.
TEST_F(HostDefaultStream, IsDoneOnceTheBlockingStreamsAre) {
  for (const bool destroyed : {false, true}) {
    host::StreamHandle* const used = host::create_blocking_stream(0);
    Flag go = false;
    Flag ended = false;
    ASSERT_EQ(launch_raw(used, shape_of(1, 1), wait_for, &go), 0);
    ASSERT_EQ(launch_raw(used, shape_of(1, 1), set, &ended), 0);
    if (destroyed) ASSERT_EQ(host_backend::stream_destroy(used), 0);
    EXPECT_EQ(host_backend::stream_query(legacy), host_backend::not_ready);
    EXPECT_EQ(host_backend::stream_query(stream), 0);
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      go = true;
    });
    EXPECT_EQ(host_backend::stream_synchronize(legacy), 0);
    EXPECT_TRUE(ended);
    EXPECT_EQ(host_backend::stream_query(legacy), 0);
    other.join();
    if (!destroyed) EXPECT_EQ(host_backend::stream_destroy(used), 0);
  }
}
// As on an H200: only the next work of the other stream waits.
TEST_F(HostDefaultStream, IsNotWaitedForByTheHostThroughABlockingStreamWithoutWork) {
  host::StreamHandle* const used = host::create_blocking_stream(0);
  ASSERT_EQ(launch_raw(used, shape_of(1, 1), nothing), 0);
  ASSERT_EQ(host_backend::stream_synchronize(used), 0);
  Flag go = false;
  ASSERT_EQ(launch_raw(legacy, shape_of(1, 1), wait_for, &go), 0);
  for (host::StreamHandle* const idle : {blocking, used, host::per_thread_stream()}) {
    EXPECT_EQ(host_backend::stream_query(idle), 0);
    EXPECT_EQ(host_backend::stream_synchronize(idle), 0);
  }
  EXPECT_EQ(host_backend::stream_query(legacy), host_backend::not_ready);
  host_backend::native_event event{};
  ASSERT_EQ(host_backend::event_create(event, false), 0);
  ASSERT_EQ(host_backend::event_record(event, used), 0);
  EXPECT_EQ(host_backend::event_query(event), host_backend::not_ready);
  go = true;
  EXPECT_EQ(host_backend::event_synchronize(event), 0);
  EXPECT_EQ(host_backend::stream_query(legacy), 0);
  EXPECT_EQ(host_backend::event_destroy(event), 0);
  EXPECT_EQ(host_backend::stream_destroy(used), 0);
}

TEST_F(HostDefaultStream, WaitsForABlockingStreamThatWasDestroyed) {
  host::StreamHandle* const gone = host::create_blocking_stream(0);
  Flag go = false;
  ASSERT_EQ(launch_raw(gone, shape_of(1, 1), wait_for, &go), 0);
  ASSERT_EQ(host_backend::stream_destroy(gone), 0);
  EXPECT_TRUE(ordered_with_go(go, legacy));
}

TEST_F(HostDefaultStream, OfOneDeviceWaitsForNoDestroyedStreamOfAnother) {
  host::set_device_count(2);
  host::StreamHandle* const gone = host::create_blocking_stream(1);
  Flag go = false;
  ASSERT_EQ(host_backend::set_device(1), 0);
  ASSERT_EQ(launch_raw(gone, shape_of(1, 1), wait_for, &go), 0);
  ASSERT_EQ(host_backend::stream_destroy(gone), 0);
  ASSERT_EQ(host_backend::set_device(0), 0);
  EXPECT_FALSE(ordered_with_go(go, legacy));
  ASSERT_EQ(host_backend::set_device(1), 0);
  EXPECT_EQ(host_backend::device_synchronize(), 0);
}

TEST_F(HostDefaultStream, WaitsForTheStreamOfAThreadThatHasEnded) {
  Flag go = false;
  std::thread([&] {
    EXPECT_EQ(launch_raw(host::per_thread_stream(), shape_of(1, 1), wait_for, &go), 0);
  }).join();
  EXPECT_FALSE(ordered_with_go(go, stream));
  go = false;
  std::thread([&] {
    EXPECT_EQ(launch_raw(host::per_thread_stream(), shape_of(1, 1), wait_for, &go), 0);
  }).join();
  EXPECT_TRUE(ordered_with_go(go, legacy));
}

/// Submits work to the calling thread's stream, and again at the end of the thread.
struct WorksAtThreadEnd {
  Flag* go;
  Flag* done;
  ~WorksAtThreadEnd() {
    EXPECT_EQ(launch_raw(host::per_thread_stream(), shape_of(1, 1), set, done), 0);
  }
};

TEST_F(HostDefaultStream, OfAThreadOutlivesItsThreadLocalObjects) {
  Flag go = false;
  Flag done = false;
  const std::size_t before = host::Runtime::get().streams.size();
  std::thread([&] {
    static thread_local WorksAtThreadEnd last{&go, &done};
    EXPECT_EQ(launch_raw(host::per_thread_stream(), shape_of(1, 1), wait_for, last.go), 0);
  }).join();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(done) << "the thread's last work must come after its first";
  EXPECT_EQ(host::Runtime::get().streams.size(), before) << "the stream ends with the thread";
  go = true;
  EXPECT_EQ(host_backend::device_synchronize(), 0);
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace warpsafe::host_test
