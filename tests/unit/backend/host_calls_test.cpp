// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The host backend's calls, what they tell a scheduler, and what they leave when they fail.

#include "host_test_kernel.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace warpsafe::host_test {
namespace {

using host::Runtime;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int invalid_handle = raw(HostStatus::invalid_resource_handle);
constexpr int invalid_value = raw(HostStatus::invalid_value);
constexpr int invalid_device = raw(HostStatus::invalid_device);
constexpr int out_of_memory = raw(HostStatus::out_of_memory);

/// Runs operations when a call waits for them, in the order of submission, and keeps what it was
/// told.
struct TestScheduler : host::Scheduler {
  explicit TestScheduler(Runtime& its_runtime) : runtime(its_runtime) {}

  void begin_call(host::Lock&) override { ++calls; }
  void submitted(host::StreamState& stream, host::Operation& operation) override {
    if (refuses) throw std::bad_alloc();
    kinds.push_back(operation.kind());
    waiting.push_back(&stream);
  }
  void finish(host::Lock& lock, host::Operations) override {
    if (before_finish) {
      const auto step = std::exchange(before_finish, nullptr);
      step(lock);
    }
    run_all(lock);
  }
  void known_done(host::Operations operations) override { known += operations.size(); }
  [[nodiscard]] bool host_knows(const host::Operation& operation) const override {
    return operation.done;
  }
  bool hands_out_again() override { return false; }
  bool reuses_handle() override { return false; }
  void known_pending() override { ++pending; }
  void empty_wait(host::StreamState&) override { ++empty_waits; }
  void touched(const MemoryAccess& access) override { touches.push_back(access); }
  void destroyed(host::StreamState&) override {
    ++streams_destroyed;
    had_room = runtime.retired.capacity() > runtime.retired.size();
  }
  void forgotten(const host::StreamState& stream) override { forgot.push_back(&stream); }
  void refused(const host::StreamState*) override { ++streams_refused; }

  void run_all(host::Lock& lock) {
    while (!waiting.empty()) {
      host::StreamState* const stream = waiting.front();
      waiting.erase(waiting.begin());
      runtime.run_front(*stream, lock);
    }
  }

  Runtime& runtime;
  std::vector<host::StreamState*> waiting;
  std::vector<host::OperationKind> kinds;
  std::vector<MemoryAccess> touches;
  std::vector<const host::StreamState*> forgot;
  std::function<void(host::Lock&)> before_finish;
  bool refuses = false;
  bool had_room = false;  // for the stream that the program destroyed last
  std::size_t calls = 0, known = 0, pending = 0, empty_waits = 0, streams_destroyed = 0,
              streams_refused = 0;
};

struct HostScheduled : HostTest {
  HostScheduled() {
    const host::Lock lock(runtime.mutex);
    runtime.set_scheduler(&scheduler);
  }
  ~HostScheduled() override {
    host::Lock lock(runtime.mutex);
    scheduler.run_all(lock);
    runtime.set_scheduler(nullptr);
  }

