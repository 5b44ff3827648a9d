// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The backend's calls for captures, and the waits that a capture refuses.
#include "../kernels.hpp"
#include "../stand_in.hpp"
#include <warpsafe/core/capture_types.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using testing::ElementsAre;

#if defined(WARPSAFE_BACKEND_CUDA)
std::vector<cudaGraphNode_t> captured_nodes(NativeStream stream) {
  cudaStreamCaptureStatus state{};
  const cudaGraphNode_t* nodes = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t count = 0;
  EXPECT_EQ(cudaStreamGetCaptureInfo(stream, &state, nullptr, nullptr, &nodes, &edges, &count),
            cudaSuccess);
  return {nodes, nodes + count};
}
#else
std::vector<hipGraphNode_t> captured_nodes(NativeStream stream) {
  hipStreamCaptureStatus state{};
  const hipGraphNode_t* nodes = nullptr;
  std::size_t count = 0;
  EXPECT_EQ(hipStreamGetCaptureInfo_v2(stream, &state, nullptr, nullptr, &nodes, &count),
            hipSuccess);
  return {nodes, nodes + count};
}
#endif

class GraphCalls : public VendorTest {
 protected:
  void SetUp() override {
    VendorTest::SetUp();
    stream.emplace(make_stream());
    native = stream->native();
  }
  static ws::CaptureInfo info_of(NativeStream of) {
    ws::CaptureInfo info{};
    EXPECT_EQ(Backend::capture_info(of, info), code::success);
    return info;
  }
  std::optional<ws::Stream> stream;
  NativeStream native{};
};

TEST_F(GraphCalls, ACapturesTailIsTheSetOfItsLastNodes) {
  EXPECT_EQ(info_of(native).state, ws::CaptureState::none);
  EXPECT_EQ(info_of(native).tail, 0U);
  const auto other = make_stream();
  const ws::LaunchConfig one{ws::grid<1>, ws::block<1>};
  Backend::native_event event{};
  ASSERT_EQ(Backend::event_create(event, false), code::success);
  ASSERT_EQ(Backend::capture_begin(native, ws::CaptureMode::relaxed), code::success);
  EXPECT_EQ(info_of(native).state, ws::CaptureState::active);
  const auto launch = [&](const ws::Stream& on) {
    ASSERT_THAT(ws::launch<ws::CheckLevel::off>(on, one, ws::kernel<nothing>), Succeeds());
  };
  launch(*stream);
  ASSERT_EQ(Backend::event_record(event, native), code::success);
  ASSERT_EQ(Backend::stream_wait(other.native(), event), code::success);
  launch(other);
  launch(*stream);
  ASSERT_EQ(Backend::event_record(event, other.native()), code::success);
  ASSERT_EQ(Backend::stream_wait(native, event), code::success);
  const auto nodes = captured_nodes(native);
  ASSERT_EQ(nodes.size(), 2U);
  std::uint64_t tail = 0;
  for (const auto& node : nodes)
    tail = ws::detail::mix_tail(tail, reinterpret_cast<std::uintptr_t>(node));
  EXPECT_EQ(info_of(native).tail, ws::detail::finish_tail(tail));
  EXPECT_NE(info_of(native).tail, info_of(other.native()).tail);
  EXPECT_EQ(end_capture(native), 3);
  EXPECT_EQ(info_of(native).state, ws::CaptureState::none);
  EXPECT_EQ(Backend::event_destroy(event), code::success);
}

TEST_F(GraphCalls, ATailIsNeverZero) {
  EXPECT_EQ(ws::detail::finish_tail(0), 1U);
  EXPECT_EQ(ws::detail::finish_tail(7), 7U);
  ASSERT_EQ(Backend::capture_begin(native, ws::CaptureMode::relaxed), code::success);
  // AMD's runtime has no list for a capture without nodes.
  EXPECT_EQ(info_of(native).tail, is_cuda || captured_nodes(native).data() != nullptr ? 1U : 0U);
  EXPECT_EQ(end_capture(native), 0);
}

#if defined(WARPSAFE_BACKEND_CUDA)
TEST_F(GraphCalls, EachModeOfACaptureIsTheRuntimes) {
  const auto mode_of = [&](ws::CaptureMode mode) {
    EXPECT_EQ(Backend::capture_begin(native, mode), code::success);
    const std::string arguments = recorded_calls().back().arguments;
    EXPECT_EQ(end_capture(native), 0);
    return arguments.substr(arguments.rfind(' ') + 1);
  };
  EXPECT_EQ(mode_of(ws::CaptureMode::global), std::to_string(cudaStreamCaptureModeGlobal));
  EXPECT_EQ(mode_of(ws::CaptureMode::thread), std::to_string(cudaStreamCaptureModeThreadLocal));
  EXPECT_EQ(mode_of(ws::CaptureMode::relaxed), std::to_string(cudaStreamCaptureModeRelaxed));
}
#else
TEST_F(GraphCalls, ABrokenCaptureOfRelease6IsEndedByAnother) {
  hipGraph_t graph = nullptr;
  const auto end = [&] {
    return calls_of([&] {
      fail("StreamEndCapture", 1, hipErrorStreamCaptureInvalidated);
      EXPECT_EQ(Backend::capture_end(native, graph), hipErrorStreamCaptureInvalidated);
    });
  };
  EXPECT_THAT(end(), ElementsAre("StreamEndCapture", "StreamIsCapturing")) << "it is usable";
}

