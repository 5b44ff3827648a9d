// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launch_fixture.hpp"
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/stream/event.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <cstddef>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

WARPSAFE_KERNEL void put(int value, int* out) { *out = value; }
WARPSAFE_KERNEL void add(const int* from, int* to) { *to += *from; }

static_assert(!std::is_copy_constructible_v<Capture> && !std::is_copy_assignable_v<Capture>);
static_assert(std::is_nothrow_move_constructible_v<Capture>);

struct CaptureTest : LaunchTest {
  const decltype(LaunchConfig{grid<1>, block<1>}) once{grid<1>, block<1>};
  int* const numbers = device_array<int>(4);
  const Stream other = Stream::create().value();

  CaptureTest() {
    for (int i = 0; i < 4; ++i) numbers[i] = 0;
  }
  [[nodiscard]] result<void> put_on(const Stream& on, int value, int index = 0) {
    return launch(on, once, kernel<put>, value, trust(numbers + index));
  }
  /// Lets `other` take part in the capture of `stream`, with some work, and joins it.
  void put_on_joined_other() {
    const auto begun = stream.record().value();
    ASSERT_TRUE(warpsafe::wait(other, begun).has_value());
    ASSERT_TRUE(put_on(other, 1).has_value());
    const auto done = other.record().value();
    ASSERT_TRUE(warpsafe::wait(stream, done).has_value());
  }
  /// Whether nothing captures any more, and work runs again.
  void expect_over() {
    EXPECT_EQ(detail::open_captures(), nullptr);
    ASSERT_TRUE(put_on(stream, 77, 3).has_value());
    wait();
    EXPECT_EQ(numbers[3], 77);
  }
};

TEST_F(CaptureTest, FreesThatMetItAreMadeAtItsEnd) {
  for (const bool wanted : {true, false}) {
    const auto freed = host::calls_made(host::call_of<&warpsafe::host_backend::deallocate>);
    auto buffer = DeviceBuffer<int>::create(stream, 4).value();
    {
      auto capture = Capture::begin(stream).value();
      EXPECT_TRUE(buffer.close().has_value());
      EXPECT_EQ(host::calls_made(host::call_of<&warpsafe::host_backend::deallocate>), freed)
          << "it would be captured";
      if (wanted) {
        EXPECT_TRUE(std::move(capture).end().has_value());
      }
    }
    EXPECT_EQ(host::calls_made(host::call_of<&warpsafe::host_backend::deallocate>), freed + 1)
        << "ended: " << wanted;
    expect_over();
  }
}

TEST_F(CaptureTest, AViewOfABufferWhoseFreeWaitsForItsEndIsRefused) {
  const Stream other = Stream::create().value();
  auto buffer = DeviceBuffer<int>::create(stream, 4).value();
  auto target = DeviceBuffer<int>::create(other, 4).value();
  const auto old = buffer.view();
  auto capture = Capture::begin(stream, CaptureMode::relaxed).value();
  ASSERT_TRUE(buffer.close().has_value());
  const LaunchConfig one{grid<1>, block<1>};
  for (const StreamRef on : {StreamRef(other), StreamRef(stream)}) {
    const auto launched = launch(on, one, kernel<put>, 7, old);
    EXPECT_EQ(error_in(launched).code, Errc::memory_closed);
  }
  EXPECT_EQ(error_in(copy(other, from(old), to(target))).code, Errc::memory_closed);
  EXPECT_TRUE(std::move(capture).end().has_value()) << "nothing was captured";
}

// The capture's end asks each stream for its nodes, and a runtime may crash for a destroyed one.
TEST_F(CaptureTest, AStreamThatTookPartLivesUntilTheEnd) {
  const auto destroyed = [] {
    return host::calls_made(host::call_of<&warpsafe::host_backend::stream_destroy>);
  };
  for (const bool wanted : {true, false}) {
    const auto before = destroyed();
    auto capture = Capture::begin(stream).value();
    {
      const Stream side = Stream::create().value();
      const auto fork = stream.record().value();
      ASSERT_TRUE(warpsafe::wait(side, fork).has_value());
      ASSERT_TRUE(put_on(side, 5).has_value());
      const auto join = side.record().value();
      ASSERT_TRUE(warpsafe::wait(stream, join).has_value());
    }
    EXPECT_EQ(destroyed(), before);
    if (wanted) {
      EXPECT_TRUE(std::move(capture).end().has_value());
    } else {
      capture.discard();
    }
    EXPECT_EQ(destroyed(), before + 1);
  }
  expect_over();
}

/// What a capture of `stream` prints while `body(capture)` submits work.
template <CheckLevel Level = CheckLevel::full, class Body>
std::string printed_by_capture(const Stream& stream, const Body& body,
                               CaptureMode mode = CaptureMode::global) {
  ::testing::internal::CaptureStderr();
  auto capture = Capture::begin<Level>(stream, mode).value();
  body(capture);
  EXPECT_TRUE(std::move(capture).template end<Level>().has_value());
  return ::testing::internal::GetCapturedStderr();
}
// The handle may be that of a new stream, which does not wait for the old stream's work.
TEST_F(CaptureTest, NoFreeIsMadeOnAStreamWithTheHandleOfOneThatIsGone) {
  const auto frees = [] { return host::calls_made(host::call_of<&host_backend::deallocate>); };
  for (const bool destroyed : {false, true}) {
    host_backend::native_stream native = nullptr;
    ASSERT_EQ(host_backend::stream_create(native, 0), 0);
    {
      auto buffer =
          DeviceBuffer<int>::create(StreamRef::borrow(native, DeviceId(0)).value(), 4).value();
      ASSERT_EQ(host_backend::capture_begin(native, CaptureMode::relaxed), 0);
    }
    host_backend::native_graph graph = nullptr;
    ASSERT_EQ(host_backend::capture_end(native, graph), 0);
    EXPECT_EQ(host_backend::graph_destroy(graph), 0);
    const auto freed = frees();
    if (destroyed) {
      EXPECT_EQ(host_backend::stream_destroy(native), 0);
    }
    const Stream next = Stream::create().value();
    EXPECT_EQ(next.native() == native, destroyed) << "the host model gives handles again at once";
    ::testing::internal::CaptureStderr();
    // Nobody knows whether the stream still exists until the program passes the handle again.
    const auto elsewhere = DeviceBuffer<int>::create(other, 4).value();
    EXPECT_EQ(frees(), freed);
    const auto later =
        DeviceBuffer<int>::create(StreamRef::borrow(native, DeviceId(0)).value(), 4).value();
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                destroyed ? HasSubstr("16 bytes of device memory are never freed") : HasSubstr(""));
    EXPECT_EQ(frees(), freed + (destroyed ? 0 : 1));
    if (!destroyed) {
      EXPECT_EQ(host_backend::stream_destroy(native), 0);
    }
  }
}

