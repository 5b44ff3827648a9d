// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The classic mistakes with streams, each as a program with the mistake and as its correct twin.

#include <warpsafe/args/trust.hpp>
#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/graph.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/handles/stream_bound.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace warpsafe::adversarial::classic_bugs {
namespace {

using debug::Finding;
using debug::Mistake;
using testing::HasSubstr;

// A correct program is clean for this many seeds. The long form of the test sets more.
std::uint64_t number_of_seeds() {
  const char* text = std::getenv("WS_TEST_SEEDS");
  return text == nullptr ? 500 : std::stoull(text);
}
const std::uint64_t many_seeds = number_of_seeds();

constexpr std::size_t count = 4;
const LaunchConfig once{grid<1>, block<1>};

WARPSAFE_KERNEL void set(float value, float* x) {
  for (std::size_t i = 0; i < count; ++i) x[i] = value;
}
WARPSAFE_KERNEL void add(const float* x, float* y) {
  for (std::size_t i = 0; i < count; ++i) y[i] += x[i];
}

template <class T>
T must(result<T> made) {
  return std::move(made).value();
}
inline void must(result<void> done) { EXPECT_TRUE(done.has_value()); }
inline void must(int status) { EXPECT_EQ(status, 0); }

template <class Program>
RaceReport expect_race(Program&& program, std::uint64_t within = 1) {
  RaceReport report = run(within, std::forward<Program>(program));
  EXPECT_FALSE(report.clean());
  EXPECT_LE(report.seeds_run, within);
  return report;
}
template <class Program>
void expect_clean(Program&& program) {
  const RaceReport report = run(many_seeds, std::forward<Program>(program));
  EXPECT_TRUE(report.clean()) << report;
  EXPECT_EQ(report.seeds_run, many_seeds);
}

// A missing wait.

void hand_over(bool with_wait) {
  const Stream producer = must(Stream::create());
  const Stream consumer = must(Stream::create());
  auto x = must(DeviceBuffer<float>::create(producer, count));
  auto y = must(DeviceBuffer<float>::create(consumer, count));
  must(y.zero(consumer));
  must(launch(producer, once, kernel<set>, 1.0F, x.view()));
  const Event written = must(Event::create(producer));
  if (with_wait) must(wait(consumer, written));
  must(launch(consumer, once, kernel<add>, std::as_const(x).view(), y.view()));
  const Event read = must(Event::create(consumer));
  must(wait(producer, read));
}
TEST(ClassicBugs, AMissingWait) {
  const RaceReport report = expect_race([] { hand_over(false); });
  ASSERT_EQ(report.findings.size(), 1U) << report << "that the memory may not be there is no news";
  const Finding& race = report.findings.front();
  EXPECT_EQ(race.mistake, Mistake::race);
  EXPECT_EQ(race.first.access, AccessKind::write);
  EXPECT_EQ(race.second.access, AccessKind::read);
  EXPECT_EQ(race.second.action.column, 2U);
  EXPECT_THAT(race.text, HasSubstr("kernel 'set' on stream 1, at classic_bugs_test.cpp:"));
  EXPECT_THAT(race.text, HasSubstr("kernel 'add' on stream 2, at classic_bugs_test.cpp:"));
  EXPECT_THAT(race.text, HasSubstr("bytes 0 to 15 of #1 allocation of 16 bytes"));
  EXPECT_THAT(race.text, HasSubstr("record an event on stream 1 after #4 and let stream 2 wait"));
}
TEST(ClassicBugs, AWaitOrdersTheTwo) {
  expect_clean([] { hand_over(true); });
}

// A stream ends, and the next one has its handle, in some of the runs.

void hand_over_to_a_successor(bool with_wait) {
  const Stream owner = must(Stream::create());
  auto x = must(DeviceBuffer<float>::create(owner, count));
  auto y = must(DeviceBuffer<float>::create(owner, count));
  must(y.zero(owner));
  must(x.zero(owner));
  must(owner.synchronize());
  Stream producer = must(Stream::create());
  must(launch(producer, once, kernel<set>, 1.0F, x.view()));
  const Event written = must(Event::create(producer));
  must(producer.close());
  const Stream consumer = must(Stream::create());
  if (with_wait) must(wait(consumer, written));
  must(launch(consumer, once, kernel<add>, std::as_const(x).view(), y.view()));
}
TEST(ClassicBugs, AMissingWaitForAStreamWhoseHandleCameBack) {
  int reused = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const RaceReport report = run(Seeds{1, seed}, [&] {
      auto first = must(Stream::create());
      auto* const handle = first.native();
      must(first.close());
      reused += must(Stream::create()).native() == handle ? 1 : 0;
      hand_over_to_a_successor(false);
    });
    EXPECT_FALSE(report.clean()) << seed;
  }
  EXPECT_GT(reused, 5);
  EXPECT_LT(reused, 35) << "in other runs a use of the old handle is found";
}
TEST(ClassicBugs, AWaitForAStreamWhoseHandleCameBack) {
  expect_clean([] { hand_over_to_a_successor(true); });
}

