// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Races of graphs in a recorded run: a launch does the captured work.

#include "recorded_graph_programs.hpp"
#include "run_fixture.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/race/recorded.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace warpsafe::adversarial {
namespace {

using recorded_graphs::must;
using testing::HasSubstr;

struct Kernels {
  static constexpr auto put = kernel<::put>;
  static constexpr auto add = kernel<::add>;
};
template <class B>
using Parts = recorded_graphs::Parts<B, Kernels>;
template <class B>
void two_branches(bool joined) {
  recorded_graphs::two_branches<B, Kernels>(joined);
}

void wait_unseen() { recorded_graphs::wait_unseen<host_backend>(); }

TEST(CapturedGraphs, EachMistakeAndNoOtherIsFound) {
  recorded_graphs::expect_each_mistake_and_no_other<host_backend, Kernels>();
}

TEST(CapturedGraphs, BranchesOfAGraphRaceAsTheModelsDetectorSays) {
  const RaceReport model = run(1, [] { two_branches<host_backend>(false); });
  const RaceReport seen = record([] { two_branches<Told>(false); });
  ASSERT_EQ(model.findings.size(), 4U) << model;
  ASSERT_EQ(seen.findings.size(), 4U) << seen;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& expected = model.findings[i];
    const auto& found = seen.findings[i];
    EXPECT_EQ(found.first.action.site.line, expected.first.action.site.line);
    EXPECT_EQ(found.second.action.site.line, expected.second.action.site.line);
    EXPECT_EQ(found.first.access, AccessKind::read);
    EXPECT_EQ(found.second.access, AccessKind::write);
    for (const auto& one : {expected, found}) {
      EXPECT_THAT(one.text, HasSubstr("kernel 'add' in graph #"));
      EXPECT_THAT(one.text, HasSubstr("inside a graph: capture one after the other"));
    }
  }
}

TEST(CapturedGraphs, BranchesThatWaitForEachOtherDoNotRace) {
  EXPECT_TRUE(run(1, [] { two_branches<host_backend>(true); }).clean());
  const RaceReport seen = record([] { two_branches<Told>(true); });
  EXPECT_TRUE(seen.clean()) << seen;
  EXPECT_GT(RaceRecorder::get().size(), 4 * 4U);  // three nodes and the launch, four times
}

RaceReport beside(bool launch_first, bool ordered) {
  return recorded_graphs::beside<host_backend, Kernels>(launch_first, ordered);
}

TEST(CapturedGraphs, ALaunchRacesWithWhatNothingOrdersItWith) {
  for (const bool launch_first : {false, true}) {
    const RaceReport seen = beside(launch_first, false);
    ASSERT_EQ(seen.findings.size(), 1U) << seen;
    EXPECT_THAT(seen.findings.front().text, HasSubstr("kernel 'put' in graph #"));
    EXPECT_TRUE(beside(launch_first, true).clean());
  }
}

TEST(CapturedGraphs, TheWayOutNamesTheLaunchSinceNoEventIsRecordedInsideOfIt) {
  const std::string text = beside(true, false).findings.front().text;
  const std::size_t named = text.find("in graph #") + 9;
  const std::string launch = text.substr(named, text.find(' ', named) - named);
  EXPECT_THAT(text, HasSubstr("record an event on stream 1 after " + launch + " and let stream 2"));
}

TEST(CapturedGraphs, LaunchesOfOneGraphAreOrderedAndThoseOfTwoAreNot) {
  const auto on_two_streams = [](bool one_graph) {
    return record([&] {
      Parts<Told> parts;
      const auto body = [&] { parts.put_on(parts.stream); };
      auto graph = parts.graph_of(body);
      auto other = parts.graph_of(body);
      must(graph.launch(parts.stream));
      wait_unseen();
      must((one_graph ? graph : other).launch(parts.side));
      parts.end();
    });
  };
  EXPECT_TRUE(on_two_streams(true).clean());
  EXPECT_EQ(on_two_streams(false).findings.size(), 1U);
}

TEST(CapturedGraphs, CopiesAndFillsAreNodesThatTouchTheirBytes) {
  const auto filled = [](std::size_t begin) {
    return record([&] {
      Parts<Told> parts;
      auto wide = must(BufferOf<Told>::create(parts.stream, 64));
      auto from = must(BufferOf<Told>::create(parts.stream, 32));
      must(parts.stream.synchronize());
      auto graph = parts.graph_of([&] {
        ASSERT_EQ(Told::copy(wide.view().pointer().get(), from.view().pointer().get(), 128,
                             CopyKind::device_to_device, parts.stream.native()),
                  0);
      });
      must(graph.launch(parts.stream));
      wait_unseen();
      ASSERT_EQ(Told::fill(wide.view().pointer().get() + begin, 0, 128, parts.side.native()), 0);
      parts.end();
    });
  };
  EXPECT_TRUE(filled(32).clean());
  const RaceReport overlap = filled(16);
  ASSERT_EQ(overlap.findings.size(), 1U) << overlap;
  EXPECT_THAT(overlap.findings.front().text, HasSubstr("copy of 128 bytes in graph #"));
  EXPECT_THAT(overlap.findings.front().text, HasSubstr("bytes 64 to 127 of"));
}

TEST(CapturedGraphs, WhatWasCapturedBeforeTheRecordIsKnown) {
  Parts<Told> parts;
  auto graph = parts.graph_of([&] { parts.put_on(parts.stream); });
  const RaceReport seen = record([&] {
    must(graph.launch(parts.stream));
    wait_unseen();
    parts.put_on(parts.side);
    parts.end();
  });
  EXPECT_EQ(seen.findings.size(), 1U) << seen;
}

TEST(CapturedGraphs, WhatIsCapturedDoesNotRunAndADiscardedCaptureNever) {
  const RaceReport seen = record([] {
    Parts<Told> parts;
    {
      auto open = must(basic_capture<Told>::begin(parts.stream));
      parts.put_on(parts.stream);
    }
    const auto graph = must(capture(parts.stream, [&](basic_capture<Told>&) -> result<void> {
      parts.put_on(parts.stream);
      return success();
    }));
    parts.put_on(parts.side);
    must(parts.side.synchronize());
    parts.put_on(parts.stream);  // ordinary work again
    parts.end();
  });
  EXPECT_TRUE(seen.clean()) << seen;
}

}  // namespace
}  // namespace warpsafe::adversarial
