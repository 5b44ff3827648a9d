// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launch_fixture.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

WARPSAFE_KERNEL void nothing() {}

struct StreamTest : LaunchTest {
  const decltype(LaunchConfig{grid<1>, block<1>}) once{grid<1>, block<1>};
};

TEST_F(StreamTest, BelongsToTheDeviceThatWasCurrentOrWasAskedFor) {
  host::set_device_count(3);
  EXPECT_EQ(stream.device(), DeviceId(0));
  const Stream second = Stream::create(DeviceId(2)).value();
  EXPECT_EQ(second.device(), DeviceId(2));
  EXPECT_EQ(current_device().value(), DeviceId(0)) << "and the current device is as before";
  {
    auto guard = DeviceGuard::create(DeviceId(1));
    ASSERT_TRUE(guard.has_value());
    EXPECT_EQ(Stream::create().value().device(), DeviceId(1));
  }
  int device = -1;
  ASSERT_EQ(host_backend::stream_device(second.native(), device), 0);
  EXPECT_EQ(device, 2);
}

TEST_F(StreamTest, OfADeviceThatDoesNotExistIsAnError) {
  const auto made = Stream::create(DeviceId(5));
  const std::string line = std::to_string(__LINE__ - 1);
  EXPECT_EQ(said(made),
            "set device failed: device 5 does not exist (hostErrorInvalidDevice, 101)\n"
            "  at stream_test.cpp:" +
                line);
}

TEST_F(StreamTest, ThatTheRuntimeRefusesIsAnError) {
  host::fail_next(call_of<&host_backend::stream_create>, 1, HostStatus::out_of_memory);
  const auto made = Stream::create();
  const std::string line = std::to_string(__LINE__ - 1);
  EXPECT_EQ(error_in(made).code, Errc::out_of_memory);
  EXPECT_EQ(said(made),
            "stream create failed: out of memory (hostErrorMemoryAllocation, 2)\n"
            "  at stream_test.cpp:" +
                line);
  host::fail_next(call_of<&host_backend::current_device>, 1, HostStatus::initialization_error);
  EXPECT_EQ(error_in(Stream::create()).code, Errc::runtime_failed);
}

TEST_F(StreamTest, IsDestroyedOnceByItsLastOwner) {
  {
    Stream first = Stream::create().value();
    auto* const native = first.native();
    Stream second = std::move(first);
    EXPECT_EQ(second.native(), native);
    EXPECT_EQ(first.native(), nullptr);  // NOLINT(bugprone-use-after-move): what is tested
  }
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_destroy>), 1U);
}

TEST_F(StreamTest, AssignmentDestroysTheOneThatWasHeld) {
  Stream first = Stream::create().value();
  Stream second = Stream::create().value();
  auto* const native = second.native();
  first = std::move(second);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_destroy>), 1U);
  EXPECT_EQ(first.native(), native);
  Stream& same = first;
  first = std::move(same);
  EXPECT_EQ(first.native(), native) << "to itself it changes nothing";
}

TEST_F(StreamTest, CloseTellsWhatTheRuntimeSaysAndHappensOnce) {
  Stream own = Stream::create().value();
  host::fail_next(call_of<&host_backend::stream_destroy>, 1, HostStatus::invalid_resource_handle);
  auto* const native = own.native();
  const auto closed = own.close();
  const std::string line = std::to_string(__LINE__ - 1);
  EXPECT_EQ(said(closed),
            "stream destroy failed: invalid resource handle (hostErrorInvalidResourceHandle, 400)\n"
            "  at stream_test.cpp:" +
                line);
  EXPECT_TRUE(own.close().has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_destroy>), 1U);
  EXPECT_EQ(host_backend::stream_destroy(native), 0) << "the call that failed did nothing";
}

TEST_F(StreamTest, ItsDestructorLetsSubmittedWorkEnd) {
  unsigned* const counter = device_array<unsigned>(1);
  *counter = 0;
  may_end = false;
  {
    const Stream own = Stream::create().value();
    ASSERT_TRUE(launch(own, once, kernel<run_until_released>).has_value());
  }
  may_end = true;
  EXPECT_EQ(host_backend::device_synchronize(), 0);
}