// A library like the vendors': a handle with a stream and a workspace.

struct Library {
  host::StreamHandle* stream = host::legacy_stream();
  float* workspace = nullptr;
};
WARPSAFE_KERNEL void add_by_workspace(const float* x, float* y, float* workspace) {
  for (std::size_t i = 0; i < count; ++i) {
    workspace[i] = x[i];
    y[i] += workspace[i];
  }
}
bool library_add(const Library& library, const float* x, float* y,
                 call_site site = call_site::current()) {
  const detail::CallScope<host_backend> here(site);
  const StreamRef stream = must(StreamRef::borrow(library.stream, DeviceId(0)));
  if (library.workspace == nullptr) {
    return launch(stream, once, kernel<add>, trust(x), trust(y)).has_value();
  }
  return launch(stream, once, kernel<add_by_workspace>, trust(x), trust(y),
                trust(library.workspace))
      .has_value();
}
/// Device memory as a raw pointer, as in C code.
float* allocate(const Stream& stream) {
  void* memory = nullptr;
  must(host_backend::allocate(memory, count * sizeof(float), stream.native()));
  return static_cast<float*>(memory);
}
void deallocate(float* memory, const Stream& stream) {
  must(host_backend::deallocate(memory, stream.native()));
}

// A handle left on the default stream.

void call_a_library(bool set_stream) {
  const Stream stream = must(Stream::create());
  float* const x = allocate(stream);
  float* const y = allocate(stream);
  must(launch(stream, once, kernel<set>, 1.0F, trust(x)));
  must(launch(stream, once, kernel<set>, 2.0F, trust(y)));
  Library library;
  if (set_stream) library.stream = stream.native();
  EXPECT_TRUE(library_add(library, x, y));
  must(stream.synchronize());
  deallocate(x, stream);
  deallocate(y, stream);
}
TEST(ClassicBugs, AHandleLeftOnTheDefaultStream) {
  const RaceReport report = expect_race([] { call_a_library(false); });
  EXPECT_THAT(report.text(),
              HasSubstr("kernel 'add' on default stream, at classic_bugs_test.cpp:"));
}
TEST(ClassicBugs, AHandleOnTheStreamOfItsData) {
  expect_clean([] { call_a_library(true); });
}

// The same on a stream that is ordered with the default stream is no mistake.

void call_a_library_between_blocking_streams() {
  host::StreamHandle* const blocking = host::create_blocking_stream(0);
  const StreamRef stream = must(StreamRef::borrow(blocking, DeviceId(0)));
  void* memory = nullptr;
  must(host_backend::allocate(memory, 2 * count * sizeof(float), blocking));
  float* const x = static_cast<float*>(memory);
  must(launch(stream, once, kernel<set>, 1.0F, trust(x)));
  EXPECT_TRUE(library_add(Library{}, x, x));
  must(launch(stream, once, kernel<set>, 2.0F, trust(x)));
  must(host_backend::deallocate(memory, blocking));
  must(host_backend::stream_destroy(blocking));
}
TEST(ClassicBugs, TheDefaultStreamIsOrderedWithBlockingStreams) {
  expect_clean([] { call_a_library_between_blocking_streams(); });
}

