// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "host_fixture.hpp"

#include <thread>

namespace {

TEST_F(StandInHipHost, CapturesIntoAGraphAndReplaysIt) {
  const hipStream_t stream = make_stream();
  hipStreamCaptureStatus status = hipStreamCaptureStatusActive;
  ASSERT_EQ(hipStreamIsCapturing(stream, &status), hipSuccess);
  EXPECT_EQ(status, hipStreamCaptureStatusNone);
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), hipSuccess);
  ASSERT_EQ(hipStreamIsCapturing(stream, &status), hipSuccess);
  EXPECT_EQ(status, hipStreamCaptureStatusActive);
  ASSERT_EQ(launch(1, 1, 0, stream), hipSuccess);
  EXPECT_EQ(stand_in_hip::launches().back().captured, 1);
  hipGraph_t graph = nullptr;
  ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  std::size_t nodes = 0;
  ASSERT_EQ(hipGraphGetNodes(graph, nullptr, &nodes), hipSuccess);
  EXPECT_EQ(nodes, 1u);
  hipGraphExec_t exec = nullptr;
  ASSERT_EQ(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipSuccess);
  ASSERT_EQ(hipGraphDestroy(graph), hipSuccess);
  ASSERT_EQ(hipGraphLaunch(exec, stream), hipSuccess);
  const auto launches = stand_in_hip::launches();
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[1].replayed, 1);
  EXPECT_EQ(launches[1].captured, 0);
  EXPECT_EQ(stand_in_hip::argument<int>(launches[1], 0), 7);
  ASSERT_EQ(hipGraphExecDestroy(exec), hipSuccess);
}

TEST_F(StandInHipHost, InvalidatesACaptureByADeviceSynchronisation) {
  const hipStream_t stream = make_stream();
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  stand_in_hip_plant_last_error(hipErrorNotFound);
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorStreamCaptureUnsupported);
  EXPECT_EQ(stand_in_hip_last_error(), hipErrorNotFound);  // its status bypasses the slot
  EXPECT_EQ(launch(1, 1, 0, stream), hipErrorStreamCaptureInvalidated);
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
  EXPECT_EQ(graph, nullptr);
  // The stream keeps its broken capture until it has captured once more.
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureWrongThread);
  EXPECT_EQ(launch(1, 1, 0, stream), hipErrorStreamCaptureInvalidated);
  EXPECT_EQ(hipStreamSynchronize(stream), hipErrorStreamCaptureUnsupported);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  EXPECT_EQ(launch(1, 1, 0, stream), hipSuccess);
}

TEST_F(StandInHipHost, LeavesACaptureWholeBeforeRelease6) {
  for (const auto release : {STAND_IN_HIP_5_2, STAND_IN_HIP_5_7}) {
    stand_in_hip_set_release(release);
    const hipStream_t stream = make_stream();
    ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
    void* memory = nullptr;
    EXPECT_EQ(hipMalloc(&memory, 4), hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(launch(1, 1, 0, stream), hipSuccess);
    hipGraph_t graph = nullptr;
    EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  }
}

TEST_F(StandInHipHost, RefusesAllocationsDuringACaptureThatIsNotRelaxed) {
  const hipStream_t stream = make_stream();
  void* memory = nullptr;
  hipGraph_t graph = nullptr;
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
  EXPECT_EQ(hipMalloc(&memory, 4), hipSuccess);
  ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  EXPECT_EQ(hipMalloc(&memory, 4), hipErrorStreamCaptureUnsupported);
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
}

TEST_F(StandInHipHost, JoinsForkedStreamsIntoOneCapture) {
  const hipStream_t origin = make_stream();
  const hipStream_t fork = make_stream();
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipEventCreate(&event), hipSuccess);
  ASSERT_EQ(hipStreamBeginCapture(origin, hipStreamCaptureModeThreadLocal), hipSuccess);
  ASSERT_EQ(hipEventRecord(event, origin), hipSuccess);
  ASSERT_EQ(hipStreamWaitEvent(fork, event, 0), hipSuccess);
  ASSERT_EQ(launch(1, 1, 0, fork), hipSuccess);
  EXPECT_EQ(stand_in_hip::launches().back().captured, 1);
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(fork, &graph), hipErrorStreamCaptureUnmatched);
  EXPECT_EQ(hipStreamEndCapture(origin, &graph), hipErrorStreamCaptureUnjoined);
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  ASSERT_EQ(hipStreamIsCapturing(origin, &status), hipSuccess);
  EXPECT_EQ(status, hipStreamCaptureStatusActive) << "it can still be joined";
  ASSERT_EQ(hipEventRecord(event, fork), hipSuccess);
  ASSERT_EQ(hipStreamWaitEvent(origin, event, 0), hipSuccess);
  EXPECT_EQ(hipStreamEndCapture(origin, &graph), hipSuccess);
  ASSERT_EQ(hipStreamIsCapturing(fork, &status), hipSuccess);
  EXPECT_EQ(status, hipStreamCaptureStatusNone);
}