TEST_F(StreamTest, ReadyTellsWhetherItsWorkHasEnded) {
  EXPECT_TRUE(stream.ready().value());
  may_end = false;
  ASSERT_TRUE(launch(stream, once, kernel<run_until_released>).has_value());
  EXPECT_FALSE(stream.ready().value());
  EXPECT_FALSE(StreamRef(stream).ready().value());
  may_end = true;
  wait();
  EXPECT_TRUE(stream.ready().value());
}

TEST_F(StreamTest, ReadyReportsAFault) {
  host::fail_next(call_of<&host_backend::stream_query>, 1, HostStatus::illegal_address);
  const LaunchError error = error_in(stream.ready());
  EXPECT_EQ(error.site.line, static_cast<unsigned>(__LINE__ - 1));
  EXPECT_EQ(error.code, Errc::execution_failed);
  EXPECT_EQ(error.stage, Stage::completion);
  EXPECT_EQ(error.severity, Severity::context_lost);
}

TEST_F(StreamTest, SynchronizeReportsTheStreamAndTheDevice) {
  host::fail_next(call_of<&host_backend::stream_synchronize>, 1, HostStatus::unknown);
  const LaunchError error = error_in(stream.synchronize());
  EXPECT_EQ(error.site.line, static_cast<unsigned>(__LINE__ - 1));
  EXPECT_EQ(error.code, Errc::runtime_failed);
  EXPECT_EQ(error.stage, Stage::completion);
  EXPECT_EQ(error.stream, stream.native());
  EXPECT_EQ(error.device, 0);
  EXPECT_EQ(text(error.operation), "stream synchronize");
}

TEST_F(StreamTest, AReferenceIsTheStreamWithItsDevice) {
  const StreamRef ref = stream;
  EXPECT_EQ(ref.native(), stream.native());
  EXPECT_EQ(ref.device(), stream.device());
  EXPECT_EQ(ref, stream.ref());
  EXPECT_FALSE(ref == StreamRef::borrow<CheckLevel::off>(stream.native(), DeviceId(1)).value());
  EXPECT_TRUE(ref.synchronize().has_value());
}

TEST_F(StreamTest, BorrowTakesAStreamThatStaysItsOwners) {
  {
    const StreamRef ref = StreamRef::borrow(stream.native(), DeviceId(0)).value();
    ASSERT_TRUE(launch(ref, once, kernel<nothing>).has_value());
  }
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_destroy>), 0U);
  wait();
}

TEST_F(StreamTest, BorrowRefusesTheDefaultStream) {
  host::StreamHandle* const none = nullptr;
  const auto refused = StreamRef::borrow(none, DeviceId(0));
  const std::string line = std::to_string(__LINE__ - 1);
  EXPECT_EQ(error_in(refused).code, Errc::stream_null);
  EXPECT_EQ(error_in(refused).stage, Stage::construction);
  EXPECT_THAT(
      said(refused),
      ::testing::EndsWith("stream 0 is the default stream, which other code uses too; create "
                          "a Stream\n  at stream_test.cpp:" +
                          line));
}

// The end of a module whose kernels were captured waits for each device that the program uses.
TEST_F(StreamTest, ARefusedBorrowMakesNoDeviceUsed) {
  const auto last = static_cast<int>(detail::cached_devices) - 1;
  EXPECT_EQ(error_in(StreamRef::borrow(stream.native(), DeviceId(last))).code,
            Errc::stream_wrong_device);
  EXPECT_FALSE(detail::has_streams_on<host_backend>(last));
}

TEST_F(StreamTest, BorrowRefusesAnotherDeviceThanTheStreams) {
  host::set_device_count(2);
  const Stream there = Stream::create(DeviceId(1)).value();
  const auto asked = [] { return host::calls_made(call_of<&host_backend::stream_device>); };
  const auto refused = StreamRef::borrow(there.native(), DeviceId(0), app);
  EXPECT_EQ(error_in(refused).code, Errc::stream_wrong_device);
  EXPECT_EQ(said(refused),
            "Refused: the stream belongs to device 1, not to device 0; borrow it with DeviceId(1)\n"
            "  at app.cpp:7");
  EXPECT_TRUE(StreamRef::borrow(there.native(), DeviceId(1)).has_value());
  EXPECT_TRUE(StreamRef::borrow(stream.native(), DeviceId(0)).has_value());
  const auto before = asked();
  EXPECT_TRUE(StreamRef::borrow<CheckLevel::off>(there.native(), DeviceId(0)).has_value());
  EXPECT_EQ(asked(), before) << "only checked builds ask";
}