/// The thread's calls are in mode relaxed, so that its waits are allowed during a capture.
class RelaxedWaits : public GraphCalls {
 protected:
  void SetUp() override {
    GraphCalls::SetUp();
    ASSERT_EQ(Backend::exchange_capture_mode(mode), code::success);
  }
  void TearDown() override {
    EXPECT_EQ(Backend::exchange_capture_mode(mode), code::success);
    GraphCalls::TearDown();
  }

  int mode = Backend::relaxed_capture;
};

TEST_F(GraphCalls, AWaitThatTheThreadsModeForbidsStaysRefused) {
  for (int i = 0; i != 2; ++i) {
    fail(i == 0 ? "StreamSynchronize" : "StreamQuery", 1, code::capture_unsupported);
    int status = 0;
    EXPECT_THAT(calls_of([&] {
                  status =
                      i == 0 ? Backend::stream_synchronize(native) : Backend::stream_query(native);
                }),
                ElementsAre(i == 0 ? "StreamSynchronize" : "StreamQuery",
                            "ThreadExchangeStreamCaptureMode x2"));
    EXPECT_EQ(status, code::capture_unsupported);
  }
  // A status that means something else is not asked about.
  fail("StreamSynchronize", 1, code::unknown);
  EXPECT_THAT(calls_of([&] { EXPECT_EQ(Backend::stream_synchronize(native), code::unknown); }),
              ElementsAre("StreamSynchronize"));
  int mode = Backend::relaxed_capture;
  ASSERT_EQ(Backend::exchange_capture_mode(mode), code::success);
  EXPECT_NE(mode, Backend::relaxed_capture) << "the thread's mode was changed";
  ASSERT_EQ(Backend::exchange_capture_mode(mode), code::success);
}

TEST_F(RelaxedWaits, AWaitThatRelease5RefusesByMistakeAsksAnEvent) {
  fail("StreamQuery", 1, code::capture_unsupported);
  EXPECT_EQ(Backend::stream_query(native), code::success);
  EXPECT_EQ(count("EventRecord"), 1U);
  EXPECT_EQ(count("EventDestroy"), 1U);
  fail("StreamQuery", 1, code::capture_unsupported);
  fail("EventQuery", 1, hipErrorNotReady);
  EXPECT_EQ(Backend::stream_query(native), hipErrorNotReady);

  fail("StreamSynchronize", 1, code::capture_unsupported);
  fail("EventQuery", 1, hipErrorNotReady);
  const std::uint64_t queries = count("EventQuery");
  EXPECT_EQ(Backend::stream_synchronize(native), code::success);
  EXPECT_EQ(count("EventQuery"), queries + 2);
  EXPECT_EQ(count("EventCreateWithFlags"), count("EventDestroy"));

  Backend::native_event event{};
  ASSERT_EQ(Backend::event_create(event, false), code::success);
  fail("EventSynchronize", 1, code::capture_unsupported);
  fail("EventQuery", 1, code::illegal_address);
  EXPECT_EQ(Backend::event_synchronize(event), code::illegal_address);
  EXPECT_EQ(Backend::event_destroy(event), code::success);
  EXPECT_EQ(ws::current_device().value(), ws::DeviceId(0));
}

TEST_F(RelaxedWaits, AWaitStaysRefusedIfTheEventCannotBeAsked) {
  for (const char* const call : {"StreamIsCapturing", "GetDevice", "SetDevice",
                                 "EventCreateWithFlags", "ThreadExchangeStreamCaptureMode"}) {
    fail("StreamQuery", 1, code::capture_unsupported);
    fail(call, 1, code::unknown);
    EXPECT_EQ(Backend::stream_query(native), code::capture_unsupported) << call;
  }
  fail("StreamQuery", 1, code::capture_unsupported);
  fail("EventRecord", 1, code::unknown);
  EXPECT_EQ(Backend::stream_query(native), code::unknown);
  EXPECT_EQ(count("EventQuery"), 0U);
  EXPECT_EQ(count("EventCreateWithFlags"), count("EventDestroy") + 1) << "one was not made";
  // A stream that captures has no end to ask about.
  ASSERT_EQ(Backend::capture_begin(native, ws::CaptureMode::relaxed), code::success);
  fail("StreamQuery", 1, code::capture_unsupported);
  EXPECT_EQ(Backend::stream_query(native), code::capture_unsupported);
  EXPECT_EQ(end_capture(native), 0);
}
#endif

}  // namespace
}  // namespace vendor_test