// CUDA and the host model refuse any use of the legacy stream while a stream that synchronises with
// it captures.
TEST_F(CaptureTest, FreesOfTheLegacyStreamThatMetItAreMadeAtItsEnd) {
  const auto legacy = StreamRef::borrow(host::legacy_stream(), DeviceId(0)).value();
  const auto frees = [] {
    return host::calls_made(host::call_of<&host_backend::deallocate>) +
           host::calls_made(host::call_of<&host_backend::deallocate_unordered>);
  };
  for (const auto native : {host::create_blocking_stream(0), host::per_thread_stream()}) {
    const auto blocking = StreamRef::borrow(native, DeviceId(0)).value();
    for (const CaptureMode mode : {CaptureMode::global, CaptureMode::relaxed}) {
      const auto freed = frees();
      auto buffer = DeviceBuffer<int>::create(legacy, 4).value();
      auto managed = std::optional(ManagedBuffer<int>::create(legacy, 4).value());
      auto capture = Capture::begin(blocking, mode).value();
      ASSERT_TRUE(launch(blocking, once, kernel<put>, 1, trust(numbers)).has_value());
      EXPECT_TRUE(buffer.close().has_value());
      managed.reset();
      EXPECT_EQ(frees(), freed);
      EXPECT_TRUE(std::move(capture).end().has_value()) << "nothing broke it";
      EXPECT_EQ(frees(), freed + 2);
    }
  }
}

TEST_F(CaptureTest, IsNotEmptyByMistake) {
  auto x = DeviceBuffer<int>::create(other, 4).value();
  const auto y = DeviceBuffer<int>::create(other, 4).value();
  const auto launches = [&](auto&) { ASSERT_TRUE(put_on(other, 1).has_value()); };
  const std::string text = printed_by_capture(stream, launches);
  EXPECT_THAT(text, HasSubstr("is empty: the work since its beginning went to another stream"));
  EXPECT_THAT(text, HasSubstr("'put' on stream "));
  EXPECT_THAT(text, HasSubstr("capture_test.cpp:"));
  EXPECT_THAT(printed_by_capture(stream, [&](auto&) { ASSERT_TRUE(x.zero(other).has_value()); }),
              HasSubstr("'fill device memory' on stream "));
  EXPECT_THAT(printed_by_capture(
                  stream, [&](auto&) { ASSERT_TRUE(copy(other, from(y), to(x)).has_value()); }),
              HasSubstr("'copy on the device' on stream "));
  auto captured = Capture::begin(stream).value();
  ASSERT_TRUE(put_on(stream, 1).has_value());
  auto graph = std::move(captured).end().value().instantiate().value();
  EXPECT_THAT(
      printed_by_capture(stream, [&](auto&) { ASSERT_TRUE(graph.launch(other).has_value()); }),
      HasSubstr("'graph launch' on stream "));
  wait();
  ASSERT_TRUE(other.synchronize().has_value());
}
TEST_F(CaptureTest, MayBeEmpty) {
  EXPECT_EQ(printed_by_capture(stream, [](auto&) {}), "");
  // All work is that of a stream that takes part, and is joined.
  EXPECT_EQ(printed_by_capture(stream, [&](auto&) { put_on_joined_other(); }), "");
  // Another thread goes its own way.
  EXPECT_EQ(
      printed_by_capture(
          stream,
          [&](auto&) { std::thread([&] { ASSERT_TRUE(put_on(other, 1).has_value()); }).join(); }),
      "");
  const auto no_checks = [&](auto&) {
    ASSERT_TRUE(launch<CheckLevel::off>(other, once, kernel<put>, 1, trust(numbers)).has_value());
  };
  EXPECT_EQ(printed_by_capture<CheckLevel::off>(stream, no_checks), "");
  // The stream's work is another capture's.
  {
    auto outer = Capture::begin(other).value();
    EXPECT_EQ(printed_by_capture(stream, [&](auto&) { ASSERT_TRUE(put_on(other, 1).has_value()); }),
              "");
    EXPECT_TRUE(std::move(outer).end().has_value());
  }
  ASSERT_TRUE(other.synchronize().has_value());
}

/// A helper of the program that has a stream of its own.
TEST_F(CaptureTest, TellsOfWorkThatIsNotInItsGraph) {
  const auto body = [&](auto&) {
    ASSERT_TRUE(put_on(stream, 1).has_value());
    ASSERT_TRUE(put_on(other, 1).has_value());
    ASSERT_TRUE(put_on(stream, 2).has_value());
  };
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::thread}) {
    const std::string text = printed_by_capture(stream, body, mode);
    EXPECT_THAT(text, HasSubstr("some went to a stream that takes no part, and ran at once"));
    EXPECT_THAT(text, HasSubstr("'put' on stream "));
    EXPECT_THAT(text, HasSubstr("capture_test.cpp:"));
  }
  // The program says that the other work is no part of the graph.
  EXPECT_EQ(printed_by_capture(stream, body, CaptureMode::relaxed), "");
  // The helper's stream takes part. What it does before and after the capture is its own.
  ASSERT_TRUE(put_on(other, 1).has_value());
  EXPECT_EQ(printed_by_capture(stream,
                               [&](auto&) {
                                 ASSERT_TRUE(put_on(stream, 1).has_value());
                                 put_on_joined_other();
                               }),
            "");
  ASSERT_TRUE(put_on(other, 1).has_value());
  ASSERT_TRUE(other.synchronize().has_value());
}

