// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A library's handle that can only run on its stream: creation, move, rebind and close.

#include "toy_fixture.hpp"
#include <warpsafe/debug/log.hpp>
#include <warpsafe/debug/switches.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/memory_info.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpsafe::handle_test {
namespace {

static_assert(!std::is_default_constructible_v<Toy>);
static_assert(!std::is_copy_constructible_v<Toy> && !std::is_copy_assignable_v<Toy>);
static_assert(std::is_nothrow_move_constructible_v<Toy> && std::is_nothrow_move_assignable_v<Toy>);
static_assert(std::is_nothrow_destructible_v<Toy>);

struct StreamBoundTest : ToyTest {};

TEST_F(StreamBoundTest, IsMadeOnItsStreamWithItsWorkspaceAndScalarsOnTheHost) {
  const auto toy = Toy::create(stream).value();
  EXPECT_THAT(toy::take_log(),
              ElementsAre("create", "set_stream", "scalars_on_host", "set_workspace"));
  EXPECT_EQ(toy.native()->stream, stream.native());
  EXPECT_EQ(toy.stream(), stream.ref());
  EXPECT_NE(toy.native()->workspace, nullptr);
  EXPECT_EQ(toy.native()->workspace_bytes, 1024U);
}

TEST_F(StreamBoundTest, IsDestroyedOnceAndItsWorkspaceFreed) {
  const auto before = host::calls_made(call_of<&host_backend::deallocate>);
  {
    auto first = Toy::create(stream).value();
    auto second = std::move(first);
    auto third = Toy::create(stream).value();
    toy::log.clear();
    third = std::move(second);
    EXPECT_THAT(toy::take_log(), ElementsAre("destroy"))
        << "what is assigned to is destroyed first";
    EXPECT_EQ(third.native()->stream, stream.native());
  }
  EXPECT_THAT(toy::take_log(), ElementsAre("destroy"));
  EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate>) - before, 2U);
}

TEST_F(StreamBoundTest, KeepsItsStreamAlive) {
  std::optional<Stream> own(Stream::create().value());
  std::optional<Toy> toy(Toy::create(*own).value());
  const auto before = host::calls_made(call_of<&host_backend::stream_destroy>);
  own.reset();
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_destroy>), before);
  float* const x = device_array<float>(1);
  EXPECT_THAT(toy->call<toy::toy_write>(2.0F, trust(x)), Succeeds());
  EXPECT_THAT(toy->stream().synchronize(), Succeeds());
  EXPECT_EQ(*x, 2.0F);
  toy.reset();
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_destroy>), before + 1);
}

TEST_F(StreamBoundTest, CloseTellsWhatTheLibrarySays) {
  auto toy = Toy::create(stream).value();
  toy::failing = "destroy";
  const LaunchError error = error_in(toy.close(app));
  EXPECT_EQ(error.code, Errc::library_failed);
  EXPECT_EQ(error.raw, toy::toy_broken);
  EXPECT_EQ(error.vendor, Vendor::host);
  EXPECT_EQ(message(error),
            "toy destroy failed: the toy is broken (toy_broken, 7)\n  at app.cpp:7");
  EXPECT_THAT(toy.close(), Succeeds()) << "there is nothing left to close";
}

TEST_F(StreamBoundTest, EachStepOfMakingOneCanFail) {
  const auto fails = [&](const char* step, std::vector<std::string> log,
                         const testing::Matcher<std::string>& text) {
    toy::log.clear();
    toy::failing = step;
    EXPECT_THAT(said(Toy::create(stream, app)), text);
    EXPECT_EQ(toy::take_log(), log);
  };
  const auto allocated = host::calls_made(call_of<&host_backend::allocate>);
  const auto freed = host::calls_made(call_of<&host_backend::deallocate>);
  fails("set_stream", {"create", "set_stream", "destroy"},
        "toy set stream failed: the toy is broken (toy_broken, 7)\n  at app.cpp:7");
  fails("scalars_on_host", {"create", "set_stream", "scalars_on_host", "destroy"},
        "toy set pointer mode failed: the toy is broken (toy_broken, 7)\n  at app.cpp:7");
  fails("set_workspace", {"create", "set_stream", "scalars_on_host", "set_workspace", "destroy"},
        "toy set workspace failed: the toy is broken (toy_broken, 7)\n  at app.cpp:7");
  EXPECT_EQ(host::calls_made(call_of<&host_backend::allocate>) - allocated, 1U);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate>) - freed, 1U);
  host::fail_next(call_of<&host_backend::allocate>, 1, HostStatus::out_of_memory);
  fails("", {"create", "set_stream", "scalars_on_host", "destroy"},
        testing::MatchesRegex("toy allocate workspace failed: out of memory: 1024 bytes requested, "
                              "[0-9]+ of [0-9]+ bytes free on the device; this program's buffers "
                              "hold 0 bytes \\(hostErrorMemoryAllocation, 2\\)\n  at app.cpp:7"));
  host::fail_next(call_of<&host_backend::current_device>, 1, HostStatus::no_device);
  const LaunchError no_device = error_in(Toy::create(stream, app));
  EXPECT_EQ(no_device.code, Errc::no_device);
  EXPECT_EQ(toy::take_log().size(), 0U);
  host::fail_next(call_of<&host_backend::stream_capturing>, 1, HostStatus::unknown);
  EXPECT_EQ(error_in(Toy::create(stream, app)).code, Errc::runtime_failed);
  EXPECT_EQ(toy::take_log().size(), 0U);
}

