// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Captures and graphs of a backend that the library does not know.

#include "fixture.hpp"
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/graph/executable_graph.hpp>
#include <warpsafe/graph/graph.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace serial_test::graph_test {
namespace {

using Capture = ws::basic_capture<serial::backend>;
using ws::CaptureMode;
using ws::Errc;
using ws::kernel;

WARPSAFE_KERNEL void add(float value, float* x) { *x += value; }

constexpr ws::LaunchConfig once{ws::grid<1>, ws::block<1>};

struct FourthGraph : SerialTest {
  DeviceBuffer<float> x = DeviceBuffer<float>::from(stream, std::vector<float>{1}).value();
  [[nodiscard]] float value() { return x.to_host(stream).get().value().front(); }

  /// A graph that adds twice, the second time on another stream.
  [[nodiscard]] auto captured(float amount) {
    return ws::capture(stream, [&](Capture& capture) -> ws::result<void> {
      auto done = launch(capture.stream(), once, kernel<add>, amount, x.view());
      if (done.has_value()) done = wait(other, stream.record().value());
      if (done.has_value()) done = launch(other, once, kernel<add>, amount, x.view());
      if (done.has_value()) done = wait(stream, other.record().value());
      return done;
    });
  }
};

TEST_F(FourthGraph, RunsWhatWasCapturedAsOftenAsItIsLaunched) {
  const auto graph = captured(2.0F).value();
  EXPECT_EQ(graph.node_count().value(), 2U);
  EXPECT_EQ(value(), 1.0F) << "nothing ran while it was captured";
  auto exec = graph.instantiate().value();
  ASSERT_TRUE(exec.launch(stream).has_value());
  ASSERT_TRUE(exec.launch(stream).has_value());
  EXPECT_EQ(value(), 9.0F);
  ASSERT_TRUE(exec.update(captured(5.0F).value()).has_value());
  ASSERT_TRUE(exec.launch(stream).has_value());
  EXPECT_EQ(value(), 19.0F);
  EXPECT_TRUE(exec.close().has_value());
}

TEST_F(FourthGraph, AnUpdateToAnotherGraphIsRefused) {
  auto exec = captured(2.0F).value().instantiate().value();
  const auto one = ws::capture(stream, [&](Capture&) -> ws::result<void> {
                     return launch(stream, once, kernel<add>, 1.0F, x.view());
                   }).value();
  const auto refused = exec.update(one);
  EXPECT_EQ(error_code(refused), Errc::graph_update_refused);
  EXPECT_EQ(refused.error().value, static_cast<std::uint64_t>(ws::GraphChange::topology));
}

TEST_F(FourthGraph, AWaitIsRefusedAndTheCaptureGoesOn) {
  auto capture = Capture::begin(stream).value();
  EXPECT_EQ(error_code(stream.synchronize()), Errc::stream_capturing);
  EXPECT_EQ(error_code(Capture::begin(stream)), Errc::stream_capturing);
  const auto inside = stream.record().value();
  EXPECT_EQ(error_code(inside.synchronize()), Errc::captured_event);
  EXPECT_TRUE(std::move(capture).end().has_value());
}

TEST_F(FourthGraph, TheCallThatBrokeACaptureIsNamed) {
  auto capture = Capture::begin(stream).value();
  EXPECT_NE(serial::backend::stream_synchronize(stream.native()), 0);
  const auto refused = launch(stream, once, kernel<add>, 1.0F, x.view());
  EXPECT_EQ(error_code(refused), Errc::capture_broken);
  EXPECT_EQ(error_code(std::move(capture).end()), Errc::capture_broken);
}

TEST_F(FourthGraph, AStreamThatNothingWaitsForIsNamed) {
  auto capture = Capture::begin(stream).value();
  ASSERT_TRUE(wait(other, stream.record().value()).has_value());
  ASSERT_TRUE(launch(other, once, kernel<add>, 1.0F, x.view()).has_value());
  const auto ended = std::move(capture).end();
  EXPECT_EQ(error_code(ended), Errc::capture_unjoined);
  EXPECT_EQ(ended.error().stream, other.native());
}

TEST_F(FourthGraph, MemoryThatIsGoneIsFound) {
  if (!checked) GTEST_SKIP();
  std::optional<DeviceBuffer<float>> gone = DeviceBuffer<float>::create(stream, 1).value();
  const auto graph = ws::capture(stream, [&](Capture&) -> ws::result<void> {
                       return launch(stream, once, kernel<add>, 1.0F, gone->view());
                     }).value();
  auto exec = graph.instantiate().value();
  gone.reset();
  EXPECT_EQ(error_code(exec.launch(stream)), Errc::graph_memory_freed);
}

}  // namespace
}  // namespace serial_test::graph_test