TEST_F(CaptureTest, WorkBecomesAGraphInsteadOfRunning) {
  auto capture = Capture::begin(stream).value();
  EXPECT_EQ(capture.stream(), stream.ref());
  ASSERT_TRUE(put_on(stream, 5).has_value());
  ASSERT_TRUE(put_on(stream, 6, 1).has_value());
  const auto graph = std::move(capture).end().value();
  expect_over();
  EXPECT_EQ(numbers[0], 0) << "it has not run";
  EXPECT_EQ(graph.node_count().value(), 2U);
  static_assert(std::is_same_v<decltype(graph.node_count()), answer<std::size_t>>,
                "a condition would be true for an empty graph");
  auto exec = graph.instantiate().value();
  ASSERT_TRUE(exec.launch(stream).has_value());
  wait();
  EXPECT_EQ(numbers[0], 5);
  EXPECT_EQ(numbers[1], 6);
}

// What the device waits for may need the thread that captures.
TEST_F(CaptureTest, BeginsAlsoBesideAWaitForADeviceThatDoesNotEnd) {
  const detail::Locked waits(detail::device_wait);
  EXPECT_TRUE(capture(stream, [](Capture&) { return success(); }).has_value());
}

TEST_F(CaptureTest, ADroppedOneIsOver) {
  {
    const auto capture = Capture::begin(stream).value();
    ASSERT_TRUE(put_on(stream, 5).has_value());
  }
  EXPECT_EQ(host::calls_made(host::call_of<&warpsafe::host_backend::graph_destroy>), 1U)
      << "its graph is not lost";
  expect_over();
  EXPECT_EQ(numbers[0], 0);
  auto first = Capture::begin(stream).value();
  first = Capture::begin(other).value();
  ASSERT_TRUE(stream.synchronize<CheckLevel::off>().has_value() == false) << "global mode";
}

TEST_F(CaptureTest, ADroppedOneWithWorkSaysSo) {
  const auto dropped = [&](auto&& use) {
    ::testing::internal::CaptureStderr();
    {
      auto capture = Capture::begin(stream).value();
      use(capture);
    }
    return ::testing::internal::GetCapturedStderr();
  };
  const auto put = [&](Capture&) { ASSERT_TRUE(put_on(stream, 5).has_value()); };
  EXPECT_THAT(
      dropped(put),
      ::testing::AllOf(::testing::StartsWith("warpsafe: a capture was dropped without end()"),
                       HasSubstr("begun at"), HasSubstr("capture_test.cpp:")));
  EXPECT_EQ(dropped([](Capture&) {}), "") << "nothing is lost";
  EXPECT_EQ(dropped([&](Capture& capture) {
              put(capture);
              capture.discard();
            }),
            "");
  EXPECT_EQ(dropped([&](Capture& capture) {
              put(capture);
              EXPECT_TRUE(std::move(capture).end().has_value());
            }),
            "");
  EXPECT_THAT(dropped([&](Capture& capture) {
                put(capture);
                const Capture moved = std::move(capture);
              }),
              HasSubstr("was dropped"))
      << "the one that it was moved to";
  ::testing::internal::CaptureStderr();
  {
    const auto silent = Capture::begin<CheckLevel::off>(stream).value();
    ASSERT_TRUE(put_on(stream, 5).has_value());
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  expect_over();
}

TEST_F(CaptureTest, ItIsSilentIfTheProgramKnowsWhyItIsDropped) {
  ::testing::internal::CaptureStderr();
  const auto refused = warpsafe::capture(stream, [&](Capture&) -> result<void> {
    WARPSAFE_TRYV(put_on(stream, 5));
    return LaunchError::make(Errc::size_zero, Stage::construction);
  });
  EXPECT_EQ(error_in(refused).code, Errc::size_zero);
  const auto body = [&](Capture&) -> result<void> {
    WARPSAFE_TRYV(put_on(stream, 5));
    throw std::runtime_error("out of here");
  };
  EXPECT_THROW(static_cast<void>(warpsafe::capture(stream, body)), std::runtime_error);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  expect_over();
}

TEST_F(CaptureTest, IsOverAfterAnException) {
  const auto body = [&](Capture&) -> result<void> { throw std::runtime_error("out of here"); };
  EXPECT_THROW(static_cast<void>(warpsafe::capture(stream, body)), std::runtime_error);
  expect_over();
}

TEST_F(CaptureTest, ABodyThatFailsLeavesNoGraph) {
  const auto graph = warpsafe::capture(stream, [&](Capture& capture) -> result<void> {
    WARPSAFE_TRYV(put_on(stream, 5));
    WARPSAFE_TRY(auto block, BlockDim::create(5000));
    static_cast<void>(capture);
    static_cast<void>(block);
    return success();
  });
  EXPECT_EQ(error_in(graph).code, Errc::block_axis_too_large);
  expect_over();
}

TEST_F(CaptureTest, AStreamCapturesOnce) {
  const auto capture = Capture::begin(stream).value();
  const LaunchError error = error_in(Capture::begin(stream, CaptureMode::global, app));
  EXPECT_EQ(error.code, Errc::stream_capturing);
  EXPECT_EQ(text(error.operation), "capture begin");
  EXPECT_EQ(error.stream, stream.native());
  EXPECT_TRUE(is_app(error.site));
}

TEST_F(CaptureTest, AWaitThatWouldBreakItIsRefusedAndTheCaptureGoesOn) {
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::thread, CaptureMode::relaxed}) {
    auto capture = Capture::begin(stream, mode).value();
    ASSERT_TRUE(put_on(stream, 1).has_value());
    const LaunchError error = error_in(stream.synchronize(app));
    EXPECT_EQ(
        message(error),
        "stream synchronize not called: the stream is capturing a graph, and this would break "
        "the capture\n  at app.cpp:7");
    EXPECT_EQ(error.code, Errc::stream_capturing);
    EXPECT_EQ(error.stage, Stage::validation);
    EXPECT_EQ(error.stream, stream.native());
    EXPECT_EQ(error.subcode, Subcode::none);
    // Without the driver's answer too.
    EXPECT_EQ(error_in(stream.synchronize<CheckLevel::off>()).code, Errc::stream_capturing);
    EXPECT_EQ(error_in(stream.query(app)).code, Errc::stream_capturing);
    EXPECT_EQ(error_in(stream.ready(app)).code, Errc::stream_capturing);
    EXPECT_TRUE(std::move(capture).end().has_value()) << "nothing broke it";
  }
}