  Runtime& runtime = Runtime::get();
  TestScheduler scheduler{runtime};
};

// Memory.

TEST_F(HostScheduled, AnAllocationIsAnOperationUnlessItHasNoBytes) {
  void* memory = nullptr;
  ASSERT_EQ(host_backend::allocate(memory, 0, stream), 0);
  EXPECT_THAT(scheduler.kinds, IsEmpty());
  ASSERT_EQ(host_backend::allocate(memory, 8, stream), 0);
  EXPECT_THAT(scheduler.kinds, ElementsAre(host::OperationKind::allocate));
  EXPECT_THAT(scheduler.touches, IsEmpty()) << "its stream orders it";
  release(memory);
}

TEST_F(HostScheduled, AnAllocationThatIsNotRecordedIsNone) {
  const std::size_t used = runtime.devices[0]->used;
  void* memory = nullptr;
  scheduler.refuses = true;
  EXPECT_EQ(host_backend::allocate(memory, 8, stream), out_of_memory);
  scheduler.refuses = false;
  EXPECT_EQ(runtime.devices[0]->used, used);
  MemoryKind kind = MemoryKind::device;
  int device = 0;
  EXPECT_EQ(host_backend::pointer_kind(memory, kind, device), 0);
  EXPECT_EQ(kind, MemoryKind::unregistered);
}

TEST_F(HostScheduled, MemoryOutsideOfAStreamIsTouchedAndItsWorkIsFinished) {
  const std::size_t used = runtime.devices[0]->used;
  void* memory = nullptr;
  ASSERT_EQ(host_backend::allocate_unordered(memory, 24), 0);
  EXPECT_EQ(runtime.devices[0]->used, used + 24);
  ASSERT_EQ(scheduler.touches.size(), 1U);
  EXPECT_EQ(scheduler.touches[0],
            (MemoryAccess{reinterpret_cast<std::uintptr_t>(memory), 24, AccessKind::allocate}));
  ASSERT_EQ(host_backend::fill(memory, 1, 24, stream), 0);
  EXPECT_EQ(scheduler.waiting.size(), 1U);
  EXPECT_EQ(host_backend::deallocate_unordered(memory), 0);
  EXPECT_THAT(scheduler.waiting, IsEmpty());
  EXPECT_EQ(scheduler.known, 0U) << "a program cannot rely on that wait";
  ASSERT_EQ(scheduler.touches.size(), 2U);
  EXPECT_EQ(scheduler.touches[1].kind, AccessKind::release);
  EXPECT_EQ(runtime.devices[0]->used, used);
}

TEST_F(HostScheduled, MemoryThatIsBeingFreedCannotBeFreedOrUsedByAnotherThread) {
  for (const bool pinned : {false, true}) {
    void* memory = nullptr;
    ASSERT_EQ(pinned ? host_backend::host_allocate(memory, 8)
                     : host_backend::allocate_unordered(memory, 8),
              0);
    const auto deallocate = [&] {
      return pinned ? host_backend::host_deallocate(memory)
                    : host_backend::deallocate_unordered(memory);
    };
    int freed_again = 0;
    int filled = 0;
    scheduler.before_finish = [&](host::Lock& lock) {
      lock.unlock();
      std::thread([&] {
        freed_again = deallocate();
        filled = host_backend::fill(memory, 0, 8, stream);
      }).join();
      lock.lock();
    };
    EXPECT_EQ(deallocate(), 0);
    EXPECT_EQ(freed_again, invalid_value) << pinned;
    EXPECT_EQ(filled, invalid_value) << pinned;
  }
}

TEST_F(HostScheduled, MemoryWhoseReleaseFailsStaysAllocated) {
  const std::size_t used = runtime.devices[0]->used;
  void* memory = nullptr;
  ASSERT_EQ(host_backend::allocate_unordered(memory, 8), 0);
  scheduler.before_finish = [](auto&) { throw std::bad_alloc(); };
  EXPECT_EQ(host_backend::deallocate_unordered(memory), out_of_memory);
  EXPECT_EQ(runtime.devices[0]->used, used + 8);
  EXPECT_EQ(host_backend::fill(memory, 0, 8, stream), 0);
  EXPECT_EQ(host_backend::deallocate_unordered(memory), 0);
}

TEST_F(HostScheduled, EachFreeTakesItsOwnKindOfMemory) {
  void* ordered = nullptr;
  void* unordered = nullptr;
  void* managed = nullptr;
  void* pinned = nullptr;
  ASSERT_EQ(host_backend::allocate(ordered, 8, stream), 0);
  ASSERT_EQ(host_backend::allocate_unordered(unordered, 8), 0);
  ASSERT_EQ(host_backend::allocate_managed(managed, 8), 0);
  ASSERT_EQ(host_backend::host_allocate(pinned, 8), 0);
  int local = 0;
  for (void* const memory : {ordered, pinned, static_cast<void*>(&local)}) {
    EXPECT_EQ(host_backend::deallocate_unordered(memory), invalid_value);
  }
  for (void* const memory : {ordered, unordered, managed, static_cast<void*>(&local)}) {
    EXPECT_EQ(host_backend::host_deallocate(memory), invalid_value);
  }
  for (void* const memory : {unordered, managed, pinned}) {
    EXPECT_EQ(host_backend::deallocate(memory, stream), invalid_value);
  }
  host::StreamHandle* const none = nullptr;
  EXPECT_EQ(host_backend::deallocate(ordered, none), invalid_handle);
  EXPECT_EQ(host_backend::deallocate(nullptr, none), invalid_handle);
  EXPECT_EQ(scheduler.streams_refused, 2U);
  EXPECT_EQ(host_backend::deallocate_unordered(nullptr), 0);
  EXPECT_EQ(host_backend::deallocate_unordered(unordered), 0);
  EXPECT_EQ(host_backend::deallocate_unordered(managed), 0);
  EXPECT_EQ(host_backend::host_deallocate(pinned), 0);
  release(ordered);
}

TEST_F(HostScheduled, ACopyFromHostToHostReadsInOrderAndIsKnownToBeDone) {
  auto* const memory = device_array<unsigned char>(4);
  std::vector<unsigned char> first(4, 1);
  std::vector<unsigned char> second(4, 2);
  std::vector<unsigned char> third(4, 3);
  ASSERT_EQ(host_backend::copy(second.data(), first.data(), 4, CopyKind::host_to_host, stream), 0);
  EXPECT_EQ(scheduler.known, 1U);
  EXPECT_THAT(second, ::testing::Each(1));
  // A kernel that writes the source first: the copy must not have read before.
  ASSERT_EQ(launch_raw(
                stream, shape_of(1, 1), +[](unsigned char* to) { *to = 9; }, second.data()),
            0);
  ASSERT_EQ(host_backend::copy(third.data(), second.data(), 4, CopyKind::host_to_host, stream), 0);
  EXPECT_THAT(third, ElementsAre(9, 1, 1, 1));
  EXPECT_EQ(scheduler.known, 2U);
  ASSERT_EQ(host_backend::copy(third.data(), memory, 4, CopyKind::device_to_host, stream), 0);
  EXPECT_EQ(scheduler.known, 2U) << "drivers do not promise that wait";
  release(memory);
}

struct HostCalls : HostTest {
  [[nodiscard]] CaptureState state() const {
    CaptureInfo info{};
    EXPECT_EQ(host_backend::capture_info(stream, info), 0);
    return info.state;
  }
};

TEST_F(HostCalls, NothingIsAllocatedForNoBytes) {
  void* memory = this;
  EXPECT_EQ(host_backend::host_allocate(memory, 0), 0);
  EXPECT_EQ(memory, nullptr);
  memory = this;
  EXPECT_EQ(host_backend::allocate_managed(memory, 0), 0);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(host_backend::fill(nullptr, 0, 0, stream), 0);
  bool pools = true;
  EXPECT_EQ(host_backend::has_memory_pools(1, pools), invalid_device);
  EXPECT_FALSE(pools);
  EXPECT_EQ(host_backend::has_memory_pools(0, pools), 0);
  EXPECT_TRUE(pools);
  std::size_t free_bytes = 1;
  std::size_t total = 0;
  ASSERT_TRUE(host::set_memory(0, 0));
  EXPECT_EQ(host_backend::memory_info(free_bytes, total), 0);
  EXPECT_EQ(free_bytes, 0U);
}

TEST_F(HostCalls, DeviceMemoryIsNotTakenForTheHostsEvenAtItsLastByte) {
  auto* const memory = device_array<unsigned char>(8);
  auto* const other = device_array<unsigned char>(8);
  EXPECT_EQ(host_backend::copy(memory, other, 8, CopyKind::host_to_device, stream), invalid_value);
  EXPECT_EQ(host_backend::copy(memory, other + 7, 1, CopyKind::host_to_device, stream),
            invalid_value);
  EXPECT_EQ(host_backend::copy(memory + 7, other, 1, CopyKind::device_to_host, stream),
            invalid_value);
  MemoryKind kind = MemoryKind::unregistered;
  int device = -1;
  EXPECT_EQ(host_backend::pointer_kind(memory + 7, kind, device), 0);
  EXPECT_EQ(kind, MemoryKind::device);
  bool reached = false;
  EXPECT_EQ(host_backend::can_access(0, memory + 7, 0, reached), 0);
  EXPECT_TRUE(reached);
  EXPECT_EQ(host_backend::can_access(3, memory, 0, reached), invalid_device);
  EXPECT_FALSE(reached);
  int local = 0;
  reached = true;
  EXPECT_EQ(host_backend::can_access(0, &local, 0, reached), 0);
  EXPECT_FALSE(reached);
  release(memory);
  release(other);
}

TEST_F(HostCalls, FreedMemoryIsOutOfReachBeforeItsStreamGetsThere) {
  Flag go = false;
  auto* const memory = device_array<unsigned char>(8);
  ASSERT_EQ(launch_raw(stream, shape_of(1, 1), wait_for, &go), 0);
  release(memory);
  EXPECT_EQ(host_backend::fill(memory, 0, 8, stream), invalid_value);
  go = true;
  EXPECT_EQ(synchronize(), 0);
}

TEST_F(HostCalls, ACopyOfAPoolsLastByteNeedsAccessUnlessTheCallNamesTheDevices) {
  host::set_device_count(2);
  ASSERT_EQ(host_backend::set_device(1), 0);
  host::StreamHandle* far = nullptr;
  ASSERT_EQ(host_backend::stream_create(far, 0), 0);
  void* there = nullptr;
  ASSERT_EQ(host_backend::allocate(there, 8, far), 0);
  ASSERT_EQ(host_backend::set_device(0), 0);
  auto* const here = device_array<unsigned char>(8);
  auto* const last = static_cast<unsigned char*>(there) + 7;
  EXPECT_EQ(host_backend::copy(here, last, 1, CopyKind::device_to_device, stream), invalid_value);
  EXPECT_EQ(host_backend::copy_peer(here, 0, last, 1, 1, stream), 0);
  ASSERT_TRUE(host::set_peer_access(0, 1, true));
  EXPECT_EQ(host_backend::copy(here, last, 1, CopyKind::device_to_device, stream), 0);
  EXPECT_EQ(synchronize(), 0);
  release(here);
  EXPECT_EQ(host_backend::deallocate(there, far), 0);
  EXPECT_EQ(host_backend::stream_destroy(far), 0);
}

TEST_F(HostCalls, ACapturedCopyReadsItsSourceAtEachReplay) {
  auto* const memory = device_array<int>(1);
  int source = 1;
  ASSERT_EQ(synchronize(), 0);
  ASSERT_EQ(host_backend::capture_begin(stream, CaptureMode::relaxed), 0);
  ASSERT_EQ(host_backend::copy(memory, &source, 4, CopyKind::host_to_device, stream), 0);
  host_backend::native_graph graph = nullptr;
  ASSERT_EQ(host_backend::capture_end(stream, graph), 0);
  host_backend::native_graph_exec exec = nullptr;
  ASSERT_EQ(host_backend::graph_instantiate(exec, graph), 0);
  for (int value = 5; value < 8; ++value) {
    source = value;
    ASSERT_EQ(host_backend::graph_launch(exec, stream), 0);
    int back = 0;
    ASSERT_EQ(host_backend::copy(&back, memory, 4, CopyKind::device_to_host, stream), 0);
    EXPECT_EQ(back, value);
  }
  EXPECT_EQ(host_backend::graph_exec_destroy(exec), 0);
  EXPECT_EQ(host_backend::graph_exec_destroy(exec), invalid_value);
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
  EXPECT_EQ(host_backend::graph_destroy(graph), invalid_value);
  release(memory);
}

// Streams and events.

TEST_F(HostScheduled, QueriesAndWaitsTellWhatTheHostKnows) {
  EXPECT_FALSE(host_backend::is_scheduled() == (runtime.scheduler == nullptr));
  EXPECT_TRUE(host_backend::is_scheduled());
  host_backend::native_event event = nullptr;
  host_backend::native_event later = nullptr;
  ASSERT_EQ(host_backend::event_create(event, true), 0);
  ASSERT_EQ(host_backend::event_create(later, true), 0);
  ASSERT_EQ(host_backend::stream_wait(stream, event), 0);
  EXPECT_EQ(scheduler.empty_waits, 1U);
  EXPECT_THAT(scheduler.kinds, IsEmpty());
  ASSERT_EQ(host_backend::event_record(event, stream), 0);
  ASSERT_EQ(host_backend::event_record(later, stream), 0);
  float ms = -1;
  EXPECT_EQ(host_backend::event_query(event), host_backend::not_ready);
  EXPECT_EQ(host_backend::stream_query(stream), host_backend::not_ready);
  EXPECT_EQ(host_backend::event_elapsed(ms, event, later), host_backend::not_ready);
  EXPECT_EQ(scheduler.pending, 3U);
  EXPECT_EQ(scheduler.known, 0U);
  EXPECT_EQ(host_backend::event_synchronize(event), 0);
  EXPECT_EQ(scheduler.known, 1U);
  EXPECT_EQ(host_backend::event_query(event), 0);
  EXPECT_EQ(scheduler.known, 2U);
  EXPECT_EQ(host_backend::stream_query(stream), 0);
  EXPECT_EQ(scheduler.known, 3U);
  EXPECT_EQ(host_backend::event_elapsed(ms, event, later), 0);
  EXPECT_GE(ms, 0.0F);
  EXPECT_EQ(scheduler.known, 5U);
  EXPECT_EQ(host_backend::stream_synchronize(stream), 0);
  EXPECT_EQ(scheduler.known, 6U);
  EXPECT_EQ(host_backend::device_synchronize(), 0);
  EXPECT_GE(scheduler.known, 7U) << "other tests' streams may be there too";
  EXPECT_EQ(host_backend::event_destroy(event), 0);
  EXPECT_EQ(host_backend::event_destroy(later), 0);
}

TEST_F(HostScheduled, PureQueriesRunNoWork) {
  const std::size_t calls = scheduler.calls;
  int number = 0;
  bool answer = false;
  DeviceLimits limits;
  EXPECT_EQ(host_backend::device_count(number), 0);
  EXPECT_EQ(host_backend::limits_of(0, limits), 0);
  EXPECT_EQ(host_backend::stream_capturing(stream, answer), 0);
  EXPECT_EQ(scheduler.calls, calls);
  EXPECT_EQ(host_backend::stream_query(stream), 0);
  EXPECT_EQ(scheduler.calls, calls + 1);
}

TEST_F(HostScheduled, AnEventOfADestroyedStreamIsKeptUntilTheScheduleEnds) {
  host::StreamHandle* second = nullptr;
  ASSERT_EQ(host_backend::stream_create(second, 0), 0);
  EXPECT_EQ(host_backend::fill(nullptr, 0, 0, second), 0);
  ASSERT_EQ(host_backend::stream_destroy(second), 0);
  EXPECT_EQ(scheduler.streams_destroyed, 1U);
  EXPECT_EQ(host_backend::stream_destroy(second), invalid_handle);
  EXPECT_EQ(scheduler.streams_destroyed, 1U);
}

TEST_F(HostScheduled, ADeviceWaitForgetsTheWorkOfItsOwnDestroyedStreams) {
  ASSERT_EQ(host_backend::device_synchronize(), 0);
  const std::size_t before = scheduler.known;
  ASSERT_EQ(host_backend::device_synchronize(), 0);
  const std::size_t of_others = scheduler.known - before;  // streams of other tests
  host::set_device_count(2);
  std::vector<const host::StreamState*> gone;
  for (const int device : {0, 1}) {
    ASSERT_EQ(host_backend::set_device(device), 0);
    host::StreamHandle* made = nullptr;
    ASSERT_EQ(host_backend::stream_create(made, 0), 0);
    host_backend::native_event event = nullptr;
    ASSERT_EQ(host_backend::event_create(event, false), 0);
    ASSERT_EQ(host_backend::event_record(event, made), 0);
    EXPECT_EQ(host_backend::event_destroy(event), 0);
    gone.push_back(&state_of(made));
    ASSERT_EQ(host_backend::stream_destroy(made), 0);
  }
  ASSERT_EQ(host_backend::set_device(0), 0);
  ASSERT_EQ(host_backend::device_synchronize(), 0);
  EXPECT_EQ(gone[0]->last, nullptr);
  EXPECT_NE(gone[1]->last, nullptr);
  const std::size_t known = scheduler.known;
  ASSERT_EQ(host_backend::device_synchronize(), 0);
  EXPECT_EQ(scheduler.known, known + of_others) << "there is nothing new";
}

TEST_F(HostCalls, StreamsAreNumberedInTheOrderOfTheirCreation) {
  std::vector<host::StreamHandle*> made(3);
  for (host::StreamHandle*& one : made) ASSERT_EQ(host_backend::stream_create(one, 0), 0);
  const std::uint64_t first = state_of(made[0]).number;
  EXPECT_EQ(state_of(made[1]).number, first + 1);
  EXPECT_EQ(state_of(made[2]).number, first + 2);
  EXPECT_GT(first, state_of(stream).number);
  for (host::StreamHandle* const one : made) EXPECT_EQ(host_backend::stream_destroy(one), 0);
}

TEST_F(HostCalls, ADefaultStreamCannotBeDestroyed) {
  for (host::StreamHandle* const usual : {host::legacy_stream(), host::per_thread_stream()}) {
    EXPECT_EQ(host_backend::stream_destroy(usual), invalid_handle);
    EXPECT_EQ(host_backend::stream_query(usual), 0);
    EXPECT_EQ(host_backend::stream_destroy(usual), invalid_handle) << "also once it exists";
  }
}

TEST_F(HostCalls, CaptureModesAreExchangedWithinTheirRange) {
  for (const int wrong : {-1, 3, 100}) {
    int mode = wrong;
    EXPECT_EQ(host_backend::exchange_capture_mode(mode), invalid_value);
    EXPECT_EQ(mode, wrong);
  }
  int mode = 2;
  EXPECT_EQ(host_backend::exchange_capture_mode(mode), 0);
  EXPECT_EQ(mode, 0);
  mode = 1;
  EXPECT_EQ(host_backend::exchange_capture_mode(mode), 0);
  EXPECT_EQ(mode, 2);
  mode = 0;
  EXPECT_EQ(host_backend::exchange_capture_mode(mode), 0);
  EXPECT_EQ(mode, 1);
}

TEST_F(HostCalls, AnEventIsOfOneDeviceAndMustExist) {
  host::set_device_count(2);
  host_backend::native_event here = nullptr;
  host_backend::native_event there = nullptr;
  ASSERT_EQ(host_backend::event_create(here, true), 0);
  ASSERT_EQ(host_backend::set_device(1), 0);
  host::StreamHandle* far = nullptr;
  ASSERT_EQ(host_backend::stream_create(far, 0), 0);
  ASSERT_EQ(host_backend::event_create(there, true), 0);
  EXPECT_EQ(host_backend::event_record(here, far), invalid_handle);
  EXPECT_EQ(host_backend::event_record(there, stream), invalid_handle);
  EXPECT_EQ(host_backend::event_record(nullptr, stream), invalid_handle);
  EXPECT_EQ(host_backend::event_record(here, nullptr), invalid_handle);
  EXPECT_EQ(host_backend::event_query(nullptr), invalid_handle);
  EXPECT_EQ(host_backend::event_synchronize(nullptr), invalid_handle);
  EXPECT_EQ(host_backend::event_destroy(nullptr), invalid_handle);
  EXPECT_EQ(host_backend::stream_wait(stream, nullptr), invalid_handle);
  EXPECT_EQ(host_backend::stream_wait(nullptr, here), invalid_handle);
  ASSERT_EQ(host_backend::event_record(here, stream), 0);
  ASSERT_EQ(host_backend::event_record(there, far), 0);
  EXPECT_EQ(host_backend::event_synchronize(here), 0);
  EXPECT_EQ(host_backend::event_synchronize(there), 0);
  float ms = 0;
  EXPECT_EQ(host_backend::event_elapsed(ms, here, there), invalid_handle);
  EXPECT_EQ(host_backend::event_elapsed(ms, here, here), 0);
  EXPECT_EQ(ms, 0.0F);
  EXPECT_EQ(host_backend::event_elapsed(ms, here, nullptr), invalid_handle);
  int device = -1;
  EXPECT_EQ(host_backend::stream_device(far, device), 0);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(host_backend::stream_device(nullptr, device), invalid_handle);
  EXPECT_EQ(host_backend::event_destroy(here), 0);
  EXPECT_EQ(host_backend::event_destroy(there), 0);
  EXPECT_EQ(host_backend::stream_destroy(far), 0);
}

// Captures.

TEST_F(HostCalls, ADestroyedStreamEndsTheCaptureThatItBeganAndBreaksOneThatItJoined) {
  host::StreamHandle* origin = nullptr;
  host::StreamHandle* joined = nullptr;
  host_backend::native_event event = nullptr;
  ASSERT_EQ(host_backend::event_create(event, false), 0);
  for (const bool of_origin : {true, false}) {
    ASSERT_EQ(host_backend::stream_create(origin, 0), 0);
    ASSERT_EQ(host_backend::stream_create(joined, 0), 0);
    ASSERT_EQ(host_backend::capture_begin(origin, CaptureMode::relaxed), 0);
    ASSERT_EQ(host_backend::event_record(event, origin), 0);
    ASSERT_EQ(host_backend::stream_wait(joined, event), 0);
    bool capturing = false;
    ASSERT_EQ(host_backend::stream_capturing(joined, capturing), 0);
    EXPECT_TRUE(capturing);
    ASSERT_EQ(host_backend::stream_destroy(of_origin ? origin : joined), 0);
    host::StreamHandle* const left = of_origin ? joined : origin;
    ASSERT_EQ(host_backend::stream_capturing(left, capturing), 0);
    EXPECT_EQ(capturing, !of_origin);
    if (!of_origin) {
      host_backend::native_graph graph = nullptr;
      EXPECT_EQ(host_backend::capture_end(origin, graph),
                raw(HostStatus::stream_capture_invalidated));
    }
    EXPECT_THAT(Runtime::get().captures, IsEmpty());
    EXPECT_EQ(host_backend::stream_destroy(left), 0);
  }
  EXPECT_EQ(host_backend::event_destroy(event), 0);
}

TEST_F(HostCalls, AMergeOfCapturesBreaksBoth) {
  host::StreamHandle* second = nullptr;
  host_backend::native_event event = nullptr;
  ASSERT_EQ(host_backend::stream_create(second, 0), 0);
  ASSERT_EQ(host_backend::event_create(event, false), 0);
  ASSERT_EQ(host_backend::capture_begin(stream, CaptureMode::relaxed), 0);
  ASSERT_EQ(host_backend::capture_begin(second, CaptureMode::relaxed), 0);
  EXPECT_EQ(host_backend::capture_begin(second, CaptureMode::relaxed),
            raw(HostStatus::illegal_state));
  ASSERT_EQ(host_backend::event_record(event, second), 0);
  EXPECT_EQ(host_backend::stream_wait(stream, event), raw(HostStatus::stream_capture_merge));
  EXPECT_EQ(state(), CaptureState::broken);
  host_backend::native_graph graph = nullptr;
  for (host::StreamHandle* const one : {stream, second}) {
    EXPECT_EQ(host_backend::capture_end(one, graph), raw(HostStatus::stream_capture_invalidated));
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(host_backend::capture_end(one, graph), raw(HostStatus::illegal_state));
  }
  EXPECT_EQ(host_backend::event_destroy(event), 0);
  EXPECT_EQ(host_backend::stream_destroy(second), 0);
}

TEST_F(HostCalls, AQueryOfADeviceIsRefusedForEachCaptureOnIt) {
  host::StreamHandle* second = nullptr;
  ASSERT_EQ(host_backend::stream_create(second, 0), 0);
  ASSERT_EQ(host_backend::capture_begin(stream, CaptureMode::relaxed), 0);
  ASSERT_EQ(host_backend::capture_begin(second, CaptureMode::relaxed), 0);
  EXPECT_EQ(host_backend::device_synchronize(), raw(HostStatus::stream_capture_unsupported));
  host_backend::native_graph graph = nullptr;
  for (host::StreamHandle* const one : {stream, second}) {
    EXPECT_EQ(host_backend::capture_end(one, graph), raw(HostStatus::stream_capture_invalidated));
  }
  EXPECT_EQ(host_backend::device_synchronize(), 0);
  EXPECT_EQ(host_backend::stream_destroy(second), 0);
}

// Whether a call of a thread breaks a capture: by both modes, and whether the thread began it.
TEST_F(HostCalls, UnsafeCallsAreForbiddenByTheModesOfBoth) {
  void* memory = nullptr;
  for (int capture_mode = 0; capture_mode < 3; ++capture_mode) {
    for (int mine = 0; mine < 3; ++mine) {
      for (const bool other_thread : {false, true}) {
        ASSERT_EQ(host_backend::capture_begin(stream, static_cast<CaptureMode>(capture_mode)), 0);
        int status = -1;
        const auto call = [&] {
          int mode = mine;
          EXPECT_EQ(host_backend::exchange_capture_mode(mode), 0);
          status = host_backend::host_allocate(memory, 0);
          EXPECT_EQ(host_backend::exchange_capture_mode(mode), 0);
        };
        if (other_thread) {
          std::thread(call).join();
        } else {
          call();
        }
        const bool refused =
            other_thread ? capture_mode == 0 && mine == 0 : capture_mode != 2 && mine != 2;
        EXPECT_EQ(status, refused ? raw(HostStatus::stream_capture_unsupported) : 0)
            << capture_mode << mine << other_thread;
        EXPECT_EQ(state(), refused ? CaptureState::broken : CaptureState::active);
        host_backend::native_graph graph = nullptr;
        EXPECT_EQ(host_backend::capture_end(stream, graph),
                  refused ? raw(HostStatus::stream_capture_invalidated) : 0);
        if (graph != nullptr) {
          EXPECT_EQ(host_backend::graph_destroy(graph), 0);
        }
      }
    }
  }
}

TEST_F(HostCalls, TheTailOfACaptureIsThatOfItsNodes) {
  auto* const memory = device_array<unsigned char>(8);
  ASSERT_EQ(host_backend::capture_begin(stream, CaptureMode::relaxed), 0);
  CaptureInfo info{};
  std::uint64_t before = 0;
  for (std::uint64_t node = 1; node <= 3; ++node) {
    ASSERT_EQ(host_backend::fill(memory, 0, 8, stream), 0);
    ASSERT_EQ(host_backend::capture_info(stream, info), 0);
    EXPECT_EQ(info.tail, detail::finish_tail(detail::mix_tail(0, node)));
    EXPECT_NE(info.tail, before);
    before = info.tail;
  }
  host_backend::native_graph graph = nullptr;
  ASSERT_EQ(host_backend::capture_end(stream, graph), 0);
  std::size_t nodes = 0;
  EXPECT_EQ(host_backend::graph_nodes(graph, nodes), 0);
  EXPECT_EQ(nodes, 3U);
  ASSERT_EQ(host_backend::capture_info(stream, info), 0);
  EXPECT_EQ(info.state, CaptureState::none);
  EXPECT_EQ(info.tail, 0U);
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
  EXPECT_EQ(host_backend::graph_nodes(graph, nodes), invalid_value);
  release(memory);
}

/// A graph of fills, of which the last one may be a copy.
host_backend::native_graph graph_of(host::StreamHandle* stream, unsigned char* memory, int nodes,
                                    bool ends_with_copy) {
  EXPECT_EQ(host_backend::capture_begin(stream, CaptureMode::relaxed), 0);
  for (int i = 0; i < nodes; ++i) {
    const bool copies = ends_with_copy && i == nodes - 1;
    EXPECT_EQ(copies ? host_backend::copy(memory, memory + 4, 1, CopyKind::device_to_device, stream)
                     : host_backend::fill(memory + i, static_cast<unsigned char>(nodes), 1, stream),
              0);
  }
  host_backend::native_graph graph = nullptr;
  EXPECT_EQ(host_backend::capture_end(stream, graph), 0);
  return graph;
}

TEST_F(HostCalls, AGraphUpdateComparesEachNode) {
  auto* const memory = device_array<unsigned char>(8);
  const host_backend::native_graph first = graph_of(stream, memory, 3, false);
  const host_backend::native_graph same = graph_of(stream, memory + 4, 3, false);
  const host_backend::native_graph longer = graph_of(stream, memory, 4, false);
  const host_backend::native_graph other = graph_of(stream, memory, 3, true);
  host_backend::native_graph_exec exec = nullptr;
  ASSERT_EQ(host_backend::graph_instantiate(exec, first), 0);
  GraphChange change = GraphChange::none;
  EXPECT_EQ(host_backend::graph_update(exec, nullptr, change), invalid_value);
  EXPECT_EQ(change, GraphChange::unknown);
  change = GraphChange::none;
  EXPECT_EQ(host_backend::graph_update(nullptr, first, change), invalid_value);
  EXPECT_EQ(change, GraphChange::unknown);
  const int refused = raw(HostStatus::graph_exec_update_failure);
  EXPECT_EQ(host_backend::graph_update(exec, longer, change), refused);
  EXPECT_EQ(change, GraphChange::topology);
  EXPECT_EQ(host_backend::graph_update(exec, other, change), refused);
  EXPECT_EQ(change, GraphChange::node_kind) << "the last node";
  EXPECT_EQ(host_backend::graph_update(exec, same, change), 0);
  EXPECT_EQ(change, GraphChange::none);
  ASSERT_EQ(host_backend::fill(memory, 0, 8, stream), 0);
  ASSERT_EQ(host_backend::graph_launch(exec, stream), 0);
  unsigned char back[8] = {};
  ASSERT_EQ(host_backend::copy(back, memory, 8, CopyKind::device_to_host, stream), 0);
  EXPECT_THAT(back, ElementsAre(0, 0, 0, 0, 3, 3, 3, 0));
  EXPECT_EQ(host_backend::graph_launch(nullptr, stream), invalid_value);
  host_backend::native_graph_exec none = nullptr;
  EXPECT_EQ(host_backend::graph_instantiate(none, nullptr), invalid_value);
  EXPECT_EQ(host_backend::graph_exec_destroy(exec), 0);
  for (const auto graph : {first, same, longer, other}) {
    EXPECT_EQ(host_backend::graph_destroy(graph), 0);
  }
  release(memory);
}

TEST_F(HostScheduled, LaunchesOfOneGraphRunOneAfterAnother) {
  auto* const memory = device_array<unsigned char>(8);
  const host_backend::native_graph graph = graph_of(stream, memory, 1, false);
  host_backend::native_graph_exec exec = nullptr;
  ASSERT_EQ(host_backend::graph_instantiate(exec, graph), 0);
  ASSERT_EQ(host_backend::graph_launch(exec, stream), 0);
  EXPECT_EQ(state_of(stream).last->after, nullptr);
  const host::Shared<const host::Operation> first = state_of(stream).last;
  ASSERT_EQ(host_backend::graph_launch(exec, stream), 0);
  EXPECT_EQ(state_of(stream).last->after, first);
  EXPECT_EQ(host_backend::graph_exec_destroy(exec), 0);
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
  release(memory);
}

TEST_F(HostScheduled, FreedMemoryIsKeptUntilTheScheduleEnds) {
  auto* const memory = device_array<unsigned char>(24);
  release(memory);
  EXPECT_EQ(host_backend::deallocate(memory, stream), invalid_value)
      << "its stream is not there yet";
  EXPECT_EQ(synchronize(), 0);
  EXPECT_EQ(runtime.freed_memory.written_after_free(), 0U);
  memory[3] = 1;
  EXPECT_EQ(runtime.freed_memory.written_after_free(), 24U);
  const host::ReleaseOperation operation(runtime, memory, 24);
  EXPECT_EQ(operation.kind(), host::OperationKind::release);
  EXPECT_THAT(operation.accesses, ElementsAre(MemoryAccess::of(memory, 24, AccessKind::release)));
}

TEST_F(HostScheduled, OnlyACopyIntoPageableMemoryWaits) {
  auto* const memory = device_array<unsigned char>(8);
  void* pinned = nullptr;
  ASSERT_EQ(host_backend::host_allocate(pinned, 8), 0);
  std::vector<unsigned char> pageable(8);
  ASSERT_EQ(host_backend::copy(pinned, memory, 8, CopyKind::device_to_host, stream), 0);
  EXPECT_FALSE(scheduler.waiting.empty());
  ASSERT_EQ(host_backend::copy(pinned, pageable.data(), 8, CopyKind::host_to_host, stream), 0);
  EXPECT_TRUE(scheduler.waiting.empty()) << "from host to host";
  ASSERT_EQ(host_backend::copy(memory, pinned, 8, CopyKind::host_to_device, stream), 0);
  EXPECT_FALSE(scheduler.waiting.empty());
  ASSERT_EQ(host_backend::copy(pageable.data(), memory, 8, CopyKind::device_to_host, stream), 0);
  EXPECT_TRUE(scheduler.waiting.empty());
  EXPECT_EQ(host_backend::host_deallocate(pinned), 0);
  release(memory);
}

TEST_F(HostScheduled, AStreamsWaitNamesTheRecord) {
  host::StreamHandle* second = nullptr;
  host_backend::native_event event = nullptr;
  host_backend::native_event later = nullptr;
  ASSERT_EQ(host_backend::stream_create(second, 0), 0);
  ASSERT_EQ(host_backend::event_create(event, true), 0);
  ASSERT_EQ(host_backend::event_create(later, true), 0);
  ASSERT_EQ(host_backend::event_record(event, stream), 0);
  EXPECT_EQ(state_of(stream).last, state_of(event).record);
  ASSERT_EQ(host_backend::stream_wait(second, event), 0);
  ASSERT_NE(state_of(second).last, nullptr);
  EXPECT_EQ(state_of(second).last->after, state_of(event).record);
  EXPECT_EQ(host_backend::event_synchronize(event), 0);
  ASSERT_EQ(host_backend::event_record(later, stream), 0);
  float ms = 0;
  EXPECT_EQ(host_backend::event_elapsed(ms, event, later), host_backend::not_ready);
  EXPECT_EQ(host_backend::event_elapsed(ms, later, event), host_backend::not_ready);
  EXPECT_EQ(host_backend::event_destroy(event), 0);
  EXPECT_EQ(host_backend::event_destroy(later), 0);
  EXPECT_EQ(host_backend::stream_destroy(second), 0);
}

TEST_F(HostScheduled, WorkOfANewBlockingStreamComesAfterTheDefaultStreamOfItsDevice) {
  host::set_device_count(2);
  auto* const memory = device_array<unsigned char>(8);
  const host::StreamState& usual = state_of(host::legacy_stream());
  ASSERT_EQ(host_backend::set_device(1), 0);
  const host::StreamState& other = state_of(host::legacy_stream());
  EXPECT_NE(&other, &usual) << "one handle";
  const auto earlier = other.last;  // another test's, if any
  ASSERT_EQ(host_backend::set_device(0), 0);
  ASSERT_EQ(host_backend::fill(memory, 0, 8, host::legacy_stream()), 0);
  host::StreamHandle* const blocking = host::create_blocking_stream(0);
  EXPECT_EQ(state_of(blocking).last, nullptr) << "only its next work waits";
  ASSERT_EQ(host_backend::fill(memory, 0, 8, blocking), 0);
  ASSERT_EQ(state_of(blocking).queue.size(), 2U) << "the wait and the work";
  EXPECT_EQ(state_of(blocking).queue.front()->after, usual.last);
  ASSERT_EQ(host_backend::fill(memory, 0, 8, blocking), 0);
  EXPECT_EQ(state_of(blocking).queue.size(), 3U) << "once";
  host::StreamHandle* const far = host::create_blocking_stream(1);
  EXPECT_EQ(state_of(far).last, nullptr);
  EXPECT_EQ(state_of(far).implied, earlier);
  host::StreamHandle* free = nullptr;
  ASSERT_EQ(host_backend::stream_create(free, 0), 0);
  EXPECT_EQ(state_of(free).last, nullptr);
  EXPECT_EQ(other.last, earlier);
  EXPECT_EQ(host::create_blocking_stream(2), nullptr);
  for (host::StreamHandle* const one : {blocking, far, free}) {
    EXPECT_EQ(host_backend::stream_destroy(one), 0);
  }
  release(memory);
}

TEST_F(HostCalls, AnAllocationWithoutASchedulerIsNoWork) {
  EXPECT_FALSE(host_backend::is_scheduled());
  auto* const memory = device_array<unsigned char>(8);
  EXPECT_EQ(state_of(stream).last, nullptr);
  release(memory);
}

TEST_F(HostCalls, ADeviceWithoutPoolsHasNoOrderedMemory) {
  DeviceLimits limits;
  ASSERT_EQ(host_backend::limits_of(0, limits), 0);
  limits.memory_pools = false;
  ASSERT_TRUE(host::set_limits(0, limits));
  bool pools = true;
  EXPECT_EQ(host_backend::has_memory_pools(0, pools), 0);
  EXPECT_FALSE(pools);
  void* memory = nullptr;
  EXPECT_EQ(host_backend::allocate(memory, 8, stream), raw(HostStatus::not_supported));
}

TEST_F(HostCalls, MemoryThatIsNotThereIsNotCounted) {
  const std::size_t used = Runtime::get().devices[0]->used;
  void* memory = this;
  ASSERT_TRUE(host::set_memory(0, SIZE_MAX));
  EXPECT_EQ(host_backend::allocate(memory, SIZE_MAX / 2 + 1, stream), out_of_memory);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(Runtime::get().devices[0]->used, used);
  auto* const some = device_array<unsigned char>(8);
  ASSERT_TRUE(host::set_memory(0, used + 7));
  EXPECT_EQ(host_backend::allocate(memory, 1, stream), out_of_memory) << "it has more than it may";
  std::size_t free_bytes = 9;
  std::size_t total = 0;
  EXPECT_EQ(host_backend::memory_info(free_bytes, total), 0);
  EXPECT_EQ(free_bytes, 0U);
  ASSERT_TRUE(host::set_memory(0, used + 8));
  EXPECT_EQ(host_backend::allocate(memory, 1, stream), out_of_memory);
  ASSERT_TRUE(host::set_memory(0, used + 9));
  EXPECT_EQ(host_backend::allocate(memory, 1, stream), 0);
  release(memory);
  release(some);
}

TEST_F(HostCalls, EachPitchHoldsARow) {
  auto* const memory = device_array<unsigned char>(16);
  const std::vector<unsigned char> host(16, 7);
  const auto copy = [&](std::size_t to_pitch, std::size_t from_pitch) {
    return host_backend::copy_2d(memory, to_pitch, host.data(), from_pitch, 4, 2,
                                 CopyKind::host_to_device, stream);
  };
  const int invalid = raw(HostStatus::invalid_pitch);
  EXPECT_EQ(copy(4, 4), 0);
  EXPECT_EQ(copy(3, 4), invalid);
  EXPECT_EQ(copy(4, 3), invalid);
  EXPECT_EQ(host_backend::copy(memory, host.data(), 4, CopyKind::host_to_device, nullptr),
            invalid_handle);
  EXPECT_EQ(host_backend::fill(memory, 0, 4, nullptr), invalid_handle);
  release(memory);
}

TEST_F(HostCalls, UnorderedMemoryOfAnotherDeviceIsCopiedWithoutAccess) {
  host::set_device_count(2);
  ASSERT_EQ(host_backend::set_device(1), 0);
  void* there = nullptr;
  ASSERT_EQ(host_backend::allocate_unordered(there, 8), 0);
  ASSERT_EQ(host_backend::set_device(0), 0);
  auto* const here = device_array<unsigned char>(8);
  auto* const bytes = static_cast<unsigned char*>(there);
  for (unsigned char i = 0; i < 8; ++i) bytes[i] = i;
  EXPECT_EQ(host_backend::copy_peer(here, 0, there, 1, 4, stream), 0);
  EXPECT_EQ(host_backend::copy(here + 4, bytes + 4, 4, CopyKind::device_to_device, stream), 0);
  EXPECT_EQ(synchronize(), 0);
  EXPECT_THAT(std::vector<unsigned char>(here, here + 8), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(host_backend::fill(there, 0, 8, stream), invalid_value) << "fills need access";
  bool reached = true;
  EXPECT_EQ(host_backend::can_access(0, there, 0, reached), 0);
  EXPECT_FALSE(reached);
  EXPECT_EQ(host_backend::can_access(1, there, 0, reached), 0);
  EXPECT_TRUE(reached);
  release(here);
  EXPECT_EQ(host_backend::deallocate_unordered(there), 0);
}

TEST_F(HostCalls, AnOverrunOfUnorderedMemoryIsFoundWhenItIsFreed) {
  if (host::address_sanitizer) GTEST_SKIP() << "AddressSanitizer ends the program first";
  void* memory = nullptr;
  ASSERT_EQ(host_backend::allocate_unordered(memory, 10), 0);
  static_cast<unsigned char*>(memory)[10] = 1;
  EXPECT_EQ(host_backend::deallocate_unordered(memory), raw(HostStatus::illegal_address));
  host::reset();
}

TEST_F(HostCalls, ACopyThatWaitsReturnsTheFailureOfEarlierWork) {
  auto* const memory = device_array<unsigned char>(8);
  host::fault_in_kernel(1, HostStatus::unknown);
  ASSERT_EQ(launch_raw(
                stream, shape_of(1, 1), +[] {}),
            0);
  unsigned char back[8] = {};
  const int unknown = raw(HostStatus::unknown);
  EXPECT_EQ(host_backend::copy(back, memory, 8, CopyKind::device_to_host, stream), unknown);
  const Name text = host_backend::error_text(unknown);
  EXPECT_EQ(std::string(text.data, text.size), "unknown error") << "this failure has no text";
  EXPECT_EQ(host_backend::copy(back, memory, 8, CopyKind::device_to_host, stream), 0);
  EXPECT_EQ(host_backend::peek_last_error(), unknown);
  host::fail_next(host::call_of<&host_backend::peek_last_error>, 1, HostStatus::not_supported);
  EXPECT_EQ(host_backend::peek_last_error(), unknown);
  EXPECT_EQ(host_backend::peek_last_error(), unknown);
  release(memory);
}

TEST_F(HostCalls, ACapturedCopyIntoPageableMemoryDoesNotWait) {
  auto* const memory = device_array<unsigned char>(8);
  unsigned char back[8] = {};
  ASSERT_EQ(host_backend::capture_begin(stream, CaptureMode::relaxed), 0);
  CaptureInfo info{};
  ASSERT_EQ(host_backend::capture_info(stream, info), 0);
  EXPECT_EQ(info.tail, detail::finish_tail(0)) << "no node yet";
  EXPECT_EQ(host_backend::copy(back, memory, 8, CopyKind::device_to_host, stream), 0);
  host_backend::native_graph graph = nullptr;
  ASSERT_EQ(host_backend::capture_end(stream, graph), 0);
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
  release(memory);
}

TEST_F(HostCalls, AnEventOfAnEndedCaptureIsAsNeverRecorded) {
  host::StreamHandle* second = nullptr;
  host_backend::native_event event = nullptr;
  ASSERT_EQ(host_backend::stream_create(second, 0), 0);
  ASSERT_EQ(host_backend::event_create(event, true), 0);
  ASSERT_EQ(host_backend::capture_begin(stream, CaptureMode::relaxed), 0);
  ASSERT_EQ(host_backend::event_record(event, stream), 0);
  EXPECT_EQ(host_backend::event_query(event), raw(HostStatus::captured_event));
  EXPECT_EQ(state(), CaptureState::broken);
  host_backend::native_graph graph = nullptr;
  ASSERT_EQ(host_backend::capture_end(stream, graph), raw(HostStatus::stream_capture_invalidated));
  EXPECT_EQ(host_backend::stream_wait(second, event), 0);
  bool capturing = true;
  EXPECT_EQ(host_backend::stream_capturing(second, capturing), 0);
  EXPECT_FALSE(capturing);
  // A wait for work that is not captured breaks a capture.
  ASSERT_EQ(host_backend::event_record(event, second), 0);
  ASSERT_EQ(host_backend::capture_begin(stream, CaptureMode::relaxed), 0);
  EXPECT_EQ(host_backend::stream_wait(stream, event), raw(HostStatus::stream_capture_isolation));
  EXPECT_EQ(state(), CaptureState::broken);
  ASSERT_EQ(host_backend::capture_end(stream, graph), raw(HostStatus::stream_capture_invalidated));
  EXPECT_EQ(host_backend::event_destroy(event), 0);
  EXPECT_EQ(host_backend::stream_destroy(second), 0);
}

TEST_F(HostCalls, OnlyItsFirstStreamEndsACaptureAndItsThreadUnlessItIsRelaxed) {
  host::StreamHandle* second = nullptr;
  host_backend::native_event event = nullptr;
  ASSERT_EQ(host_backend::stream_create(second, 0), 0);
  ASSERT_EQ(host_backend::event_create(event, false), 0);
  ASSERT_EQ(host_backend::capture_begin(stream, CaptureMode::relaxed), 0);
  ASSERT_EQ(host_backend::event_record(event, stream), 0);
  ASSERT_EQ(host_backend::stream_wait(second, event), 0);
  auto* graph = reinterpret_cast<host_backend::native_graph>(&event);
  EXPECT_EQ(host_backend::capture_end(second, graph), raw(HostStatus::stream_capture_unmatched));
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(state(), CaptureState::broken);
  EXPECT_EQ(host_backend::capture_end(stream, graph), raw(HostStatus::stream_capture_invalidated));
  EXPECT_EQ(host_backend::capture_end(nullptr, graph), invalid_handle);
  EXPECT_EQ(host_backend::capture_begin(nullptr, CaptureMode::relaxed), invalid_handle);
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::thread, CaptureMode::relaxed}) {
    ASSERT_EQ(host_backend::capture_begin(stream, mode), 0);
    std::thread([&, mode] {
      EXPECT_EQ(host_backend::capture_end(stream, graph),
                mode == CaptureMode::relaxed ? 0 : raw(HostStatus::stream_capture_wrong_thread));
    }).join();
    if (graph != nullptr) {
      EXPECT_EQ(host_backend::graph_destroy(graph), 0);
    }
    graph = nullptr;
    EXPECT_EQ(state(), CaptureState::none);
  }
  EXPECT_EQ(host_backend::event_destroy(event), 0);
  EXPECT_EQ(host_backend::stream_destroy(second), 0);
}

