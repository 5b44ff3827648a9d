// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Captures and graphs over a vendor's runtime: how launches, copies and waits affect a capture, and
// what its end returns.
#include "../kernels.hpp"
#include "../stand_in.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/memory_info.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ws::CaptureMode;
using ws::CheckLevel;
using ws::Errc;

constexpr ws::LaunchConfig plain{ws::grid<4>, ws::block<64>};

class CapturePath : public VendorTest {
 protected:
  void SetUp() override {
    VendorTest::SetUp();
    stream.emplace(make_stream());
    other.emplace(make_stream());
    // Queries that are made only once are made before the captures.
    ASSERT_THAT(ws::launch(*stream, plain, ws::kernel<nothing>), Succeeds());
  }
  void TearDown() override {
    EXPECT_EQ(ws::detail::open_captures(), nullptr);
    stream.reset();
    other.reset();
    VendorTest::TearDown();
  }
  [[nodiscard]] ws::result<ws::Graph> nothings(int times) {
    return ws::capture(*stream, [&](ws::Capture& capture) -> ws::result<void> {
      for (int i = 0; i < times; ++i) {
        WARPSAFE_TRYV(ws::launch(capture.stream(), plain, ws::kernel<nothing>));
      }
      return ws::success();
    });
  }
  std::optional<ws::Stream> stream;
  std::optional<ws::Stream> other;
};

/// Memory that a graph allocates and frees.
class GraphMemoryPath : public CapturePath {
 protected:
  void SetUp() override {
    CapturePath::SetUp();
    if (!is_cuda) {
      GTEST_SKIP() << "AMD's runtime allocates at once during a capture: the graph owns no memory";
    }
  }
  void TearDown() override {
    buffer.reset();
    CapturePath::TearDown();
  }
  /// A graph that allocates the memory of `buffer`, zeroes it, and leaves it allocated.
  [[nodiscard]] ws::result<ws::Graph> leaves_memory() {
    return ws::capture(*stream, [&](ws::Capture& capture) -> ws::result<void> {
      WARPSAFE_TRY(auto made, ws::DeviceBuffer<float>::create(capture.stream(), 100));
      buffer.emplace(std::move(made));
      return buffer->zero(capture.stream());
    });
  }
  std::optional<ws::DeviceBuffer<float>> buffer;
};

TEST_F(CapturePath, ALaunchAtEachLevelIsCaptured) {
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::thread, CaptureMode::relaxed}) {
    auto capture = ws::Capture::begin(*stream, mode).value();
    EXPECT_THAT(ws::launch<CheckLevel::off>(*stream, plain, ws::kernel<nothing>), Succeeds());
    EXPECT_THAT(ws::launch<CheckLevel::full>(*stream, plain, ws::kernel<nothing>), Succeeds());
    // The first launch of a kernel asks the driver for its attributes.
    EXPECT_THAT(ws::launch(*stream, plain, ws::kernel<floats>, 1.0F, 2.0), Succeeds());
    // A launch that the library refuses breaks nothing either.
    EXPECT_FALSE(ws::launch(*stream, ws::configure(ws::grid<1>, ws::BlockDim::create(1, 1, 65)),
                            ws::kernel<nothing>)
                     .has_value() &&
                 is_cuda);
    const auto graph = std::move(capture).end();
    ASSERT_THAT(graph, Succeeds());
    EXPECT_EQ(graph.value().node_count().value(), is_cuda ? 3U : 4U);
  }
}

TEST_F(CapturePath, CopiesAndFillsAreCaptured) {
  auto from = ws::DeviceBuffer<int>::create(*stream, 1000).value();
  auto to = ws::DeviceBuffer<int>::create(*stream, 1000).value();
  auto capture = ws::Capture::begin(*stream).value();
  EXPECT_THAT(from.fill_bytes(*stream, std::byte{1}), Succeeds());
  EXPECT_THAT(ws::copy(*stream, ws::from(from), ws::to(to)), Succeeds());
  EXPECT_THAT(to.zero(*stream), Succeeds());
  // A call that would wait, or return data that no replay has written, is refused and breaks
  // nothing.
  EXPECT_EQ(error_in(to.to_host(*stream).get()).code, Errc::stream_capturing);
  EXPECT_EQ(error_in(ws::copy_and_wait(*stream, ws::from(std::vector<int>(1000)), ws::to(to))).code,
            Errc::stream_capturing);
  const auto graph = std::move(capture).end();
  ASSERT_THAT(graph, Succeeds());
  EXPECT_EQ(graph.value().node_count().value(), 3U);
}

TEST_F(CapturePath, AWaitThatWouldBreakItNeverReachesTheRuntime) {
  const ws::Event outside = other->record().value();
  auto capture = ws::Capture::begin(*stream).value();
  const ws::Event inside = stream->record().value();
  const auto calls = calls_of([&] {
    EXPECT_EQ(error_in(stream->synchronize()).code, Errc::stream_capturing);
    EXPECT_EQ(error_in(stream->query()).code, Errc::stream_capturing);
    EXPECT_EQ(error_in(other->synchronize()).code, Errc::stream_capturing);
    EXPECT_EQ(error_in(inside.synchronize()).code, Errc::captured_event);
    EXPECT_EQ(error_in(outside.query()).code, Errc::stream_capturing);
  });
  for (const std::string& call : calls) {
    EXPECT_THAT(call, StartsWith("ThreadExchangeStreamCaptureMode"));
  }
  EXPECT_THAT(std::move(capture).end(), Succeeds());
}

TEST_F(CapturePath, FullChecksSeeACaptureOfOtherCode) {
  ASSERT_EQ(begin_capture(stream->native()), code::success);
  EXPECT_EQ(error_in(stream->synchronize()).code, Errc::stream_capturing);
  EXPECT_EQ(end_capture(stream->native()), 0);
}

TEST_F(CapturePath, OperationsWithoutChecksSpareACaptureOfTheLibrary) {
  std::vector<int> host(1000, 7);
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::thread}) {
    auto capture = ws::Capture::begin<CheckLevel::off>(*stream, mode).value();
    auto buffer = ws::DeviceBuffer<int>::create<CheckLevel::off>(*other, 1000).value();
    EXPECT_THAT(ws::copy_and_wait<CheckLevel::off>(*other, ws::from(host), ws::to(buffer)),
                Succeeds());
    EXPECT_EQ(buffer.to_host<CheckLevel::off>(*other).get<CheckLevel::off>().value(), host);
    auto pinned = ws::PinnedBuffer<int>::create<CheckLevel::off>(1000).value();
    EXPECT_THAT(ws::copy<CheckLevel::off>(*other, ws::from(buffer), ws::to(std::move(pinned)))
                    .get<CheckLevel::off>(),
                Succeeds());
    EXPECT_THAT(buffer.close(), Succeeds());
    EXPECT_THAT(std::move(capture).end(), Succeeds());
  }
}

TEST_F(CapturePath, ByDefaultAnUnsafeCallOfAnotherThreadBreaksOnlyThatOfACheckedBuild) {
  const auto ends_beside_a_wait = [&](ws::result<ws::Capture> begun) {
    int waited = -1;
    std::thread([&] { waited = Backend::stream_synchronize(other->native()); }).join();
    const bool ended = std::move(begun).value().end().has_value();
    EXPECT_EQ(ended, waited == 0);
    return ended;
  };
  EXPECT_TRUE(ends_beside_a_wait(ws::Capture::begin<CheckLevel::off>(*stream)));
  // AMD's runtime refuses no such wait.
  EXPECT_EQ(ends_beside_a_wait(ws::Capture::begin<CheckLevel::full>(*stream)), !is_cuda);
}