TEST_F(CaptureTest, WaitingForAnotherStreamDependsOnTheMode) {
  const Event outside = other.record().value();
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::thread, CaptureMode::relaxed}) {
    auto capture = Capture::begin(stream, mode).value();
    const bool allowed = mode == CaptureMode::relaxed;
    EXPECT_EQ(other.synchronize().has_value(), allowed);
    EXPECT_EQ(other.query().has_value(), allowed);
    EXPECT_EQ(outside.synchronize().has_value(), allowed);
    EXPECT_EQ(outside.query().has_value(), allowed);
    if (!allowed) {
      EXPECT_EQ(
          said(other.synchronize(app)),
          "stream synchronize not called: a graph is being captured, and this would break the "
          "capture\n  at app.cpp:7");
      const LaunchError error = error_in(other.synchronize());
      EXPECT_EQ(error.subcode, Subcode::other_stream);
      EXPECT_EQ(error.stream, stream.native()) << "the one that captures";
    }
    // Only a capture in the global mode affects another thread.
    bool there = false;
    std::thread([&] { there = other.synchronize().has_value(); }).join();
    EXPECT_EQ(there, mode != CaptureMode::global);
    EXPECT_TRUE(std::move(capture).end().has_value());
  }
}

TEST_F(CaptureTest, AnExecutableGraphIsMadeAndDestroyedBesideIt) {
  auto recorded = Capture::begin(other).value();
  ASSERT_TRUE(put_on(other, 9).has_value());
  const auto graph = std::move(recorded).end().value();
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::thread}) {
    auto before = graph.instantiate().value();
    ASSERT_TRUE(before.launch(other).has_value());
    auto capture = Capture::begin(stream, mode).value();
    const auto make_and_destroy = [&] {
      auto made = graph.instantiate();
      ASSERT_TRUE(made.has_value()) << message(made.assume_error());
      EXPECT_TRUE(made.assume_value().launch(other).has_value());
      EXPECT_TRUE(made.assume_value().close().has_value());
    };
    make_and_destroy();
    std::thread(make_and_destroy).join();
    EXPECT_TRUE(before.close().has_value());
    EXPECT_TRUE(std::move(capture).end().has_value()) << "nothing broke it";
  }
  EXPECT_TRUE(other.synchronize().has_value()) << "before the numbers are freed";
}

// What another thread's default stream did is waited for through the legacy stream, whose use would
// break the capture of a blocking stream.
TEST_F(CaptureTest, OfABlockingStreamIsNotBrokenByTheEndOfAnotherThreadsWork) {
  const auto own = [] { return StreamRef::borrow(host::per_thread_stream(), DeviceId(0)).value(); };
  const auto used = DeviceBuffer<int>::create(other, 4).value();
  auto recorded = Capture::begin(other).value();
  ASSERT_TRUE(recorded.keep(used.keep()).has_value());
  ASSERT_TRUE(put_on(other, 9).has_value());
  const auto graph = std::move(recorded).end().value();
  auto instance = graph.instantiate().value();
  std::optional<ManagedBuffer<int>> managed;
  std::atomic<int> step = 0;
  std::thread worker([&] {
    EXPECT_TRUE(instance.launch(own()).has_value());
    managed = ManagedBuffer<int>::create(own(), 4).value();
    step = 1;
    while (step != 2) std::this_thread::yield();
    EXPECT_TRUE(own().synchronize().has_value());
  });
  while (step != 1) std::this_thread::yield();
  const auto blocking = StreamRef::borrow(host::create_blocking_stream(0), DeviceId(0)).value();
  auto capture = Capture::begin(blocking, CaptureMode::relaxed).value();
  EXPECT_EQ(error_in(std::move(*managed).to_host(other).get()).code, Errc::stream_capturing);
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(instance.close().has_value());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "the launch left a mark";
  EXPECT_TRUE(std::move(capture).end().has_value()) << "nothing broke it";
  step = 2;
  worker.join();
}

TEST_F(CaptureTest, ItsEventsAreNotForTheHost) {
  auto capture = Capture::begin(stream, CaptureMode::relaxed).value();
  const Event inside = stream.record().value();
  EXPECT_EQ(error_in(inside.synchronize()).code, Errc::captured_event);
  EXPECT_EQ(said(inside.query(app)),
            "event query not called: the event was recorded in a capture and never completes; "
            "wait for a launch of the graph instead\n  at app.cpp:7");
  EXPECT_TRUE(std::move(capture).end().has_value());
}

TEST_F(CaptureTest, AnEventKnowsItsCaptureByItsNewestRecordAlone) {
  auto capture = Capture::begin(stream, CaptureMode::relaxed).value();
  { const Event inside = stream.record().value(); }
  // The runtime may give the same handle out again.
  const Event outside = other.record().value();
  EXPECT_TRUE(outside.synchronize().has_value());
  EXPECT_TRUE(std::move(capture).end().has_value());
}