// A workspace that two streams share.

void share_a_workspace(bool ordered) {
  const Stream one = must(Stream::create());
  const Stream other = must(Stream::create());
  float* const x = allocate(one);
  float* const y = allocate(other);
  must(launch(one, once, kernel<set>, 1.0F, trust(x)));
  must(launch(other, once, kernel<set>, 1.0F, trust(y)));
  Library library;
  library.stream = one.native();
  library.workspace = allocate(one);
  EXPECT_TRUE(library_add(library, x, x));
  const Event used = must(Event::create(one));
  if (ordered) must(wait(other, used));
  library.stream = other.native();
  EXPECT_TRUE(library_add(library, y, y));
  must(one.synchronize());
  must(other.synchronize());
  deallocate(library.workspace, one);
  deallocate(x, one);
  deallocate(y, other);
}
TEST(ClassicBugs, AWorkspaceThatTwoStreamsShare) {
  const RaceReport report = expect_race([] { share_a_workspace(false); });
  EXPECT_EQ(report.findings.size(), 1U) << report;
}
TEST(ClassicBugs, AWorkspaceThatIsHandedOn) {
  expect_clean([] { share_a_workspace(true); });
}

// A read before sync.

void read_back(bool with_sync, bool pinned_target) {
  const Stream stream = must(Stream::create());
  float* const x = allocate(stream);
  must(launch(stream, once, kernel<set>, 1.0F, trust(x)));
  auto pinned = must(PinnedBuffer<float>::create(count));
  std::array<float, count> pageable{};
  const std::span<float> target = pinned_target ? pinned.span() : std::span<float>(pageable);
  must(host_backend::copy(target.data(), x, target.size_bytes(), CopyKind::device_to_host,
                          stream.native()));
  if (with_sync) must(stream.synchronize());
  reads(target);
  if (with_sync) {
    EXPECT_EQ(target[0], 1.0F);
  }
  must(stream.synchronize());
  deallocate(x, stream);
}
TEST(ClassicBugs, AReadBeforeSync) {
  for (const bool pinned : {true, false}) {
    const RaceReport report = expect_race([&] { read_back(false, pinned); });
    EXPECT_THAT(report.text(),
                HasSubstr("read of 16 bytes by the host, at classic_bugs_test.cpp:"));
    EXPECT_THAT(report.text(), HasSubstr("wait for stream 1, or for an event after #"));
  }
}
TEST(ClassicBugs, AReadAfterSync) {
  expect_clean([] { read_back(true, true); });
  expect_clean([] { read_back(true, false); });
}
// A span of pinned or managed memory that outlives its owner's move or close.

void use_a_span_during_a_copy(bool in_time) {
  const Stream stream = must(Stream::create());
  auto x = must(DeviceBuffer<float>::create(stream, count));
  must(x.zero(stream));
  auto pinned = must(PinnedBuffer<float>::create(count));
  const std::span<float> kept = pinned.span();
  auto token = copy(stream, from(x), to(std::move(pinned)));
  if (!in_time) reads(kept);
  const auto back = must(std::move(token).get());
  if (in_time) reads(back.span());
}
TEST(ClassicBugs, ASpanKeptOverAMoveIntoACopy) {
  const RaceReport report = expect_race([] { use_a_span_during_a_copy(false); });
  EXPECT_THAT(report.text(), HasSubstr("read of 16 bytes by the host, at classic_bugs_test.cpp:"));
}
TEST(ClassicBugs, ASpanTakenAfterTheCopy) {
  expect_clean([] { use_a_span_during_a_copy(true); });
}

