// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A handle that comes back means another stream: of a destroyed stream's, of another thread's, of
// another device's. The model gives a destroyed stream's handle to the next stream at once.

#include "launch_fixture.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/memory.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

using ::testing::Contains;

WARPSAFE_KERNEL void set_late(int* x, std::size_t n, int value) {
  while (!may_end) std::this_thread::yield();
  for (std::size_t i = 0; i < n; ++i) x[i] = value;
}
WARPSAFE_KERNEL void touch(const int*) {}
WARPSAFE_KERNEL void guilty() {}
WARPSAFE_KERNEL void innocent() {}

constexpr LaunchConfig once{grid<1>, block<1>};
constexpr std::size_t n = 1000;

StreamRef per_thread(int device = 0) {
  return StreamRef::borrow(host::per_thread_stream(), DeviceId(device)).value();
}
StreamRef legacy(int device = 0) {
  return StreamRef::borrow(host::legacy_stream(), DeviceId(device)).value();
}

struct Identity : LaunchTest {
  Identity() { may_end = false; }
  ~Identity() override { may_end = true; }
  Identity(const Identity&) = delete;
  Identity& operator=(const Identity&) = delete;

  /// A stream with the handle of `gone`, which ends.
  static Stream successor_of(Stream gone) {
    auto* const handle = gone.native();
    EXPECT_TRUE(gone.close().has_value());
    Stream next = Stream::create().value();
    EXPECT_EQ(next.native(), handle) << "the model is as unkind as CUDA";
    return next;
  }
  /// Whether `ended` becomes ready only once the late kernels may end.
  template <class T>
  static bool waits_for_late_work(std::future<T>& ended) {
    const bool waits = ended.wait_for(std::chrono::milliseconds(30)) == std::future_status::timeout;
    may_end = true;
    return waits;
  }
  template <class S>
  static void expect_free_behind_late_work(S& stream) {
    EXPECT_TRUE(stays_pending(stream)) << "the free does not wait for the kernel";
    may_end = true;
    EXPECT_TRUE(stream.synchronize().has_value());
  }
  std::optional<DeviceBuffer<int>> buffer_on(StreamRef its_stream) {
    return DeviceBuffer<int>::create(its_stream, n).value();
  }
};

TEST_F(Identity, AReusedHandleIsAnotherStream) {
  Stream first = Stream::create().value();
  const StreamRef before = first;
  const Stream second = successor_of(std::move(first));
  EXPECT_EQ(before.native(), second.native());
  EXPECT_NE(before.number(), second.ref().number());
  EXPECT_FALSE(before == second.ref());
  const StreamRef borrowed = StreamRef::borrow(second.native(), DeviceId(0)).value();
  EXPECT_EQ(borrowed, second.ref()) << "a handle means the stream that has it now";
}

TEST_F(Identity, MemoryIsFreedAfterTheKernelOfAStreamWhoseHandleCameBack) {
  auto buffer = buffer_on(stream);
  Stream first = Stream::create().value();
  ASSERT_TRUE(launch(first, once, kernel<set_late>, buffer->view(), n, 7).has_value());
  const Stream second = successor_of(std::move(first));
  ASSERT_TRUE(launch(second, once, kernel<touch>, std::as_const(*buffer).view()).has_value());
  ASSERT_TRUE(second.synchronize().has_value());
  ASSERT_TRUE(buffer->close().has_value());
  expect_free_behind_late_work(stream);
}

TEST_F(Identity, MemoryOfAStreamThatEndedIsFreedAfterAUseByTheNextWithItsHandle) {
  Stream first = Stream::create().value();
  auto buffer = buffer_on(first);  // keeps the stream, so the handle does not come back yet
  auto* const handle = first.native();
  ASSERT_TRUE(first.close().has_value());
  const Stream second = Stream::create().value();
  EXPECT_NE(second.native(), handle);
  const StreamRef of_buffer = buffer->stream();
  ASSERT_TRUE(launch(second, once, kernel<set_late>, buffer->view(), n, 7).has_value());
  ASSERT_TRUE(buffer->close().has_value());
  const Stream third = Stream::create().value();
  EXPECT_EQ(third.native(), handle);
  EXPECT_FALSE(third.ref() == of_buffer);
  EXPECT_TRUE(third.synchronize().has_value()) << "it has no part in the free";
  may_end = true;
}