TEST_F(CapturePath, WithoutChecksTheDriverIsAskedOnlyWhileTheLibraryCaptures) {
  const auto calls_of_a_buffer = [&] {
    return calls_of([&] {
      EXPECT_TRUE(ws::DeviceBuffer<int>::create<CheckLevel::off>(*other, 10).has_value());
    });
  };
  const std::vector<std::string> two{"MallocAsync", "FreeAsync"};
  EXPECT_TRUE(ws::DeviceBuffer<int>::create(*other, 10).has_value());
  EXPECT_EQ(calls_of_a_buffer(), two);
  for (const bool ends : {false, true}) {
    auto capture = ws::Capture::begin<CheckLevel::off>(*stream).value();
    EXPECT_THAT(calls_of_a_buffer(), testing::Contains("StreamIsCapturing"));
    if (ends) {
      EXPECT_THAT(std::move(capture).end(), Succeeds());
    } else {
      capture.discard();
    }
    EXPECT_EQ(calls_of_a_buffer(), two);
  }
  ASSERT_EQ(begin_capture(stream->native()), code::success);
  EXPECT_FALSE(ws::Capture::begin<CheckLevel::off>(*stream).has_value());
  EXPECT_EQ(end_capture(stream->native()), 0);
  EXPECT_EQ(calls_of_a_buffer(), two);
}

#if defined(WARPSAFE_BACKEND_CUDA)
// An H200 breaks the capture; AMD's runtime refuses the launch and continues to capture.
TEST_F(CapturePath, SaysWhichLaunchBrokeIt) {
  auto capture = ws::Capture::begin(*stream).value();
  const ws::LaunchConfig too_deep{ws::grid<1>, ws::BlockDim::from_vendor(dim3(1, 1, 65))};
  ASSERT_FALSE(
      ws::launch<CheckLevel::off>({*stream, {"app.cpp", "main", 41}}, too_deep, ws::kernel<nothing>)
          .has_value());
  const auto error = error_in(std::move(capture).end());
  EXPECT_EQ(error.code, Errc::capture_broken);
  EXPECT_EQ(ws::message(error),
            "Graph capture broken by the launch of kernel 'vendor_test::nothing': invalid "
            "argument (cudaErrorInvalidValue, 1)\n  at app.cpp:41");
  EXPECT_EQ(error.block[2], 65U);
}
#endif

TEST_F(CapturePath, ACallOfOtherCodeIsToldApart) {
  auto capture = ws::Capture::begin(*stream).value();
  ASSERT_NE(Backend::device_synchronize(), 0);
  ASSERT_FALSE(
      ws::launch({*stream, {"app.cpp", "main", 41}}, plain, ws::kernel<nothing>).has_value());
  const auto error = error_in(std::move(capture).end());
  EXPECT_EQ(error.code, Errc::capture_broken);
  EXPECT_THAT(ws::message(error),
              HasSubstr("a call that did not go through this library had already broken it (" +
                        prefix + "ErrorStreamCaptureInvalidated, 901)\n  at app.cpp:41"));
}

TEST_F(CapturePath, TheStreamOfABrokenCaptureWorksAfterTheEnd) {
  for (const bool discarded : {false, true}) {
    auto capture = ws::Capture::begin(*stream).value();
    ASSERT_NE(Backend::device_synchronize(), 0);
    if (discarded) {
      capture.discard();
    } else {
      EXPECT_EQ(error_in(std::move(capture).end()).code, Errc::capture_broken);
    }
    EXPECT_THAT(ws::launch(*stream, plain, ws::kernel<nothing>), Succeeds());
    EXPECT_THAT(stream->synchronize(), Succeeds());
  }
}

TEST_F(CapturePath, NamesTheStreamThatWasNotJoined) {
  auto capture = ws::Capture::begin(*stream).value();
  const auto third = make_stream();
  ASSERT_THAT(ws::launch(*stream, plain, ws::kernel<nothing>), Succeeds());
  const ws::Event fork = stream->record().value();
  ASSERT_THAT(ws::wait(third, fork), Succeeds());
  ASSERT_THAT(ws::wait(*other, fork, {"app.cpp", "main", 7}), Succeeds());
  ASSERT_THAT(ws::launch(third, plain, ws::kernel<nothing>), Succeeds());
  ASSERT_THAT(ws::launch(*other, plain, ws::kernel<nothing>), Succeeds());
  ASSERT_THAT(ws::wait(*stream, third.record().value()), Succeeds());
  const auto error = error_in(std::move(capture).end());
  EXPECT_EQ(error.code, Errc::capture_unjoined);
  EXPECT_EQ(error.raw, 904);
  EXPECT_EQ(error.stream, other->native());
  EXPECT_THAT(ws::message(error), HasSubstr("it joined at app.cpp:7"));
}

TEST_F(CapturePath, AJoinedForkIsWhole) {
  auto capture = ws::Capture::begin(*stream).value();
  ASSERT_THAT(ws::launch(*stream, plain, ws::kernel<nothing>), Succeeds());
  ASSERT_THAT(ws::wait(*other, stream->record().value()), Succeeds());
  ASSERT_THAT(ws::launch(*other, plain, ws::kernel<nothing>), Succeeds());
  ASSERT_THAT(ws::wait(*stream, other->record().value()), Succeeds());
  const auto graph = std::move(capture).end();
  ASSERT_THAT(graph, Succeeds());
  EXPECT_EQ(graph.value().node_count().value(), 2U);
}

TEST_F(CapturePath, AnotherThreadMayNotEndIt) {
  auto capture = ws::Capture::begin(*stream, CaptureMode::thread).value();
  std::thread([&] {
    EXPECT_EQ(error_in(std::move(capture).end()).code, Errc::capture_wrong_thread);
  }).join();
  // AMD's runtime does not change the capture.
  // NOLINTNEXTLINE(bugprone-use-after-move): what is tested
  const auto again = std::move(capture).end();
  EXPECT_EQ(again.has_value(), !is_cuda);
}

TEST_F(CapturePath, AStreamCapturesOnce) {
  const auto capture = ws::Capture::begin(*stream).value();
  EXPECT_EQ(error_in(ws::Capture::begin(*stream)).code, Errc::stream_capturing);
}

TEST_F(CapturePath, AReplayRunsWhatWasCaptured) {
  auto buffer = ws::DeviceBuffer<int>::create(*stream, 100).value();
  auto capture = ws::Capture::begin(*stream).value();
  ASSERT_THAT(ws::launch(*stream, plain, ws::kernel<floats>, 1.0F, 2.0), Succeeds());
  ASSERT_THAT(buffer.fill_bytes(*stream, std::byte{1}), Succeeds());
  auto exec = std::move(capture).end().value().instantiate().value();
#if defined(WARPSAFE_BACKEND_CUDA)
  const auto kernels = [] { return std::uint64_t{launches().size()}; };
#else
  const auto kernels = [] { return amd_control_dispatches(0); };
#endif
  ASSERT_EQ(Backend::device_synchronize(), code::success) << "earlier tests' launches have ended";
  const std::uint64_t before = kernels();
  ASSERT_THAT(exec.launch(*other), Succeeds());
  ASSERT_THAT(exec.launch(*other), Succeeds());
  ASSERT_THAT(other->synchronize(), Succeeds());
  EXPECT_EQ(kernels() - before, 2U);
#if defined(WARPSAFE_BACKEND_CUDA)
  EXPECT_STREQ(last_launch().function, "cudaGraphLaunch");
#endif
  EXPECT_EQ(argument<float>(last_launch(), 0), 1.0F);
  EXPECT_EQ(buffer.to_host(*stream).get().value()[99], 0x01010101);
}

TEST_F(CapturePath, AGraphIsNotLaunchedWhereItsStreamCapturesAndTheCaptureGoesOn) {
  auto exec = nothings(1).value().instantiate().value();
  const auto graph = ws::capture(*stream, [&](ws::Capture&) -> ws::result<void> {
    EXPECT_EQ(error_in(exec.launch(*stream)).code, Errc::stream_capturing);
    EXPECT_EQ(error_in(exec.launch<CheckLevel::off>(*stream)).code, Errc::stream_capturing);
    return ws::launch(*stream, plain, ws::kernel<nothing>);
  });
  EXPECT_EQ(graph.value().node_count().value(), 1U);
}

