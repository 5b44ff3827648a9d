// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Captures, graphs, and group F, data.
#include "misuse.hpp"
#include <warpsafe/args/align.hpp>
#include <warpsafe/graph.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory/buffer.hpp>

#include <optional>
#include <utility>

namespace misuse_test {
namespace {

using ws::block;
using ws::grid;
using ws::kernel;
using ws::launch;

using MisuseE18 = Misuse;
using MisuseF07 = Misuse;
using MisuseF10 = Misuse;
using MisuseG04 = Misuse;

constexpr LaunchConfig one_warp{grid<1>, block<32>};

TEST_F(MisuseE18, StreamThatIsNotJoinedIsNamed) {
  const ws::Stream other = ws::Stream::create().value();
  auto capture = ws::Capture::begin(stream).value();
  expect_fine(launch(stream, one_warp, kernel<nothing>));
  expect_fine(ws::wait(other, stream.record().value()));
  expect_fine(launch(other, one_warp, kernel<nothing>));
  const ws::LaunchError error = error_in(std::move(capture).end());
  EXPECT_EQ(error.code, Errc::capture_unjoined);
  EXPECT_EQ(error.stream, other.native());
  const std::string all = message(error);
  EXPECT_THAT(all, testing::StartsWith("capture end failed: stream "));
  EXPECT_THAT(all, testing::HasSubstr("call wait(stream, other.record()) before the end"));
  EXPECT_THAT(all, testing::HasSubstr("904"));
  note("call", "capture end failed: stream …" + all.substr(all.find(" joined the capture")));
}

TEST_F(MisuseG04, WaitInACaptureIsRefused) {
  auto capture = ws::Capture::begin(stream).value();
  expect_fine(launch(stream, one_warp, kernel<nothing>));
  const ws::LaunchError error = error_in(stream.synchronize());
  EXPECT_EQ(error.code, Errc::stream_capturing);
  EXPECT_EQ(error.stage, Stage::validation);
  EXPECT_TRUE(std::move(capture).end().has_value()) << "nothing broke it";
  note("call", message(error));
}

TEST_F(MisuseF07, MisalignedStartIsSaid) {
  const auto buffer = ws::DeviceBuffer<float>::create(stream, 16).value();
  EXPECT_TRUE(ws::align<16>(buffer.view()).has_value());
  const ws::LaunchError error = error_in(ws::align<16>(buffer.view().subspan(1, 12).value()));
  EXPECT_EQ(error.code, Errc::argument_misaligned);
  EXPECT_EQ(error.stage, Stage::construction);
  EXPECT_EQ(error.value, 4U);
  EXPECT_EQ(error.limit, 16U);
  EXPECT_THAT(message(error), testing::HasSubstr("16"));
  note("construction", message(error));
}

TEST_F(MisuseF10, GraphDoesNotUseMemoryThatIsFreed) {
  std::optional<ws::ExecutableGraph> exec;
  const auto marks = [&](auto& buffer) {
    return [&](ws::Capture&) {
      return launch(stream, one_warp, kernel<mark>, buffer.view(), std::uint64_t{0});
    };
  };
  {
    auto buffer = ws::DeviceBuffer<unsigned>::create(stream, 16).value();
    exec = ws::capture(stream, marks(buffer)).value().instantiate().value();
    expect_fine(exec->launch(stream));
  }
  const auto replayed = exec->launch(stream);
  if (checked) {
    const ws::LaunchError error = error_in(replayed);
    EXPECT_EQ(error.code, Errc::graph_memory_freed);
    const std::string all = message(error);
    EXPECT_THAT(all, testing::StartsWith("graph launch not called: memory at "));
    note("call", "graph launch not called: memory at …" + all.substr(all.find(", which a capt")));
  } else {
    expect_let_through(replayed);
  }
}

TEST_F(MisuseF10, GraphKeepsWhatItIsGiven) {
  std::optional<ws::ExecutableGraph> exec;
  {
    auto buffer = ws::DeviceBuffer<unsigned>::create(stream, 16).value();
    auto capture = ws::Capture::begin(stream).value();
    expect_fine(launch(stream, one_warp, kernel<mark>, buffer.view(), std::uint64_t{0}));
    EXPECT_TRUE(capture.keep(std::move(buffer)).has_value());
    exec = std::move(capture).end().value().instantiate().value();
  }
  expect_fine(exec->launch(stream));
  expect_fine(stream.synchronize());
}

}  // namespace
}  // namespace misuse_test
