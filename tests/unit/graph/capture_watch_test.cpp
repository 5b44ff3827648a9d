// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/graph/detail/capture_reports.hpp>
#include <warpsafe/graph/detail/capture_watch.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

// The record of open captures, over a runtime that answers what a test wants.

namespace warpsafe::core_test {
namespace {

using detail::CaptureHookFunctions;
using detail::CaptureWatch;

struct CaptureWatchTest : ::testing::Test {
  struct Answer {
    int status = 0;
    CaptureInfo info{CaptureState::active, 0};
    bool was_asked_for_info = false;
  };
  static std::map<const void*, Answer>& answers() {
    static std::map<const void*, Answer> all;
    return all;
  }
  static int query(const detail::WhichStream& stream, CaptureInfo& info) noexcept {
    Answer& answer = answers()[stream.handle];
    answer.was_asked_for_info = true;
    info = answer.info;
    return answer.status;
  }
  static int query_state(const detail::WhichStream& stream, CaptureState& state) noexcept {
    const Answer& answer = answers()[stream.handle];
    state = answer.info.state;
    return answer.status;
  }
  struct Close {
    void operator()(CaptureWatch* watch) const noexcept {
      detail::close_watch(*watch);
      delete watch;
    }
  };
  static std::unique_ptr<CaptureWatch, Close> watch_on(int* stream) {
    std::unique_ptr<CaptureWatch, Close> watch(new CaptureWatch);
    watch->query_info = &query;
    watch->query_state = &query_state;
    // Every stream is the library's.
    watch->hold = [](std::uint64_t) noexcept -> void* { return &answers(); };
    watch->let_go = [](void*) noexcept {};
    watch->vendor = Vendor::host;
    watch->stream = stream;
    answers()[stream] = {};
    return watch;
  }
  static void set_tail(const void* stream, std::uint64_t tail) {
    answers()[stream].info.tail = tail;
  }
  static LaunchError some_error() {
    return LaunchError::make(Errc::runtime_failed, Stage::runtime_call);
  }

  CaptureWatchTest() { answers().clear(); }