TEST_F(HostCalls, ACaptureThatFollowsAnotherBeginsWithoutItsNodes) {
  auto* const memory = device_array<unsigned char>(8);
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(host_backend::capture_begin(stream, CaptureMode::relaxed), 0);
    CaptureInfo info{};
    ASSERT_EQ(host_backend::capture_info(stream, info), 0);
    EXPECT_EQ(info.tail, detail::finish_tail(0));
    ASSERT_EQ(host_backend::fill(memory, 0, 8, stream), 0);
    host_backend::native_graph graph = nullptr;
    ASSERT_EQ(host_backend::capture_end(stream, graph), 0);
    EXPECT_THAT(Runtime::get().graphs.find(graph)->nodes->front().after, IsEmpty());
    EXPECT_EQ(host_backend::graph_destroy(graph), 0);
  }
  release(memory);
}

TEST_F(HostCalls, ADevicesQueryConcernsItsOwnStreams) {
  host::set_device_count(2);
  ASSERT_EQ(host_backend::capture_begin(stream, CaptureMode::relaxed), 0);
  ASSERT_EQ(host_backend::set_device(1), 0);
  EXPECT_EQ(host_backend::device_synchronize(), 0);
  EXPECT_EQ(state(), CaptureState::active);
  ASSERT_EQ(host_backend::set_device(0), 0);
  EXPECT_EQ(host_backend::device_synchronize(), raw(HostStatus::stream_capture_unsupported));
  EXPECT_EQ(state(), CaptureState::broken);
  host_backend::native_graph graph = nullptr;
  EXPECT_EQ(host_backend::capture_end(stream, graph), raw(HostStatus::stream_capture_invalidated));
}

