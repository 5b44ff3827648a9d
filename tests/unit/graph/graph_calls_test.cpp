// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "scripted_runtime.hpp"
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/graph/executable_graph.hpp>
#include <warpsafe/graph/graph.hpp>
#include <warpsafe/memory/detail/graph_resources.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Which calls of the runtime captures and graphs make, and what they do when a call fails.

namespace warpsafe::core_test {
namespace {

struct GraphCalls : ScriptedTest {
  using Ref = basic_stream_ref<ScriptedRuntime>;
  using Open = basic_capture<ScriptedRuntime>;
  using Made = basic_graph<ScriptedRuntime>;
  using Exec = basic_executable_graph<ScriptedRuntime>;
  const Ref stream = Runtime::stream(1, 3);

  template <CheckLevel Level = CheckLevel::full>
  [[nodiscard]] Open begun() const {
    auto made = Open::begin<Level>(basic_stream_hold(stream), CaptureMode::global, app).value();
    static_cast<void>(script.taken());
    return made;
  }
  [[nodiscard]] Made graph() const { return begun().end().value(); }
  /// An instance that keeps a value, or not.
  [[nodiscard]] Exec instance(bool keeps) const {
    auto capture = begun();
    if (keeps) {
      EXPECT_TRUE(capture.keep(5).has_value());
    }
    auto made = std::move(capture).end().value().instantiate().value();
    static_cast<void>(script.taken());
    return made;
  }
  /// What dropping a capture prints and calls.
  template <CheckLevel Level = CheckLevel::full>
  [[nodiscard]] bool reported() const {
    ::testing::internal::CaptureStderr();
    { const Open dropped = begun<Level>(); }
    script.capturing = {};
    return !::testing::internal::GetCapturedStderr().empty();
  }
};

TEST_F(GraphCalls, AGraphIsMadeOfACaptureThatWorked) {
  auto capture = begun();
  {
    const Made made = std::move(capture).end().value();
    EXPECT_EQ(script.taken(), Calls{"capture_end 1"});
    EXPECT_EQ(made.node_count().value(), 1U);
  }
  EXPECT_EQ(script.taken(), Calls{"graph_destroy 1"});
}

// Some runtimes end a broken capture with success.
TEST_F(GraphCalls, AGraphThatLostItsWorkIsRefusedAndDestroyed) {
  const struct {
    CaptureState state;
    std::uint64_t tail;
    std::size_t nodes;
    bool lost;
  } ends[] = {
      {CaptureState::active, 2, 1, false}, {CaptureState::active, 2, 0, true},
      {CaptureState::active, 1, 0, false}, {CaptureState::active, 0, 0, false},
      {CaptureState::broken, 2, 1, true},  {CaptureState::broken, 1, 0, true},
      {CaptureState::none, 2, 1, false},
  };
  for (const auto& [state, tail, nodes, lost] : ends) {
    auto capture = begun();
    script.capture = {state, tail};
    script.nodes = nodes;
    const auto made = std::move(capture).end(app);
    EXPECT_EQ(made.has_value(), !lost) << static_cast<int>(state) << ' ' << tail << ' ' << nodes;
    if (!lost) continue;
    EXPECT_EQ(script.taken().size(), 2U) << "the end, and the destruction of the graph";
    const LaunchError error = error_in(made);
    EXPECT_EQ(error.code, Errc::capture_broken);
    EXPECT_EQ(text(error.operation), "capture end");
    EXPECT_EQ(error.stream, nullptr);
    EXPECT_EQ(error.device, 3);
    EXPECT_TRUE(is_app(error.site));
  }
  script.gives_graph = false;
  script.capture = {CaptureState::active, 1};
  auto capture = begun();
  EXPECT_EQ(error_in(std::move(capture).end()).code, Errc::capture_broken);
  EXPECT_EQ(script.taken(), Calls{"capture_end 1"});
}

TEST_F(GraphCalls, TheCallThatBrokeItIsNamedWhateverTheRuntimeReturns) {
  static_cast<void>(script.taken());
  for (const bool fails : {false, true}) {
    script.capture = {CaptureState::active, 2};
    auto capture = begun();
    script.capture = {CaptureState::broken, 2};
    static_cast<void>(detail::runtime_error<ScriptedRuntime>(
        host::raw(host::HostStatus::stream_capture_unsupported), Name::of("stream device"), app));
    if (fails) {
      script.fails = {{"capture_end", host::raw(host::HostStatus::stream_capture_invalidated)}};
    }
    const LaunchError error = error_in(std::move(capture).end());
    EXPECT_EQ(error.code, Errc::capture_broken);
    EXPECT_EQ(text(error.operation), "stream device");
    script.fails = {};
    script.capturing = {};
  }
  // The runtime's own answer, if it is another.
  script.capture = {CaptureState::active, 2};
  auto capture = begun();
  script.capture = {CaptureState::broken, 2};
  static_cast<void>(detail::runtime_error<ScriptedRuntime>(
      host::raw(host::HostStatus::stream_capture_unsupported), Name::of("stream device"), app));
  script.fails = {{"capture_end", host::raw(host::HostStatus::stream_capture_wrong_thread)}};
  const LaunchError error = error_in(std::move(capture).end());
  EXPECT_EQ(error.code, Errc::capture_wrong_thread);
  EXPECT_EQ(text(error.operation), "capture end");
}

TEST_F(GraphCalls, ACallThatBrokeItCountsEvenIfTheRuntimeForgetsIt) {
  auto capture = begun();
  script.capture = {CaptureState::broken, 2};
  static_cast<void>(detail::runtime_error<ScriptedRuntime>(
      host::raw(host::HostStatus::stream_capture_unsupported), Name::of("stream device"), app));
  script.capture = {CaptureState::active, 2};
  const LaunchError error = error_in(std::move(capture).end());
  EXPECT_EQ(error.code, Errc::capture_broken);
  EXPECT_EQ(text(error.operation), "stream device");
  EXPECT_EQ(script.taken(), (Calls{"capture_end 1", "graph_destroy 1"}));
}

TEST_F(GraphCalls, WhatAFailedEndLeavesIsNoGraph) {
  script.leaves_handle = true;
  script.fails = {{"capture_end", 1}};
  auto capture = begun();
  EXPECT_EQ(error_in(std::move(capture).end()).code, Errc::runtime_failed);
  EXPECT_EQ(script.taken(), Calls{"capture_end 1"});
  script.nodes = 0;
  EXPECT_TRUE(reported()) << "nobody knows what is lost";
  EXPECT_EQ(script.taken(), Calls{"capture_end 1"});
}

TEST_F(GraphCalls, AnAssignedCaptureIsDroppedAndReported) {
  auto first = begun();
  auto second = Open::begin(basic_stream_hold(Runtime::stream(2)), CaptureMode::global).value();
  static_cast<void>(script.taken());
  ::testing::internal::CaptureStderr();
  first = std::move(second);
  EXPECT_NE(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(script.taken(), (Calls{"capture_end 1", "graph_destroy 1"}));
  EXPECT_EQ(first.stream(), Runtime::stream(2));
  // NOLINTNEXTLINE(bugprone-use-after-move): what is tested
  const LaunchError error = error_in(std::move(second).end(app));
  EXPECT_EQ(error.code, Errc::capture_unmatched);
  EXPECT_EQ(text(error.operation), "capture end");
  EXPECT_TRUE(is_app(error.site));
  EXPECT_TRUE(std::move(first).end().has_value());
}

TEST_F(GraphCalls, AFailedEndIsOfTheCaptureUnlessAStreamIsKnown) {
  const auto ended = [&](host::HostStatus status) {
    auto capture = begun();
    script.fails = {{"capture_end", host::raw(status)}};
    const LaunchError error = error_in(std::move(capture).end(app));
    script.fails = {};
    script.capturing = {};
    return error;
  };
  const LaunchError unknown = ended(host::HostStatus::stream_capture_unjoined);
  EXPECT_EQ(unknown.code, Errc::capture_unjoined);
  EXPECT_EQ(unknown.stream, nullptr);
  EXPECT_TRUE(is_app(unknown.site));
  EXPECT_EQ(ended(host::HostStatus::illegal_state).code, Errc::capture_unmatched);
  EXPECT_EQ(ended(host::HostStatus::unknown).code, Errc::runtime_failed);
}

TEST_F(GraphCalls, ADroppedCaptureIsReportedIfItHasWorkOrNobodyKnows) {
  EXPECT_TRUE(reported());
  EXPECT_EQ(script.taken(), (Calls{"capture_end 1", "graph_destroy 1"}));
  EXPECT_FALSE(reported<CheckLevel::off>());
  script.nodes = 0;
  EXPECT_FALSE(reported());
  script.fails = {{"graph_nodes", 1}};
  EXPECT_TRUE(reported()) << "who knows";
  script.fails = {};
  static_cast<void>(script.taken());
  script.gives_graph = false;
  EXPECT_TRUE(reported());
  EXPECT_EQ(script.taken(), Calls{"capture_end 1"});
  script.gives_graph = true;
  script.fails = {{"capture_end", 1}};
  EXPECT_TRUE(reported());
  EXPECT_EQ(script.taken(), Calls{"capture_end 1"});
}

TEST_F(GraphCalls, ACaptureThatDoesNotBeginNamesItsStream) {
  const auto refused = [&](int status) {
    script.fails = {{"capture_begin", status}};
    return error_in(Open::begin(basic_stream_hold(stream), CaptureMode::global, app));
  };
  LaunchError error = refused(Runtime::illegal_state);
  EXPECT_EQ(error.code, Errc::stream_capturing);
  EXPECT_EQ(error.stream, stream.native());
  EXPECT_EQ(script.taken(), Calls{"capture_begin 1"}) << "there is nothing to end";
  error = refused(1);
  EXPECT_EQ(error.code, Errc::runtime_failed);
  EXPECT_EQ(error.stream, stream.native());
  EXPECT_EQ(text(error.operation), "capture begin");
  EXPECT_EQ(detail::open_captures(), nullptr);
}

TEST_F(GraphCalls, AMovedInstanceTakesItsLastLaunchAlong) {
  std::optional<Exec> first(instance(true));
  EXPECT_TRUE(first->launch(basic_stream_hold(stream)).has_value());
  Exec second = instance(false);
  second = std::move(*first);
  EXPECT_EQ(script.taken(), Calls{"graph_exec_destroy 4 ~"});
  first.reset();
  EXPECT_EQ(script.taken(), Calls{}) << "it has nothing left";
  Exec third = std::move(second);
  EXPECT_TRUE(third.close().has_value());
  EXPECT_EQ(script.taken(),
            (Calls{"event_synchronize 1 ~", "graph_exec_destroy 2 ~", "event_destroy 1"}));
  EXPECT_TRUE(third.close().has_value());
  EXPECT_EQ(script.taken(), Calls{});
}

TEST_F(GraphCalls, OnlyAnInstanceThatWasLaunchedAndKeepsSomethingWaits) {
  for (const bool keeps : {false, true}) {
    for (const bool launched : {false, true}) {
      Exec exec = instance(keeps);
      if (launched) {
        EXPECT_TRUE(exec.launch(basic_stream_hold(stream)).has_value());
      }
      static_cast<void>(script.taken());
      EXPECT_TRUE(exec.close().has_value());
      const bool waits = ::testing::Matches(
          ::testing::Contains(::testing::StartsWith("event_synchronize")))(script.taken());
      EXPECT_EQ(waits, keeps && launched);
    }
  }
}

TEST_F(GraphCalls, TheWaitOfAnInstanceHasItsOwnStatusAndNoTimeOut) {
  Exec exec = instance(true);
  EXPECT_TRUE(exec.launch(basic_stream_hold(stream)).has_value());
  const WatchedWaits watched;
  static_cast<void>(script.taken());
  script.fails = {{"waits", 1}};
  LaunchError error = error_in(exec.close(app));
  EXPECT_EQ(script.taken(), (Calls{"waits 1 3 ~", "graph_exec_destroy 2 ~", "event_destroy 1"}))
      << "what it keeps must outlive the work";
  EXPECT_EQ(text(error.operation), "graph launch");
  EXPECT_EQ(error.stage, Stage::completion);
  Exec next = instance(true);
  script.fails = {{"graph_exec_destroy", 1}};
  error = error_in(next.close(app));
  EXPECT_EQ(text(error.operation), "graph destroy");
  EXPECT_TRUE(is_app(error.site));
}

TEST_F(GraphCalls, AnInstanceWhoseStreamCapturesWaitsForItsOwnLaunch) {
  auto alive = std::make_shared<int>(1);
  auto capture = begun();
  EXPECT_TRUE(capture.keep(std::shared_ptr<int>(alive)).has_value());
  Exec exec = std::move(capture).end().value().instantiate().value();
  EXPECT_TRUE(exec.launch(basic_stream_hold(stream)).has_value());
  auto next = begun();
  static_cast<void>(script.taken());
  EXPECT_TRUE(exec.close().has_value());
  EXPECT_EQ(script.taken(),
            (Calls{"event_synchronize 1 ~", "graph_exec_destroy 2 ~", "event_destroy 1"}))
      << "a wait for the stream would break the capture";
  EXPECT_EQ(alive.use_count(), 1);
}

TEST_F(GraphCalls, WhatAnInstanceKeepsOutlivesALaunchThatMayStillRun) {
  for (const bool is_unknown : {true, false}) {
    auto kept = std::make_shared<int>(1);
    const std::weak_ptr<int> alive = kept;
    auto capture = begun();
    EXPECT_TRUE(capture.keep(std::move(kept)).has_value());
    Made graph = std::move(capture).end().value();
    Exec exec = graph.instantiate().value();
    Exec other = graph.instantiate().value();
    for (Exec* const one : {&exec, &other}) {
      EXPECT_TRUE(one->launch(basic_stream_hold(stream)).has_value());
    }
    const auto status = is_unknown ? host::HostStatus::unknown : host::HostStatus::illegal_address;
    script.fails = {{"event_synchronize", host::raw(status)}};
    ::testing::internal::CaptureStderr();
    for (Exec* const one : {&exec, &other}) EXPECT_FALSE(one->close().has_value());
    EXPECT_EQ(::testing::internal::GetCapturedStderr().find("is never freed") != std::string::npos,
              is_unknown);
    static_cast<void>(Made(std::move(graph)));
    EXPECT_EQ(alive.expired(), !is_unknown) << "after the loss of the context nothing runs";
    script.fails = {};
  }
}

TEST_F(GraphCalls, AnInstanceIsNotLaunchedIntoACapture) {
  Exec exec = instance(false);
  const auto refused = [&]<CheckLevel Level>() {
    const auto launched = exec.launch<Level>(basic_stream_hold(stream), app);
    const bool called = !script.taken().empty();
    if (launched.has_value()) {
      EXPECT_TRUE(called);
      return false;
    }
    EXPECT_FALSE(called);
    const LaunchError error = error_in(launched);
    EXPECT_EQ(error.code, Errc::stream_capturing);
    EXPECT_EQ(error.stream, stream.native());
    EXPECT_EQ(error.device, 3);
    EXPECT_EQ(text(error.operation), "graph launch");
    return true;
  };
  EXPECT_FALSE(refused.operator()<CheckLevel::full>());
  {
    auto capture = begun();
    EXPECT_TRUE(refused.operator()<CheckLevel::full>());
    EXPECT_TRUE(refused.operator()<CheckLevel::off>());
    script.fails = {{"stream_capturing", 1}};
    EXPECT_FALSE(refused.operator()<CheckLevel::full>()) << "the launch reports the error";
    script.fails = {};
    capture.discard();
  }
  static_cast<void>(script.taken());
  // Captures of other code are seen by checked builds alone.
  script.capturing.insert(stream.native());
  EXPECT_TRUE(refused.operator()<CheckLevel::full>());
  script.capturing = {};
}

TEST_F(GraphCalls, AnUpdateReleasesWhatTheInstanceKept) {
  auto old_value = std::make_shared<int>(1);
  auto capture = begun();
  EXPECT_TRUE(capture.keep(std::shared_ptr<int>(old_value)).has_value());
  Exec exec = std::move(capture).end().value().instantiate().value();
  EXPECT_TRUE(exec.launch(basic_stream_hold(stream)).has_value());
  const Made next = graph();
  static_cast<void>(script.taken());
  script.fails = {{"graph_update", host::raw(host::HostStatus::graph_exec_update_failure)}};
  script.change = GraphChange::topology;
  const LaunchError error = error_in(exec.update(next, app));
  EXPECT_EQ(error.code, Errc::graph_update_refused);
  EXPECT_EQ(error.value, static_cast<std::uint64_t>(GraphChange::topology));
  EXPECT_EQ(old_value.use_count(), 2) << "it is unchanged";
  script.fails = {};
  static_cast<void>(script.taken());
  EXPECT_TRUE(exec.update(next).has_value());
  EXPECT_EQ(script.taken(), (Calls{"graph_update 2 3", "event_synchronize 1 ~"}));
  EXPECT_EQ(old_value.use_count(), 1);
}

// As the end of NCCL's communicators, which waits for the graphs that captured them.
TEST_F(GraphCalls, AGraphIsDestroyedBeforeWhatItKeeps) {
  struct Kept {
    Calls& seen;
    explicit Kept(Calls& to) : seen(to) {}
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    ~Kept() { seen = script.taken(); }
  };
  Calls seen;
  {
    auto capture = begun();
    EXPECT_TRUE(capture.keep(std::make_shared<Kept>(seen)).has_value());
    const Made made = std::move(capture).end().value();
    static_cast<void>(script.taken());
  }
  EXPECT_EQ(seen, Calls{"graph_destroy 1"});
}

TEST_F(GraphCalls, AnAssignedGraphIsDestroyed) {
  Made first = graph();
  Made second = graph();
  static_cast<void>(script.taken());
  first = std::move(second);
  EXPECT_EQ(script.taken(), Calls{"graph_destroy 1"});
  const auto counted = first.node_count();
  EXPECT_EQ(counted.value(), 1U);
  script.fails = {{"graph_nodes", 1}};
  EXPECT_FALSE(first.node_count().has_value());
}

TEST_F(GraphCalls, AClosedInstanceKeepsNoStream) {
  auto* const owner =
      detail::SharedStream<ScriptedRuntime>::make(Runtime::handle<Runtime::native_stream>(1), 3);
  const auto owned = detail::StreamAccess::make<ScriptedRuntime>(owner->native, 3, owner->number);
  Exec exec = instance(false);
  EXPECT_TRUE(exec.launch(basic_stream_hold(owned)).has_value());
  EXPECT_EQ(owner->release(), 0);
  static_cast<void>(script.taken());
  EXPECT_TRUE(exec.close().has_value());
  EXPECT_EQ(script.taken(), (Calls{"graph_exec_destroy 2 ~", "stream_destroy 1"}));
}

TEST(GraphLock, IsHeldByOne) {
  {
    const detail::GraphLock lock;
    EXPECT_FALSE(detail::graph_lock.try_lock());
  }
  ASSERT_TRUE(detail::graph_lock.try_lock());
  detail::graph_lock.unlock();
}

}  // namespace
}  // namespace warpsafe::core_test
