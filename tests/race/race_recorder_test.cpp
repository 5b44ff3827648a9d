// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Races found in a recorded run, on the modelled GPU, whose own detector also finds them.

#include "../handles/toy_library.hpp"
#include "run_fixture.hpp"
#include <warpsafe/args/trust.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/race/recorded.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

namespace warpsafe::adversarial {
namespace {

using debug::Mistake;
using testing::HasSubstr;
template <class B>
using StreamOf = basic_stream<B>;

/// Waits without the recorder's knowledge, so that a mistake in the program does no harm in the
/// test. Under the model's detector no operations run at the same time anyway.
template <class B>
void wait_unseen() {
  if constexpr (std::is_same_v<B, Told>) {
    ASSERT_EQ(host_backend::device_synchronize(), 0);
  }
}

/// `second` reads what `first` writes, and may wait for it.
template <class B>
void two_streams(bool wait_first) {
  const auto first = StreamOf<B>::create().value();
  const auto second = StreamOf<B>::create().value();
  auto x = BufferOf<B>::create(first, 1).value();
  auto y = BufferOf<B>::create(second, 1).value();
  ASSERT_TRUE(y.zero(second).has_value());
  const auto there = first.record().value();
  ASSERT_TRUE(wait(second, there).has_value());
  ASSERT_TRUE(launch(first, once, kernel<put>, x.view()).has_value());
  wait_unseen<B>();
  if (wait_first) {
    ASSERT_TRUE(wait(second, first.record().value()).has_value());
  }
  ASSERT_TRUE(launch(second, once, kernel<add>, x.view(), y.view()).has_value());
  // x is freed after this.
  ASSERT_TRUE(second.synchronize().has_value());
  ASSERT_TRUE(first.synchronize().has_value());
}

TEST(RaceRecorder, FindsAMissingWaitAsTheModelsDetectorDoes) {
  const RaceReport model = run(1, [] { two_streams<host_backend>(false); });
  const RaceReport seen = record([] { two_streams<Told>(false); });
  ASSERT_EQ(model.findings.size(), 1U) << model;
  ASSERT_EQ(seen.findings.size(), 1U) << seen;
  const auto& expected = model.findings.front();
  const auto& found = seen.findings.front();
  EXPECT_EQ(found.mistake, Mistake::race);
  EXPECT_EQ(found.first.action.site.line, expected.first.action.site.line);
  EXPECT_EQ(found.second.action.site.line, expected.second.action.site.line);
  EXPECT_EQ(found.first.access, AccessKind::write);
  EXPECT_EQ(found.second.access, AccessKind::read);
  EXPECT_THAT(found.text, HasSubstr("kernel 'put' on stream 1, at race_recorder_test.cpp:"));
  EXPECT_THAT(found.text, HasSubstr("kernel 'add' on stream 2, at race_recorder_test.cpp:"));
  EXPECT_THAT(found.text, HasSubstr("writes 4 bytes"));
  EXPECT_THAT(found.text, HasSubstr("allocation of 4 bytes on stream 1"));
  EXPECT_THAT(seen.text(), HasSubstr("As the host submitted it:"));
}

TEST(RaceRecorder, FindsNothingInTheSameWithTheWait) {
  EXPECT_TRUE(run(1, [] { two_streams<host_backend>(true); }).clean());
  const RaceReport seen = record([] { two_streams<Told>(true); });
  EXPECT_TRUE(seen.clean()) << seen;
  EXPECT_EQ(seen.text(), "no race in the recorded run\n");
  EXPECT_GT(RaceRecorder::get().size(), 10U);
}

TEST(RaceRecorder, WritesNothingDownUnlessItListens) {
  static_cast<void>(record([] {}));
  two_streams<Told>(false);
  EXPECT_EQ(RaceRecorder::get().size(), 0U);
  EXPECT_TRUE(RaceRecorder::get().end().clean());
}

TEST(RaceRecorder, AnEventStandsForItsRecordWhenItWasWaitedFor) {
  const RaceReport seen = record([] {
    const auto first = StreamOf<Told>::create().value();
    const auto second = StreamOf<Told>::create().value();
    auto x = BufferOf<Told>::create(first, 1).value();
    const auto early = first.record().value();
    ASSERT_TRUE(launch(first, once, kernel<put>, x.view()).has_value());
    wait_unseen<Told>();
    ASSERT_TRUE(wait(second, early).has_value());  // does not cover the launch
    ASSERT_TRUE(launch(second, once, kernel<put>, x.view()).has_value());
    ASSERT_TRUE(second.synchronize().has_value());
  });
  ASSERT_FALSE(seen.clean());
  EXPECT_THAT(seen.findings.front().text, HasSubstr("record an event on stream 1 after"));
}

TEST(RaceRecorder, TheHostKnowsWhatItWaitedForAndWhatAQuerySaid) {
  const auto copied = [](auto learn) {
    return record([&] {
      const auto stream = StreamOf<Told>::create().value();
      const auto other = StreamOf<Told>::create().value();
      auto x = BufferOf<Told>::create(stream, 1).value();
      ASSERT_TRUE(launch(stream, once, kernel<put>, x.view()).has_value());
      wait_unseen<Told>();
      learn(stream);
      ASSERT_TRUE(launch(other, once, kernel<put>, x.view()).has_value());
      ASSERT_TRUE(other.synchronize().has_value());
      ASSERT_TRUE(stream.synchronize().has_value());
    });
  };
  EXPECT_FALSE(copied([](const auto&) {}).clean());
  EXPECT_TRUE(
      copied([](const auto& stream) { ASSERT_TRUE(stream.synchronize().has_value()); }).clean());
  EXPECT_TRUE(copied([](const auto& stream) {
                ASSERT_TRUE(stream.record().value().synchronize().has_value());
              }).clean());
  EXPECT_TRUE(copied([](const auto& stream) {
                while (stream.query().value() != Progress::ready) {
                }
              }).clean());
  EXPECT_TRUE(copied([](const auto&) { ASSERT_EQ(Told::device_synchronize(), 0); }).clean());
}

TEST(RaceRecorder, CopiesAndFillsTouchTheirBytesAndTheHostSaysWhatItTouches) {
  const auto halves = [](std::size_t begin) {
    return record([&] {
      const auto first = StreamOf<Told>::create().value();
      const auto second = StreamOf<Told>::create().value();
      auto x = BufferOf<Told>::create(first, 64).value();
      ASSERT_TRUE(first.synchronize().has_value());
      auto left = trust(x.view().pointer().get(), 32);
      auto right = trust(x.view().pointer().get() + begin, 32);
      ASSERT_EQ(Told::fill(left.get(), 0, 128, first.native()), 0);
      wait_unseen<Told>();
      ASSERT_EQ(Told::fill(right.get(), 0, 128, second.native()), 0);
      ASSERT_TRUE(first.synchronize().has_value());
      ASSERT_TRUE(second.synchronize().has_value());
    });
  };
  EXPECT_TRUE(halves(32).clean());
  const RaceReport overlap = halves(16);
  ASSERT_EQ(overlap.findings.size(), 1U);
  EXPECT_THAT(overlap.findings.front().text, HasSubstr("bytes 64 to 127 of"));
}

TEST(RaceRecorder, AHandlesCallsAndItsWorkspaceAreSeen) {
  using Handle = StreamBound<debug::RecordedHandle<toy::toy_handle>>;
  const auto with_handle = [](bool on_its_stream) {
    return record([&] {
      const auto stream = StreamOf<Told>::create().value();
      const auto astray = StreamOf<Told>::create().value();
      auto x = BufferOf<Told>::create(stream, 1).value();
      ASSERT_TRUE(stream.synchronize().has_value());
      auto toy = Handle::create(on_its_stream ? stream : astray).value();
      ASSERT_TRUE(launch(stream, once, kernel<put>, x.view()).has_value());
      wait_unseen<Told>();
      ASSERT_TRUE(toy.call<toy::toy_scale>(1, host_scalar(2.0F), trust(x.view().pointer().get()))
                      .has_value());
      ASSERT_TRUE(toy.close().has_value());
      ASSERT_TRUE(astray.synchronize().has_value());
      ASSERT_TRUE(stream.synchronize().has_value());
    });
  };
  EXPECT_TRUE(with_handle(true).clean());
  const RaceReport seen = with_handle(false);
  ASSERT_EQ(seen.findings.size(), 1U) << seen;
  EXPECT_THAT(seen.findings.front().text,
              HasSubstr("kernel 'toy::toy_scale' on stream 2, at race_recorder_test.cpp:"));
}

TEST(RaceRecorder, TellsTheFirstRacesAndCountsTheOthers) {
  const RaceReport seen = record([] {
    const auto first = StreamOf<Told>::create().value();
    const auto second = StreamOf<Told>::create().value();
    auto x = BufferOf<Told>::create(first, 1).value();
    ASSERT_TRUE(first.synchronize().has_value());
    for (int i = 0; i < 30; ++i) {
      ASSERT_TRUE(launch(first, once, kernel<put>, x.view()).has_value());
      wait_unseen<Told>();
      ASSERT_TRUE(launch(second, once, kernel<put>, x.view()).has_value());
      wait_unseen<Told>();
    }
    ASSERT_TRUE(first.synchronize().has_value());
    ASSERT_TRUE(second.synchronize().has_value());
  });
  EXPECT_EQ(seen.findings.size(), 20U);
  EXPECT_GT(seen.left_out, 100U);
  EXPECT_THAT(seen.text(), HasSubstr("more races\n"));
}

/// Memory that is freed on another stream while work on it may run.
TEST(RaceRecorder, FindsAFreeThatNothingOrders) {
  const RaceReport seen = record([] {
    const auto first = StreamOf<Told>::create().value();
    const auto second = StreamOf<Told>::create().value();
    void* memory = nullptr;
    ASSERT_EQ(Told::allocate(memory, 4, first.native()), 0);
    ASSERT_TRUE(wait(second, first.record().value()).has_value());
    ASSERT_TRUE(launch(second, once, kernel<put>, trust(static_cast<float*>(memory))).has_value());
    wait_unseen<Told>();
    ASSERT_EQ(Told::deallocate(memory, first.native()), 0);
    ASSERT_TRUE(second.synchronize().has_value());
    ASSERT_TRUE(first.synchronize().has_value());
  });
  ASSERT_EQ(seen.findings.size(), 1U) << seen;
  EXPECT_EQ(seen.findings.front().second.access, AccessKind::release);
}

/// Memory from before the record.
TEST(RaceRecorder, SaysThatMemoryWasNotAllocatedInTheRecord) {
  const Stream owner = Stream::create().value();
  auto earlier = DeviceBuffer<float>::create(owner, 1).value();
  ASSERT_TRUE(owner.synchronize().has_value());
  float* const memory = earlier.view().pointer().get();
  const RaceReport seen = record([&] {
    const auto first = StreamOf<Told>::create().value();
    const auto second = StreamOf<Told>::create().value();
    ASSERT_TRUE(launch(first, once, kernel<put>, trust(memory)).has_value());
    wait_unseen<Told>();
    ASSERT_TRUE(launch(second, once, kernel<put>, trust(memory)).has_value());
    ASSERT_TRUE(first.synchronize().has_value());
    ASSERT_TRUE(second.synchronize().has_value());
  });
  ASSERT_EQ(seen.findings.size(), 1U) << seen;
  EXPECT_THAT(seen.findings.front().text, HasSubstr("of memory that was not allocated here\n"));
}

/// A call that fails under the recorder returns the backend's status, and works the next time.
TEST(RaceRecorder, ReturnsTheStatusOfEachCall) {
  using host::call_of;
  static_cast<void>(record([] {
    const auto fails_once = [](const host::Call& call, const auto& made) {
      host::fail_next(call, 1, host::HostStatus::unknown);
      EXPECT_EQ(made(), host::raw(host::HostStatus::unknown)) << call.name();
      EXPECT_EQ(made(), 0) << call.name();
    };
    const auto one = StreamOf<Told>::create().value();
    const auto other = StreamOf<Told>::create().value();
    auto* const stream = one.native();
    Told::native_event event{};
    ASSERT_EQ(Told::event_create(event, false), 0);
    void* memory = nullptr;
    void* plain = nullptr;
    void* managed = nullptr;
    void* pinned = nullptr;
#define FAILS_ONCE(member, ...) \
  fails_once(call_of<&host_backend::member>, [&] { return Told::member(__VA_ARGS__); })
    FAILS_ONCE(event_record, event, stream);
    FAILS_ONCE(stream_wait, other.native(), event);
    FAILS_ONCE(event_synchronize, event);
    FAILS_ONCE(event_query, event);
    FAILS_ONCE(allocate, memory, 64, stream);
    FAILS_ONCE(allocate_unordered, plain, 64);
    FAILS_ONCE(allocate_managed, managed, 64);
    FAILS_ONCE(host_allocate, pinned, 64);
    FAILS_ONCE(fill, memory, 1, 64, stream);
    FAILS_ONCE(copy, pinned, memory, 64, CopyKind::device_to_host, stream);
    FAILS_ONCE(copy_2d, memory, 16, pinned, 16, 8, 4, CopyKind::host_to_device, stream);
    FAILS_ONCE(copy_peer, plain, 0, memory, 0, 64, stream);
    FAILS_ONCE(stream_synchronize, stream);
    FAILS_ONCE(stream_query, stream);
    FAILS_ONCE(device_synchronize);
    Told::native_graph graph{};
    Told::native_graph_exec executable{};
    GraphChange change{};
    FAILS_ONCE(capture_begin, stream, CaptureMode::relaxed);
    ASSERT_EQ(Told::fill(memory, 2, 64, stream), 0);
    FAILS_ONCE(capture_end, stream, graph);
    FAILS_ONCE(graph_instantiate, executable, graph);
    FAILS_ONCE(graph_update, executable, graph, change);
    FAILS_ONCE(graph_launch, executable, stream);
    ASSERT_EQ(Told::stream_synchronize(stream), 0);
    FAILS_ONCE(graph_exec_destroy, executable);
    FAILS_ONCE(graph_destroy, graph);
    FAILS_ONCE(event_destroy, event);
#undef FAILS_ONCE
    EXPECT_EQ(Told::deallocate(memory, stream), 0);
    EXPECT_EQ(Told::deallocate_unordered(plain), 0);
    EXPECT_EQ(Told::deallocate_unordered(managed), 0);
    EXPECT_EQ(Told::host_deallocate(pinned), 0);
  }));
}

}  // namespace
}  // namespace warpsafe::adversarial