// Calls that break a capture: the runtime only says at the end that one did.

TEST_F(CaptureTest, SaysWhichLaunchBrokeIt) {
  auto capture = Capture::begin(stream).value();
  ASSERT_TRUE(put_on(stream, 5).has_value());
  DeviceLimits limits = limits::cuda_floor;
  limits.max_threads_per_block = 256;
  become(limits);
  const auto broke = launch<CheckLevel::off>({stream, app}, LaunchConfig{grid<1>, block<512>},
                                             kernel<put>, 1, trust(numbers));
  ASSERT_FALSE(broke.has_value());
  EXPECT_FALSE(put_on(stream, 6).has_value()) << "the capture is broken";
  const LaunchError error = error_in(std::move(capture).end());
  EXPECT_EQ(error.code, Errc::capture_broken);
  EXPECT_EQ(message(error),
            "Graph capture broken by the launch of kernel 'put': invalid configuration "
            "argument (hostErrorInvalidConfiguration, 9)\n  at app.cpp:7");
  EXPECT_EQ(error.block[0], 512U);
  expect_over();
}

// One handle means the default stream of whichever thread asks.
TEST_F(CaptureTest, IsNotBlamedForTheBrokenCaptureOfAnotherThreadsDefaultStream) {
  const Event outside = other.record().value();
  const auto own = [] { return StreamRef::borrow(host::per_thread_stream(), DeviceId(0)).value(); };
  std::thread([&] {
    auto capture = Capture::begin(own(), CaptureMode::relaxed).value();
    ASSERT_TRUE(launch(own(), once, kernel<put>, 1, trust(numbers)).has_value());
    std::thread([&] {
      auto broken = Capture::begin(own(), CaptureMode::relaxed).value();
      EXPECT_FALSE(warpsafe::wait(own(), outside).has_value());
      EXPECT_EQ(error_in(std::move(broken).end()).subcode, Subcode::broken_by_call);
    }).join();
    const auto graph = std::move(capture).end();
    ASSERT_TRUE(graph.has_value());
    EXPECT_EQ(graph.assume_value().node_count().value(), 1U);
  }).join();
  host::take_last_error();
}

TEST_F(CaptureTest, NamesTheDefaultStreamOfAnotherThreadThatWasNotJoined) {
  const auto own = [] { return StreamRef::borrow(host::per_thread_stream(), DeviceId(0)).value(); };
  for (const bool joined : {true, false}) {
    auto capture = Capture::begin(own(), CaptureMode::relaxed).value();
    ASSERT_TRUE(launch(own(), once, kernel<put>, 1, trust(numbers)).has_value());
    const Event fork = own().record().value();
    std::promise<Event> join;
    std::promise<void> over;
    std::thread worker([&] {
      EXPECT_TRUE(warpsafe::wait(own(), fork, app).has_value());
      EXPECT_TRUE(launch(own(), once, kernel<put>, 2, trust(numbers + 1)).has_value());
      join.set_value(own().record().value());
      over.get_future().wait();  // the stream ends with its thread
    });
    const Event forked = join.get_future().get();
    if (joined) {
      EXPECT_TRUE(warpsafe::wait(own(), forked).has_value());
    }
    const auto graph = std::move(capture).end();
    over.set_value();
    worker.join();
    EXPECT_EQ(graph.has_value(), joined);
    if (joined) continue;
    EXPECT_EQ(error_in(graph).code, Errc::capture_unjoined);
    EXPECT_EQ(error_in(graph).site, app);
  }
  host::take_last_error();
}

TEST_F(CaptureTest, SaysWhichCallBrokeIt) {
  auto capture = Capture::begin(stream).value();
  int device = 0;
  // The library does not make this call on a capturing stream. It stands for any call that the
  // runtime refuses.
  ASSERT_NE(host_backend::stream_device(stream.native(), device), 0);
  static_cast<void>(detail::runtime_error<host_backend>(raw(HostStatus::stream_capture_unsupported),
                                                        Name::of("stream device"), app));
  EXPECT_EQ(said(std::move(capture).end()),
            "Graph capture broken by 'stream device': operation not permitted when stream is "
            "capturing (hostErrorStreamCaptureUnsupported, 900)\n  at app.cpp:7");
}

TEST_F(CaptureTest, SaysWhereItWasFoundBrokenByACallOfOthers) {
  auto capture = Capture::begin(stream).value();
  ASSERT_NE(host_backend::device_synchronize(), 0);
  ASSERT_FALSE(launch({stream, app}, once, kernel<put>, 1, trust(numbers)).has_value());
  EXPECT_EQ(
      said(std::move(capture).end()),
      "Graph capture broken before the launch of kernel 'put': a call that did not go through this "
      "library had already broken it (hostErrorStreamCaptureInvalidated, 901)\n"
      "  at app.cpp:7");
}

TEST_F(CaptureTest, BrokenByOthersAndFoundOutAtTheEnd) {
  auto capture = Capture::begin(stream).value();
  ASSERT_NE(host_backend::device_synchronize(), 0);
  EXPECT_EQ(said(std::move(capture).end(app)),
            "capture end failed: an earlier call has already broken the capture "
            "(hostErrorStreamCaptureInvalidated, 901)\n  at app.cpp:7");
}

TEST_F(CaptureTest, AFailureThatBreaksNothingIsNotBlamed) {
  auto capture = Capture::begin(stream).value();
  host::fail_next(call_of<&host_backend::event_create>, 1, HostStatus::unknown);
  EXPECT_FALSE(stream.record().has_value());
  EXPECT_TRUE(std::move(capture).end().has_value());
}

// Streams that take part.