TEST_F(Identity, AWaitForTheNextStreamWithTheHandleIsNoWaitForTheCopy) {
  auto buffer = buffer_on(stream);
  wait();
  auto pinned = PinnedBuffer<int>::create(n).value();
  for (int& value : pinned.span()) value = -1;
  Stream first = Stream::create().value();
  ASSERT_TRUE(launch(first, once, kernel<set_late>, buffer->view(), n, 7).has_value());
  auto pending = copy(first, from(std::as_const(*buffer)), to(std::move(pinned)));
  const Stream second = successor_of(std::move(first));
  auto got = std::async(std::launch::async, [&] {
    auto values = synchronize(second, std::move(pending)).value();
    return std::get<0>(values).span()[n - 1];
  });
  EXPECT_TRUE(waits_for_late_work(got));
  EXPECT_EQ(got.get(), 7);
}

TEST_F(Identity, AWaitForTheNextStreamWithTheHandleClearsNoSuspect) {
  Stream first = Stream::create().value();
  ASSERT_TRUE(launch(first, once, kernel<run_until_released>).has_value());
  host::fault_in_kernel(1, HostStatus::illegal_address);
  ASSERT_TRUE(launch(first, once, kernel<guilty>).has_value());
  const Stream second = successor_of(std::move(first));
  ASSERT_TRUE(launch(second, once, kernel<innocent>).has_value());
  ASSERT_TRUE(second.synchronize().has_value());
  may_end = true;
  LaunchError error = LaunchError::make(Errc{}, Stage{});
  while (error.incident == 0) {  // the fault comes when the kernel has run
    const auto waited = stream.synchronize();
    if (!waited.has_value()) error = waited.error();
  }
  std::vector<LaunchRecord> records(debug::Journal::capacity);
  records.resize(debug::suspects(error, records.data(), records.size()));
  std::vector<std::string> names;
  for (const LaunchRecord& record : records) names.push_back(text(record.kernel));
  EXPECT_THAT(names, Contains("guilty"));
  EXPECT_THAT(names, testing::Not(Contains("innocent")));
}

TEST_F(Identity, EventsOfTwoStreamsWithOneHandleShareNoStream) {
  Stream first = Stream::create().value();
  const TimedEvent early = first.record_timed().value();
  const TimedEvent also_early = first.record_timed().value();
  const Stream second = successor_of(std::move(first));
  const TimedEvent late = second.record_timed().value();
  EXPECT_TRUE(early.shares_stream_with(also_early));
  EXPECT_FALSE(early.shares_stream_with(late));
  EXPECT_TRUE(elapsed_ms(late, early).has_value()) << "no order was reversed";
}

TEST_F(Identity, ManyStreamsLeaveFewMarks) {
  auto buffer = buffer_on(stream);
  const auto events = [] {
    const host::Lock lock(host::Runtime::get().mutex);
    return host::Runtime::get().events.size();
  };
  const std::size_t before = events();
  for (int i = 0; i < 300; ++i) {
    const Stream brief = Stream::create().value();
    ASSERT_TRUE(launch(brief, once, kernel<touch>, std::as_const(*buffer).view()).has_value());
    ASSERT_TRUE(brief.synchronize().has_value());
  }
  EXPECT_LT(events(), before + 40);
}

// The per-thread default stream.

TEST_F(Identity, ThePerThreadStreamIsAnotherInEachThread) {
  const StreamRef mine = per_thread();
  std::uint64_t here = mine.number();
  std::uint64_t there = 0;
  std::thread([&] { there = mine.number(); }).join();
  EXPECT_EQ(here, mine.number());
  EXPECT_NE(there, here) << "one reference, used by two threads";
  EXPECT_NE(per_thread(1).number(), here);
}