// The worker of a stream.

TEST_F(HostCalls, TheWorkerOfADestroyedStreamEndsAndIsJoined) {
  host::StreamHandle* made = nullptr;
  auto* const memory = device_array<unsigned char>(8);
  for (const bool has_work : {true, false}) {
    ASSERT_EQ(host_backend::stream_create(made, 0), 0);
    if (has_work) {
      EXPECT_EQ(host_backend::fill(memory, 0, 8, made), 0);
    }
    if (has_work) {
      EXPECT_EQ(host_backend::stream_synchronize(made), 0);
    }
    EXPECT_EQ(host_backend::stream_destroy(made), 0);
    Runtime& runtime = Runtime::get();
    host::Lock lock(runtime.mutex);
    const auto all_ended = [&] {
      return std::all_of(runtime.retired.begin(), runtime.retired.end(),
                         [](const auto& one) { return one->exited || !one->worker.joinable(); });
    };
    runtime.progress.wait(lock, all_ended);
    runtime.reap();
    EXPECT_THAT(runtime.retired, IsEmpty());
  }
  release(memory);
}

// Kernels.

TEST_F(HostCalls, AKernelNeedsAFunctionAndItsOwnDevice) {
  const KernelEntry entry = entry_of(+[] {});
  void* args[] = {nullptr};
  const int invalid = raw(HostStatus::invalid_device_function);
  KernelLimits limits;
  KernelEntry without_function = entry;
  without_function.function = nullptr;
  KernelEntry without_invoke = entry;
  without_invoke.invoke = nullptr;
  for (const KernelEntry& broken : {without_function, without_invoke}) {
    EXPECT_EQ(host_backend::attributes_of(broken, limits), invalid);
    EXPECT_EQ(host_backend::launch(broken, shape_of(1, 1), args, stream), invalid);
  }
  EXPECT_EQ(host_backend::launch(entry, shape_of(1, 1), args, nullptr), invalid_handle);
  host::set_device_count(2);
  ASSERT_EQ(host_backend::set_device(1), 0);
  EXPECT_EQ(host_backend::launch(entry, shape_of(1, 1), args, stream), invalid_handle);
  ASSERT_EQ(host_backend::set_device(0), 0);
  EXPECT_EQ(host_backend::launch(entry, shape_of(1, 1), args, stream), 0);
}