// Here nothing reports the host's access: the next copy gets the span.
void copy_through_a_span_during_a_copy(bool in_time) {
  const Stream stream = must(Stream::create());
  const Stream other = must(Stream::create());
  auto x = must(DeviceBuffer<float>::create(stream, count));
  auto y = must(DeviceBuffer<float>::create(other, count));
  must(x.zero(stream));
  auto pinned = must(PinnedBuffer<float>::create(count));
  std::span<float> kept = pinned.span();
  auto token = copy(stream, from(x), to(std::move(pinned)));
  if (!in_time) must(copy_and_wait(other, from(kept), to(y)));
  auto back = must(std::move(token).get());
  if (in_time) must(copy_and_wait(other, from(back.span()), to(y)));
}
TEST(ClassicBugs, ACopyOfASpanKeptOverAMove) {
  EXPECT_EQ(expect_race([] { copy_through_a_span_during_a_copy(false); }).findings[0].mistake,
            Mistake::race);
}
TEST(ClassicBugs, ACopyOfASpanTakenAfterTheCopy) {
  expect_clean([] { copy_through_a_span_during_a_copy(true); });
}

void write_through_a_span(bool managed, bool in_time) {
  const Stream stream = must(Stream::create());
  std::span<float> kept;
  if (managed) {
    auto buffer = must(ManagedBuffer<float>::create(stream, count));
    auto on_host = must(std::move(buffer).to_host(stream).get());
    kept = on_host.span();
    if (in_time) kept[1] = 2.0F;
    static_cast<void>(std::move(on_host).to_device());
  } else {
    auto buffer = must(PinnedBuffer<float>::create(count));
    kept = buffer.span();
    if (in_time) kept[1] = 2.0F;
    must(buffer.close());
  }
  must(stream.synchronize());
  if (!in_time) kept[1] = 2.0F;
}
TEST(ClassicBugs, ASpanWrittenAfterItsBufferWasFreed) {
  for (const bool managed : {true, false}) {
    const RaceReport report = expect_race([&] { write_through_a_span(managed, false); });
    ASSERT_EQ(report.findings.size(), 1U);
    EXPECT_EQ(report.findings[0].mistake, Mistake::use_after_release);
    EXPECT_THAT(report.text(), HasSubstr("Memory was written after it was freed"));
    EXPECT_THAT(report.text(), HasSubstr("16 bytes, by host code or by a kernel"));
  }
}
TEST(ClassicBugs, ASpanWrittenBeforeItsBufferIsFreed) {
  expect_clean([] { write_through_a_span(true, true); });
  expect_clean([] { write_through_a_span(false, true); });
}

// A token of this library cannot be read too early.
TEST(ClassicBugs, AToken) {
  expect_clean([] {
    const Stream stream = must(Stream::create());
    auto x = must(DeviceBuffer<float>::create(stream, count));
    must(launch(stream, once, kernel<set>, 1.0F, x.view()));
    return must(x.to_host(stream).get());
  });
}

// A buffer that is freed on another stream.

void free_elsewhere(bool ordered) {
  const Stream stream = must(Stream::create());
  const Stream other = must(Stream::create());
  float* const x = allocate(stream);
  must(launch(stream, once, kernel<set>, 1.0F, trust(x)));
  const Event used = must(Event::create(stream));
  if (ordered) must(wait(other, used));
  deallocate(x, other);
}
TEST(ClassicBugs, ABufferFreedOnAnotherStream) {
  const RaceReport report = expect_race([] { free_elsewhere(false); });
  EXPECT_EQ(report.findings.front().second.access, AccessKind::release);
}
TEST(ClassicBugs, ABufferFreedAfterItsLastUse) {
  expect_clean([] { free_elsewhere(true); });
}
TEST(ClassicBugs, ABufferFreedAfterItsUseOnManyStreamsThatEnded) {
  expect_clean([] {
    const Stream stream = must(Stream::create());
    auto buffer = must(DeviceBuffer<float>::create(stream, 1));
    must(buffer.zero(stream));
    const Event written = must(stream.record());
    for (int i = 0; i < 40; ++i) {
      const Stream user = must(Stream::create());
      must(wait(user, written));
      auto copied = must(DeviceBuffer<float>::create(user, 1));
      must(copy(user, from(buffer), to(copied)));
    }
    must(buffer.close());
  });
}
TEST(ClassicBugs, ABufferUsedAfterItsFree) {
  const RaceReport report = expect_race([] {
    const Stream stream = must(Stream::create());
    float* const x = allocate(stream);
    deallocate(x, stream);
    static_cast<void>(launch<CheckLevel::off>(stream, once, kernel<set>, 1.0F, trust(x)));
  });
  EXPECT_EQ(report.findings.front().mistake, Mistake::use_after_release);
}