TEST_F(CapturePath, AnUpdateBringsOtherArguments) {
  float value = 1;
  const auto body = [&](ws::Capture& capture) {
    return ws::launch(capture.stream(), plain, ws::kernel<floats>, value, 2.0);
  };
  auto exec = ws::capture(*stream, body).value().instantiate().value();
  value = 5;
  ASSERT_THAT(exec.launch(*stream), Succeeds());
  EXPECT_EQ(argument<float>(last_launch(), 0), 1.0F) << "as it was captured";
  ASSERT_THAT(ws::recapture(exec, *stream, body), Succeeds());
  ASSERT_THAT(exec.launch(*stream), Succeeds());
  EXPECT_EQ(argument<float>(last_launch(), 0), 5.0F);
  const auto refused = error_in(exec.update(nothings(2).value()));
  EXPECT_EQ(refused.code, Errc::graph_update_refused);
  EXPECT_EQ(refused.raw, 910);
  EXPECT_THAT(ws::message(refused), HasSubstr("other nodes or dependencies"));
}

TEST_F(CapturePath, MemoryThatIsGoneIsFoundAtTheLaunch) {
  std::optional<ws::ExecutableGraph> exec;
  for (const bool kept : {true, false}) {
    {
      auto buffer = ws::DeviceBuffer<float>::create(*stream, 100).value();
      auto capture = ws::Capture::begin(*stream).value();
      ASSERT_THAT(
          ws::launch(*stream, plain, ws::kernel<counted>, std::as_const(buffer).view(), 100U),
          Succeeds());
      if (kept) {
        ASSERT_THAT(capture.keep(buffer.keep()), Succeeds());
      }
      exec = std::move(capture).end().value().instantiate().value();
    }
    const auto launched = exec->launch(*stream);
    EXPECT_EQ(launched.has_value(), kept);
    if (!kept) {
      EXPECT_EQ(launched.error().code, Errc::graph_memory_freed);
    }
  }
}

TEST_F(GraphMemoryPath, MemoryThatAGraphAllocatesIsUsedOnlyAfterItsLaunch) {
  const auto allocates = [&](ws::Capture& capture) -> ws::result<void> {
    WARPSAFE_TRY(auto made, ws::DeviceBuffer<float>::create(capture.stream(), 100));
    buffer.emplace(std::move(made));
    return ws::launch(capture.stream(), plain, ws::kernel<counted>, std::as_const(*buffer).view(),
                      100U);
  };
  const auto uses = [&] {
    const auto view = std::as_const(*buffer).view();
    std::vector<float> values(100);
    return std::vector<ws::result<void>>{
        ws::launch(*stream, plain, ws::kernel<counted>, view, 100U),
        ws::copy_and_wait(*stream, ws::from(view), ws::to(values)),
        ws::copy_and_wait(*stream, ws::from(values), ws::to(*buffer)), buffer->zero(*stream)};
  };
  const auto expect_refused = [&](const char* text) {
    for (const auto& used : uses()) {
      ASSERT_FALSE(used.has_value());
      EXPECT_EQ(used.error().code, Errc::memory_closed);
      EXPECT_THAT(ws::message(used.error()), HasSubstr(text));
    }
  };
  {
    auto graph = ws::capture(*stream, allocates);
    ASSERT_THAT(graph, Succeeds());
    auto exec = graph.value().instantiate().value();
    expect_refused("has not run; launch the graph first");
    ASSERT_THAT(exec.launch(*stream), Succeeds());
    for (const auto& used : uses()) EXPECT_THAT(used, Succeeds());
    EXPECT_THAT(buffer->close(), Succeeds());
  }
  {
    auto open = ws::Capture::begin(*stream).value();
    ASSERT_THAT(allocates(open), Succeeds());
    open.discard();
    expect_refused("allocate outside of the capture");
    EXPECT_THAT(buffer->close(), Succeeds()) << "there is nothing to free";
  }
  ASSERT_THAT(ws::capture(*stream, allocates), Succeeds());
  expect_refused("allocate outside of the capture");
}

TEST_F(GraphMemoryPath, AGraphHoldsMemoryOfAGraphThatIsGone) {
  {
    auto first = leaves_memory();
    auto allocates = first.value().instantiate().value();
    ASSERT_THAT(allocates.launch(*stream), Succeeds());
  }
  {
    auto second =
        ws::capture(*stream, [&](ws::Capture& capture) { return buffer->zero(capture.stream()); });
    auto uses = second.value().instantiate().value();
    {
      // The free is no part of another graph either.
      auto third = ws::capture(*stream, [&](ws::Capture&) -> ws::result<void> {
        buffer.reset();
        return ws::success();
      });
      EXPECT_EQ(third.value().node_count().value(), 0U);
    }
    EXPECT_EQ(count("FreeAsync"), 0U);
    EXPECT_THAT(uses.launch(*stream), Succeeds());
  }
  EXPECT_EQ(count("FreeAsync"), 1U);
}

TEST_F(GraphMemoryPath, MemoryOfAnEarlierGraphIsFreedBehindACapture) {
  auto first = ws::capture(*stream, [&](ws::Capture& capture) -> ws::result<void> {
    WARPSAFE_TRY(auto made, ws::DeviceBuffer<float>::create(capture.stream(), 100));
    buffer.emplace(std::move(made));
    return ws::success();
  });
  auto allocates = first.value().instantiate().value();
  ASSERT_THAT(allocates.launch(*stream), Succeeds());
  auto second = ws::capture(*stream, [&](ws::Capture&) -> ws::result<void> {
    buffer.reset();
    EXPECT_EQ(count("FreeAsync"), 0U);
    return ws::success();
  });
  EXPECT_EQ(second.value().node_count().value(), 0U);
  EXPECT_EQ(count("FreeAsync"), 1U);
}

TEST_F(GraphMemoryPath, ACaptureFreesItsMemoryBehindItsOtherStreams) {
  NativeStream native = nullptr;
  ASSERT_EQ(Backend::stream_create(native, 0), 0);
  const auto borrowed = ws::StreamRef::borrow(native, ws::DeviceId(0)).value();
  for (const ws::StreamRef side : {other->ref(), borrowed}) {
    auto graph = ws::capture(*stream, [&](ws::Capture&) -> ws::result<void> {
      WARPSAFE_TRY(auto made, ws::DeviceBuffer<float>::create(*stream, 100));
      WARPSAFE_TRYV(made.zero(*stream));
      WARPSAFE_TRY(const auto fork, stream->record());
      WARPSAFE_TRYV(ws::wait(side, fork));
      WARPSAFE_TRYV(made.zero(side));
      const auto waits = count("StreamWaitEvent");
      WARPSAFE_TRYV(made.close());
      EXPECT_EQ(count("StreamWaitEvent"), waits + 1) << "the free comes behind the use";
      WARPSAFE_TRY(const auto join, side.record());
      return ws::wait(*stream, join);
    });
    EXPECT_THAT(graph, Succeeds());
    // Outside of the capture its points mean nothing.
    std::optional<ws::DeviceBuffer<float>> kept;
    auto second = ws::capture(*stream, [&](ws::Capture&) -> ws::result<void> {
      WARPSAFE_TRY(auto made, ws::DeviceBuffer<float>::create(*stream, 100));
      kept.emplace(std::move(made));
      WARPSAFE_TRY(const auto fork, stream->record());
      WARPSAFE_TRYV(ws::wait(side, fork));
      WARPSAFE_TRYV(kept->zero(side));
      WARPSAFE_TRY(const auto join, side.record());
      return ws::wait(*stream, join);
    });
    auto runs = second.value().instantiate().value();
    ASSERT_THAT(runs.launch(*stream), Succeeds());
    EXPECT_THAT(kept->zero(side), Succeeds());
    testing::internal::CaptureStderr();
    EXPECT_THAT(kept->close(), Succeeds());
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the memory is freed";
  }
  EXPECT_EQ(Backend::stream_destroy(native), 0);
}