TEST_F(HostCalls, ARefusedLaunchBreaksItsCapture) {
  ASSERT_EQ(host_backend::capture_begin(stream, CaptureMode::relaxed), 0);
  EXPECT_EQ(launch_raw(
                stream, shape_of(1, 1), +[] {}),
            0);
  EXPECT_EQ(state(), CaptureState::active);
  EXPECT_EQ(launch_raw(
                stream, shape_of(1, 1025), +[] {}),
            raw(HostStatus::invalid_configuration));
  EXPECT_EQ(state(), CaptureState::broken);
  host_backend::native_graph graph = nullptr;
  EXPECT_EQ(host_backend::capture_end(stream, graph), raw(HostStatus::stream_capture_invalidated));
  EXPECT_EQ(launch_raw(
                stream, shape_of(1, 1025), +[] {}),
            raw(HostStatus::invalid_configuration))
      << "without a capture";
}

TEST_F(HostCalls, AKernelFaultsThatIsGivenAnotherDevicesMemory) {
  const auto two = +[](int, unsigned char*, unsigned char*) {};
  host::set_device_count(2);
  ASSERT_EQ(host_backend::set_device(1), 0);
  void* there = nullptr;
  void* managed = nullptr;
  ASSERT_EQ(host_backend::allocate_unordered(there, 8), 0);
  ASSERT_EQ(host_backend::allocate_managed(managed, 8), 0);
  ASSERT_EQ(host_backend::set_device(0), 0);
  auto* const here = device_array<unsigned char>(8);
  auto* const far = static_cast<unsigned char*>(there);
  unsigned char local = 0;
  const auto status = [&](unsigned char* first, unsigned char* second) {
    EXPECT_EQ(launch_raw(stream, shape_of(1, 1), two, 1, first, second), 0);
    const int said = synchronize();
    Runtime::get().devices[0]->recover();
    return said;
  };
  const int bad = raw(HostStatus::illegal_address);
  EXPECT_EQ(status(here, static_cast<unsigned char*>(managed)), 0);
  EXPECT_EQ(status(&local, nullptr), 0);
  EXPECT_EQ(status(far, here), bad);
  EXPECT_EQ(status(here, far), bad);
  EXPECT_EQ(status(here, far + 7), bad) << "its last byte";
  EXPECT_EQ(status(here, far + 8), 0) << "no memory that is known";
  ASSERT_TRUE(host::set_peer_access(0, 1, true));
  EXPECT_EQ(status(here, far), 0);
  release(here);
  EXPECT_EQ(host_backend::deallocate_unordered(there), 0);
  EXPECT_EQ(host_backend::deallocate_unordered(managed), 0);
}

