// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "record_program.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/race/race_recorder.hpp>
#include <warpsafe/race/recorded.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <utility>

// Programs with graphs for any backend B, each with a mistake and without. K has the two kernels
// that they launch: `put(float* x)` writes x; `add(const float* from, float* to)` reads `from` and
// writes `to`.

namespace warpsafe::recorded_graphs {

using debug::RaceRecorder;
using debug::RaceReport;
template <class B>
using Told = debug::Recorded<B>;
using recorded_programs::BufferOf;
using recorded_programs::record;

inline constexpr LaunchConfig one_thread{grid<1>, block<1>};

/// Waits without the recorder's knowledge: a mistake in the program does no harm in the test.
template <class B>
void wait_unseen() {
  ASSERT_EQ(B::device_synchronize(), 0);
}

template <class R>
auto must(R&& returned) {
  EXPECT_TRUE(returned.has_value());
  if constexpr (!std::is_void_v<typename std::remove_cvref_t<R>::value_type>) {
    return std::forward<R>(returned).value();
  }
}

/// Two streams, and buffers whose allocation has ended.
template <class B, class K>
struct Parts {
  basic_stream<B> stream = must(basic_stream<B>::create());
  basic_stream<B> side = must(basic_stream<B>::create());
  BufferOf<B> x = must(BufferOf<B>::create(stream, 1));
  BufferOf<B> y = must(BufferOf<B>::create(stream, 1));

  Parts() {
    must(x.zero(stream));
    must(y.zero(stream));
    must(stream.synchronize());
  }
  /// An executable graph of what `body` captures on `stream`.
  template <class Body>
  [[nodiscard]] auto graph_of(const Body& body) {
    const auto graph = must(capture(stream, [&](basic_capture<B>&) -> result<void> {
      body();
      return success();
    }));
    return must(graph.instantiate());
  }
  void put_on(const basic_stream<B>& where) { must(launch(where, one_thread, K::put, x.view())); }
  void add_on(const basic_stream<B>& where) {
    must(launch(where, one_thread, K::add, x.view(), y.view()));
  }
  void end() {
    must(side.synchronize());
    must(stream.synchronize());
  }
};

/// A graph whose second branch reads what the first one writes after the fork. Launched four times.
template <class B, class K>
void two_branches(bool joined) {
  Parts<B, K> parts;
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
}

/// Work of another stream beside a launch, before or after it.
template <class B, class K>
RaceReport beside(bool launch_first, bool ordered) {
  return record([&] {
    Parts<Told<B>, K> parts;
    auto graph = parts.graph_of([&] { parts.put_on(parts.stream); });
    const auto replay = [&] { must(graph.launch(parts.stream)); };
    const auto own = [&] { parts.put_on(parts.side); };
    launch_first ? replay() : own();
    wait_unseen<B>();
    auto& first = launch_first ? parts.stream : parts.side;
    auto& second = launch_first ? parts.side : parts.stream;
    if (ordered) must(wait(second, must(first.record())));
    launch_first ? own() : replay();
    parts.end();
  });
}

/// A graph that writes y, and x after an update to a new capture. Another stream works on x beside
/// its launch.
template <class B, class K>
RaceReport updated(bool to_x) {
  return record([&] {
    Parts<Told<B>, K> parts;
    const auto put_into = [&](BufferOf<Told<B>>& where) {
      return [&](basic_capture<Told<B>>&) {
        return launch(parts.stream, one_thread, K::put, where.view());
      };
    };
    auto graph = must(must(capture(parts.stream, put_into(parts.y))).instantiate());
    if (to_x) must(recapture(graph, parts.stream, put_into(parts.x)));
    must(graph.launch(parts.stream));
    wait_unseen<B>();
    parts.put_on(parts.side);
    parts.end();
  });
}

/// Each of the programs: reported with its mistake, and only then.
template <class B, class K>
void expect_each_mistake_and_no_other() {
  const RaceReport branches = record([] { two_branches<Told<B>, K>(false); });
  ASSERT_EQ(branches.findings.size(), 4U) << branches;
  EXPECT_NE(branches.findings.front().text.find("inside a graph"), std::string::npos);
  const RaceReport joined = record([] { two_branches<Told<B>, K>(true); });
  EXPECT_TRUE(joined.clean()) << joined;
  const auto one = [](const RaceReport& race) { EXPECT_EQ(race.findings.size(), 1U) << race; };
  const auto none = [](const RaceReport& twin) { EXPECT_TRUE(twin.clean()) << twin; };
  for (const bool launch_first : {false, true}) {
    one(beside<B, K>(launch_first, false));
    none(beside<B, K>(launch_first, true));
  }
  one(updated<B, K>(true));
  none(updated<B, K>(false));
}

}  // namespace warpsafe::recorded_graphs