// A local buffer of the body ends after the last wait of the body.
TEST_F(GraphMemoryPath, ACaptureFreesMemoryOfAStreamThatIsJoinedAlready) {
  for (const bool used_on_own : {false, true}) {
    auto graph = ws::capture(*stream, [&](ws::Capture&) -> ws::result<void> {
      WARPSAFE_TRY(const auto fork, stream->record());
      WARPSAFE_TRYV(ws::wait(*other, fork));
      WARPSAFE_TRY(auto made, ws::DeviceBuffer<float>::create(*other, 100));
      WARPSAFE_TRYV(made.zero(*other));
      WARPSAFE_TRY(const auto join, other->record());
      WARPSAFE_TRYV(ws::wait(*stream, join));
      return used_on_own ? made.zero(*stream) : ws::success();
    });
    ASSERT_THAT(graph, Succeeds());
    EXPECT_EQ(graph.value().node_count().value(), used_on_own ? 4U : 3U);
    EXPECT_THAT(graph.value().instantiate().value().launch(*stream), Succeeds());
  }
}

#if defined(WARPSAFE_BACKEND_CUDA)
TEST_F(GraphMemoryPath, ACaptureOfAThreadsOwnStreamFreesWhatAForkUsed) {
  const auto own = ws::StreamRef::borrow(cudaStreamPerThread, ws::DeviceId(0)).value();
  auto graph = ws::capture(own, [&](ws::Capture&) -> ws::result<void> {
    WARPSAFE_TRY(auto made, ws::DeviceBuffer<float>::create(own, 100));
    WARPSAFE_TRY(const auto fork, own.record());
    WARPSAFE_TRYV(ws::wait(*other, fork));
    WARPSAFE_TRYV(made.zero(*other));
    WARPSAFE_TRY(const auto join, other->record());
    return ws::wait(own, join);
  });
  ASSERT_THAT(graph, Succeeds());
  EXPECT_EQ(graph.value().node_count().value(), 3U);
}

// The free is a part of the capture, behind the use of a stream that only its handle names.
TEST_F(GraphMemoryPath, AnotherThreadFreesMemoryOfACaptureOfAThreadsOwnStream) {
  NativeStream native = nullptr;
  ASSERT_EQ(Backend::stream_create(native, 0), 0);
  const auto side = ws::StreamRef::borrow(native, ws::DeviceId(0)).value();
  const auto own = ws::StreamRef::borrow(cudaStreamPerThread, ws::DeviceId(0)).value();
  const auto body = [&](ws::Capture&) -> ws::result<void> {
    WARPSAFE_TRY(auto made, ws::DeviceBuffer<float>::create(own, 100));
    WARPSAFE_TRY(const auto fork, own.record());
    WARPSAFE_TRYV(ws::wait(side, fork));
    WARPSAFE_TRYV(made.zero(side));
    const auto calls = calls_of([&] {
      std::thread([freed = std::move(made)] {}).join();
      EXPECT_THAT(ws::DeviceBuffer<float>::create(own, 10), Succeeds()) << "which tries again";
    });
    const auto wait = std::find(calls.begin(), calls.end(), "StreamWaitEvent");
    EXPECT_NE(std::find(wait, calls.end(), "FreeAsync"), calls.end()) << "not behind a wait";
    WARPSAFE_TRY(const auto join, side.record());
    return ws::wait(own, join);
  };
  EXPECT_THAT(ws::capture(own, body, CaptureMode::relaxed), Succeeds());
  EXPECT_EQ(Backend::stream_destroy(native), 0);
}

TEST_F(GraphMemoryPath, AnotherThreadFreesAForksMemoryInACaptureOfAThreadsOwnStream) {
  const auto own = ws::StreamRef::borrow(cudaStreamPerThread, ws::DeviceId(0)).value();
  const auto body = [&](ws::Capture&) -> ws::result<void> {
    WARPSAFE_TRY(const auto fork, own.record());
    WARPSAFE_TRYV(ws::wait(*other, fork));
    WARPSAFE_TRY(auto made, ws::DeviceBuffer<float>::create(*other, 100));
    WARPSAFE_TRYV(made.zero(*other));
    WARPSAFE_TRY(const auto join, other->record());
    WARPSAFE_TRYV(ws::wait(own, join));
    std::thread([freed = std::move(made)] {}).join();
    return ws::success();
  };
  EXPECT_THAT(ws::capture(own, body, CaptureMode::relaxed), Succeeds());
}

// The handle means the other thread's stream, which may capture, too.
TEST_F(CapturePath, AnotherThreadCannotEndTheCaptureOfAThreadsOwnStream) {
  const auto own = ws::StreamRef::borrow(cudaStreamPerThread, ws::DeviceId(0)).value();
  for (const bool captures_too : {false, true}) {
    auto capture = ws::Capture::begin(own, CaptureMode::relaxed).value();
    std::thread([&] {
      std::optional<ws::Capture> second;
      if (captures_too) second.emplace(ws::Capture::begin(own, CaptureMode::relaxed).value());
      EXPECT_EQ(error_in(std::move(capture).end()).code, Errc::capture_wrong_thread);
      if (captures_too) EXPECT_THAT(std::move(*second).end(), Succeeds());
    }).join();
    // NOLINTNEXTLINE(bugprone-use-after-move): what is tested
    EXPECT_THAT(std::move(capture).end(), Succeeds());
  }
}
#endif

// Nothing can mark the end of a stream that was destroyed while it captured, nor while nobody can
// tell.
TEST_F(CapturePath, ABufferThatACapturedStreamUsedEndsBesideTheCapture) {
  for (const bool is_asked : {true, false}) {
    std::optional<ws::Stream> third(make_stream());
    std::optional<ws::DeviceBuffer<float>> buffer(
        ws::DeviceBuffer<float>::create(*other, 100).value());
    ASSERT_THAT(buffer->zero(*third), Succeeds());
    Backend::native_event join{};
    ASSERT_EQ(Backend::event_create(join, false), 0);
    auto capture = ws::Capture::begin(*stream).value();
    const auto fork = stream->record().value();
    ASSERT_EQ(Backend::stream_wait(third->native(), fork.native()), 0);
    ASSERT_EQ(Backend::event_record(join, third->native()), 0);
    ASSERT_EQ(Backend::stream_wait(stream->native(), join), 0);
    if (!is_asked) fail("StreamIsCapturing", 1, code::unknown);
    third.reset();
    const auto held = [] { return ws::memory_info(ws::DeviceId(0)).value().held; };
    const auto before = held();
    buffer.reset();
    if (is_cuda) {
      EXPECT_EQ(held(), before) << "the free waits";
    }
    EXPECT_THAT(std::move(capture).end(), Succeeds());
    EXPECT_LT(held(), before) << "for the end of the capture";
    EXPECT_EQ(Backend::event_destroy(join), 0);
  }
}

TEST_F(GraphMemoryPath, ACaptureFreesMemoryThatAnotherCaptureUsed) {
  for (const bool is_kept : {false, true}) {
    auto first = ws::Capture::begin(*stream, CaptureMode::relaxed).value();
    std::optional<ws::DeviceBuffer<float>> made(
        ws::DeviceBuffer<float>::create(*stream, 100).value());
    auto second = ws::Capture::begin(*other, CaptureMode::relaxed).value();
    EXPECT_THAT(made->zero(*other), Succeeds());
    if (is_kept) {
      EXPECT_THAT(std::move(second).end(), Succeeds());
    } else {
      second.discard();
    }
    made.reset();
    EXPECT_THAT(std::move(first).end(), Succeeds());
  }
}

TEST_F(GraphMemoryPath, SeveralThreadsFreeMemoryOfAJoinedStreamInItsCapture) {
  EXPECT_THAT(ws::capture(
                  *stream,
                  [&](ws::Capture&) -> ws::result<void> {
                    WARPSAFE_TRY(const auto fork, stream->record());
                    WARPSAFE_TRYV(ws::wait(*other, fork));
                    WARPSAFE_TRY(auto here, ws::DeviceBuffer<float>::create(*other, 100));
                    WARPSAFE_TRY(auto there, ws::DeviceBuffer<float>::create(*other, 100));
                    WARPSAFE_TRY(const auto join, other->record());
                    WARPSAFE_TRYV(ws::wait(*stream, join));
                    std::thread([freed = std::move(there)] {}).join();
                    return ws::success();
                  },
                  CaptureMode::relaxed),
              Succeeds());
}