TEST_F(HostCalls, AClusterHasTheLimitOfItsLaunch) {
  DeviceLimits limits;
  ASSERT_EQ(host_backend::limits_of(0, limits), 0);
  const KernelEntry entry = entry_of(+[] {});
  LaunchShape shape = shape_of(1, 1);
  int blocks = -1;
  limits.max_cluster_blocks = 0;
  ASSERT_TRUE(host::set_limits(0, limits));
  EXPECT_EQ(host_backend::max_cluster_blocks(entry, shape, blocks), raw(HostStatus::not_supported));
  limits.max_cluster_blocks = 8;
  limits.max_cluster_blocks_optin = 16;
  ASSERT_TRUE(host::set_limits(0, limits));
  EXPECT_EQ(host_backend::max_cluster_blocks(entry, shape, blocks), 0);
  EXPECT_EQ(blocks, 8);
  shape.non_portable_cluster = true;
  EXPECT_EQ(host_backend::max_cluster_blocks(entry, shape, blocks), 0);
  EXPECT_EQ(blocks, 16);
}

// The runtime.

struct CountedOperation final : host::Operation {
  explicit CountedOperation(bool its_survives) : survives(its_survives) {}
  host::Failure run() override {
    ++runs;
    return {status, text};
  }
  [[nodiscard]] bool survives_loss() const noexcept override { return survives; }
  bool survives;
  int status = 0;
  Name text{};
  int runs = 0;
};

