// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "scripted_library.hpp"
#include <warpsafe/error/message.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

// A library's handle with its stream and workspace: which calls it makes, in which order, and what
// it says of those that fail.

namespace warpsafe::handle_test {
namespace {

using testing::ElementsAre;

struct BoundHandleTest : core_test::ScriptedTest {
  using Traits = RigTraits<Runtime>;
  using Bound = detail::BoundHandle<Traits>;
  using Hold = basic_stream_hold<Runtime>;
  static constexpr auto full = CheckLevel::full;
  static constexpr call_site place{"/src/app.cpp", "main", 7};

  static Bound unbound(Rig& rig, std::uintptr_t stream = 1, int device = 0) {
    return {&rig, Hold(Runtime::stream(stream, device))};
  }
  static Bound bound(Rig& rig, std::uintptr_t stream = 1, int device = 0) {
    Bound made = unbound(rig, stream, device);
    EXPECT_TRUE(made.bind<full>(place).has_value());
    static_cast<void>(script.taken());
    return made;
  }
  /// The calls, without the question whether there are memory pools, which is asked once.
  static Calls calls() {
    Calls made = script.taken();
    std::erase(made, "has_memory_pools 0");
    return made;
  }
  Rig rig;
};

TEST_F(BoundHandleTest, ABoundHandleHasItsStreamModeAndWorkspace) {
  Bound handle = unbound(rig, 3);
  ASSERT_TRUE(handle.bind<full>(place).has_value());
  EXPECT_THAT(calls(), ElementsAre("set_stream 3", "scalars_on_host", "allocate 100 3 ~",
                                   "set_workspace 1 100"));
  EXPECT_EQ(handle.find_change(), Errc{});
  ASSERT_TRUE(handle.destroy<full>(place).has_value());
  EXPECT_THAT(calls(), ElementsAre("destroy ~", "deallocate 1 3 ~"));
  EXPECT_TRUE(handle.destroy<full>(place).has_value()) << "once";
  EXPECT_THAT(calls(), ElementsAre());
}

TEST_F(BoundHandleTest, ANewStreamKeepsTheWorkspaceAndFreesIt) {
  Bound handle = bound(rig, 1);
  handle.stream = Hold(Runtime::stream(2));
  ASSERT_TRUE(handle.bind<full>(place).has_value());
  EXPECT_THAT(calls(), ElementsAre("set_stream 2", "scalars_on_host", "set_workspace 1 100"));
  ASSERT_TRUE(handle.destroy<full>(place).has_value());
  EXPECT_THAT(calls(), ElementsAre("destroy ~", "deallocate 1 2 ~"));
}

TEST_F(BoundHandleTest, ADestroyedHandleReportsItsFirstError) {
  const auto error_of = [&](Calls failing) {
    Bound handle = bound(rig, 1, 1);
    for (const auto& name : failing) script.fails[name] = 7;
    const auto done = handle.destroy<full>(place);
    script.fails.clear();
    return done.has_value() ? "none" : message(done.error());
  };
  script.device = 1;
  EXPECT_EQ(error_of({}), "none");
  const std::string destroy = "rig destroy failed: it broke (BROKEN, 7)\n  at app.cpp:7";
  EXPECT_EQ(error_of({"destroy"}), destroy);
  EXPECT_EQ(error_of({"destroy", "deallocate"}), destroy);
  EXPECT_THAT(error_of({"deallocate"}), testing::HasSubstr("free workspace failed"));
  script.device = 0;
  testing::internal::CaptureStderr();
  EXPECT_THAT(error_of({"deallocate", "set_device"}), testing::HasSubstr("free workspace failed"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the caller has no guard";
  script.device = 0;
  EXPECT_THAT(error_of({"set_device"}), testing::HasSubstr("set device failed"));
}

TEST_F(BoundHandleTest, WhatIsDroppedIsDestroyedWhereItWasBound) {
  Rig other;
  {
    Bound never = unbound(rig);
    never.drop(place);
    EXPECT_THAT(calls(), ElementsAre()) << "other code still owns it";
  }
  Bound target = unbound(rig);
  target = bound(other, 2);
  target.drop(place);
  EXPECT_THAT(calls(), ElementsAre("destroy ~", "deallocate 1 2 ~")) << "assigned";
  Bound moved(bound(other, 2));
  Bound last(std::move(moved));
  moved.drop(place);  // NOLINT(bugprone-use-after-move)
  EXPECT_THAT(calls(), ElementsAre());
  last.drop(place);
  EXPECT_THAT(calls(), ElementsAre("destroy ~", "deallocate 2 2 ~")) << "moved";
}

TEST_F(BoundHandleTest, AnInnerHandleOnAnotherStreamIsNamedByItsNumber) {
  Rig astray;
  astray.keeps_inner = true;
  Bound handle = unbound(astray, 1);
  const auto refused = handle.bind<full>(place);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::handle_partly_bound);
  EXPECT_EQ(refused.error().value, 2U);
  EXPECT_EQ(refused.error().limit, 2U);
  EXPECT_EQ(handle.misplaced_inner_handle(), 2);
  astray.inner[0] = nullptr;
  EXPECT_EQ(handle.misplaced_inner_handle(), 1) << "the first one";
  astray.inner[0] = astray.inner[1] = Runtime::handle<ScriptedStream>(1);
  EXPECT_EQ(handle.misplaced_inner_handle(), 0);
  script.fails["get_inner"] = 7;
  EXPECT_EQ(handle.misplaced_inner_handle(), 1) << "it does not answer";
}

TEST_F(BoundHandleTest, AChangeIsOneOfTheStreamsOrOfTheMode) {
  Bound handle = bound(rig, 1);
  EXPECT_EQ(handle.find_change(), Errc{});
  rig.inner[1] = nullptr;
  EXPECT_EQ(handle.find_change(), Errc::handle_stream_changed);
  rig.inner[1] = rig.stream;
  rig.stream = nullptr;
  EXPECT_EQ(handle.find_change(), Errc::handle_stream_changed);
  script.fails["get_stream"] = 7;
  EXPECT_EQ(handle.find_change(), Errc{}) << "the next call reports what does not answer";
  rig.scalars_on_device = true;
  EXPECT_EQ(handle.find_change(), Errc::handle_pointer_mode);
  script.fails["get_mode"] = 7;
  EXPECT_EQ(handle.find_change(), Errc{});
  handle.drop(place);
}

TEST_F(BoundHandleTest, EachStepOfABindThatFailsIsNamed) {
  const auto said = [&](const char* failing) {
    Bound handle = unbound(rig);
    script.fails = {{failing, 7}};
    const auto done = handle.bind<full>(place);
    script.fails.clear();
    EXPECT_EQ(handle.free_workspace(), 0);
    return done.has_value() ? "none" : message(done.error());
  };
  const std::string why = " failed: it broke (BROKEN, 7)\n  at app.cpp:7";
  EXPECT_EQ(said("set_stream"), "rig set stream" + why);
  EXPECT_EQ(said("scalars_on_host"), "rig set pointer mode" + why);
  EXPECT_EQ(said("set_workspace"), "rig set workspace" + why);
  EXPECT_THAT(said("allocate"), testing::StartsWith("rig allocate workspace failed"));
}

TEST_F(BoundHandleTest, AnErrorHasVendorStreamAndDevice) {
  const auto stream = Runtime::stream(5, 3);
  for (const LaunchError& error :
       {detail::refused_on(stream, Errc::handle_moved, Name::of("rig run"), place),
        detail::library_error<Traits>(7, Name::of("rig run"), stream, place)}) {
    EXPECT_EQ(error.vendor, Runtime::vendor);
    EXPECT_EQ(error.stream, stream.native());
    EXPECT_EQ(error.device, 3);
    EXPECT_EQ(error.site.line, 7U);
    EXPECT_EQ(std::string(error.operation.data, error.operation.size), "rig run");
  }
}

/// The capture's end must tell which call broke it.
TEST_F(BoundHandleTest, ALibrarysErrorIsReportedToOpenCaptures) {
  static int reported = 0;
  reported = 0;
  detail::CaptureHooks hooks{};
  hooks.failed = [](const LaunchError& error) noexcept { reported += error.raw; };
  const detail::CaptureHooks* const before = detail::open_captures();
  __atomic_store_n(&detail::capture_hooks, &hooks, __ATOMIC_RELEASE);
  static_cast<void>(detail::library_error<Traits>(7, Name::of("run"), Runtime::stream(1), place));
  __atomic_store_n(&detail::capture_hooks, before, __ATOMIC_RELEASE);
  EXPECT_EQ(reported, 7);
}

TEST_F(BoundHandleTest, AHandleIsBoundOnItsDeviceAndOutsideCaptures) {
  const auto said = [](int device, bool bindable) {
    const auto stream = Runtime::stream(1, device);
    const auto done = bindable ? detail::check_bindable<full>(Name::of("bind"), stream, place)
                               : detail::check_handle_device<full>(Name::of("bind"), stream, place);
    return done.has_value() ? Errc{} : done.error().code;
  };
  script.device = 1;
  EXPECT_EQ(said(1, true), Errc{});
  EXPECT_EQ(said(1, false), Errc{});
  EXPECT_EQ(said(0, true), Errc::stream_wrong_device);
  script.capturing.insert(Runtime::handle<void*>(1));
  EXPECT_EQ(said(0, true), Errc::stream_wrong_device);
  EXPECT_EQ(said(1, true), Errc::stream_capturing);
  EXPECT_EQ(said(1, false), Errc{});
  script.fails["stream_capturing"] = 7;
  EXPECT_EQ(said(1, true), Runtime::classify(7));
  const auto wrong = detail::check_handle_device<full>(Name::of("bind"), Runtime::stream(1), place);
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().value, 1U) << "the current device";
  EXPECT_EQ(wrong.error().limit, 0U) << "the stream's";
}

}  // namespace
}  // namespace warpsafe::handle_test