// Its error reaches the open captures, which have the lock of graphs.
TEST_F(GraphMemoryPath, AFailedCallAfterALaunchBesideACaptureIsAnError) {
  std::vector<NativeStream> natives(20);
  auto graph = leaves_memory();
  auto exec = graph.value().instantiate().value();
  auto capture = ws::Capture::begin(*other, CaptureMode::relaxed).value();
  for (NativeStream& native : natives) {
    ASSERT_EQ(Backend::stream_create(native, 0), 0);
    const auto on = ws::StreamRef::borrow(native, ws::DeviceId(0)).value();
    fail("EventDestroy", 1, code::unknown);
    testing::internal::CaptureStderr();
    static_cast<void>(exec.launch(on));
    ASSERT_THAT(on.synchronize(), Succeeds());
    testing::internal::GetCapturedStderr();
  }
  capture.discard();
  buffer.reset();
  for (NativeStream native : natives) EXPECT_EQ(Backend::stream_destroy(native), 0);
}

TEST_F(GraphMemoryPath, ACaptureFreesMemoryOfAnotherDevicesJoinedStream) {
  const auto far = ws::Stream::create(ws::DeviceId(1)).value();
  EXPECT_THAT(ws::capture(*stream,
                          [&](ws::Capture&) -> ws::result<void> {
                            WARPSAFE_TRY(const auto fork, stream->record());
                            WARPSAFE_TRYV(ws::wait(far, fork));
                            WARPSAFE_TRY(auto made, ws::DeviceBuffer<float>::create(far, 100));
                            WARPSAFE_TRY(auto second, ws::DeviceBuffer<float>::create(far, 100));
                            WARPSAFE_TRYV(made.zero(far));
                            WARPSAFE_TRY(const auto guard,
                                         ws::DeviceGuard::create(ws::DeviceId(1)));
                            WARPSAFE_TRY(const auto join, far.record());
                            return ws::wait(*stream, join);
                          }),
              Succeeds());
}

TEST_F(CapturePath, AStreamThatTookPartMayEndBeforeTheCapture) {
  auto graph = ws::capture(*stream, [&](ws::Capture&) -> ws::result<void> {
    WARPSAFE_TRY(const auto side, ws::Stream::create());
    WARPSAFE_TRY(const auto fork, stream->record());
    WARPSAFE_TRYV(ws::wait(side, fork));
    WARPSAFE_TRY(const auto join, side.record());
    return ws::wait(*stream, join);
  });
  EXPECT_THAT(graph, Succeeds());
}

TEST_F(GraphMemoryPath, AGraphHoldsMemoryThatAnotherGraphAllocates) {
  auto first = leaves_memory();
  auto allocates = first.value().instantiate().value();
  ASSERT_THAT(allocates.launch(*stream), Succeeds());
  {
    auto second =
        ws::capture(*stream, [&](ws::Capture& capture) { return buffer->zero(capture.stream()); });
    auto uses = second.value().instantiate().value();
    buffer.reset();
    EXPECT_EQ(count("FreeAsync"), 0U);
    EXPECT_THAT(uses.launch(*stream), Succeeds());
  }
  EXPECT_EQ(count("FreeAsync"), 1U);
}

TEST_F(GraphMemoryPath, MemoryThatTheGraphAllocatesAndFreesIsNotGone) {
  const auto graph = ws::capture(*stream, [&](ws::Capture&) -> ws::result<void> {
    WARPSAFE_TRY(const auto scratch, ws::DeviceBuffer<float>::create(*stream, 100));
    return ws::launch(*stream, plain, ws::kernel<counted>, scratch.view(), 100U);
  });
  ASSERT_THAT(graph, Succeeds());
  auto exec = graph.value().instantiate().value();
  EXPECT_THAT(exec.launch(*stream), Succeeds());
}

TEST_F(CapturePath, AFreeWhileItsStreamCapturesBreaksNothing) {
  std::optional<ws::DeviceBuffer<float>> buffer =
      ws::DeviceBuffer<float>::create(*stream, 100).value();
  auto capture = ws::Capture::begin(*stream).value();
  buffer.reset();
  EXPECT_THAT(ws::launch(*stream, plain, ws::kernel<nothing>), Succeeds());
  EXPECT_EQ(count("FreeAsync"), 0U);
  EXPECT_THAT(std::move(capture).end(), Succeeds());
  EXPECT_EQ(count("FreeAsync"), 1U) << "the free that had to wait is made at the capture's end";
}

TEST_F(GraphMemoryPath, AGraphThatLeavesItsMemoryIsLaunchedAgain) {
  auto graph = leaves_memory();
  auto exec = graph.value().instantiate().value();
  EXPECT_THAT(exec.launch(*stream), Succeeds());
  EXPECT_THAT(exec.launch(*stream), Succeeds()) << "while the buffer has the memory";
  EXPECT_THAT(buffer->close(), Succeeds());
  EXPECT_THAT(exec.launch(*stream), Succeeds());
  EXPECT_THAT(exec.launch(*stream), Succeeds()) << "nobody has the memory";
}

TEST_F(GraphMemoryPath, TheExecutableGraphIsDestroyedAfterTheMemoryThatItAllocated) {
  std::optional<ws::DeviceBuffer<float>> second;
  std::optional<ws::ExecutableGraph> exec;
  {
    const auto graph = ws::capture(*stream, [&](ws::Capture& capture) -> ws::result<void> {
      for (auto* each : {&buffer, &second}) {
        WARPSAFE_TRY(auto made, ws::DeviceBuffer<float>::create(capture.stream(), 100));
        each->emplace(std::move(made));
      }
      return ws::success();
    });
    ASSERT_THAT(graph, Succeeds());
    exec = graph.value().instantiate().value();
  }
  ASSERT_THAT(exec->launch(*stream), Succeeds());
  EXPECT_THAT(exec->close(), Succeeds());
  const auto free_of = [&](auto& memory) {
    return calls_of([&] { EXPECT_THAT(memory->close(), Succeeds()); });
  };
  EXPECT_EQ(count("GraphExecDestroy"), 0U);
  EXPECT_THAT(free_of(buffer), testing::Contains("FreeAsync"));
  EXPECT_EQ(count("GraphExecDestroy"), 0U) << "the other memory is left";
  const auto calls = free_of(second);
  const auto freed = std::find(calls.begin(), calls.end(), "FreeAsync");
  EXPECT_NE(std::find(freed, calls.end(), "GraphExecDestroy"), calls.end()) << "not after the free";
}

TEST_F(GraphMemoryPath, AGraphThatAllocatesIsInstantiatedAgain) {
  const auto graph = leaves_memory();
  ASSERT_THAT(graph, Succeeds());
  const auto runs = [&] {
    auto exec = graph.value().instantiate();
    ASSERT_THAT(exec, Succeeds());
    EXPECT_EQ(error_in(graph.value().instantiate()).raw, code::not_supported) << "CUDA has one";
    EXPECT_THAT(exec.value().launch(*stream), Succeeds());
  };
  runs();
  runs();
  EXPECT_THAT(buffer->close(), Succeeds());
  runs();
}

TEST_F(GraphMemoryPath, AGraphThatLeavesItsMemoryIsNotUpdated) {
  const auto first = leaves_memory();
  auto exec = first.value().instantiate().value();
  ASSERT_THAT(exec.launch(*stream), Succeeds());
  auto memory = std::move(buffer);
  for (const auto& graph : {leaves_memory(), ws::capture(*stream, [&](ws::Capture& capture) {
                              return memory->zero(capture.stream());
                            })}) {
    const ws::LaunchError error = error_in(exec.update(graph.value()));
    EXPECT_EQ(error.code, Errc::graph_update_refused);
    EXPECT_EQ(error.graph_change(), ws::GraphChange::unsupported);
  }
  EXPECT_EQ(count("GraphExecUpdate"), 0U);
}