TEST_F(Identity, MemoryIsFreedAfterAKernelOnAnotherThreadsStream) {
  auto buffer = buffer_on(per_thread());
  std::thread([&] {
    ASSERT_TRUE(launch(per_thread(), once, kernel<set_late>, buffer->view(), n, 7).has_value());
  }).join();
  ASSERT_TRUE(buffer->close().has_value());
  StreamRef mine = per_thread();
  ASSERT_TRUE(launch(mine, once, kernel<innocent>).has_value()) << "comes after the free";
  expect_free_behind_late_work(mine);
}

TEST_F(Identity, AnotherThreadFreesMemoryAfterTheWorkOfItsStream) {
  std::optional<DeviceBuffer<int>> buffer;
  std::promise<void> freed;
  std::promise<void> launched;
  std::thread owner([&] {
    buffer = buffer_on(per_thread());
    EXPECT_TRUE(launch(per_thread(), once, kernel<set_late>, buffer->view(), n, 7).has_value());
    launched.set_value();
    freed.get_future().wait();
  });
  launched.get_future().wait();
  ASSERT_TRUE(buffer->close().has_value());
  StreamRef mine = per_thread();
  ASSERT_TRUE(launch(mine, once, kernel<innocent>).has_value()) << "comes after the free";
  expect_free_behind_late_work(mine);
  freed.set_value();
  owner.join();
}

TEST_F(Identity, AWaitForAThreadsStreamIsNoWaitForAnotherThreadsCopy) {
  auto buffer = buffer_on(per_thread());
  auto pinned = PinnedBuffer<int>::create(n).value();
  std::optional<Pending<PinnedBuffer<int>>> pending;
  std::thread([&] {
    EXPECT_TRUE(launch(per_thread(), once, kernel<set_late>, buffer->view(), n, 7).has_value());
    pending.emplace(copy(per_thread(), from(std::as_const(*buffer)), to(std::move(pinned))));
  }).join();
  auto got = std::async(std::launch::async, [&] {
    auto values = synchronize(per_thread(), std::move(*pending)).value();
    return std::get<0>(values).span()[n - 1];
  });
  EXPECT_TRUE(waits_for_late_work(got));
  EXPECT_EQ(got.get(), 7);
}

// The legacy default stream.

TEST_F(Identity, TheLegacyStreamsOfTwoDevicesAreTwo) {
  host::set_device_count(2);
  ASSERT_TRUE(host::set_peer_access(1, 0, true));
  EXPECT_NE(legacy(0).number(), legacy(1).number());
  auto buffer = buffer_on(legacy(0));
  {
    const auto second = DeviceGuard::create(DeviceId(1)).value();
    ASSERT_TRUE(launch(legacy(1), once, kernel<set_late>, buffer->view(), n, 7).has_value());
  }
  ASSERT_TRUE(buffer->close().has_value());
  StreamRef own = legacy(0);
  expect_free_behind_late_work(own);
}

TEST_F(Identity, TheLegacyStreamOfADeviceThatIsNotCurrentIsWaitedFor) {
  host::set_device_count(2);
  const StreamRef far = legacy(1);
  {
    const auto second = DeviceGuard::create(DeviceId(1)).value();
    ASSERT_TRUE(launch(far, once, kernel<run_until_released>).has_value());
  }
  EXPECT_FALSE(far.ready().value());
  auto waited = std::async(std::launch::async, [&] { return far.synchronize().has_value(); });
  EXPECT_TRUE(waits_for_late_work(waited));
  EXPECT_TRUE(waited.get());
  auto memory = DeviceBuffer<int>::create(far, n).value();
  MemoryKind kind{};
  int device = -1;
  ASSERT_EQ(host_backend::pointer_kind(memory.view().pointer().get(), kind, device), 0);
  EXPECT_EQ(device, 1);
  EXPECT_TRUE(memory.close().has_value());
  EXPECT_TRUE(far.synchronize().has_value());
  const auto event = far.record();
  ASSERT_FALSE(event.has_value());
  EXPECT_EQ(event.error().code, Errc::stream_wrong_device) << "as for any other stream";
}