TEST_F(StreamBoundTest, IsMadeWithItsDeviceCurrent) {
  host::set_device_count(2);
  const Stream other = Stream::create(DeviceId(1)).value();
  EXPECT_EQ(
      said(Toy::create(other, app)),
      "toy create not called: the stream belongs to device 1, but device 0 is current; make device "
      "1 current with DeviceGuard\n  at app.cpp:7");
  EXPECT_EQ(toy::take_log().size(), 0U);
  std::optional<Toy> toy;
  {
    const auto guard = DeviceGuard::create(DeviceId(1)).value();
    toy.emplace(Toy::create(other).value());
  }
  EXPECT_EQ(toy->native()->workspace_bytes, 4096U);
  toy.reset();  // with its own device current, whichever is
  EXPECT_EQ(toy::destroyed_on, 1);
  EXPECT_EQ(current_device().value(), DeviceId(0));
}

TEST_F(StreamBoundTest, TakesOverAHandleThatOtherCodeMade) {
  toy::toy_handle raw_handle = nullptr;
  ASSERT_EQ(toy::toy_create(&raw_handle), toy::toy_success);
  raw_handle->scalars_on_device = true;
  toy::failing = "set_workspace";
  EXPECT_EQ(error_in(Toy::adopt(raw_handle, stream)).code, Errc::library_failed);
  toy::log.clear();
  {
    auto toy = Toy::adopt(raw_handle, stream).value();
    EXPECT_EQ(toy.native(), raw_handle) << "still there after the error";
    EXPECT_FALSE(raw_handle->scalars_on_device);
  }
  EXPECT_THAT(toy::take_log(),
              ElementsAre("set_stream", "scalars_on_host", "set_workspace", "destroy"));
}

TEST_F(StreamBoundTest, RefusesAHandleThatAnotherOneOwns) {
  toy::toy_handle raw_handle = nullptr;
  ASSERT_EQ(toy::toy_create(&raw_handle), toy::toy_success);
  const Stream other = Stream::create().value();
  std::optional<Toy> toy = Toy::adopt(raw_handle, stream).value();
  toy::log.clear();
  const std::string why =
      "toy set stream not called: another StreamBound owns this handle and destroys it; keep one "
      "for each handle, and move it or pass a reference to it\n  at app.cpp:7";
  EXPECT_EQ(said(Toy::adopt(raw_handle, other, app)), why);
  Toy moved = std::move(*toy);
  toy.reset();
  EXPECT_EQ(said(Toy::adopt(raw_handle, stream, app)), why) << "it was moved";
  moved = std::move(moved).rebind(other).value();
  EXPECT_EQ(said(Toy::adopt(raw_handle, stream, app)), why) << "it is on another stream";
  const auto made = Toy::create(stream);
  EXPECT_EQ(said(Toy::adopt(made.value().native(), stream, app)), why) << "create made it";
  EXPECT_EQ(raw_handle->stream, other.native()) << "as it was";
  // The library may hand out the value again once the handle is destroyed.
  EXPECT_THAT(moved.close(), Succeeds());
  ASSERT_EQ(toy::toy_create(&raw_handle), toy::toy_success);
  EXPECT_THAT(Toy::adopt(raw_handle, stream), Succeeds());
}

std::atomic<bool> may_end{false};
WARPSAFE_KERNEL void until_told() {
  while (!may_end) std::this_thread::yield();
}