// Asking a capturing stream would break its capture.
TEST_F(StreamTest, BorrowDoesNotAskAStreamThatCaptures) {
  host::set_device_count(2);
  const Stream there = Stream::create(DeviceId(1)).value();
  const auto graph = capture(stream, [&](Capture&) -> result<void> {
    WARPSAFE_TRYV(StreamRef::borrow(stream.native(), DeviceId(0)));
    return success();
  });
  EXPECT_TRUE(graph.has_value());
}

/// A reference to a stream that is destroyed. Not written as `return own.ref();`, of which clang++
/// warns.
StreamRef destroyed_stream() {
  const Stream own = Stream::create().value();
  const auto reference = [](const Stream& stream) -> StreamRef { return stream; };
  return reference(own);
}

// The vendor may have given the handle to another stream, whose work would wait for this launch.
TEST_F(StreamTest, ThatIsDestroyedIsToldByEachCallOnItsReference) {
  const StreamRef gone = destroyed_stream();
  const auto buffer = DeviceBuffer<int>::create(stream, 8).value();
  auto target = DeviceBuffer<int>::create(stream, 8).value();
  std::vector<int> numbers(8);
  const Event event = stream.record().value();
  auto graph = capture(stream, [&](Capture&) { return launch(stream, once, kernel<nothing>); });
  auto whole = graph.value().instantiate().value();
  wait();
  const auto asked = [] {
    return host::calls_made(call_of<&host_backend::launch>) +
           host::calls_made(call_of<&host_backend::stream_synchronize>) +
           host::calls_made(call_of<&host_backend::stream_query>) +
           host::calls_made(call_of<&host_backend::stream_wait>) +
           host::calls_made(call_of<&host_backend::stream_capturing>) +
           host::calls_made(call_of<&host_backend::event_record>) +
           host::calls_made(call_of<&host_backend::allocate>) +
           host::calls_made(call_of<&host_backend::copy>) +
           host::calls_made(call_of<&host_backend::graph_launch>);
  };
  const auto before = asked();
  const auto expect_told = [&](const auto& outcome, const char* operation, unsigned line) {
    const LaunchError error = error_in(outcome);
    EXPECT_EQ(finding(error), (Finding{Errc::stream_null, Stage::validation, 0, 0, Axis::none}))
        << operation;
    EXPECT_EQ(error.subcode, Subcode::stream_destroyed) << operation;
    EXPECT_EQ(text(error.operation), operation);
    EXPECT_EQ(error.site.line, line) << operation;
  };
  const auto refused = launch(gone, once, kernel<nothing>);
  const std::string line = std::to_string(__LINE__ - 1);
  EXPECT_THAT(message(error_in(refused)),
              ::testing::StartsWith(
                  "Kernel 'nothing' not launched: the Stream that this StreamRef refers to was "
                  "destroyed; keep the Stream for as long as its references are used\n"));
  EXPECT_THAT(message(error_in(refused)), ::testing::EndsWith(", at stream_test.cpp:" + line));
  EXPECT_EQ(error_in(refused).stream, gone.native());
  expect_told(gone.synchronize(), "stream synchronize", __LINE__);
  expect_told(gone.query(), "stream query", __LINE__);
  expect_told(gone.ready(), "stream query", __LINE__);
  expect_told(gone.record(), "event record", __LINE__);
  expect_told(gone.record_timed(), "event record", __LINE__);
  expect_told(warpsafe::wait(gone, event), "stream wait", __LINE__);
  expect_told(DeviceBuffer<int>::create(gone, 8), "allocate device memory", __LINE__);
  expect_told(target.zero(gone), "fill device memory", __LINE__);
  expect_told(copy(gone, from(buffer), to(target)), "copy on the device", __LINE__);
  expect_told(copy_and_wait(gone, from(numbers), to(target)), "copy to device", __LINE__);
  expect_told(copy_and_wait(gone, from(buffer), to(numbers)), "copy to host", __LINE__);
  expect_told(buffer.to_host(gone).get(), "copy to host", __LINE__);
  expect_told(buffer.used_on(gone), "record a use", __LINE__);
  expect_told(Capture::begin(gone), "capture begin", __LINE__);
  expect_told(whole.launch(gone), "graph launch", __LINE__);
  EXPECT_EQ(asked(), before) << "the runtime was called";
}