// Default streams of a device that is not current.

struct FarDefault : Identity {
  FarDefault() { EXPECT_TRUE(host::set_peer_access(0, 1, true)); }
  /// Memory of device 1 that a late kernel on a stream of device 0 sets to 7.
  DeviceBuffer<int> set_by(StreamRef on) const {
    auto memory = DeviceBuffer<int>::create(far, n).value();
    EXPECT_TRUE(memory.zero(far).has_value());
    EXPECT_TRUE(far.synchronize().has_value());
    EXPECT_TRUE(launch(on, once, kernel<set_late>, memory.view(), n, 7).has_value());
    return memory;
  }
  int last_of(const DeviceBuffer<int>& memory) const {
    return memory.to_host(far).get().value()[n - 1];
  }
  static void release() {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    may_end = true;
  }
  static Stream made_far() {
    host::set_device_count(2);
    return Stream::create(DeviceId(1)).value();
  }
  const Stream far = made_far();
};

TEST_F(FarDefault, CopiesToTheHostComeAfterItsWork) {
  for (const StreamRef on : {legacy(0), per_thread(0)}) {
    may_end = false;
    auto memory = set_by(on);
    std::thread later(release);
    EXPECT_EQ(memory.to_host(on).get().value()[n - 1], 7);
    later.join();
    may_end = false;
    auto pinned = PinnedBuffer<int>::create(n).value();
    ASSERT_TRUE(launch(on, once, kernel<set_late>, memory.view(), n, 8).has_value());
    auto pending = copy(on, from(memory), to(std::move(pinned)));
    may_end = true;
    const auto back = std::move(pending).get().value();
    EXPECT_EQ(back.span()[n - 1], 8);
  }
}

TEST_F(FarDefault, CopiesOnTheDeviceAreInItsOrder) {
  for (const StreamRef on : {legacy(0), per_thread(0)}) {
    may_end = false;
    auto memory = set_by(on);
    auto target = DeviceBuffer<int>::create(far, n).value();
    ASSERT_TRUE(copy(on, from(memory), to(target)).has_value());
    EXPECT_FALSE(on.ready().value());
    EXPECT_TRUE(stays_pending(on)) << "later work comes after the copy";
    may_end = true;
    EXPECT_TRUE(on.synchronize().has_value());
    EXPECT_EQ(last_of(target), 7);
  }
}

TEST_F(FarDefault, ACopyThereIsNotForACapture) {
  auto memory = DeviceBuffer<int>::create(far, n).value();
  auto target = DeviceBuffer<int>::create(far, n).value();
  auto capture = Capture::begin(per_thread(0), CaptureMode::relaxed).value();
  const auto copied = copy(per_thread(0), from(memory), to(target));
  ASSERT_FALSE(copied.has_value());
  EXPECT_EQ(copied.error().code, Errc::stream_capturing);
  EXPECT_TRUE(std::move(capture).end().has_value());
}

TEST_F(FarDefault, AGraphRunsOnItsDevice) {
  auto graph = [&] {
    const auto second = DeviceGuard::create(DeviceId(1)).value();
    auto capture = Capture::begin(far).value();
    EXPECT_TRUE(launch(far, once, kernel<run_until_released>).has_value());
    return std::move(capture).end().value();
  }();
  auto exec = graph.instantiate().value();
  for (const StreamRef on : {legacy(1), per_thread(1)}) {
    may_end = false;
    ASSERT_TRUE(exec.launch(on).has_value());
    EXPECT_FALSE(on.ready().value());
    const auto near = on == legacy(1) ? legacy(0) : per_thread(0);
    EXPECT_TRUE(near.ready().value());
    may_end = true;
    EXPECT_TRUE(on.synchronize().has_value());
  }
}