TEST_F(CaptureTest, AnotherStreamTakesPartByAnEvent) {
  auto capture = Capture::begin(stream).value();
  ASSERT_TRUE(put_on(stream, 3).has_value());
  ASSERT_TRUE(warpsafe::wait(other, stream.record().value()).has_value());
  ASSERT_TRUE(launch(other, once, kernel<add>, trust(numbers), trust(numbers + 1)).has_value());
  ASSERT_TRUE(warpsafe::wait(stream, other.record().value()).has_value());
  ASSERT_TRUE(
      launch(stream, once, kernel<add>, trust(numbers + 1), trust(numbers + 2)).has_value());
  auto exec = std::move(capture).end().value().instantiate().value();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(exec.launch(other).has_value());
  ASSERT_TRUE(other.synchronize().has_value());
  EXPECT_EQ(numbers[0], 3);
  EXPECT_EQ(numbers[1], 9);
  EXPECT_EQ(numbers[2], 3 + 6 + 9);
}

// The library knows which streams take part, however many events and streams came before.
TEST_F(CaptureTest, AStreamTakesPartThatJoinsAfterManyEventsAndStreams) {
  for (const bool with_streams : {false, true}) {
    auto buffer = DeviceBuffer<int>::create(other, 4).value();
    ASSERT_TRUE(other.synchronize().has_value());
    auto capture = Capture::begin(stream, CaptureMode::relaxed).value();
    ASSERT_TRUE(put_on(stream, 1).has_value());
    const auto fork = stream.record().value();
    std::vector<Event> events;
    std::vector<Stream> streams;
    for (int i = 0; i < 40; ++i) {
      if (with_streams) {
        streams.push_back(Stream::create().value());
        ASSERT_TRUE(warpsafe::wait(streams.back(), fork).has_value());
      } else {
        events.push_back(stream.record().value());
      }
    }
    ASSERT_TRUE(warpsafe::wait(other, fork).has_value());
    ASSERT_TRUE(launch(other, once, kernel<put>, 5, buffer.view()).has_value());
    const auto join = other.record().value();
    EXPECT_EQ(error_in(other.synchronize()).code, Errc::stream_capturing);
    EXPECT_EQ(error_in(join.synchronize()).code, Errc::captured_event);
    ASSERT_TRUE(warpsafe::wait(stream, join).has_value()) << "the refused calls broke nothing";
    auto graph = std::move(capture).end();
    ASSERT_TRUE(graph.has_value());
    auto exec = graph.value().instantiate().value();
    EXPECT_TRUE(buffer.close().has_value());
    EXPECT_EQ(error_in(exec.launch(stream)).code, Errc::graph_memory_freed);
  }
}

TEST_F(CaptureTest, NamesTheStreamThatWasNotJoined) {
  auto capture = Capture::begin(stream).value();
  const Stream joined = Stream::create().value();
  ASSERT_TRUE(put_on(stream, 3).has_value());
  const Event fork = stream.record().value();
  ASSERT_TRUE(warpsafe::wait(joined, fork).has_value());
  ASSERT_TRUE(warpsafe::wait(other, fork, app).has_value());
  ASSERT_TRUE(put_on(joined, 4, 1).has_value());
  ASSERT_TRUE(put_on(other, 5, 2).has_value());
  ASSERT_TRUE(warpsafe::wait(stream, joined.record().value()).has_value());
  const LaunchError error = error_in(std::move(capture).end());
  EXPECT_EQ(error.code, Errc::capture_unjoined);
  EXPECT_EQ(error.stream, other.native());
  EXPECT_EQ(message(error),
            "capture end failed: stream " + address(other.native()) +
                " joined the capture, but the capturing stream does not wait for its work; call "
                "wait(stream, other.record()) before the end (hostErrorStreamCaptureUnjoined, "
                "904)\n  it joined at app.cpp:7");
  expect_over();
}

TEST_F(CaptureTest, AStreamThatWasNotJoinedIsNotBlamedForAnotherFailure) {
  auto capture = Capture::begin(stream).value();
  ASSERT_TRUE(warpsafe::wait(other, stream.record().value()).has_value());
  ASSERT_TRUE(put_on(other, 5, 2).has_value());
  host::fail_next(call_of<&host_backend::capture_end>, 1, HostStatus::unknown);
  const LaunchError error = error_in(std::move(capture).end(app));
  EXPECT_EQ(error.code, Errc::runtime_failed);
  EXPECT_EQ(error.stream, nullptr);
  EXPECT_TRUE(is_app(error.site));
  // NOLINTNEXTLINE(bugprone-use-after-move): what is tested
  EXPECT_EQ(error_in(std::move(capture).end()).code, Errc::capture_unjoined) << "it went on";
}

TEST_F(CaptureTest, WorkAfterTheJoinIsNotJoined) {
  auto capture = Capture::begin(stream).value();
  ASSERT_TRUE(warpsafe::wait(other, stream.record().value(), app).has_value());
  ASSERT_TRUE(put_on(other, 5, 2).has_value());
  ASSERT_TRUE(warpsafe::wait(stream, other.record().value()).has_value());
  ASSERT_TRUE(put_on(other, 6, 2).has_value());
  EXPECT_EQ(error_in(std::move(capture).end()).stream, other.native());
}

TEST_F(CaptureTest, AStreamThatDoesNothingNeedsNoJoin) {
  auto capture = Capture::begin(stream).value();
  ASSERT_TRUE(put_on(stream, 5).has_value());
  ASSERT_TRUE(warpsafe::wait(other, stream.record().value()).has_value());
  ASSERT_TRUE(put_on(stream, 6).has_value());
  ASSERT_TRUE(warpsafe::wait(other, stream.record().value()).has_value());
  EXPECT_TRUE(std::move(capture).end().has_value());
}