// An event that is waited for before it is recorded.

void wait_for_an_event(bool too_early) {
  const Stream producer = must(Stream::create());
  const Stream consumer = must(Stream::create());
  auto x = must(DeviceBuffer<float>::create(producer, count));
  must(producer.synchronize());
  host::EventHandle* event = nullptr;
  must(host_backend::event_create(event, false));
  if (too_early) must(host_backend::stream_wait(consumer.native(), event));
  must(launch(producer, once, kernel<set>, 1.0F, x.view()));
  must(host_backend::event_record(event, producer.native()));
  if (!too_early) must(host_backend::stream_wait(consumer.native(), event));
  must(launch(consumer, once, kernel<set>, 2.0F, x.view()));
  must(consumer.synchronize());
  must(host_backend::event_destroy(event));
}
TEST(ClassicBugs, AnEventWaitedForBeforeItIsRecorded) {
  const RaceReport report = expect_race([] { wait_for_an_event(true); });
  EXPECT_THAT(report.text(), HasSubstr("wait for an event never recorded"));
}
TEST(ClassicBugs, AnEventWaitedForAfterItIsRecorded) {
  expect_clean([] { wait_for_an_event(false); });
}

// A stream that is destroyed under its handle.

void destroy_a_stream(bool too_early) {
  const Stream data = must(Stream::create());
  float* const x = allocate(data);
  must(launch(data, once, kernel<set>, 1.0F, trust(x)));
  must(data.synchronize());
  Library library;
  {
    std::optional<Stream> stream = must(Stream::create());
    library.stream = stream->native();
    must(launch(*stream, once, kernel<add>, trust(std::as_const(x)), trust(x)));
    if (too_early) stream.reset();
    EXPECT_NE(library_add(library, x, x), too_early);
    if (stream.has_value()) must(stream->synchronize());
  }
  must(host_backend::device_synchronize());
  deallocate(x, data);
}
TEST(ClassicBugs, AStreamDestroyedUnderItsHandle) {
  const RaceReport report = expect_race([] { destroy_a_stream(true); });
  EXPECT_EQ(report.findings.front().mistake, Mistake::use_after_destroy);
  EXPECT_THAT(report.text(), HasSubstr("uses the destroyed stream"));
  EXPECT_THAT(report.text(),
              HasSubstr("keep the stream alive as long as anything that is bound to it\n"));
}
TEST(ClassicBugs, AStreamThatOutlivesItsHandle) {
  expect_clean([] { destroy_a_stream(false); });
}

// A mistake that only one answer of a query leads to.