TEST_F(StreamBoundTest, RebindOrdersTheNewStreamAfterTheOld) {
  const Stream next = Stream::create().value();
  auto toy = Toy::create(stream).value();
  void* const workspace = toy.native()->workspace;
  float* const x = device_array<float>(1);
  may_end = false;
  ASSERT_THAT(launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<until_told>), Succeeds());
  ASSERT_THAT(toy.call<toy::toy_write>(3.0F, trust(x)), Succeeds());
  toy::log.clear();
  auto moved = std::move(toy).rebind(next).value();
  EXPECT_THAT(toy::take_log(), ElementsAre("set_stream", "scalars_on_host", "set_workspace"));
  EXPECT_EQ(moved.native()->workspace, workspace) << "the library forgets it with its stream";
  EXPECT_EQ(moved.stream(), next.ref());
  ASSERT_THAT(moved.call<toy::toy_scale>(1, host_scalar(2.0F), trust(x)), Succeeds());
  EXPECT_FALSE(next.ready().value()) << "waits for the old stream";
  may_end = true;
  EXPECT_THAT(next.synchronize(), Succeeds());
  EXPECT_EQ(*x, 6.0F);
  EXPECT_EQ(error_in(toy.call<toy::toy_reset>()).code, Errc::handle_moved);
}

TEST_F(StreamBoundTest, ARebindThatFailsLeavesTheHandleAsItWas) {
  const Stream next = Stream::create().value();
  auto toy = Toy::create(stream).value();
  for (const char* const step : {"set_stream", "set_workspace"}) {
    toy::failing = step;
    EXPECT_EQ(error_in(std::move(toy).rebind(next, app)).code, Errc::library_failed);
    EXPECT_EQ(toy.native()->stream, stream.native()) << step;
    EXPECT_NE(toy.native()->workspace, nullptr) << step;
    EXPECT_EQ(toy.stream(), stream.ref());
    EXPECT_THAT(toy.call<toy::toy_reset>(), Succeeds());
  }
  host::fail_next(call_of<&host_backend::event_create>, 1, HostStatus::out_of_memory);
  EXPECT_EQ(error_in(std::move(toy).rebind(next)).code, Errc::out_of_memory);
  host::fail_next(call_of<&host_backend::stream_wait>, 1, HostStatus::unknown);
  EXPECT_EQ(error_in(std::move(toy).rebind(next)).code, Errc::runtime_failed);
  EXPECT_THAT(toy.call<toy::toy_reset>(), Succeeds());
  EXPECT_EQ(toy.native()->stream, stream.native());
}

TEST_F(StreamBoundTest, RebindStaysOnItsDevice) {
  host::set_device_count(2);
  const Stream here = Stream::create().value();
  const Stream other = Stream::create(DeviceId(1)).value();
  auto toy = Toy::create(here).value();
  EXPECT_EQ(
      said(std::move(toy).rebind(other, app)),
      "toy set stream not called: the stream belongs to device 1, but device 0 is current; make "
      "device 1 current with DeviceGuard\n  at app.cpp:7");
  auto moved = std::move(toy);
  EXPECT_EQ(said(std::move(toy).rebind(here, app)),
            "toy set stream not called: this StreamBound was moved from or closed; use the one "
            "that it was moved to\n  at app.cpp:7");
}

TEST_F(StreamBoundTest, AReboundWorkspaceIsFreedOnTheNewStream) {
  const Stream next = Stream::create().value();
  {
    std::optional<Stream> first(Stream::create().value());
    // Borrowed: nothing but its owner keeps the first stream.
    auto toy = Toy::create(first->ref()).value();
    auto moved = std::move(toy).rebind(next).value();
    ASSERT_THAT(first->synchronize(), Succeeds());
    first.reset();
    EXPECT_THAT(moved.call<toy::toy_reset>(), Succeeds());
    EXPECT_THAT(moved.close(), Succeeds());
  }
  EXPECT_THAT(next.synchronize(), Succeeds());
}

std::atomic<bool> first_may_end{true};
WARPSAFE_KERNEL void hold_first() {
  while (!first_may_end) std::this_thread::yield();
}

TEST_F(StreamBoundTest, AReboundWorkspaceIsFreeWithoutTheOldStream) {
  const Stream first = Stream::create().value();
  const Stream next = Stream::create().value();
  auto toy = Toy::create(first).value();
  const std::uint64_t free_before = memory_info(DeviceId(0)).value().free;
  auto moved = std::move(toy).rebind(next).value();
  // Later work of the old stream, which is no longer the handle's.
  first_may_end = false;
  ASSERT_THAT(launch(first, LaunchConfig{grid<1>, block<1>}, kernel<hold_first>), Succeeds());
  EXPECT_THAT(moved.close(), Succeeds());
  EXPECT_THAT(next.synchronize(), Succeeds());
  EXPECT_GT(memory_info(DeviceId(0)).value().free, free_before);
  first_may_end = true;
  EXPECT_THAT(first.synchronize(), Succeeds());
}