TEST_F(HostScheduled, OnALostDeviceOnlyWhatFreesSomethingRuns) {
  const auto usual = host::make_shared<CountedOperation>(false);
  const auto freeing = host::make_shared<CountedOperation>(true);
  const auto submit = [&](const host::Shared<CountedOperation>& operation) {
    const host::Lock lock(runtime.mutex);
    runtime.submit(state_of(stream), operation);
  };
  submit(usual);
  submit(freeing);
  EXPECT_EQ(synchronize(), 0);
  EXPECT_EQ(usual->runs, 1);
  EXPECT_EQ(freeing->runs, 1);
  EXPECT_TRUE(usual->done);
  freeing->status = raw(HostStatus::illegal_address);
  freeing->text = Name::of("why");
  submit(freeing);
  submit(usual);
  submit(freeing);
  EXPECT_EQ(synchronize(), raw(HostStatus::illegal_address));
  EXPECT_EQ(usual->runs, 1);
  EXPECT_EQ(freeing->runs, 3);
  const Name text = host_backend::error_text(raw(HostStatus::illegal_address));
  EXPECT_EQ(std::string(text.data, text.size), "why");
  runtime.devices[0]->recover();
}

TEST_F(HostScheduled, WorkIsOrderedAfterWhatMayStillBeToldOfIt) {
  const auto done = host::make_shared<CountedOperation>(false);
  done->done = true;
  const host::Lock lock(runtime.mutex);
  runtime.order_after(state_of(stream), nullptr);
  EXPECT_TRUE(state_of(stream).idle());
  host::caller().site.line = 41;
  runtime.order_after(state_of(stream), done);
  host::caller().site.line = 0;
  ASSERT_EQ(state_of(stream).queue.size(), 1U)
      << "a scheduler judges the order of what is done, too";
  EXPECT_EQ(state_of(stream).queue.front()->after, done);
  EXPECT_EQ(state_of(stream).queue.front()->caller.site.line, 41U);
}

TEST_F(HostCalls, WorkIsNotOrderedAfterWhatIsDone) {
  const auto done = host::make_shared<CountedOperation>(false);
  done->done = true;
  Runtime& runtime = Runtime::get();
  const host::Lock lock(runtime.mutex);
  runtime.order_after(state_of(stream), done);
  runtime.order_after(state_of(stream), nullptr);
  EXPECT_TRUE(state_of(stream).idle());
  EXPECT_EQ(state_of(stream).last, nullptr);
}

TEST_F(HostScheduled, WorkThatTheSchedulerRefusesIsNotQueued) {
  const auto refused = host::make_shared<CountedOperation>(false);
  const host::Lock lock(runtime.mutex);
  scheduler.refuses = true;
  EXPECT_THROW(runtime.submit(state_of(stream), refused), std::bad_alloc);
  scheduler.refuses = false;
  EXPECT_TRUE(state_of(stream).idle());
  EXPECT_EQ(state_of(stream).last, nullptr);
}

struct GenerousScheduler final : TestScheduler {
  using TestScheduler::TestScheduler;
  bool hands_out_again() override {
    ++asked;
    return generous;
  }
  bool generous = false;
  int asked = 0;
};

TEST_F(HostCalls, FreedMemoryIsHandedOutAgainIfTheSchedulerSaysSo) {
  if (host::address_sanitizer) GTEST_SKIP() << "kept memory is not freed";
  Runtime& runtime = Runtime::get();
  GenerousScheduler scheduler(runtime);
  {
    const host::Lock lock(runtime.mutex);
    runtime.set_scheduler(&scheduler);
  }
  void* first = nullptr;
  void* second = nullptr;
  ASSERT_EQ(host_backend::allocate_unordered(first, 4000), 0);
  ASSERT_EQ(host_backend::deallocate_unordered(first), 0);
  ASSERT_EQ(host_backend::allocate_unordered(second, 4000), 0);
  EXPECT_NE(second, first);
  ASSERT_EQ(host_backend::deallocate_unordered(second), 0);
  EXPECT_EQ(scheduler.asked, 1);
  scheduler.generous = true;
  void* third = nullptr;
  ASSERT_EQ(host_backend::allocate_unordered(third, 4000), 0);
  EXPECT_EQ(third, second) << "the newest";
  ASSERT_EQ(host_backend::deallocate_unordered(third), 0);
  EXPECT_EQ(scheduler.asked, 2);
  static_cast<unsigned char*>(third)[0] = 1;
  EXPECT_EQ(runtime.freed_memory.written_after_free(), 4000U);
  const host::Lock lock(runtime.mutex);
  runtime.set_scheduler(nullptr);
  EXPECT_EQ(runtime.freed_memory.written_after_free(), 0U) << "it has gone back";
}

TEST_F(HostCalls, WithoutASchedulerFreedMemoryGoesBack) {
  void* memory = nullptr;
  ASSERT_EQ(host_backend::allocate_unordered(memory, 4000), 0);
  ASSERT_EQ(host_backend::deallocate_unordered(memory), 0);
  Runtime& runtime = Runtime::get();
  host::Allocation asking{{}, 4000, MemoryKind::device, 0, false, false, {nullptr, nullptr, 0}};
  EXPECT_FALSE(runtime.freed_memory.take(asking, [] { return true; }));
  EXPECT_FALSE(runtime.hands_out_again(asking));
}