TEST_F(GraphMemoryPath, AFreeBeforeTheFirstLaunchIsMadeAfterIt) {
  auto graph = leaves_memory();
  auto exec = graph.value().instantiate().value();
  EXPECT_THAT(buffer->close(), Succeeds());
  EXPECT_EQ(count("FreeAsync"), 0U) << "there is no memory yet";
  EXPECT_THAT(exec.launch(*stream), Succeeds());
  EXPECT_EQ(count("FreeAsync"), 1U);
}

TEST_F(GraphMemoryPath, AFreeWaitsForTheLaunchOnAnotherStream) {
  for (const bool is_again : {false, true}) {
    auto graph = leaves_memory();
    auto exec = graph.value().instantiate().value();
    if (is_again) {
      ASSERT_THAT(exec.launch(*stream), Succeeds());
    }
    ASSERT_THAT(exec.launch(*other), Succeeds());
    const auto calls = calls_of([&] { buffer.reset(); });
    const auto wait = std::find(calls.begin(), calls.end(), "StreamWaitEvent");
    EXPECT_NE(std::find(wait, calls.end(), "FreeAsync"), calls.end()) << "not behind a wait";
  }
}

TEST_F(GraphMemoryPath, ALaunchWaitsForTheFreeOfWhatItAllocatesAgain) {
  auto graph = leaves_memory();
  auto exec = graph.value().instantiate().value();
  ASSERT_THAT(exec.launch(*other), Succeeds());
  ASSERT_THAT(buffer->close(), Succeeds());
  const auto launch = [&](ws::Stream& on) {
    return calls_of([&] { EXPECT_THAT(exec.launch(on), Succeeds()); });
  };
  const auto calls = launch(*other);
  const auto wait = std::find(calls.begin(), calls.end(), "StreamWaitEvent");
  EXPECT_NE(std::find(wait, calls.end(), "GraphLaunch"), calls.end()) << "not behind the free";
  EXPECT_THAT(launch(*stream), testing::Not(testing::Contains("StreamWaitEvent")))
      << "the launch before it waited";
}

TEST_F(GraphMemoryPath, AFreeThatCannotBeMarkedEndsBeforeTheNextLaunch) {
  auto graph = leaves_memory();
  auto exec = graph.value().instantiate().value();
  ASSERT_THAT(exec.launch(*stream), Succeeds());
  fail("EventRecord", 1, code::unknown);
  const auto calls = calls_of([&] { EXPECT_EQ(error_in(buffer->close()).raw, code::unknown); });
  const auto freed = std::find(calls.begin(), calls.end(), "FreeAsync");
  EXPECT_NE(std::find(freed, calls.end(), "StreamSynchronize"), calls.end());
  EXPECT_THAT(exec.launch(*other), Succeeds());
}

/// Called after each launch of a graph, before it returns.
std::function<void()> after_graph_launch;
struct Observed : Backend {
  static int graph_launch(native_graph_exec exec, native_stream stream) noexcept {
    const int status = Backend::graph_launch(exec, stream);
    if (after_graph_launch) after_graph_launch();
    return status;
  }
};

using ObservedBuffer = ws::basic_device_buffer<Observed, float>;
/// A graph that leaves the memory of `made` allocated.
[[nodiscard]] ws::basic_executable_graph<Observed> leaves_observed_memory(
    const ws::basic_stream<Observed>& own, std::optional<ObservedBuffer>& made) {
  return ws::capture(own,
                     [&](ws::basic_capture<Observed>&) -> ws::result<void> {
                       WARPSAFE_TRY(auto memory, ObservedBuffer::create(own, 100));
                       WARPSAFE_TRYV(memory.zero(own));
                       made.emplace(std::move(memory));
                       return ws::success();
                     })
      .value()
      .instantiate()
      .value();
}