TEST_F(StreamTest, IsThereAsLongAsSomethingKeepsIt) {
  auto own = std::make_optional(Stream::create().value());
  const StreamRef left = *own;
  auto moved = std::make_optional(std::move(*own));
  own.reset();
  EXPECT_TRUE(launch(left, once, kernel<nothing>).has_value()) << "it lives in the other object";
  auto buffer = DeviceBuffer<int>::create(left, 8).value();
  const StreamRef again = StreamRef::borrow(left.native(), DeviceId(0)).value();
  moved.reset();
  EXPECT_TRUE(launch(left, once, kernel<nothing>).has_value()) << "the buffer keeps it";
  EXPECT_TRUE(again.synchronize().has_value());
  EXPECT_TRUE(buffer.zero(buffer.stream()).has_value());
  EXPECT_TRUE(buffer.close().has_value());
  EXPECT_EQ(error_in(again.synchronize()).code, Errc::stream_null);
  EXPECT_EQ(error_in(left.synchronize()).code, Errc::stream_null);
  for (int i = 0; i < 5000; ++i) {
    const Stream next = Stream::create().value();
    ASSERT_TRUE(next.ref().query().has_value()) << i;
    ASSERT_FALSE(left.query().has_value()) << i;
  }
}

TEST_F(StreamTest, OfOtherCodeIsNotTracked) {
  host::StreamHandle* theirs = nullptr;
  ASSERT_EQ(host_backend::stream_create(theirs, 0), 0);
  const StreamRef borrowed = StreamRef::borrow(theirs, DeviceId(0)).value();
  ASSERT_TRUE(launch(borrowed, once, kernel<nothing>).has_value());
  EXPECT_TRUE(borrowed.synchronize().has_value());
  ASSERT_EQ(host_backend::stream_destroy(theirs), 0);
}

TEST_F(StreamTest, APriorityAboveEveryRangeIsRefused) {
  const auto refused = Stream::create(priority(2), app);
  EXPECT_EQ(error_in(refused).code, Errc::priority_range);
  EXPECT_EQ(said(refused),
            "Refused: priority 2 invalid (limit: at most 1); a smaller number is more urgent: "
            "priority(-1)\n  at app.cpp:7");
  for (const int right : {-100, -1, 0, 1}) {
    EXPECT_TRUE(Stream::create(priority(right)).has_value()) << right;
  }
  EXPECT_TRUE(Stream::create<CheckLevel::off>(priority(2)).has_value());
}

// A new thread begins on device 0.
TEST_F(StreamTest, OfANewThreadNamesItsDeviceWhileOthersAreUsed) {
  host::set_device_count(3);
  const Stream there = Stream::create(DeviceId(2)).value();
  std::thread([&] {
    const auto refused = Stream::create(priority(0), app);
    EXPECT_EQ(said(refused),
              "stream create not called: this program has streams on device 2, and this thread has "
              "chosen no device, so the stream would be on device 0; write "
              "Stream::create(DeviceId(0)) if that is meant\n  at app.cpp:7");
    EXPECT_EQ(error_in(refused).code, Errc::device_not_chosen);
    EXPECT_EQ(error_in(refused).value, 0U);
    EXPECT_EQ(error_in(refused).limit, 2U);
    EXPECT_EQ(Stream::create<CheckLevel::off>().value().device(), DeviceId(0));
    EXPECT_EQ(Stream::create(DeviceId(0)).value().device(), DeviceId(0));
    EXPECT_EQ(Stream::create(DeviceId(1)).value().device(), DeviceId(1));
    {
      const auto guard = DeviceGuard::create(DeviceId(0)).value();
      EXPECT_EQ(Stream::create(priority(-1)).value().device(), DeviceId(0)) << "it was chosen";
    }
    EXPECT_FALSE(Stream::create().has_value());
    ASSERT_EQ(host_backend::set_device(1), 0) << "as other code does";
    EXPECT_EQ(Stream::create().value().device(), DeviceId(1));
  }).join();
}

TEST_F(StreamTest, OfANewThreadNeedsNoDeviceWhereThereIsOne) {
  host::set_device_count(2);
  { const Stream gone = Stream::create(DeviceId(1)).value(); }
  const Stream here = Stream::create().value();
  std::thread([] { EXPECT_EQ(Stream::create().value().device(), DeviceId(0)); }).join();
}

}  // namespace
}  // namespace warpsafe::core_test