TEST_F(FarDefault, ACaptureIsOfItsDevice) {
  const Stream near = Stream::create(DeviceId(0)).value();
  auto far_memory = DeviceBuffer<int>::create(far, n).value();
  auto memory = DeviceBuffer<int>::create(near, n).value();
  auto capture = Capture::begin(per_thread(1)).value();
  EXPECT_TRUE(far_memory.zero(per_thread(1)).has_value());
  EXPECT_TRUE(memory.zero(per_thread(0)).has_value());
  auto exec_of = std::move(capture).end();
  ASSERT_TRUE(exec_of.has_value());
  EXPECT_EQ(exec_of.value().node_count().value(), 1U);
  {
    auto again = Capture::begin(per_thread(1)).value();
    again.discard();
  }
  EXPECT_TRUE(per_thread(1).synchronize().has_value()) << "it captures no longer";
  // A launch there is refused, wherever the thread is.
  auto exec = exec_of.value().instantiate().value();
  auto open = Capture::begin(per_thread(1)).value();
  EXPECT_EQ(error_in(exec.launch(per_thread(1))).code, Errc::stream_capturing);
  EXPECT_TRUE(exec.launch(per_thread(0)).has_value());
  open.discard();
}

// A runtime that does not number its streams, and streams that other code made.

struct Unnumbered : host_backend {
  static constexpr int stream_id = 0;
};
static_assert(Backend<Unnumbered>);

TEST_F(Identity, ForeignStreamsWithOneHandleAreBothWaitedFor) {
  host_backend::native_stream foreign = nullptr;
  ASSERT_EQ(host_backend::stream_create(foreign, 0), 0);
  const auto number = [&] {
    return basic_stream_ref<Unnumbered>::borrow(foreign, DeviceId(0)).value().number();
  };
  const std::uint64_t first = number();
  auto own = basic_stream<Unnumbered>::create().value();
  auto buffer = basic_device_buffer<Unnumbered, int>::create(own, n).value();
  ASSERT_TRUE(own.synchronize().has_value());
  const auto fill = [&] {
    const auto on = basic_stream_ref<Unnumbered>::borrow(foreign, DeviceId(0)).value();
    ASSERT_TRUE(buffer.zero(on).has_value());
  };
  ASSERT_TRUE(
      launch(StreamRef::borrow(foreign, DeviceId(0)).value(), once, kernel<run_until_released>)
          .has_value());
  fill();
  auto* const handle = foreign;
  ASSERT_EQ(host_backend::stream_destroy(foreign), 0);
  ASSERT_EQ(host_backend::stream_create(foreign, 0), 0);
  ASSERT_EQ(foreign, handle);
  EXPECT_EQ(number(), first) << "nothing tells them apart";
  fill();
  ASSERT_TRUE(buffer.close().has_value());
  expect_free_behind_late_work(own);
  EXPECT_EQ(host_backend::stream_destroy(foreign), 0);
}

TEST_F(Identity, ForeignStreamsHaveTheRuntimesNumbers) {
  host_backend::native_stream foreign = nullptr;
  ASSERT_EQ(host_backend::stream_create(foreign, 0), 0);
  const auto number = [&] { return StreamRef::borrow(foreign, DeviceId(0)).value().number(); };
  const std::uint64_t first = number();
  EXPECT_EQ(number(), first);
  // The question would break the capture.
  ASSERT_EQ(host_backend::capture_begin(foreign, CaptureMode::relaxed), 0);
  static_cast<void>(number());
  host_backend::native_graph graph = nullptr;
  EXPECT_EQ(host_backend::capture_end(foreign, graph), 0);
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
  ASSERT_EQ(host_backend::stream_destroy(foreign), 0);
  ASSERT_EQ(host_backend::stream_create(foreign, 0), 0);
  EXPECT_NE(number(), first);
  EXPECT_EQ(host_backend::stream_destroy(foreign), 0);
}

}  // namespace
}  // namespace warpsafe::core_test
