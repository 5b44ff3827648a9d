// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Races of graphs in what a run was seen to do: a launch does what was captured.

#include "recorded_run.hpp"
#include <warpsafe/adversarial.hpp>
#include <warpsafe/buffer.hpp>
#include <warpsafe/capture.hpp>
#include <warpsafe/copy.hpp>
#include <warpsafe/debug/recorded.hpp>
#include <warpsafe/graph.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace warpsafe::adversarial {
namespace {

using testing::HasSubstr;

/// Waits without the recorder's knowledge: a mistake in the program does no harm in the test.
void wait_unseen() { ASSERT_EQ(host_backend::device_synchronize(), 0); }

template <class R>
auto must(R&& returned) {
  EXPECT_TRUE(returned.has_value());
  if constexpr (!std::is_void_v<typename std::remove_cvref_t<R>::value_type>) {
    return std::forward<R>(returned).value();
  }
}

/// Two streams and a buffer that is there.
template <class B>
struct Parts {
  basic_stream<B> stream = must(basic_stream<B>::create());
  basic_stream<B> side = must(basic_stream<B>::create());
  BufferOf<B> x = must(BufferOf<B>::create(stream, 1));
  BufferOf<B> y = must(BufferOf<B>::create(stream, 1));

  Parts() { must(stream.synchronize()); }
  /// An executable graph of what `body` captures on `stream`.
  template <class Body>
  [[nodiscard]] auto graph_of(const Body& body) {
    const auto graph = must(capture(stream, [&](basic_capture<B>&) -> result<void> {
      body();
      return success();
    }));
    return must(graph.instantiate());
  }
  void put_on(const basic_stream<B>& where) { must(launch(where, once, kernel<put>, x.view())); }
  void end() {
    must(side.synchronize());
    must(stream.synchronize());
  }
};

template <class B>
void two_branches(bool joined) {
  Parts<B> parts;
  auto graph = parts.graph_of([&] {
    parts.put_on(parts.stream);
    must(wait(parts.side, must(parts.stream.record())));
    must(launch(parts.side, once, kernel<add>, parts.x.view(), parts.y.view()));
    const auto branch = must(parts.side.record());
    if (joined) must(wait(parts.stream, branch));
    must(launch(parts.stream, once, kernel<put>, parts.x.view()));
    must(wait(parts.stream, branch));
  });
  for (int i = 0; i < 3; ++i) must(graph.launch(parts.stream));
  must(graph.launch(parts.side));
  parts.end();
}

TEST(RecordedGraphs, BranchesOfAGraphRaceAsTheModelsDetectorSays) {
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
      EXPECT_THAT(one.text, HasSubstr("inside of a graph: capture one after the other"));
    }
  }
}

TEST(RecordedGraphs, BranchesThatWaitForEachOtherDoNotRace) {
  EXPECT_TRUE(run(1, [] { two_branches<host_backend>(true); }).clean());
  const RaceReport seen = record([] { two_branches<Told>(true); });
  EXPECT_TRUE(seen.clean()) << seen;
  EXPECT_GT(RaceRecorder::get().size(), 4 * 4U);  // three nodes and the launch, four times
}

/// Work of another stream beside a launch, before or after it.
RaceReport beside(bool launch_first, bool ordered) {
  return record([&] {
    Parts<Told> parts;
    auto graph = parts.graph_of([&] { parts.put_on(parts.stream); });
    const auto replay = [&] { must(graph.launch(parts.stream)); };
    const auto own = [&] { parts.put_on(parts.side); };
    launch_first ? replay() : own();
    wait_unseen();
    auto& first = launch_first ? parts.stream : parts.side;
    auto& second = launch_first ? parts.side : parts.stream;
    if (ordered) must(wait(second, must(first.record())));
    launch_first ? own() : replay();
    parts.end();
  });
}

TEST(RecordedGraphs, ALaunchRacesWithWhatNothingOrdersItWith) {
  for (const bool launch_first : {false, true}) {
    const RaceReport seen = beside(launch_first, false);
    ASSERT_EQ(seen.findings.size(), 1U) << seen;
    EXPECT_THAT(seen.findings.front().text, HasSubstr("kernel 'put' in graph #"));
    EXPECT_TRUE(beside(launch_first, true).clean());
  }
}

TEST(RecordedGraphs, TheWayOutNamesTheLaunchSinceNoEventIsRecordedInsideOfIt) {
  const std::string text = beside(true, false).findings.front().text;
  const std::size_t named = text.find("in graph #") + 9;
  const std::string launch = text.substr(named, text.find(' ', named) - named);
  EXPECT_THAT(text, HasSubstr("record an event on stream 1 after " + launch + " and let stream 2"));
}

TEST(RecordedGraphs, LaunchesOfOneGraphAreOrderedAndThoseOfTwoAreNot) {
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

TEST(RecordedGraphs, AnUpdateChangesWhatALaunchDoes) {
  const auto updated = [](bool to_x) {
    return record([&] {
      Parts<Told> parts;
      const auto put_into = [&](BufferOf<Told>& where) {
        return [&](basic_capture<Told>&) {
          return launch(parts.stream, once, kernel<put>, where.view());
        };
      };
      auto graph = must(must(capture(parts.stream, put_into(parts.y))).instantiate());
      if (to_x) must(recapture(graph, parts.stream, put_into(parts.x)));
      must(graph.launch(parts.stream));
      wait_unseen();
      parts.put_on(parts.side);
      parts.end();
    });
  };
  EXPECT_TRUE(updated(false).clean());
  EXPECT_FALSE(updated(true).clean());
}

TEST(RecordedGraphs, AGraphInsideOfAGraphDoesWhatItDoes) {
  const auto inside = [](bool joined) {
    return record([&] {
      Parts<Told> parts;
      auto inner = parts.graph_of([&] {
        parts.put_on(parts.stream);
        must(launch(parts.stream, once, kernel<add>, parts.x.view(), parts.y.view()));
      });
      auto outer = parts.graph_of([&] {
        const auto begin = must(parts.stream.record());
        must(wait(parts.side, begin));
        must(inner.launch(parts.side));
        const auto branch = must(parts.side.record());
        if (joined) must(wait(parts.stream, branch));
        must(launch(parts.stream, once, kernel<put>, parts.y.view()));
        must(wait(parts.stream, branch));
      });
      must(outer.launch(parts.stream));
      parts.end();
    });
  };
  EXPECT_TRUE(inside(true).clean());
  const RaceReport seen = inside(false);
  ASSERT_EQ(seen.findings.size(), 1U) << seen;
  EXPECT_THAT(seen.findings.front().text, HasSubstr("kernel 'add' in graph #"));
  EXPECT_THAT(seen.findings.front().text, HasSubstr("inside of a graph"));
}

TEST(RecordedGraphs, CopiesAndFillsAreNodesThatTouchTheirBytes) {
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

TEST(RecordedGraphs, WhatWasCapturedBeforeTheRecordIsKnown) {
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

TEST(RecordedGraphs, WhatIsCapturedDoesNotRunAndADiscardedCaptureNever) {
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