/// A vendor's runtime takes the handle of a moved-from Stream for its default stream.
TEST_F(StreamBoundTest, IsNotMadeOnWhatIsLeftOfAStream) {
  Stream left = Stream::create().value();
  const Stream moved = std::move(left);
  const std::string why =
      " not called: this Stream was moved from or closed; use the one that it was moved to\n"
      "  at app.cpp:7";
  EXPECT_EQ(said(Toy::create(left, app)), "toy create" + why);
  toy::toy_handle handle = nullptr;
  ASSERT_EQ(toy::toy_create(&handle), toy::toy_success);
  EXPECT_EQ(said(Toy::adopt(handle, left, app)), "toy set stream" + why);
  EXPECT_EQ(toy::toy_destroy(handle), toy::toy_success);
  auto bound = Toy::create(moved).value();
  EXPECT_EQ(said(std::move(bound).rebind(left, app)), "toy set stream" + why);
  EXPECT_EQ(bound.native()->stream, moved.native()) << "as it was";
}

TEST_F(StreamBoundTest, IsNeitherMadeNorTakenOverWhileItsStreamCaptures) {
  toy::toy_handle raw_handle = nullptr;
  ASSERT_EQ(toy::toy_create(&raw_handle), toy::toy_success);
  toy::log.clear();
  auto capture = Capture::begin(stream).value();
  const auto refused = Toy::create(stream, app);
  const auto not_taken = Toy::adopt(raw_handle, stream, app);
  EXPECT_THAT(std::move(capture).end(), Succeeds());
  EXPECT_EQ(said(refused),
            "toy create not called: the stream is capturing a graph, and this would break the "
            "capture\n  at app.cpp:7");
  EXPECT_EQ(said(not_taken),
            "toy set stream not called: the stream is capturing a graph, and this would break the "
            "capture\n  at app.cpp:7");
  EXPECT_EQ(toy::take_log().size(), 0U);
  EXPECT_THAT(Toy::adopt(raw_handle, stream), Succeeds()) << "once nothing is captured";
}

TEST_F(StreamBoundTest, IsNotReboundWhileEitherStreamCaptures) {
  const Stream next = Stream::create().value();
  auto toy = Toy::create(stream).value();
  for (const Stream* const captured : {&stream, &next}) {
    auto capture = Capture::begin(*captured).value();
    toy::log.clear();
    const auto refused = std::move(toy).rebind(next, app);
    EXPECT_THAT(std::move(capture).end(), Succeeds()) << "the capture is whole";
    EXPECT_EQ(said(refused),
              "toy set stream not called: the stream is capturing a graph, and this would break "
              "the capture\n  at app.cpp:7");
    EXPECT_EQ(refused.assume_error().stream, captured->native());
    EXPECT_EQ(toy::take_log().size(), 0U);
    EXPECT_EQ(toy.stream(), stream.ref());
    EXPECT_THAT(toy.call<toy::toy_reset>(), Succeeds()) << "still there";
  }
  EXPECT_THAT(std::move(toy).rebind(next), Succeeds());
}

TEST_F(StreamBoundTest, ACallIsCapturedAndTheGraphKeepsItsWorkspaceAfterTheHandlesEnd) {
  float* const x = device_array<float>(1);
  auto toy = std::make_unique<Toy>(Toy::create(stream).value());
  ASSERT_THAT(toy->call<toy::toy_write>(3.0F, trust(x)), Succeeds());
  const auto freed = host::calls_made(call_of<&host_backend::deallocate>);
  auto capture = Capture::begin(stream).value();
  ASSERT_THAT(toy->call<toy::toy_scale>(1, host_scalar(2.0F), trust(x)), Succeeds());
  toy.reset();
  EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate>), freed)
      << "a free would be captured, or break it";
  std::optional graph(std::move(capture).end());
  ASSERT_THAT(*graph, Succeeds());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate>), freed) << "the graph has it";
  {
    auto exec = graph->value().instantiate().value();
    graph.reset();
    ASSERT_THAT(exec.launch(stream), Succeeds());
    EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate>), freed) << "and its own";
  }
  EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate>), freed + 2);
  ASSERT_THAT(stream.synchronize(), Succeeds());
  EXPECT_EQ(*x, 6.0F);
}