void ask_first(bool if_ready, bool wait_always) {
  const Stream producer = must(Stream::create());
  const Stream consumer = must(Stream::create());
  auto x = must(DeviceBuffer<float>::create(producer, count));
  must(producer.synchronize());
  must(launch(producer, once, kernel<set>, 1.0F, x.view()));
  const Event written = must(Event::create(producer));
  must(launch(producer, once, kernel<set>, 3.0F, x.view()));
  const bool ready = must(written.query()) == Progress::ready;
  // If `written` is reached, the host need not wait for it, but must wait for the work after it.
  if (wait_always || ready != if_ready) must(producer.synchronize());
  must(launch(consumer, once, kernel<set>, 2.0F, x.view()));
  must(consumer.synchronize());
}
TEST(ClassicBugs, AQueryDecides) {
  for (const bool if_ready : {false, true}) {
    expect_race([&] { ask_first(if_ready, false); }, 1000);
  }
}
TEST(ClassicBugs, AQueryDecidesNothing) {
  expect_clean([] { ask_first(false, true); });
}

// Two branches of a graph.

void replay(bool joined) {
  const Stream stream = must(Stream::create());
  const Stream side = must(Stream::create());
  auto x = must(DeviceBuffer<float>::create(stream, count));
  must(stream.synchronize());
  auto capture = must(Capture::begin(stream));
  must(launch(stream, once, kernel<set>, 0.0F, x.view()));
  const Event forked = must(Event::create(stream));
  must(wait(side, forked));
  must(launch(side, once, kernel<set>, 1.0F, x.view()));
  const Event branch = must(Event::create(side));
  if (joined) must(wait(stream, branch));
  must(launch(stream, once, kernel<set>, 2.0F, x.view()));
  must(wait(stream, branch));
  const auto graph = must(std::move(capture).end());
  auto executable = must(graph.instantiate());
  must(executable.launch(stream));
  must(executable.launch(side));
  must(side.synchronize());
}
TEST(ClassicBugs, TwoBranchesOfAGraph) {
  const RaceReport report = expect_race([] { replay(false); });
  EXPECT_THAT(report.text(), HasSubstr("inside a graph"));
}
TEST(ClassicBugs, OneBranchOfAGraph) {
  expect_clean([] { replay(true); });
}

// Two executables of one graph. Launches of one executable are ordered, those of two are not.

void on_two_streams(bool same_executable, bool ordered) {
  const Stream stream = must(Stream::create());
  const Stream side = must(Stream::create());
  auto x = must(DeviceBuffer<float>::create(stream, count));
  must(stream.synchronize());
  auto capture = must(Capture::begin(stream));
  must(launch(stream, once, kernel<set>, 1.0F, x.view()));
  const auto graph = must(std::move(capture).end());
  auto one = must(graph.instantiate());
  auto other = must(graph.instantiate());
  must(one.launch(stream));
  if (ordered) must(wait(side, must(Event::create(stream))));
  must((same_executable ? one : other).launch(side));
  must(stream.synchronize());
  must(side.synchronize());
}
TEST(ClassicBugs, TwoExecutablesOfOneGraph) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    EXPECT_FALSE(run({1, seed}, [] { on_two_streams(false, false); }).clean()) << seed;
  }
}
TEST(ClassicBugs, TwoExecutablesOfOneGraphInOrder) {
  expect_clean([] { on_two_streams(false, true); });
}
TEST(ClassicBugs, OneExecutableOnTwoStreams) {
  const RaceReport report = run(2000, [] { on_two_streams(true, false); });
  EXPECT_TRUE(report.clean()) << report;
}

// Graphs that follow each other, each with more nodes than the one before.
TEST(ClassicBugs, GraphsThatAreReplaced) {
  const RaceReport report = run(20, [] {
    const Stream stream = must(Stream::create());
    auto x = must(DeviceBuffer<float>::create(stream, count));
    must(stream.synchronize());
    for (int nodes = 1; nodes <= 40; ++nodes) {
      auto capture = must(Capture::begin(stream));
      for (int i = 0; i < nodes; ++i) must(launch(stream, once, kernel<set>, 1.0F, x.view()));
      auto executable = must(must(std::move(capture).end()).instantiate());
      must(executable.launch(stream));
      must(stream.synchronize());
    }
  });
  EXPECT_TRUE(report.clean()) << report;
}

}  // namespace
}  // namespace warpsafe::adversarial::classic_bugs