TEST_F(HostCalls, ADeviceIsCountedFrom0) {
  Runtime& runtime = Runtime::get();
  host::set_device_count(2);
  EXPECT_EQ(runtime.device(-1), nullptr);
  EXPECT_EQ(runtime.device(2), nullptr);
  EXPECT_EQ(runtime.device(1), runtime.devices[1].get());
  EXPECT_EQ(runtime.device(0), runtime.devices[0].get());
  EXPECT_EQ(runtime.unavailable(), 0);
}

TEST_F(HostCalls, ADeviceHasTheProcessorsOfTheMachine) {
  Runtime& runtime = Runtime::get();
  const std::size_t before = runtime.devices.size();
  const int one_more = static_cast<int>(before) + 1;
  host::set_device_count(one_more);
  EXPECT_EQ(runtime.devices.size(), before + 1);
  for (int i = 0; i < one_more; ++i) {
    EXPECT_EQ(runtime.device(i)->limits.multiprocessors,
              std::max(1U, std::thread::hardware_concurrency()));
  }
  runtime.devices.pop_back();
  host::set_device_count(1);
}

TEST_F(HostCalls, AFailuresTextIsThatOfItsStatusAlone) {
  Runtime& runtime = Runtime::get();
  const std::string usual = string_of(host_backend::error_text(invalid_handle));
  for (const int status : {invalid_value, raw(HostStatus::illegal_address)}) {
    EXPECT_EQ(runtime.set_failure_text({status, Name::of("what happened")}), status);
    EXPECT_EQ(string_of(host_backend::error_text(status)), "what happened");
    EXPECT_EQ(runtime.set_failure_text({0, Name::of("nothing")}), 0);
    EXPECT_EQ(string_of(host_backend::error_text(status)), "what happened");
    EXPECT_EQ(string_of(host_backend::error_text(invalid_handle)), usual);
  }
}

TEST_F(HostCalls, AKernelsAttributesAreNotThoseOfALostDevice) {
  Runtime& runtime = Runtime::get();
  KernelLimits limits{};
  runtime.devices[0]->fail({raw(HostStatus::illegal_address), {}});
  EXPECT_EQ(host_backend::attributes_of(entry_of(nothing), limits),
            raw(HostStatus::illegal_address));
  EXPECT_FALSE(limits.known);
  runtime.devices[0]->recover();
  EXPECT_EQ(host_backend::attributes_of(entry_of(nothing), limits), 0);
  EXPECT_TRUE(limits.known);
}

// What a scheduler keeps, and what is done once it has gone.

TEST_F(HostScheduled, AStreamIsToldAsDestroyedOnceItsEndCannotFail) {
  host::StreamHandle* second = nullptr;
  ASSERT_EQ(host_backend::stream_create(second, 0), 0);
  host::Array<host::Owned<host::StreamState>> full;
  full.reserve(runtime.retired.size());
  for (auto& one : runtime.retired) full.push_back(std::move(one));
  runtime.retired = std::move(full);
  ASSERT_EQ(host_backend::stream_destroy(second), 0);
  EXPECT_TRUE(scheduler.had_room);
}

TEST_F(HostScheduled, NoOperationIsNotToldAsOne) {
  const std::size_t before = scheduler.known;
  const host::Lock lock(runtime.mutex);
  runtime.report_done(nullptr);
  EXPECT_EQ(scheduler.known, before);
  runtime.report_done(host::make_shared<host::MarkOperation>());
  EXPECT_EQ(scheduler.known, before + 1);
}

/// Waits until the workers of all destroyed streams are at their end.
void await_retired(Runtime& runtime, host::Lock& lock) {
  const auto gone = [](const host::Owned<host::StreamState>& one) {
    return !one->worker.joinable() || one->exited;
  };
  runtime.progress.wait(
      lock, [&] { return std::all_of(runtime.retired.begin(), runtime.retired.end(), gone); });
}

TEST_F(HostScheduled, OldDestroyedStreamsWithoutWorkAreForgotten) {
  ASSERT_EQ(host_backend::device_synchronize(), 0);
  std::vector<const host::StreamState*> made;
  host::StreamHandle* handle = nullptr;
  host::Lock lock(runtime.mutex);
  runtime.set_scheduler(nullptr);
  await_retired(runtime, lock);  // streams of other tests
  runtime.reap();
  ASSERT_THAT(runtime.retired, IsEmpty());
  runtime.set_scheduler(&scheduler);
  lock.unlock();
  const auto destroy_one = [&] {
    ASSERT_EQ(host_backend::stream_destroy(handle), 0);
    EXPECT_EQ(runtime.streams.find(handle), nullptr);
  };
  for (int i = 0; i < 2048; ++i) {
    ASSERT_TRUE(scheduler.forgot.empty()) << i;
    ASSERT_EQ(host_backend::stream_create(handle, 0), 0);
    made.push_back(&state_of(handle));
    // The second has work that has not run.
    if (i == 1) {
      ASSERT_EQ(launch_raw(handle, shape_of(1, 1), nothing), 0);
    }
    destroy_one();
  }
  std::vector<const host::StreamState*> expected{made[0]};
  for (std::size_t i = 2; i <= 1024; ++i) expected.push_back(made[i]);
  EXPECT_EQ(scheduler.forgot, expected);
  EXPECT_EQ(runtime.retired.size(), 1024U);
  EXPECT_EQ(runtime.retired.front().get(), made[1]);
  lock.lock();
  scheduler.run_all(lock);
}

TEST_F(HostScheduled, WhetherAnEventHasEndedIsNoCallOfTheProgram) {
  host::EventHandle* event = nullptr;
  ASSERT_EQ(host_backend::event_create(event, false), 0);
  EXPECT_FALSE(host_backend::event_ended(event)) << "it has no record";
  ASSERT_EQ(host_backend::event_record(event, stream), 0);
  const std::size_t calls = scheduler.calls;
  const std::size_t known = scheduler.known;
  const std::size_t pending = scheduler.pending;
  EXPECT_FALSE(host_backend::event_ended(event));
  {
    host::Lock lock(runtime.mutex);
    scheduler.run_all(lock);
  }
  EXPECT_TRUE(host_backend::event_ended(event));
  EXPECT_EQ(scheduler.calls, calls);
  EXPECT_EQ(scheduler.known, known);
  EXPECT_EQ(scheduler.pending, pending);
  ASSERT_EQ(host_backend::event_destroy(event), 0);
  EXPECT_FALSE(host_backend::event_ended(event)) << "it does not exist";
}

TEST_F(HostCalls, ADestroyedStreamsWorkerIsJoinedByTheNextCallForStreams) {
  Runtime& runtime = Runtime::get();
  host::Lock lock(runtime.mutex);
  await_retired(runtime, lock);
  runtime.reap();
  lock.unlock();
  host::StreamHandle* idle = nullptr;
  ASSERT_EQ(host_backend::stream_create(idle, 0), 0);
  ASSERT_EQ(host_backend::stream_destroy(idle), 0);
  EXPECT_THAT(runtime.retired, IsEmpty()) << "it had no worker";
  host::StreamHandle* busy = nullptr;
  ASSERT_EQ(host_backend::stream_create(busy, 0), 0);
  ASSERT_EQ(launch_raw(busy, shape_of(1, 1), nothing), 0);
  ASSERT_EQ(host_backend::stream_synchronize(busy), 0);
  ASSERT_EQ(host_backend::stream_destroy(busy), 0);
  lock.lock();
  await_retired(runtime, lock);
  lock.unlock();
  host::StreamHandle* next = nullptr;
  ASSERT_EQ(host_backend::stream_create(next, 0), 0);
  EXPECT_THAT(runtime.retired, IsEmpty());
  ASSERT_EQ(host_backend::stream_destroy(next), 0);
}

TEST_F(HostCalls, AWorkerWhoseStreamTheSchedulerEndedIsJoined) {
  Runtime& runtime = Runtime::get();
  TestScheduler scheduler(runtime);
  host::StreamHandle* stream_with_worker = nullptr;
  ASSERT_EQ(host_backend::stream_create(stream_with_worker, 0), 0);
  ASSERT_EQ(launch_raw(stream_with_worker, shape_of(1, 1), nothing), 0);
  ASSERT_EQ(host_backend::stream_synchronize(stream_with_worker), 0);
  host::Lock lock(runtime.mutex);
  runtime.set_scheduler(&scheduler);
  lock.unlock();
  ASSERT_EQ(launch_raw(stream_with_worker, shape_of(1, 1), nothing), 0);
  lock.lock();
  // As stream_destroy, whose call may have woken the worker too early.
  state_of(stream_with_worker).closing = true;
  runtime.retired.push_back(runtime.streams.remove(stream_with_worker));
  scheduler.run_all(lock);
  runtime.set_scheduler(nullptr);
  await_retired(runtime, lock);
  runtime.reap();
  EXPECT_THAT(runtime.retired, IsEmpty());
}

}  // namespace
}  // namespace warpsafe::host_test