// Two graphs, or a graph and the handle's own calls, may run at once.
TEST_F(StreamBoundTest, EachGraphHasAWorkspaceOfItsOwn) {
  float* const x = device_array<float>(1);
  auto toy = Toy::create(stream).value();
  std::vector<void*> used{toy.native()->workspace};
  const auto scale = [&] {
    EXPECT_THAT(toy.call<toy::toy_scale>(1, host_scalar(2.0F), trust(x)), Succeeds());
    return toy::scaled_in;
  };
  std::vector<Graph> graphs;
  for (int i = 0; i < 2; ++i) {
    graphs.push_back(capture(stream, [&](Capture&) -> result<void> {
                       used.push_back(scale());
                       EXPECT_EQ(scale(), used.back()) << "one for all calls of a graph";
                       return success();
                     }).value());
    EXPECT_EQ(scale(), used.front()) << "and the handle's own for the rest";
  }
  EXPECT_EQ(std::set<void*>(used.begin(), used.end()).size(), 3U);
}

TEST_F(StreamBoundTest, IsMadeAndDestroyedBesideACaptureOfAnotherStream) {
  toy::allocates = true;
  const auto other = Stream::create().value();
  auto capture = Capture::begin(other).value();
  auto toy = Toy::create(stream);
  EXPECT_THAT(toy, Succeeds());
  EXPECT_THAT(toy.value().close(), Succeeds());
  toy::allocates = false;
  EXPECT_THAT(std::move(capture).end(), Succeeds());
}

TEST_F(StreamBoundTest, AGraphsWorkspaceThatCannotBeMadeIsAnError) {
  float* const x = device_array<float>(1);
  auto toy = Toy::create(stream).value();
  void* const own = toy.native()->workspace;
  auto capture = Capture::begin(stream).value();
  host::fail_next(call_of<&host_backend::allocate>, 1, HostStatus::out_of_memory);
  const auto called = toy.call<toy::toy_scale>(1, host_scalar(2.0F), trust(x));
  EXPECT_THAT(message(called.error()), testing::HasSubstr("toy allocate workspace failed"));
  EXPECT_EQ(toy.native()->workspace, own);
  EXPECT_FALSE(toy.native()->scalars_on_device);
  EXPECT_THAT(toy.call<toy::toy_scale>(1, host_scalar(2.0F), trust(x)), Succeeds());
  EXPECT_THAT(std::move(capture).end(), Succeeds());
}

TEST_F(StreamBoundTest, AQuestionThatFailsIsAnError) {
  host::fail_next(call_of<&host_backend::stream_capturing>, 1, HostStatus::unknown);
  EXPECT_EQ(error_in(Toy::adopt(nullptr, stream)).code, Errc::runtime_failed);
}

// The per-thread default stream.

TEST_F(StreamBoundTest, AnotherThreadsDefaultStreamIsNoStreamOfTheHandle) {
  const auto on = StreamRef::borrow(host::per_thread_stream(), DeviceId(0)).value();
  Toy toy = Toy::create(on).value();
  auto* const x = device_array<float>(1);
  *x = 1;
  std::thread([&] {
    const auto called = toy.call<toy::toy_scale>({1, app}, host_scalar(2.0F), trust(x));
    EXPECT_EQ(error_in(called).code, Errc::handle_stream_changed);
    EXPECT_THAT(said(called), testing::HasSubstr("another thread bound this handle"));
    toy = std::move(toy).rebind(on).value();
    EXPECT_THAT(toy.call<toy::toy_scale>(1, host_scalar(2.0F), trust(x)), Succeeds());
    EXPECT_THAT(on.synchronize(), Succeeds());
  }).join();
  EXPECT_EQ(*x, 2);
  EXPECT_EQ(error_in(toy.call<toy::toy_scale>(1, host_scalar(2.0F), trust(x))).code,
            Errc::handle_stream_changed)
      << "it is the other thread's now";
}

TEST_F(StreamBoundTest, AnotherThreadRebindsItAfterTheWorkOfItsStream) {
  const auto on = StreamRef::borrow(host::per_thread_stream(), DeviceId(0)).value();
  Toy toy = Toy::create(on).value();
  first_may_end = false;
  ASSERT_THAT(launch(on, LaunchConfig{grid<1>, block<1>}, kernel<hold_first>), Succeeds());
  const Stream next = Stream::create().value();
  std::thread([&] { toy = std::move(toy).rebind(next).value(); }).join();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(next.ready().value()) << "the new stream waits for the kernel";
  first_may_end = true;
  EXPECT_THAT(next.synchronize(), Succeeds());
}

}  // namespace
}  // namespace warpsafe::handle_test