TEST_F(GraphMemoryPath, AFreeWaitsForALaunchThatHasNotReturned) {
  const auto own = ws::basic_stream<Observed>::create().value();
  const auto side = ws::basic_stream<Observed>::create().value();
  std::optional<ObservedBuffer> made;
  auto exec = leaves_observed_memory(own, made);
  ASSERT_THAT(exec.launch(own), Succeeds());
  std::thread frees;
  after_graph_launch = [&] {
    frees = std::thread([&] { made.reset(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  const auto calls = calls_of([&] {
    EXPECT_THAT(exec.launch(side), Succeeds());
    frees.join();
  });
  after_graph_launch = nullptr;
  const auto wait = std::find(calls.begin(), calls.end(), "StreamWaitEvent");
  EXPECT_NE(std::find(wait, calls.end(), "FreeAsync"), calls.end()) << "not behind a wait";
}

// Each waits for the launch, and one begins before the capture, one after it.
TEST_F(GraphMemoryPath, FreesBesideALaunchAndACaptureEnd) {
  const auto own = ws::basic_stream<Observed>::create().value();
  const auto side = ws::basic_stream<Observed>::create().value();
  const auto pause = [](int of = 2) { std::this_thread::sleep_for(std::chrono::milliseconds(of)); };
  // Which of the two frees goes on first is chance.
  for (int round = 0; round < 10; ++round) {
    std::optional<ObservedBuffer> first, second, third;
    auto one = leaves_observed_memory(own, first);
    auto two = leaves_observed_memory(own, second);
    auto three = leaves_observed_memory(own, third);
    ASSERT_THAT(one.launch(own), Succeeds());
    ASSERT_THAT(two.launch(own), Succeeds());
    std::vector<std::thread> threads;
    after_graph_launch = [&] {
      threads.emplace_back([&] { first.reset(); });
      pause();
      threads.emplace_back([&] {
        auto capture = ws::basic_capture<Observed>::begin(side, CaptureMode::relaxed).value();
        pause(20);
        capture.discard();
      });
      pause();
      threads.emplace_back([&] { second.reset(); });
      pause();
    };
    EXPECT_THAT(three.launch(own), Succeeds());
    after_graph_launch = nullptr;
    for (std::thread& each : threads) each.join();
  }
}

/// Objects that another thread destroys as they come.
template <class T>
class DestroyedElsewhere {
 public:
  DestroyedElsewhere() = default;
  DestroyedElsewhere(const DestroyedElsewhere&) = delete;
  DestroyedElsewhere& operator=(const DestroyedElsewhere&) = delete;
  ~DestroyedElsewhere() {
    ends_ = true;
    thread_.join();
  }
  void add(T object) {
    const std::lock_guard<std::mutex> locked(lock_);
    objects_.push_back(std::move(object));
  }

 private:
  void destroy() {
    while (!ends_) {
      std::deque<T> taken;
      const std::lock_guard<std::mutex> locked(lock_);
      taken.swap(objects_);
    }
  }
  std::mutex lock_;
  std::deque<T> objects_;
  std::atomic<bool> ends_{false};
  std::thread thread_{[this] { destroy(); }};
};

// The free records where the use ends, waits for it and frees, each in a stream that its own thread
// captures again and again.
TEST_F(CapturePath, AFreeBesideACaptureIsNoPartOfIt) {
  DestroyedElsewhere<ws::DeviceBuffer<float>> freed;
  const auto capture_nothing = [&] {
    const auto empty = ws::capture(
        *stream, [](ws::Capture&) { return ws::success(); }, CaptureMode::thread);
    ASSERT_THAT(empty, Succeeds());
    EXPECT_EQ(empty.value().node_count().value(), 0U);
  };
  for (int i = 0; i < 300; ++i) {
    auto buffer = ws::DeviceBuffer<float>::create(i % 3 == 0 ? *other : *stream, 100).value();
    EXPECT_THAT(ws::launch(i % 3 == 1 ? *other : *stream, plain, ws::kernel<counted>,
                           std::as_const(buffer).view(), 100U),
                Succeeds());
    freed.add(std::move(buffer));
    capture_nothing();
  }
}

// At the end of an executable graph its memory gets a mark behind the last launch.
TEST_F(CapturePath, AnExecutableGraphEndsBesideACaptureOfItsStream) {
  NativeStream native = nullptr;
  ASSERT_EQ(Backend::stream_create(native, 0), 0);
  const auto borrowed = ws::StreamRef::borrow(native, ws::DeviceId(0)).value();
  {
    DestroyedElsewhere<ws::ExecutableGraph> ended;
    for (int i = 0; i < 200; ++i) {
      auto buffer = ws::DeviceBuffer<float>::create(*other, 100).value();
      const auto graph = ws::capture(
          borrowed,
          [&](ws::Capture&) {
            return ws::launch(borrowed, plain, ws::kernel<counted>, std::as_const(buffer).view(),
                              100U);
          },
          CaptureMode::thread);
      ASSERT_THAT(graph, Succeeds());
      EXPECT_EQ(graph.value().node_count().value(), 1U);
      auto exec = graph.value().instantiate().value();
      ASSERT_THAT(exec.launch(borrowed), Succeeds());
      ended.add(std::move(exec));
    }
  }
  EXPECT_EQ(Backend::stream_synchronize(native), 0);
  EXPECT_EQ(Backend::stream_destroy(native), 0);
}

// Any thread's allocation makes them, also while another begins its next capture of the stream.
TEST_F(CapturePath, FreesThatHadToWaitBecomePartOfNoOtherCapture) {
  std::atomic<bool> ends{false};
  std::thread allocates([&] {
    const auto own = make_stream();
    while (!ends) EXPECT_THAT(ws::DeviceBuffer<float>::create(own, 100), Succeeds());
  });
  const auto kept = ws::DeviceBuffer<float>::create(*stream, 100).value();
  for (int i = 0; i < 400; ++i) {
    // The memory's own stream captures, or a stream that used it.
    std::optional<ws::DeviceBuffer<float>> buffer =
        ws::DeviceBuffer<float>::create(i % 2 == 0 ? *stream : *other, 100).value();
    const auto launches = [&](const auto& memory) {
      return ws::launch(*stream, plain, ws::kernel<counted>, memory.view(), 100U);
    };
    EXPECT_THAT(launches(std::as_const(*buffer)), Succeeds());
    EXPECT_THAT(ws::capture(
                    *stream,
                    [&](ws::Capture&) -> ws::result<void> {
                      buffer.reset();
                      return ws::success();
                    },
                    CaptureMode::thread),
                Succeeds());
    const auto next = ws::capture(
        *stream, [&](ws::Capture&) { return launches(kept); }, CaptureMode::thread);
    ASSERT_THAT(next, Succeeds());
    EXPECT_EQ(next.value().node_count().value(), 1U);
  }
  ends = true;
  allocates.join();
}

/// Calls a function once, behind the end of an event by this thread.
struct AfterEventEnd : Backend {
  static inline thread_local std::function<void()> call;
  static int event_destroy(native_event event) noexcept {
    const int status = Backend::event_destroy(event);
    if (const auto once = std::exchange(call, nullptr)) once();
    return status;
  }
};
TEST_F(CapturePath, AFreeIsMadeIfTwoCapturesThatRefusedItEndAtOnce) {
  using Stream = ws::basic_stream<AfterEventEnd>;
  using Capture = ws::basic_capture<AfterEventEnd>;
  const auto own = Stream::create().value();
  const auto one = Stream::create().value();
  const auto two = Stream::create().value();
  auto memory = ws::basic_device_buffer<AfterEventEnd, float>::create(own, 100).value();
  ASSERT_THAT(memory.zero(one), Succeeds());
  ASSERT_THAT(memory.zero(two), Succeeds());
  auto first = Capture::begin(one, CaptureMode::relaxed).value();
  const auto frees = count("FreeAsync") + count("Free");
  ASSERT_THAT(memory.close(), Succeeds());
  std::atomic<int> step = 0;
  const auto wait_until = [&](int reached) {
    while (step < reached) std::this_thread::yield();
  };
  std::thread other([&] {
    auto second = Capture::begin(two, CaptureMode::relaxed).value();
    step = 1;
    wait_until(2);
    second.discard();
    step = 3;
  });
  wait_until(1);
  AfterEventEnd::call = [&] {
    step = 2;
    wait_until(3);
  };
  first.discard();
  AfterEventEnd::call = nullptr;
  if (step == 1) step = 2;  // where the free needs no event
  other.join();
  EXPECT_EQ(count("FreeAsync") + count("Free"), frees + 1);
}

// A stream of other code that captures can be neither marked nor noted.
TEST_F(CapturePath, MemoryIsFreedThoughTheLastLaunchsStreamCapturesAtTheGraphsEnd) {
  NativeStream native = nullptr;
  ASSERT_EQ(Backend::stream_create(native, 0), 0);
  const auto borrowed = ws::StreamRef::borrow(native, ws::DeviceId(0)).value();
  auto buffer = ws::DeviceBuffer<float>::create(*other, 100).value();
  const auto uses_buffer = [&](ws::Capture&) {
    return ws::launch(borrowed, plain, ws::kernel<counted>, std::as_const(buffer).view(), 100U);
  };
  auto exec = ws::capture(borrowed, uses_buffer).value().instantiate().value();
  ASSERT_THAT(exec.launch(borrowed), Succeeds());
  testing::internal::CaptureStderr();
  EXPECT_THAT(ws::capture(borrowed, [&](ws::Capture&) { return exec.close(); }), Succeeds());
  const auto calls = calls_of([&] { EXPECT_THAT(buffer.close(), Succeeds()); });
  EXPECT_THAT(calls, testing::Contains(testing::AnyOf("FreeAsync", "Free")));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(Backend::stream_destroy(native), 0);
}

TEST_F(GraphMemoryPath, AnAllocationOfACaptureLosesNoFreeThatWaitsForItsEnd) {
  NativeStream native = nullptr;
  ASSERT_EQ(Backend::stream_create(native, 0), 0);
  const auto borrowed = ws::StreamRef::borrow(native, ws::DeviceId(0)).value();
  std::optional<ws::DeviceBuffer<float>> waits(
      ws::DeviceBuffer<float>::create(borrowed, 100).value());
  testing::internal::CaptureStderr();
  EXPECT_THAT(ws::capture(borrowed,
                          [&](ws::Capture&) -> ws::result<void> {
                            waits.reset();
                            WARPSAFE_TRY(auto made, ws::DeviceBuffer<float>::create(borrowed, 100));
                            return made.zero(borrowed);
                          }),
              Succeeds());
  EXPECT_EQ(count("FreeAsync"), 2U) << "one in the capture, one at its end";
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(Backend::stream_destroy(native), 0);
}

TEST_F(CapturePath, WhatNoLaunchUsedIsReleasedAtOnce) {
  const auto kept = std::make_shared<int>(1);
  bool keeps = false;
  const auto body = [&](ws::Capture& capture) -> ws::result<void> {
    if (keeps) WARPSAFE_TRYV(capture.keep(std::shared_ptr<int>(kept)));
    return ws::launch(*stream, plain, ws::kernel<nothing>);
  };
  auto exec = ws::capture(*stream, body).value().instantiate().value();
  ASSERT_THAT(exec.launch(*stream), Succeeds());
  keeps = true;
  ASSERT_THAT(ws::recapture(exec, *stream, body), Succeeds());
  EXPECT_EQ(kept.use_count(), 2);
  testing::internal::CaptureStderr();
  EXPECT_THAT(ws::capture(*stream, [&](ws::Capture&) { return exec.close(); }), Succeeds());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(kept.use_count(), 1);
}

// Its free waits for its stream, which another thread may begin to capture.
TEST_F(CapturePath, AManagedBufferEndsBesideACaptureOfItsStream) {
  DestroyedElsewhere<ws::ManagedBuffer<int>> freed;
  for (int i = 0; i < 400; ++i) {
    for (int j = 0; j < 4; ++j) freed.add(ws::ManagedBuffer<int>::create(*stream, 100).value());
    EXPECT_THAT(ws::capture(
                    *stream, [](ws::Capture&) { return ws::success(); }, CaptureMode::thread),
                Succeeds());
  }
}

TEST_F(CapturePath, AManagedBufferIsHandedToTheHostBesideACaptureOfItsStream) {
  auto kept = ws::ManagedBuffer<int>::create(*stream, 100).value();
  std::atomic<bool> ends{false};
  std::thread hands([&] {
    const auto own = make_stream();
    while (!ends) {
      // The call takes the buffer only if it succeeds.
      auto given = std::move(kept).to_host(own).get();
      if (given.has_value()) {
        kept = std::move(given).value().to_device();
      } else {
        EXPECT_EQ(error_in(given).code, Errc::stream_capturing);
      }
    }
  });
  for (int i = 0; i < 200; ++i) {
    const auto empty = ws::capture(
        *stream, [](ws::Capture&) { return ws::success(); }, CaptureMode::thread);
    ASSERT_THAT(empty, Succeeds());
  }
  ends = true;
  hands.join();
}

TEST_F(GraphMemoryPath, MemoryOfAGraphIsFreedBesideItsLaunch) {
  DestroyedElsewhere<ws::DeviceBuffer<float>> freed;
  for (int i = 0; i < 200; ++i) {
    auto graph = leaves_memory();
    ASSERT_THAT(graph, Succeeds());
    auto exec = graph.value().instantiate().value();
    freed.add(*std::exchange(buffer, std::nullopt));
    ASSERT_THAT(exec.launch(i % 2 == 0 ? *stream : *other), Succeeds());
  }
}
// The free is a part of the capture, or is made once the graph has run.
TEST_F(GraphMemoryPath, ACaptureEndsAsAnotherThreadFreesItsMemory) {
  testing::internal::CaptureStderr();
  {
    DestroyedElsewhere<ws::DeviceBuffer<float>> freed;
    for (int i = 0; i < 200; ++i) {
      const auto graph = ws::capture(
          *stream,
          [&](ws::Capture&) -> ws::result<void> {
            WARPSAFE_TRY(auto made, ws::DeviceBuffer<float>::create(*stream, 100));
            WARPSAFE_TRYV(made.zero(*stream));
            freed.add(std::move(made));
            return ws::success();
          },
          CaptureMode::thread);
      ASSERT_THAT(graph, Succeeds());
      ASSERT_THAT(graph.value().instantiate().value().launch(*stream), Succeeds());
    }
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// Of a stream that is not this library's, the launch itself leaves the mark that a free waits for.
TEST_F(GraphMemoryPath, MemoryIsNotFreedUnderALaunchThatCannotBeMarked) {
  NativeStream native = nullptr;
  ASSERT_EQ(Backend::stream_create(native, 0), 0);
  const auto borrowed = ws::StreamRef::borrow(native, ws::DeviceId(0)).value();
  for (const bool fails : {false, true}) {
    auto graph = leaves_memory();
    auto exec = graph.value().instantiate().value();
    if (fails) fail("EventRecord", 1, code::unknown);
    EXPECT_EQ(exec.launch(borrowed).has_value(), !fails);
    const auto freed = count("FreeAsync");
    testing::internal::CaptureStderr();
    buffer.reset();
    const std::string printed = testing::internal::GetCapturedStderr();
    EXPECT_EQ(count("FreeAsync"), freed + (fails ? 0 : 1));
    if (fails) {
      EXPECT_THAT(printed, HasSubstr("400 bytes of device memory are never freed: work that uses "
                                     "them may still run"));
    } else {
      EXPECT_EQ(printed, "");
    }
  }
  EXPECT_EQ(Backend::stream_destroy(native), 0);
}

TEST_F(CapturePath, AStreamThatOtherCodeDrawsInTakesPart) {
  std::optional<ws::DeviceBuffer<float>> buffer(
      ws::DeviceBuffer<float>::create(*stream, 100).value());
  Backend::native_event join{};
  ASSERT_EQ(Backend::event_create(join, false), 0);
  testing::internal::CaptureStderr();
  auto capture = ws::Capture::begin(*stream).value();
  const auto fork = stream->record().value();
  ASSERT_EQ(Backend::stream_wait(other->native(), fork.native()), 0);
  EXPECT_THAT(ws::launch(*other, plain, ws::kernel<counted>, std::as_const(*buffer).view(), 100U),
              Succeeds());
  ASSERT_EQ(Backend::event_record(join, other->native()), 0);
  ASSERT_EQ(Backend::stream_wait(stream->native(), join), 0);
  auto graph = std::move(capture).end();
  ASSERT_THAT(graph, Succeeds());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "no work is left out";
  const auto held = [] { return ws::memory_info(ws::DeviceId(0)).value().held; };
  const auto before = held();
  buffer.reset();
  EXPECT_EQ(held(), before) << "the graph uses the memory";
  EXPECT_THAT(graph.value().close(), Succeeds());
  EXPECT_LT(held(), before);
  EXPECT_EQ(Backend::event_destroy(join), 0);
}

TEST_F(CapturePath, NoCallTouchesTheLastErrorSlot) {
  plant_last_error(code::not_supported);
  auto exec = nothings(2).value().instantiate().value();
  EXPECT_THAT(exec.launch(*stream), Succeeds());
  EXPECT_THAT(exec.update(nothings(2).value()), Succeeds());
  EXPECT_THAT(exec.close(), Succeeds());
  if (is_cuda) {  // AMD's runtime before release 7 overwrites it with each call
    EXPECT_EQ(last_error(), code::not_supported);
  }
}

TEST_F(CapturePath, AfterTheEndItsEventsNeverReachTheRuntime) {
  auto capture = ws::Capture::begin(*stream, CaptureMode::relaxed).value();
  ASSERT_THAT(ws::launch(*stream, plain, ws::kernel<nothing>), Succeeds());
  const ws::TimedEvent inside = stream->record_timed().value();
  const ws::Graph graph = std::move(capture).end().value();
  const ws::TimedEvent outside = stream->record_timed().value();
  EXPECT_THAT(calls_of([&] {
                EXPECT_EQ(error_in(ws::wait(*other, inside)).code, Errc::captured_event);
                EXPECT_EQ(error_in(inside.synchronize()).code, Errc::captured_event);
                EXPECT_EQ(error_in(inside.query()).code, Errc::captured_event);
                EXPECT_EQ(error_in(ws::elapsed_ms(inside, outside)).code, Errc::captured_event);
                EXPECT_EQ(error_in(ws::elapsed_ms(outside, inside)).code, Errc::captured_event);
              }),
              testing::Not(testing::Contains(HasSubstr("Event"))));
  EXPECT_THAT(ws::wait(*other, outside), Succeeds());
}

TEST_F(CapturePath, AnEmptyOneIsAGraph) {
  auto graph = nothings(0);
  ASSERT_THAT(graph, Succeeds());
  auto exec = graph.value().instantiate();
  ASSERT_THAT(exec, Succeeds());
  EXPECT_THAT(exec.value().launch(*stream), Succeeds());
}

#if !defined(WARPSAFE_BACKEND_CUDA)
TEST_F(CapturePath, ABrokenOneThatEndsWithSuccessIsBroken) {
  amd_control_forgive_broken_captures(1);
  auto capture = ws::Capture::begin(*stream).value();
  ASSERT_THAT(ws::launch(*stream, plain, ws::kernel<nothing>), Succeeds());
  ASSERT_NE(hipStreamQuery(stream->native()), hipSuccess) << "which breaks it";
  const ws::LaunchError error = error_in(std::move(capture).end());
  EXPECT_EQ(error.code, Errc::capture_broken);
  EXPECT_THAT(nothings(0), Succeeds());
}
#endif

}  // namespace
}  // namespace vendor_test