  int origin = 0, second = 0, third = 0, outside = 0;
  int event = 0, later_event = 0;
};

TEST_F(CaptureWatchTest, ItsStreamsAreTheOneThatBeganAndThoseThatJoined) {
  const auto watch = watch_on(&origin);
  EXPECT_TRUE(watch->takes_part(&origin));
  EXPECT_FALSE(watch->takes_part(nullptr));
  EXPECT_FALSE(watch->takes_part(&second));
  watch->record(&event, &origin);
  watch->wait(&second, *watch->find_event(&event), 0, call_site{});
  EXPECT_TRUE(watch->takes_part(&second));
  EXPECT_EQ(watch->forks.size(), 1U);
  watch->wait(&second, *watch->find_event(&event), 0, call_site{});
  watch->wait(&origin, *watch->find_event(&event), 0, call_site{});
  EXPECT_EQ(watch->forks.size(), 1U) << "each stream joins once, and the first is there";
  EXPECT_EQ(watch->find_fork(&origin), nullptr);

  auto null_stream = watch_on(nullptr);
  EXPECT_FALSE(null_stream->takes_part(nullptr));
}

// cudaStreamPerThread is one handle for a stream of each thread.
TEST_F(CaptureWatchTest, AnotherStreamWithTheHandleTakesNoPart) {
  int handle = 0;
  const auto watch = watch_on(&handle);
  EXPECT_TRUE(watch->takes_part({&handle, 7})) << "the watch does not know its number";
  watch->stream.number = 7;
  EXPECT_TRUE(watch->takes_part({&handle, 7}));
  EXPECT_FALSE(watch->takes_part({&handle, 8}));
  EXPECT_TRUE(watch->takes_part(&handle)) << "it may be";
  // A stream that captures cannot be asked for its number.
  const std::uint64_t by_handle = detail::StreamNumber::of_handle(&handle, 0).value();
  EXPECT_TRUE(watch->takes_part({&handle, by_handle}));
}

TEST_F(CaptureWatchTest, AnEventIsItsOwnUntilItIsRecordedOutside) {
  const auto watch = watch_on(&origin);
  EXPECT_EQ(watch->find_event(nullptr), nullptr);
  set_tail(&origin, 5);
  watch->record(&event, &origin);
  const CaptureWatch::RecordedEvent* const mark = watch->find_event(&event);
  ASSERT_NE(mark, nullptr);
  EXPECT_EQ(mark->stream.handle, &origin);
  EXPECT_EQ(mark->tail, 5U);
  EXPECT_TRUE(mark->is_joined);
  EXPECT_EQ(watch->events.size(), 1U);
  set_tail(&origin, 6);
  watch->record(&event, &origin);
  EXPECT_EQ(watch->events.size(), 1U) << "the same event again";
  EXPECT_EQ(watch->find_event(&event)->tail, 6U);
  watch->record(&later_event, &outside);
  EXPECT_EQ(watch->events.size(), 1U);
  EXPECT_EQ(watch->find_event(&later_event), nullptr);
  watch->record(&event, &outside);
  EXPECT_EQ(watch->find_event(&event), nullptr);
}

TEST_F(CaptureWatchTest, AnyNumberOfItsEventsAndStreamsIsFollowed) {
  const auto watch = watch_on(&origin);
  std::array<int, 1000> events{}, streams{};
  for (int& one : events) watch->record(&one, &origin);
  for (int& one : streams) watch->wait(&one, *watch->find_event(&events[0]), 0, call_site{});
  for (const int& one : events) {
    ASSERT_NE(watch->find_event(&one), nullptr);
    EXPECT_EQ(watch->find_event(&one)->event, &one);
  }
  for (const int& one : streams) EXPECT_TRUE(watch->takes_part(&one));
  EXPECT_FALSE(watch->takes_part(&outside));
}

// A fork is joined while its next node would wait for what the first stream waits for, too.
TEST_F(CaptureWatchTest, ForkAndJoinByTails) {
  const auto watch = watch_on(&origin);
  const call_site here{"fork.cpp", nullptr, 7};
  set_tail(&origin, 10);
  watch->record(&event, &origin);
  set_tail(&second, 10);
  watch->wait(&second, *watch->find_event(&event), 0, here);
  EXPECT_EQ(watch->unjoined(), nullptr) << "it has no work of its own";
  set_tail(&second, 20);  // a node
  ASSERT_NE(watch->unjoined(), nullptr);
  EXPECT_EQ(watch->unjoined()->stream.handle, &second);
  EXPECT_EQ(watch->unjoined()->site.line, 7U);
  watch->record(&later_event, &second);
  EXPECT_FALSE(watch->find_event(&later_event)->is_joined);
  watch->wait(&origin, *watch->find_event(&later_event), 10, here);
  EXPECT_EQ(watch->unjoined(), nullptr);
  watch->record(&event, &second);
  EXPECT_TRUE(watch->find_event(&event)->is_joined);
  set_tail(&second, 30);
  EXPECT_NE(watch->unjoined(), nullptr);
}

TEST_F(CaptureWatchTest, AJoinThroughAThirdStream) {
  const auto watch = watch_on(&origin);
  set_tail(&origin, 10);
  watch->record(&event, &origin);
  for (int* fork : {&second, &third}) {
    set_tail(fork, 10);
    watch->wait(fork, *watch->find_event(&event), 0, call_site{});
  }
  set_tail(&second, 20);
  watch->record(&later_event, &second);
  EXPECT_EQ(watch->unjoined()->stream.handle, &second);
  set_tail(&third, 21);  // it waits for both
  watch->wait(&third, *watch->find_event(&later_event), 10, call_site{});
  ASSERT_NE(watch->unjoined(), nullptr) << "now the third stream answers for the node";
  EXPECT_EQ(watch->unjoined()->stream.handle, &third);
  watch->record(&later_event, &third);
  watch->wait(&origin, *watch->find_event(&later_event), 10, call_site{});
  EXPECT_EQ(watch->unjoined(), nullptr);
  // A joined stream that waits for joined work stays joined, and one with work of its own does not
  // become so.
  set_tail(&origin, 40);
  watch->record(&event, &origin);
  set_tail(&second, 41);
  watch->wait(&second, *watch->find_event(&event), 20, call_site{});
  EXPECT_EQ(watch->unjoined(), nullptr);
  set_tail(&third, 50);
  const std::uint64_t before = 50;
  set_tail(&third, 51);
  watch->wait(&third, *watch->find_event(&event), before, call_site{});
  ASSERT_NE(watch->unjoined(), nullptr);
  EXPECT_EQ(watch->unjoined()->stream.handle, &third);
}

TEST_F(CaptureWatchTest, AStreamThatBeginsWithUnjoinedWorkIsNotJoined) {
  const auto watch = watch_on(&origin);
  watch->record(&event, &origin);
  set_tail(&second, 20);
  watch->wait(&second, *watch->find_event(&event), 0, call_site{});
  set_tail(&second, 30);
  watch->record(&later_event, &second);
  set_tail(&third, 1);
  watch->wait(&third, *watch->find_event(&later_event), 0, call_site{});
  set_tail(&second, 30);
  ASSERT_NE(watch->unjoined(), nullptr);
  EXPECT_EQ(watch->unjoined()->stream.handle, &third);
}

TEST_F(CaptureWatchTest, WithoutTailsAWaitForTheStreamJoinsIt) {
  for (const int status : {0, 1}) {
    const auto watch = watch_on(&origin);
    answers()[&second] = {status, {CaptureState::active, status == 0 ? 0U : 9U}};
    watch->record(&event, &origin);
    watch->wait(&second, *watch->find_event(&event), 0, call_site{});
    ASSERT_NE(watch->unjoined(), nullptr) << status;
    watch->record(&later_event, &second);
    watch->wait(&origin, *watch->find_event(&later_event), 0, call_site{});
    EXPECT_EQ(watch->unjoined(), nullptr) << status;
  }
}

TEST_F(CaptureWatchTest, ItsModeSaysWhoseUnsafeCallsBreakIt) {
  const auto watch = watch_on(&origin);
  const auto elsewhere = [&] {
    bool forbids = false;
    std::thread([&] { forbids = watch->forbids_unsafe_calls(); }).join();
    return forbids;
  };
  EXPECT_TRUE(watch->forbids_unsafe_calls());
  EXPECT_TRUE(elsewhere());
  watch->mode = CaptureMode::thread;
  EXPECT_TRUE(watch->forbids_unsafe_calls());
  EXPECT_FALSE(elsewhere());
  watch->mode = CaptureMode::relaxed;
  EXPECT_FALSE(watch->forbids_unsafe_calls());
  EXPECT_FALSE(elsewhere());
}

TEST_F(CaptureWatchTest, AWaitOfTheHostIsRefusedWithItsReason) {
  const auto watch = watch_on(&origin);
  watch->mode = CaptureMode::relaxed;
  detail::open_watch(*watch);
  watch->record(&event, &origin);
  const struct {
    const void *stream, *event;
    bool relaxed;
    CaptureMode mode;
    bool refused;
    Errc code;
    Subcode subcode;
  } cases[] = {
      {&outside, nullptr, false, CaptureMode::relaxed, false, Errc{}, Subcode{}},
      {&outside, nullptr, true, CaptureMode::global, false, Errc{}, Subcode{}},
      {&outside, nullptr, false, CaptureMode::global, true, Errc::stream_capturing,
       Subcode::other_stream},
      {&origin, nullptr, false, CaptureMode::relaxed, true, Errc::stream_capturing, Subcode::none},
      {&origin, nullptr, true, CaptureMode::global, true, Errc::stream_capturing, Subcode::none},
      {&outside, &event, false, CaptureMode::relaxed, true, Errc::captured_event,
       Subcode::other_stream},
      {nullptr, &event, true, CaptureMode::global, true, Errc::captured_event,
       Subcode::other_stream},
      {&outside, &later_event, false, CaptureMode::relaxed, false, Errc{}, Subcode{}},
      {nullptr, nullptr, false, CaptureMode::relaxed, false, Errc{}, Subcode{}},
  };
  for (const auto& one : cases) {
    const auto number = &one - cases;
    watch->mode = one.mode;
    LaunchError error = LaunchError::make(Errc::stream_capturing, Stage::validation);
    EXPECT_EQ(CaptureHookFunctions::refuses(one.stream, one.event, one.relaxed, error), one.refused)
        << number;
    EXPECT_EQ(error.stream, one.refused ? &origin : nullptr) << number;
    if (!one.refused) continue;
    EXPECT_EQ(error.code, one.code) << number;
    EXPECT_EQ(error.subcode, one.subcode) << number;
  }
}

TEST_F(CaptureWatchTest, EachOpenCaptureIsAsked) {
  const auto first = watch_on(&origin);
  const auto newest = watch_on(&second);
  EXPECT_EQ(detail::open_captures(), nullptr);
  detail::open_watch(*first);
  detail::open_watch(*newest);
  EXPECT_EQ(detail::open_captures(), &CaptureHookFunctions::hooks);
  EXPECT_NE(first->number, 0U);
  EXPECT_EQ(newest->number, first->number + 1);
  EXPECT_TRUE(CaptureHookFunctions::is_open(first->number));
  EXPECT_TRUE(CaptureHookFunctions::is_open(newest->number));
  EXPECT_FALSE(CaptureHookFunctions::is_open(newest->number + 1));

  EXPECT_EQ(CaptureHookFunctions::recorded(&event, &origin), first->number);
  EXPECT_EQ(CaptureHookFunctions::recorded(&later_event, &second), newest->number);
  EXPECT_EQ(CaptureHookFunctions::recorded(&later_event, &outside), 0U);
  set_tail(&origin, 5);
  set_tail(&second, 6);
  set_tail(&outside, 7);
  EXPECT_EQ(CaptureHookFunctions::waiting(&origin), 5U);
  EXPECT_EQ(CaptureHookFunctions::waiting(&second), 6U);
  EXPECT_EQ(CaptureHookFunctions::waiting(&outside), 0U);

  CaptureHookFunctions::waited(&outside, &event, 0, call_site{"wait.cpp", nullptr, 3});
  EXPECT_TRUE(first->takes_part(&outside));
  EXPECT_FALSE(newest->takes_part(&outside));

  detail::close_watch(*first);
  EXPECT_FALSE(CaptureHookFunctions::is_open(first->number));
  EXPECT_TRUE(CaptureHookFunctions::is_open(newest->number));
  EXPECT_EQ(detail::open_captures(), &CaptureHookFunctions::hooks);
  detail::close_watch(*first);
  EXPECT_TRUE(CaptureHookFunctions::is_open(newest->number)) << "the first was closed before";
  detail::close_watch(*newest);
  EXPECT_EQ(detail::open_captures(), nullptr);
}

// CUDA's driver crashes if another thread captures the stream meanwhile.
TEST_F(CaptureWatchTest, WorkOfOtherStreamsNeverAsksAboutItsStream) {
  const auto one = watch_on(&origin);
  const auto two = watch_on(&second);
  for (const auto& watch : {one.get(), two.get()}) {
    watch->id = 5;
    detail::open_watch(*watch);
  }
  answers()[&outside].info.id = 7;
  CaptureHookFunctions::submitting(&outside, Name::of("copy"), {});
  CaptureHookFunctions::launched(&outside, KernelEntry{}, nullptr);
  EXPECT_EQ(CaptureHookFunctions::resources_of(&outside), nullptr);
  CaptureHookFunctions::recorded(&event, &outside);
  EXPECT_EQ(CaptureHookFunctions::waiting(&outside), 0U);
  CaptureHookFunctions::waited(&outside, &event, 0, {});
  CaptureHookFunctions::failed(some_error());
  EXPECT_TRUE(answers()[&outside].was_asked_for_info) << "it may take part by other code's wait";
  for (const int* const stream : {&origin, &second}) {
    EXPECT_FALSE(answers()[stream].was_asked_for_info);
  }
}

TEST_F(CaptureWatchTest, TheFirstFailureAfterWhichItIsBrokenIsKept) {
  const auto broken = watch_on(&origin), whole = watch_on(&second), other_vendor = watch_on(&third);
  other_vendor->vendor = Vendor::nvidia;
  answers()[&origin].info.state = CaptureState::broken;
  answers()[&third].info.state = CaptureState::broken;
  for (const auto* watch : {&broken, &whole, &other_vendor}) detail::open_watch(**watch);

  LaunchError error = some_error();
  error.vendor = Vendor::host;
  answers()[&origin].status = 1;
  CaptureHookFunctions::failed(error);
  EXPECT_EQ(broken->broken.code, Errc{}) << "the runtime does not say that it is broken";
  answers()[&origin].status = 0;
  CaptureHookFunctions::failed(error);
  EXPECT_EQ(broken->broken.code, Errc::runtime_failed);
  EXPECT_EQ(broken->broken.subcode, Subcode::broken_by_call);
  EXPECT_EQ(whole->broken.code, Errc{});
  EXPECT_EQ(other_vendor->broken.code, Errc{});

  error.code = Errc::capture_broken;
  CaptureHookFunctions::failed(error);
  EXPECT_EQ(broken->broken.code, Errc::runtime_failed) << "the first stays";
  answers()[&second].info.state = CaptureState::broken;
  CaptureHookFunctions::failed(error);
  EXPECT_EQ(whole->broken.subcode, Subcode::broken_before_call);
}

TEST_F(CaptureWatchTest, AnErrorOfTheEndNamesTheCallThatBrokeIt) {
  LaunchError by = some_error();
  by.subcode = Subcode::broken_by_call;
  by.operation = Name::of("copy");
  by.kernel = Name::of("scale");
  by.site = call_site{"copy.cpp", nullptr, 12};
  by.raw = 900;
  by.raw_name = Name::of("name");
  by.raw_text = Name::of("text");
  for (int i = 0; i < 3; ++i) {
    by.grid[i] = static_cast<std::uint32_t>(2 + i);
    by.block[i] = static_cast<std::uint32_t>(5 + i);
  }
  by.dynamic_shared = 48;
  LaunchError error = LaunchError::make(Errc::capture_broken, Stage::runtime_call);
  detail::take_breaking_call(error, by);
  EXPECT_EQ(error.code, Errc::capture_broken);
  EXPECT_EQ(error.subcode, by.subcode);
  EXPECT_EQ(error.operation, by.operation);
  EXPECT_EQ(error.kernel, by.kernel);
  EXPECT_EQ(error.site.line, 12U);
  EXPECT_EQ(error.raw, 900);
  EXPECT_EQ(error.raw_name, by.raw_name);
  EXPECT_EQ(error.raw_text, by.raw_text);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(error.grid[i], by.grid[i]) << i;
    EXPECT_EQ(error.block[i], by.block[i]) << i;
  }
  EXPECT_EQ(error.dynamic_shared, 48U);
}

TEST_F(CaptureWatchTest, ACapturedLaunchLeavesItsPointersWithTheGraph) {
  const auto watch = watch_on(&origin);
  watch->resources = detail::ResourcesPtr(new detail::GraphResources);
  detail::open_watch(*watch);
  int memory[4] = {}, hidden = 0, beyond = 0;
  struct Span {
    void* data;
    std::size_t size;
  } span{&memory[1], 3};
  void* first = &memory[0];
  void* null = nullptr;
  void* number = &hidden;
  void* past = &beyond;
  const ParameterInfo parameters[] = {
      {sizeof(void*), alignof(void*), true, true}, {sizeof(Span), alignof(Span), true, true},
      {sizeof(void*), alignof(void*), true, true}, {sizeof(void*), alignof(void*), false, false},
      {sizeof(void*), alignof(void*), true, true},
  };
  void* args[] = {&first, &span, &null, &number, &past};
  const KernelEntry entry{nullptr, nullptr, parameters, 4};
  CaptureHookFunctions::launched(&outside, entry, args);
  detail::GraphResources::mark_freed(&memory[0], sizeof memory);
  EXPECT_EQ(watch->resources->freed(), nullptr) << "the stream does not capture";
  CaptureHookFunctions::launched(&origin, entry, args);
  for (const int* unused : {&hidden, &beyond}) {
    detail::GraphResources::mark_freed(unused, sizeof(int));
    EXPECT_EQ(watch->resources->freed(), nullptr);
  }
  detail::GraphResources::mark_freed(nullptr, 1);
  EXPECT_EQ(watch->resources->freed(), nullptr);
  detail::GraphResources::mark_freed(&memory[0], sizeof(int));
  EXPECT_EQ(watch->resources->freed(), &memory[0]);
  detail::GraphResources::mark_freed(&memory[1], sizeof(int));
  EXPECT_EQ(watch->resources->freed(), &memory[1]);
}

TEST_F(CaptureWatchTest, ADroppedCaptureSaysWhereItBegan) {
  ::testing::internal::CaptureStderr();
  detail::report_lost_capture(call_site{"here.cpp", nullptr, 21});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "warpsafe: a capture was dropped without end(), and the work that it holds never runs\n"
            "  begun at here.cpp:21; write auto graph = std::move(capture).end(), or "
            "capture.discard() to drop it on purpose\n");
  ::testing::internal::CaptureStderr();
  detail::report_lost_capture(call_site{});
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("begun at ?:0;"), std::string::npos);
}

}  // namespace
}  // namespace warpsafe::core_test
