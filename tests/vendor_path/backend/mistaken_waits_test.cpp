// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The waits that release 5.7 of AMD's runtime refuses during a capture, although the thread's mode
// allows them: which calls the backend makes instead.

#include "../stand_in.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#if defined(WARPSAFE_BACKEND_HIP) && HIP_VERSION < 60000000
namespace vendor_test {
namespace {

namespace ws = warpsafe;
using testing::ElementsAre;

/// A wait that the runtime refuses although the thread's mode allows it.
class MistakenWaits : public VendorTest {
 protected:
  void SetUp() override {
    VendorTest::SetUp();
    set_mode(Backend::relaxed_capture);
  }
  void TearDown() override {
    set_mode(before_);
    VendorTest::TearDown();
  }
  void set_mode(int mode) {
    before_ = mode;
    ASSERT_EQ(Backend::exchange_capture_mode(before_), code::success);
  }
  /// How often an event is polled depends on when its work ends, so polls in a row are one.
  static std::vector<std::string> without_questions(std::vector<std::string> calls) {
    std::erase(calls, "ThreadExchangeStreamCaptureMode x2");
    for (std::string& one : calls) {
      if (one.starts_with("EventQuery x")) one = "EventQuery";
    }
    return calls;
  }
  int before_ = 0;
};

TEST_F(MistakenWaits, AreDoneThroughAnEventOfTheStreamsDevice) {
  const ws::Stream stream = make_stream(2);
  for (const bool waits : {true, false}) {
    const std::string function = waits ? "StreamSynchronize" : "StreamQuery";
    const auto call = [&] {
      return waits ? Backend::stream_synchronize(stream.native())
                   : Backend::stream_query(stream.native());
    };
    const auto refused = [&](int status) {
      fail(function, 1, code::capture_unsupported);
      return without_questions(calls_of([&] {
        const int answer = call();
        // Over AMD's runtime the event of a query may take a while.
        if (!waits && answer == Backend::not_ready) return;
        EXPECT_EQ(answer, status) << function;
      }));
    };
    EXPECT_THAT(
        refused(code::success),
        ElementsAre(function, "StreamIsCapturing", "GetDevice", "SetDevice", "EventCreateWithFlags",
                    "SetDevice", "EventRecord", "EventQuery", "EventDestroy"));
    int device = -1;
    EXPECT_EQ(Backend::current_device(device), code::success);
    EXPECT_EQ(device, 0) << "the thread's own";
    fail("EventQuery", 1, code::unknown);
    refused(code::unknown);
    fail("EventRecord", 1, code::unknown);
    EXPECT_THAT(refused(code::unknown),
                ElementsAre(function, "StreamIsCapturing", "GetDevice", "SetDevice",
                            "EventCreateWithFlags", "SetDevice", "EventRecord", "EventDestroy"));
    fail("EventCreateWithFlags", 1, code::unknown);
    EXPECT_THAT(refused(code::capture_unsupported),
                ElementsAre(function, "StreamIsCapturing", "GetDevice", "SetDevice",
                            "EventCreateWithFlags", "SetDevice"));
    fail("SetDevice", 1, code::unknown);
    EXPECT_THAT(refused(code::capture_unsupported),
                ElementsAre(function, "StreamIsCapturing", "GetDevice", "SetDevice"));
    if (count("GetStreamDeviceId") != 0) {
      fail("GetStreamDeviceId", 1, code::unknown);
      EXPECT_THAT(refused(code::capture_unsupported),
                  ElementsAre(function, "StreamIsCapturing", "GetDevice"));
    }
    fail("GetDevice", 1, code::unknown);
    EXPECT_THAT(refused(code::capture_unsupported),
                ElementsAre(function, "StreamIsCapturing", "GetDevice"));
    fail("StreamIsCapturing", 1, code::unknown);
    EXPECT_THAT(refused(code::capture_unsupported), ElementsAre(function, "StreamIsCapturing"));
  }
}

TEST_F(MistakenWaits, OfTheFirstDeviceAreDoneToo) {
  const ws::Stream stream = make_stream(0);
  fail("StreamSynchronize", 1, code::capture_unsupported);
  EXPECT_EQ(Backend::stream_synchronize(stream.native()), code::success);
}

TEST_F(MistakenWaits, OfAnEventAskUntilItIsDone) {
  const ws::Stream stream = make_stream();
  Backend::native_event event = nullptr;
  ASSERT_EQ(Backend::event_create(event, false), code::success);
  ASSERT_EQ(Backend::event_record(event, stream.native()), code::success);
  fail("EventSynchronize", 1, code::capture_unsupported);
  fail("EventQuery", 1, hipErrorNotReady);
  const std::size_t polled = count("EventQuery");
  EXPECT_THAT(without_questions(
                  calls_of([&] { EXPECT_EQ(Backend::event_synchronize(event), code::success); })),
              ElementsAre("EventSynchronize", "EventQuery"));
  EXPECT_GT(count("EventQuery"), polled + 1) << "the first answer was that it is not ready";
  fail("EventSynchronize", 1, code::capture_unsupported);
  fail("EventQuery", 1, code::unknown);
  EXPECT_EQ(Backend::event_synchronize(event), code::unknown);
  EXPECT_EQ(Backend::event_destroy(event), code::success);
}

TEST_F(MistakenWaits, AreNoMistakeInAnotherModeOrForAnotherReason) {
  const ws::Stream stream = make_stream();
  const auto refused = [&](Status status) {
    fail("StreamSynchronize", 1, status);
    return calls_of([&] { EXPECT_EQ(Backend::stream_synchronize(stream.native()), status); });
  };
  EXPECT_THAT(refused(code::unknown), ElementsAre("StreamSynchronize"));
  fail("ThreadExchangeStreamCaptureMode", 1, code::unknown);
  EXPECT_THAT(refused(code::capture_unsupported),
              ElementsAre("StreamSynchronize", "ThreadExchangeStreamCaptureMode"));
  set_mode(hipStreamCaptureModeGlobal);
  EXPECT_THAT(refused(code::capture_unsupported),
              ElementsAre("StreamSynchronize", "ThreadExchangeStreamCaptureMode x2"));
  int mode = hipStreamCaptureModeRelaxed;
  EXPECT_EQ(Backend::exchange_capture_mode(mode), code::success);
  EXPECT_EQ(mode, hipStreamCaptureModeGlobal) << "the thread's mode is as before";
  before_ = hipStreamCaptureModeGlobal;
}

TEST_F(MistakenWaits, OfAStreamThatCapturesStayRefused) {
  const ws::Stream stream = make_stream();
  ASSERT_EQ(Backend::capture_begin(stream.native(), ws::CaptureMode::relaxed), code::success);
  fail("StreamSynchronize", 1, code::capture_unsupported);
  EXPECT_EQ(Backend::stream_synchronize(stream.native()), code::capture_unsupported);
  Backend::native_graph graph = nullptr;
  EXPECT_EQ(Backend::capture_end(stream.native(), graph), code::success);
  EXPECT_EQ(Backend::graph_destroy(graph), code::success);
}

}  // namespace
}  // namespace vendor_test
#endif