TEST_F(StandInHipHost, EndsAnUnjoinedCaptureIn5_2) {
  stand_in_hip_set_release(STAND_IN_HIP_5_2);
  const hipStream_t origin = make_stream();
  const hipStream_t fork = make_stream();
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipEventCreate(&event), hipSuccess);
  ASSERT_EQ(hipStreamBeginCapture(origin, hipStreamCaptureModeGlobal), hipSuccess);
  ASSERT_EQ(hipEventRecord(event, origin), hipSuccess);
  ASSERT_EQ(hipStreamWaitEvent(fork, event, 0), hipSuccess);
  ASSERT_EQ(launch(1, 1, 0, fork), hipSuccess);
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(origin, &graph), hipSuccess);
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  ASSERT_EQ(hipStreamIsCapturing(fork, &status), hipSuccess);
  EXPECT_EQ(status, hipStreamCaptureStatusActive);
}

TEST_F(StandInHipHost, LaunchesAGraphAtOnceOnACapturingStream) {
  const hipStream_t stream = make_stream();
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  ASSERT_EQ(launch(1, 1, 0, stream), hipSuccess);
  hipGraph_t graph = nullptr;
  ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  hipGraphExec_t exec = nullptr;
  ASSERT_EQ(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipSuccess);
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  EXPECT_EQ(hipGraphLaunch(exec, stream), hipSuccess);
  EXPECT_EQ(stand_in_hip::launches().back().replayed, 1);
}

TEST_F(StandInHipHost, CapturesCopiesFillsAndHostFunctions) {
  const hipStream_t stream = make_stream();
  void* memory = make_memory(4);
  int value = 0;
  int called = 0;
  const auto count = [](void* data) { ++*static_cast<int*>(data); };
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  ASSERT_EQ(hipMemsetAsync(memory, 2, 4, stream), hipSuccess);
  ASSERT_EQ(hipMemcpyAsync(&value, memory, 4, hipMemcpyDeviceToHost, stream), hipSuccess);
  ASSERT_EQ(hipLaunchHostFunc(stream, count, &called), hipSuccess);
  EXPECT_EQ(value, 0);
  hipGraph_t graph = nullptr;
  ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  hipGraphExec_t exec = nullptr;
  ASSERT_EQ(hipGraphInstantiateWithFlags(&exec, graph, 0), hipSuccess);
  ASSERT_EQ(hipGraphLaunch(exec, stream), hipSuccess);
  ASSERT_EQ(hipGraphLaunch(exec, stream), hipSuccess);
  EXPECT_EQ(value, 0x02020202);
  EXPECT_EQ(called, 2);
}

TEST_F(StandInHipHost, SaysThatABlockingCaptureConcernsTheNullStream) {
  const hipStream_t stream = make_stream(hipStreamDefault);
  hipStreamCaptureStatus status = hipStreamCaptureStatusActive;
  ASSERT_EQ(hipStreamIsCapturing(nullptr, &status), hipSuccess);
  EXPECT_EQ(status, hipStreamCaptureStatusNone);
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
  EXPECT_EQ(hipStreamIsCapturing(nullptr, &status), hipErrorStreamCaptureImplicit);
  EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipErrorIllegalState);
  EXPECT_EQ(hipStreamBeginCapture(nullptr, hipStreamCaptureModeRelaxed),
            hipErrorStreamCaptureUnsupported);
}

