// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Races of graphs: a launch does the captured work. Each program with its mistake and without.

#include "run_fixture.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace warpsafe::adversarial {
namespace {

using testing::HasSubstr;
using Buffer = DeviceBuffer<float>;

template <class R>
auto must(R&& returned) {
  EXPECT_TRUE(returned.has_value());
  if constexpr (!std::is_void_v<typename std::remove_cvref_t<R>::value_type>) {
    return std::forward<R>(returned).value();
  }
}

/// Two streams, and buffers whose allocation has ended.
struct Parts {
  Stream stream = must(Stream::create());
  Stream side = must(Stream::create());
  Buffer x = must(Buffer::create(stream, 1));
  Buffer y = must(Buffer::create(stream, 1));

  Parts() {
    must(x.zero(stream));
    must(y.zero(stream));
    must(stream.synchronize());
  }
  /// An executable graph of what `body` captures on `stream`.
  template <class Body>
  [[nodiscard]] auto graph_of(const Body& body) {
    const auto graph = must(capture(stream, [&](Capture&) -> result<void> {
      body();
      return success();
    }));
    return must(graph.instantiate());
  }
  void put_on(const Stream& where) { must(launch(where, once, kernel<::put>, x.view())); }
  void add_on(const Stream& where) { must(launch(where, once, kernel<::add>, x.view(), y.view())); }
  void end() {
    must(side.synchronize());
    must(stream.synchronize());
  }
};

/// A graph whose second branch reads what the first one writes after the fork. Launched four times.
RaceReport two_branches(bool joined) {
  return run(1, [&] {
    Parts parts;
    auto graph = parts.graph_of([&] {
      parts.put_on(parts.stream);
      must(wait(parts.side, must(parts.stream.record())));
      parts.add_on(parts.side);
      const auto branch = must(parts.side.record());
      if (joined) must(wait(parts.stream, branch));
      parts.put_on(parts.stream);
      must(wait(parts.stream, branch));
    });
    for (int i = 0; i < 3; ++i) must(graph.launch(parts.stream));
    must(graph.launch(parts.side));
    parts.end();
  });
}

TEST(GraphRaces, BranchesOfAGraphRaceUnlessOneWaits) {
  const RaceReport report = two_branches(false);
  ASSERT_EQ(report.findings.size(), 4U) << report;
  for (const auto& found : report.findings) {
    EXPECT_EQ(found.first.access, AccessKind::read);
    EXPECT_EQ(found.second.access, AccessKind::write);
    EXPECT_THAT(found.text, HasSubstr("kernel 'add' in graph #"));
    EXPECT_THAT(found.text, HasSubstr("inside a graph: capture one after the other"));
  }
  const RaceReport joined = two_branches(true);
  EXPECT_TRUE(joined.clean()) << joined;
}

/// Work of another stream beside a launch, before or after it.
RaceReport beside(bool launch_first, bool ordered) {
  return run(1, [&] {
    Parts parts;
    auto graph = parts.graph_of([&] { parts.put_on(parts.stream); });
    const auto replay = [&] { must(graph.launch(parts.stream)); };
    const auto own = [&] { parts.put_on(parts.side); };
    launch_first ? replay() : own();
    auto& first = launch_first ? parts.stream : parts.side;
    auto& second = launch_first ? parts.side : parts.stream;
    if (ordered) must(wait(second, must(first.record())));
    launch_first ? own() : replay();
    parts.end();
  });
}

TEST(GraphRaces, ALaunchRacesWithWhatNothingOrdersItWith) {
  for (const bool launch_first : {false, true}) {
    const RaceReport report = beside(launch_first, false);
    ASSERT_EQ(report.findings.size(), 1U) << report;
    EXPECT_THAT(report.findings.front().text, HasSubstr("kernel 'put' in graph #"));
    const RaceReport ordered = beside(launch_first, true);
    EXPECT_TRUE(ordered.clean()) << ordered;
  }
}

TEST(GraphRaces, TheRemedyNamesTheLaunchSinceNoEventIsRecordedInsideOfIt) {
  const std::string text = beside(true, false).findings.front().text;
  const std::size_t named = text.find("in graph #") + 9;
  const std::string launch = text.substr(named, text.find(' ', named) - named);
  EXPECT_THAT(text, HasSubstr("record an event on stream 1 after " + launch + " and let stream 2"));
}

/// A graph that writes y, and x after an update to a new capture. Another stream works on x beside
/// its launch.
RaceReport updated(bool to_x) {
  return run(1, [&] {
    Parts parts;
    const auto put_into = [&](Buffer& where) {
      return [&](Capture&) { return launch(parts.stream, once, kernel<::put>, where.view()); };
    };
    auto graph = must(must(capture(parts.stream, put_into(parts.y))).instantiate());
    if (to_x) must(recapture(graph, parts.stream, put_into(parts.x)));
    must(graph.launch(parts.stream));
    parts.put_on(parts.side);
    parts.end();
  });
}

TEST(GraphRaces, AnUpdatedGraphDoesItsNewWork) {
  EXPECT_EQ(updated(true).findings.size(), 1U);
  const RaceReport to_y = updated(false);
  EXPECT_TRUE(to_y.clean()) << to_y;
}

TEST(GraphRaces, LaunchesOfOneGraphAreOrderedAndThoseOfTwoAreNot) {
  const auto on_two_streams = [](bool one_graph) {
    return run(1, [&] {
      Parts parts;
      const auto body = [&] { parts.put_on(parts.stream); };
      auto graph = parts.graph_of(body);
      auto other = parts.graph_of(body);
      must(graph.launch(parts.stream));
      must((one_graph ? graph : other).launch(parts.side));
      parts.end();
    });
  };
  EXPECT_TRUE(on_two_streams(true).clean());
  EXPECT_EQ(on_two_streams(false).findings.size(), 1U);
}

TEST(GraphRaces, CopiesAndFillsAreNodesThatAccessTheirBytes) {
  const auto filled = [](std::size_t begin) {
    return run(1, [&] {
      Parts parts;
      auto wide = must(Buffer::create(parts.stream, 64));
      auto from = must(Buffer::create(parts.stream, 32));
      must(from.zero(parts.stream));
      must(parts.stream.synchronize());
      auto graph = parts.graph_of([&] {
        ASSERT_EQ(host_backend::copy(wide.view().pointer().get(), from.view().pointer().get(), 128,
                                     CopyKind::device_to_device, parts.stream.native()),
                  0);
      });
      must(graph.launch(parts.stream));
      ASSERT_EQ(
          host_backend::fill(wide.view().pointer().get() + begin, 0, 128, parts.side.native()), 0);
      parts.end();
    });
  };
  EXPECT_TRUE(filled(32).clean());
  const RaceReport overlap = filled(16);
  ASSERT_EQ(overlap.findings.size(), 1U) << overlap;
  EXPECT_THAT(overlap.findings.front().text, HasSubstr("copy of 128 bytes in graph #"));
  EXPECT_THAT(overlap.findings.front().text, HasSubstr("bytes 64 to 127 of"));
}

// A graph holds the memory of buffers, and cannot hold what it knows by an address only.
TEST(GraphRaces, MemoryThatAGraphKnowsByItsAddressMayBeFreedBeforeTheLaunch) {
  const auto freed = [](bool too_early) {
    return run(1, [&] {
      Parts parts;
      auto gone = std::make_unique<Buffer>(must(Buffer::create(parts.stream, 32)));
      auto graph = parts.graph_of([&] {
        ASSERT_EQ(host_backend::fill(gone->view().pointer().get(), 0, 128, parts.stream.native()),
                  0);
      });
      if (too_early) gone.reset();
      static_cast<void>(graph.launch(parts.stream));  // the runtime may refuse it
      static_cast<void>(parts.stream.synchronize());
    });
  };
  EXPECT_TRUE(freed(false).clean());
  const RaceReport report = freed(true);
  ASSERT_FALSE(report.clean());
  EXPECT_THAT(report.findings.front().text, HasSubstr("Use after free"));
}

TEST(GraphRaces, AGraphOfBeforeTheRunIsKnown) {
  Parts parts;
  auto graph = parts.graph_of([&] { parts.put_on(parts.stream); });
  const RaceReport report = run(1, [&] {
    must(graph.launch(parts.stream));
    parts.put_on(parts.side);
    parts.end();
  });
  EXPECT_EQ(report.findings.size(), 1U) << report;
}

TEST(GraphRaces, WhatIsCapturedDoesNotRunAndADiscardedCaptureNever) {
  const RaceReport report = run(1, [] {
    Parts parts;
    {
      auto open = must(Capture::begin(parts.stream));
      parts.put_on(parts.stream);
    }
    const auto graph = must(capture(parts.stream, [&](Capture&) -> result<void> {
      parts.put_on(parts.stream);
      return success();
    }));
    parts.put_on(parts.side);
    must(parts.side.synchronize());
    parts.put_on(parts.stream);  // ordinary work again
    parts.end();
  });
  EXPECT_TRUE(report.clean()) << report;
}

}  // namespace
}  // namespace warpsafe::adversarial