TEST_F(CaptureTest, AJoinThroughAThirdStreamCounts) {
  for (const bool last : {true, false}) {
    auto capture = Capture::begin(stream).value();
    const Stream third = Stream::create().value();
    ASSERT_TRUE(warpsafe::wait(other, stream.record().value()).has_value());
    ASSERT_TRUE(put_on(other, 5, 2).has_value());
    ASSERT_TRUE(warpsafe::wait(third, other.record().value(), app).has_value());
    if (last) {
      ASSERT_TRUE(warpsafe::wait(stream, third.record().value()).has_value());
    }
    const auto graph = std::move(capture).end();
    EXPECT_EQ(graph.has_value(), last);
    // By then the third stream is the one that was not joined.
    if (!last) {
      EXPECT_EQ(graph.error().stream, third.native());
    }
  }
}

TEST_F(CaptureTest, WorkThatAWaitLeavesBehindIsStillNamed) {
  auto capture = Capture::begin(stream).value();
  ASSERT_TRUE(warpsafe::wait(other, stream.record().value(), app).has_value());
  ASSERT_TRUE(put_on(other, 5, 2).has_value());
  ASSERT_TRUE(put_on(stream, 5).has_value());
  ASSERT_TRUE(warpsafe::wait(other, stream.record().value()).has_value());
  EXPECT_EQ(error_in(std::move(capture).end()).stream, other.native());
}

TEST_F(CaptureTest, WorkOutsideCannotBeWaitedFor) {
  const Event outside = other.record().value();
  auto capture = Capture::begin(stream).value();
  const LaunchError error = error_in(warpsafe::wait(stream, outside, app));
  EXPECT_EQ(error.code, Errc::capture_isolation);
  EXPECT_THAT(message(error), HasSubstr("recorded outside the capture"));
  EXPECT_THAT(said(std::move(capture).end()),
              HasSubstr("Graph capture broken by 'stream wait': dependency created on uncaptured "
                        "work in another stream (hostErrorStreamCaptureIsolation, 905)\n"
                        "  at app.cpp:7"));
}

TEST_F(CaptureTest, TwoCapturesCannotWaitForEachOther) {
  auto first = Capture::begin(stream).value();
  auto second = Capture::begin(other).value();
  const LaunchError error = error_in(warpsafe::wait(other, stream.record().value(), app));
  EXPECT_EQ(error.code, Errc::capture_merged);
  EXPECT_THAT(said(std::move(first).end()), HasSubstr("broken by 'stream wait'"));
  EXPECT_THAT(said(std::move(second).end()), HasSubstr("broken by 'stream wait'"));
}

TEST_F(CaptureTest, TwoCapturesSideBySide) {
  auto first = Capture::begin(stream).value();
  auto second = Capture::begin(other).value();
  ASSERT_TRUE(put_on(stream, 1).has_value());
  ASSERT_TRUE(put_on(other, 2, 1).has_value());
  ASSERT_TRUE(put_on(other, 2, 2).has_value());
  EXPECT_EQ(std::move(first).end().value().node_count().value(), 1U);
  EXPECT_EQ(std::move(second).end().value().node_count().value(), 2U);
}

TEST_F(CaptureTest, AnotherThreadMayEndOnlyARelaxedOne) {
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::thread, CaptureMode::relaxed}) {
    auto capture = Capture::begin(stream, mode).value();
    LaunchError error = LaunchError::make(Errc{}, Stage{});
    std::thread([&] {
      const auto graph = std::move(capture).end(app);
      if (!graph.has_value()) error = graph.error();
    }).join();
    EXPECT_EQ(error.code, mode == CaptureMode::relaxed ? Errc{} : Errc::capture_wrong_thread);
    if (mode != CaptureMode::relaxed) {
      EXPECT_THAT(message(error), HasSubstr("another thread"));
    }
    expect_over();
  }
}

TEST_F(CaptureTest, EndedByOtherCodeItIsUnmatched) {
  auto capture = Capture::begin(stream).value();
  host_backend::native_graph graph = nullptr;
  ASSERT_EQ(host_backend::capture_end(stream.native(), graph), 0);
  EXPECT_EQ(error_in(std::move(capture).end()).code, Errc::capture_unmatched);
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
}

TEST_F(CaptureTest, AMovedOneHasNothingToEnd) {
  auto capture = Capture::begin(stream).value();
  auto taken = std::move(capture);
  // NOLINTNEXTLINE(bugprone-use-after-move): what is tested
  EXPECT_EQ(error_in(std::move(capture).end()).code, Errc::capture_unmatched);
  EXPECT_TRUE(std::move(taken).end().has_value());
}

TEST_F(CaptureTest, EachCallThatFailsIsNamedWithItsCallersLine) {
  host::fail_next(call_of<&host_backend::capture_begin>, 1, HostStatus::unknown);
  LaunchError error = error_in(Capture::begin(stream, CaptureMode::global, app));
  EXPECT_EQ(text(error.operation), "capture begin");
  EXPECT_TRUE(is_app(error.site));
  auto capture = Capture::begin(stream).value();
  host::fail_next(call_of<&host_backend::capture_end>, 1, HostStatus::unknown);
  error = error_in(std::move(capture).end(app));
  EXPECT_EQ(text(error.operation), "capture end");
  EXPECT_EQ(error.code, Errc::runtime_failed);
  EXPECT_TRUE(is_app(error.site));
  // NOLINTNEXTLINE(bugprone-use-after-move): what is tested
  EXPECT_TRUE(std::move(capture).end().has_value()) << "the model never got to it";
}

TEST_F(CaptureTest, ADropAfterAnEndThatFailedSaysNothingMore) {
  testing::internal::CaptureStderr();
  {
    auto capture = Capture::begin(stream).value();
    ASSERT_TRUE(put_on(stream, 1).has_value());
    host::fail_next(call_of<&host_backend::capture_end>, 1, HostStatus::unknown);
    EXPECT_FALSE(std::move(capture).end().has_value());
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  expect_over();
}

TEST_F(CaptureTest, TheStreamLivesAsLongAsItsCapture) {
  auto mine = Stream::create().value();
  auto capture = Capture::begin(mine).value();
  EXPECT_TRUE(mine.close().has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_destroy>), 0U);
  EXPECT_TRUE(std::move(capture).end().has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_destroy>), 1U);
}