TEST_F(StandInHipHost, LeavesTheNullStreamOutOfANonBlockingCapture) {
  const hipStream_t stream = make_stream();
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
  hipStreamCaptureStatus status = hipStreamCaptureStatusActive;
  ASSERT_EQ(hipStreamIsCapturing(nullptr, &status), hipSuccess);
  EXPECT_EQ(status, hipStreamCaptureStatusNone);
  EXPECT_EQ(launch(1, 1), hipSuccess);
  EXPECT_EQ(stand_in_hip::launches().back().captured, 0);
}

TEST_F(StandInHipHost, EndsACaptureOnlyInItsThread) {
  const hipStream_t stream = make_stream();
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), hipSuccess);
  hipGraph_t graph = nullptr;
  hipError_t elsewhere = hipSuccess;
  std::thread([&] { elsewhere = hipStreamEndCapture(stream, &graph); }).join();
  EXPECT_EQ(elsewhere, hipErrorStreamCaptureWrongThread);
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
}

TEST_F(StandInHipHost, BreaksACaptureByWaitingForItsStreamOrEvent) {
  const hipStream_t stream = make_stream();
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipEventCreate(&event), hipSuccess);
  hipGraph_t graph = nullptr;
  const auto capture = [&](auto&& breaks) {
    EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), hipSuccess);
    EXPECT_EQ(hipEventRecord(event, stream), hipSuccess);
    const hipError_t answer = breaks();
    EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
    return answer;
  };
  EXPECT_EQ(capture([&] { return hipStreamSynchronize(stream); }),
            hipErrorStreamCaptureUnsupported);
  EXPECT_EQ(capture([&] { return hipStreamQuery(stream); }), hipErrorStreamCaptureUnsupported);
  EXPECT_EQ(capture([&] { return hipEventSynchronize(event); }), hipErrorCapturedEvent);
  EXPECT_EQ(capture([&] { return hipEventQuery(event); }), hipErrorCapturedEvent);
  void* memory = nullptr;
  EXPECT_EQ(capture([&] { return hipMemset(memory, 0, 1); }), hipErrorStreamCaptureImplicit);
}

TEST_F(StandInHipHost, BreaksACaptureByAQueryOfAnyEventInRelease7) {
  const hipStream_t stream = make_stream();
  const hipStream_t other = make_stream();
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipEventCreate(&event), hipSuccess);
  ASSERT_EQ(hipEventRecord(event, other), hipSuccess);
  hipGraph_t graph = nullptr;
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  EXPECT_EQ(hipEventQuery(event), hipSuccess);  // up to release 6
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
  stand_in_hip_set_release(STAND_IN_HIP_7);
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
  hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
  ASSERT_EQ(hipThreadExchangeStreamCaptureMode(&mode), hipSuccess);
  EXPECT_EQ(hipEventQuery(event), hipSuccess);
  ASSERT_EQ(hipThreadExchangeStreamCaptureMode(&mode), hipSuccess);
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
  for (const auto call : {hipEventQuery, hipEventSynchronize}) {
    ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
    EXPECT_EQ(call(event), hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
  }
}

TEST_F(StandInHipHost, LetsAThreadAllocateDuringItsCaptureInRelaxedMode) {
  const hipStream_t stream = make_stream();
  hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
  ASSERT_EQ(hipThreadExchangeStreamCaptureMode(&mode), hipSuccess);
  EXPECT_EQ(mode, hipStreamCaptureModeGlobal);
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  void* memory = nullptr;
  EXPECT_EQ(hipMalloc(&memory, 4), hipSuccess);
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
}

TEST_F(StandInHipHost, KnowsItsGraphs) {
  hipGraph_t graph = nullptr;
  ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
  EXPECT_EQ(stand_in_hip_live_objects(), 1u);
  ASSERT_EQ(hipGraphDestroy(graph), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(graph), hipErrorIllegalState);
  EXPECT_EQ(hipGraphDestroy(nullptr), hipErrorInvalidValue);
  hipGraphExec_t exec = nullptr;
  EXPECT_EQ(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipErrorInvalidValue);
  EXPECT_EQ(stand_in_hip_live_objects(), 0u);
}

}  // namespace
