// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "scripted_library.hpp"
#include <warpsafe/error/message.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/handles/stream_bound.hpp>
#include <warpsafe/memory/buffer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// A call of a library's function: what it says if several calls fail, and the buffers that it uses.

namespace warpsafe::handle_test {
namespace {

int rig_scale(Rig*, const float*, float*) { return script.call("scale"); }
int rig_norm(Rig*, float*, const float*) { return script.call("norm"); }

}  // namespace
}  // namespace warpsafe::handle_test

template <>
struct warpsafe::handle_traits<warpsafe::handle_test::Rig*>
    : warpsafe::handle_test::RigTraits<warpsafe::core_test::ScriptedRuntime> {};

namespace warpsafe::handle_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct LibraryCallTest : core_test::ScriptedTest {
  using Bound = StreamBound<Rig*>;
  using Hold = basic_stream_hold<Runtime>;
  using Buffer = basic_device_buffer<Runtime, float>;
  static constexpr auto off = CheckLevel::off;

  LibraryCallTest() { calls(); }
  /// The calls, without the question whether there are memory pools, which is asked once.
  static Calls calls() {
    Calls made = script.taken();
    std::erase(made, "has_memory_pools 0");
    return made;
  }
  static Buffer buffer(std::uintptr_t stream) {
    return Buffer::create(Hold(Runtime::stream(stream)), 4).value();
  }
  float* const x = Runtime::handle<float*>(8);
  Rig rig;
  Bound bound = Bound::adopt(&rig, Hold(Runtime::stream(1))).value();
};

TEST_F(LibraryCallTest, OfTwoOwnersThatAdoptAHandleAtOnceOneIsRefused) {
  const auto adopted = [](Rig& one) { return Bound::adopt(&one, Hold(Runtime::stream(2))); };
  Rig fresh;
  Errc code{};
  bool is_first = true;
  script.during = [&](const std::string& call) {
    if (call != "set_stream 2 ~" || !std::exchange(is_first, false)) return;
    code = adopted(fresh).error().code;
  };
  EXPECT_TRUE(adopted(fresh).has_value());
  EXPECT_EQ(code, Errc::handle_owned);
  script.fails = {{"set_stream", 7}};
  EXPECT_FALSE(adopted(fresh).has_value());
  script.fails = {};
  EXPECT_TRUE(adopted(fresh).has_value()) << "the other code still owned it";
}

TEST_F(LibraryCallTest, TheFunctionsOwnErrorIsTheFirst) {
  const auto failed = [&](core_test::Script::Statuses fails) {
    calls();
    script.fails = std::move(fails);
    const auto there = device_scalar(trust(x));
    const auto done = bound.call<rig_scale, off>(there, trust(x));
    script.fails.clear();
    if (done.has_value()) return std::string("none");
    const Name operation = done.error().operation;
    return std::string(operation.data, operation.size) + ' ' + std::to_string(done.error().raw);
  };
  EXPECT_EQ(failed({}), "none");
  EXPECT_THAT(calls(), ElementsAre("scalars_on_device", "scale", "scalars_on_host"));
  EXPECT_THAT(failed({{"scale", 5}}), testing::EndsWith("rig_scale 5"));
  EXPECT_THAT(failed({{"scale", 5}, {"scalars_on_host", 6}}), testing::EndsWith("rig_scale 5"))
      << "the second failure follows from it";
  EXPECT_EQ(failed({{"scalars_on_host", 6}}), "rig set pointer mode 6");
  calls();
  EXPECT_EQ(failed({{"scalars_on_device", 7}}), "rig set pointer mode 7");
  EXPECT_THAT(calls(), ElementsAre("scalars_on_device"));
}

TEST_F(LibraryCallTest, ABufferOfAnotherStreamIsFreedAfterTheCall) {
  auto own = buffer(1);
  auto foreign = buffer(2);
  const auto other = buffer(3);
  calls();
  const float* const from = x;
  ASSERT_TRUE((bound.call<rig_scale, off>(from, own.view()).has_value()));
  EXPECT_THAT(calls(), ElementsAre("scale")) << "the stream's order is enough";
  ASSERT_TRUE((bound.call<rig_scale, off>(from, foreign.view()).has_value()));
  EXPECT_THAT(calls(), ElementsAre("scale", "event_record 1 1"));
  ASSERT_TRUE((bound.call<rig_scale, off>(other.view(), own.view()).has_value()));
  EXPECT_THAT(calls(), ElementsAre("scale", "event_record 2 1")) << "the first argument";
  ASSERT_TRUE(foreign.close().has_value());
  EXPECT_THAT(calls(), testing::Contains("stream_wait 2 1"));
  auto late = buffer(2);
  calls();
  script.fails = {{"event_record", 7}, {"scalars_on_host", 6}};
  const auto not_recorded = bound.call<rig_scale, off>(from, late.view());
  ASSERT_FALSE(not_recorded.has_value());
  EXPECT_EQ(not_recorded.error().raw, 7);
  const auto there = device_scalar(trust(x));
  const auto also_not_reset = bound.call<rig_scale, off>(there, late.view());
  ASSERT_FALSE(also_not_reset.has_value());
  EXPECT_EQ(also_not_reset.error().raw, 7) << "the first failure";
  script.fails.clear();
}

// Each launch of the graph would write to the address, whatever is there by then.
TEST_F(LibraryCallTest, AResultOnTheHostIsNotCaptured) {
  auto own = buffer(1);
  float sum = 0;
  script.capturing.insert(Runtime::stream(1).native());
  calls();
  const auto refused = [](const result<void>& called) {
    return !called.has_value() && called.error().code == Errc::stream_capturing &&
           called.error().subcode == Subcode::host_result;
  };
  EXPECT_TRUE(refused(bound.call<rig_scale>(host_scalar(1.0F), host_scalar(sum))));
  EXPECT_TRUE(refused(bound.call<rig_norm>(host_scalar(sum), own.view()))) << "the first argument";
  EXPECT_THAT(calls(), IsEmpty());
  EXPECT_TRUE(bound.call<rig_scale>(host_scalar(1.0F), own.view()).has_value());
  EXPECT_TRUE((bound.call<rig_scale, off>(host_scalar(1.0F), host_scalar(sum)).has_value()))
      << "without checks only the library's own captures are known";
  const detail::CountedCapture library;
  EXPECT_TRUE(refused(bound.call<rig_scale, off>(host_scalar(1.0F), host_scalar(sum))));
  script.capturing.clear();
  EXPECT_TRUE(bound.call<rig_scale>(host_scalar(1.0F), host_scalar(sum)).has_value());
  EXPECT_THAT(calls(), ElementsAre("scale", "scale", "scale"));
}

TEST_F(LibraryCallTest, AGraphKeepsItsWorkspaceAndTheHandles) {
  using Capture = basic_capture<Runtime>;
  auto own = buffer(1);
  script.gives_graph = true;
  auto capture = Capture::begin(Hold(Runtime::stream(1))).value();
  ASSERT_TRUE(bound.call<rig_scale>(host_scalar(1.0F), own.view()).has_value());
  std::optional<basic_graph<Runtime>> graph(std::move(capture).end().value());
  calls();
  ASSERT_TRUE(bound.close().has_value());
  const auto frees = [](unsigned times) {
    return testing::Contains(testing::StartsWith("deallocate")).Times(times);
  };
  EXPECT_THAT(calls(), frees(0U));
  graph.reset();
  EXPECT_THAT(calls(), frees(2U)) << "its own, and the handle's";
}

}  // namespace
}  // namespace warpsafe::handle_test