TEST_F(CaptureTest, FullChecksSeeTheCapturesOfOtherCode) {
  ASSERT_EQ(host_backend::capture_begin(stream.native(), CaptureMode::relaxed), 0);
  const LaunchError error = error_in(stream.synchronize());
  EXPECT_EQ(error.stage, Stage::validation);
  EXPECT_EQ(error.stream, stream.native());
  host_backend::native_graph graph = nullptr;
  ASSERT_EQ(host_backend::capture_end(stream.native(), graph), 0) << "nothing broke it";
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
}

// An event of a capture is a point in the graph. Outside it orders nothing.

TEST_F(CaptureTest, AfterTheEndItsEventsOrderNothing) {
  auto capture = Capture::begin(stream, CaptureMode::relaxed).value();
  ASSERT_TRUE(put_on(stream, 1).has_value());
  const TimedEvent inside = stream.record_timed().value();
  const Graph graph = std::move(capture).end().value();
  const TimedEvent outside = stream.record_timed().value();
  const auto is_refused = [](const auto& outcome) {
    return error_in(outcome).code == Errc::captured_event &&
           error_in(outcome).stage == Stage::validation;
  };
  EXPECT_EQ(said(warpsafe::wait(other, inside, app)),
            "stream wait not called: the event was recorded in a capture and never completes; wait "
            "for a launch of the graph instead\n  at app.cpp:7");
  EXPECT_TRUE(is_refused(warpsafe::wait<CheckLevel::off>(other, inside)));
  EXPECT_TRUE(is_refused(inside.synchronize()));
  EXPECT_TRUE(is_refused(inside.query()));
  EXPECT_TRUE(is_refused(elapsed_ms(inside, outside)));
  EXPECT_TRUE(is_refused(elapsed_ms(outside, inside)));
  {
    auto next = Capture::begin(stream, CaptureMode::relaxed).value();
    EXPECT_TRUE(is_refused(warpsafe::wait(stream, inside))) << "it is of another capture";
    EXPECT_TRUE(put_on(stream, 2).has_value());
    EXPECT_TRUE(std::move(next).end().has_value()) << "which stays whole";
  }
  EXPECT_TRUE(warpsafe::wait(other, outside).has_value());
  EXPECT_TRUE(outside.synchronize().has_value());
}

TEST_F(CaptureTest, ItsEventsStayItsOwnWhenTheyMove) {
  auto capture = Capture::begin(stream, CaptureMode::relaxed).value();
  Event first = stream.record().value();
  Event second = std::move(first);
  Event outside = other.record().value();
  EXPECT_TRUE(warpsafe::wait(other, second).has_value()) << "another stream joins by it";
  EXPECT_TRUE(warpsafe::wait(stream, other.record().value()).has_value());
  EXPECT_TRUE(std::move(capture).end().has_value());
  outside = std::move(second);
  EXPECT_EQ(error_in(outside.query()).code, Errc::captured_event);
}

// More events than a capture follows.
TEST_F(CaptureTest, AnOldEventOfACaptureIsStillItsOwn) {
  auto capture = Capture::begin(stream, CaptureMode::relaxed).value();
  const Event first = stream.record().value();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(stream.record().has_value());
  EXPECT_EQ(error_in(first.query()).code, Errc::captured_event);
  EXPECT_TRUE(std::move(capture).end().has_value()) << "nothing asked the runtime";
}

TEST_F(CaptureTest, AnEventOfOtherCodesCaptureIsRefusedByTheHost) {
  ASSERT_EQ(host_backend::capture_begin(stream.native(), CaptureMode::relaxed), 0);
  const Event inside = stream.record().value();
  EXPECT_EQ(error_in(inside.query()).code, Errc::captured_event);
  EXPECT_TRUE(warpsafe::wait(other, inside).has_value());
  EXPECT_TRUE(warpsafe::wait(stream, other.record().value()).has_value());
  host_backend::native_graph graph = nullptr;
  ASSERT_EQ(host_backend::capture_end(stream.native(), graph), 0) << "nothing broke it";
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
}

// Some of HIP's runtimes return success at the end of a broken capture, with no graph or an empty
// one.
bool gives_a_graph = false;
struct Forgiving : host_backend {
  static int capture_end(native_stream stream, native_graph& graph) noexcept {
    if (host_backend::capture_end(stream, graph) == 0) return 0;
    graph = nullptr;
    if (!gives_a_graph) return 0;
    EXPECT_EQ(host_backend::capture_begin(stream, CaptureMode::relaxed), 0);
    return host_backend::capture_end(stream, graph);
  }
};

TEST_F(CaptureTest, ABrokenOneIsNotTakenForAnEmptyOne) {
  const auto on = basic_stream<Forgiving>::create(DeviceId(0)).value();
  for (const bool given : {false, true}) {
    gives_a_graph = given;
    const auto destroyed = host::calls_made(call_of<&host_backend::graph_destroy>);
    auto capture = basic_capture<Forgiving>::begin(on).value();
    ASSERT_EQ(host_backend::fill(numbers, 0, 4, on.native()), 0);
    ASSERT_NE(host_backend::stream_query(on.native()), 0) << "which breaks it";
    const LaunchError error = error_in(std::move(capture).end());
    EXPECT_EQ(error.code, Errc::capture_broken);
    EXPECT_EQ(error.stage, Stage::runtime_call);
    EXPECT_EQ(host::calls_made(call_of<&host_backend::graph_destroy>),
              destroyed + (given ? 1U : 0U));
  }
  gives_a_graph = false;
  auto empty = basic_capture<Forgiving>::begin(on).value();
  EXPECT_TRUE(std::move(empty).end().has_value()) << "an empty capture is no broken one";
}

}  // namespace
}  // namespace warpsafe::core_test
