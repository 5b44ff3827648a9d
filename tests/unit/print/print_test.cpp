// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What operator<<, GoogleTest and {fmt} write for each public type. (tests/package/gdb checks that
// no type is missing, and that gdb shows the same text.)

#define FMT_HEADER_ONLY  // nothing of {fmt} is linked
#include <warpsafe/print.hpp>
#include <warpsafe/print/formatters.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

template <class T>
std::string streamed(const T& value) {
  std::ostringstream out;
  out << value;
  return std::move(out).str();
}
void expect_alike(const char* variable, const std::string& by_test, const std::string& by_stream) {
  EXPECT_EQ(by_test, by_stream) << variable;
  EXPECT_NE(by_test, "") << variable;
}
template <class T>
void show(const char* variable, const T& value) {
  static_assert(warpsafe::detail::is_printable<T> || warpsafe::is_result<T>,
                "no formatter takes it");
  expect_alike(variable, testing::PrintToString(value), streamed(value));
}
int stops = 0;
void stop_here() { ++stops; }

}  // namespace

#define SHOW(variable) show(#variable, variable)
#include "every_type.hpp"

namespace warpsafe {
namespace {

using testing::MatchesRegex;
using testing::PrintToString;

TEST(Print, EveryTypeByGoogleTestAsByTheStream) {
  stops = 0;
  const auto all = shown::every_type();
  ASSERT_TRUE(all.has_value()) << all.error();
  EXPECT_EQ(stops, 4);
  host::reset();
}

TEST(Print, EnumeratorsByName) {
  EXPECT_EQ(PrintToString(Errc::size_zero), "size_zero");
  EXPECT_EQ(PrintToString(Errc::barrier_divergence), "barrier_divergence");
  EXPECT_EQ(PrintToString(Errc{}), "0") << "no enumerator has this value";
  EXPECT_EQ(PrintToString(static_cast<Errc>(255)), "255");
  EXPECT_EQ(PrintToString(Subcode::in_module), "in_module");
  EXPECT_EQ(PrintToString(Severity::context_lost), "context_lost");
  EXPECT_EQ(PrintToString(Stage::validation), "validation");
  EXPECT_EQ(PrintToString(Axis::none), "none");
  EXPECT_EQ(PrintToString(CheckLevel::full), "full");
  EXPECT_EQ(PrintToString(Vendor::nvidia), "nvidia");
  EXPECT_EQ(PrintToString(Progress::ready), "ready");
}

TEST(Print, SizesAndConfigurations) {
  EXPECT_EQ(PrintToString(block<32, 8>), "(32,8,1)");
  EXPECT_EQ(PrintToString(BlockDim(block<64>)), "(64,1,1)");
  EXPECT_EQ(PrintToString(extent{rows{3}, cols{40}}), "(40,3,1)");
  EXPECT_EQ(PrintToString(extent{x{2}, y{3}, z{4}}), "(2,3,4)");
  EXPECT_EQ(PrintToString(Bytes(4096)), "4096 bytes");
  EXPECT_EQ(PrintToString(DeviceId(3)), "3");
  const auto grid = SafeGrid<>::cover(1000, block<256>);
  EXPECT_EQ(PrintToString(grid.value()), "grid=(4,1,1) covers (1000,1,1) with blocks of (256,1,1)");
  const LaunchConfig config{grid.value(), shared<float>(8)};
  EXPECT_EQ(PrintToString(config), "grid=(4,1,1), block=(256,1,1), shared=32 bytes");
}

TEST(Print, ErrorsAndResults) {
  const auto failed = BlockDim::create(2048);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(PrintToString(failed.error()), message(failed.error()));
  EXPECT_EQ(PrintToString(failed), message(failed.error()));
  EXPECT_EQ(PrintToString(BlockDim::create(64)), "(64,1,1)");
  EXPECT_EQ(PrintToString(result<void>(success())), "success");
  EXPECT_EQ(PrintToString(result<int>(7)), "7");
  struct Unprintable {};
  EXPECT_EQ(PrintToString(result<Unprintable>(Unprintable{})), "a value");
  EXPECT_THAT(PrintToString(call_site::current()), MatchesRegex("print_test.cpp:[0-9]+"));
  EXPECT_EQ(PrintToString(call_site{}), "nowhere");
}

TEST(Print, WhatLivesOnADevice) {
  auto made = Stream::create();
  ASSERT_TRUE(made.has_value());
  Stream stream = std::move(made).value();
  const std::string of_stream = "stream 0x[0-9a-f]+ of device 0";
  EXPECT_THAT(PrintToString(stream), MatchesRegex(of_stream));
  EXPECT_EQ(PrintToString(stream), PrintToString(stream.ref()));

  const auto event = stream.record();
  ASSERT_TRUE(event.has_value());
  EXPECT_THAT(PrintToString(event.value()), MatchesRegex("event 0x[0-9a-f]+"));

  auto buffer = DeviceBuffer<float>::create(stream, 1000);
  ASSERT_TRUE(buffer.has_value());
  const std::string elements = "1000 elements of 4 bytes at 0x[0-9a-f]+";
  EXPECT_THAT(PrintToString(buffer), MatchesRegex(elements));
  EXPECT_THAT(PrintToString(buffer.value().view()), MatchesRegex(elements));
  EXPECT_EQ(PrintToString(buffer.value().view().span()), PrintToString(buffer));
  EXPECT_THAT(PrintToString(buffer.value().view().pointer()), MatchesRegex("0x[0-9a-f]+"));
  EXPECT_EQ(PrintToString(device_ptr<float>()), "0x0");

  auto pending = buffer.value().to_host(stream);
  EXPECT_EQ(PrintToString(pending), "value whose copy may still run");
  ASSERT_TRUE(std::move(pending).get().has_value());
  EXPECT_EQ(PrintToString(pending), "value that was taken");  // NOLINT(bugprone-use-after-move)

  ASSERT_TRUE(buffer.value().close().has_value());
  EXPECT_EQ(PrintToString(buffer.value()), "closed buffer");
  auto failed = buffer.value().to_host(stream);
  EXPECT_EQ(PrintToString(failed), "value whose copy failed");
  ASSERT_FALSE(std::move(failed).get().has_value());
  EXPECT_EQ(PrintToString(failed), "value whose copy failed");  // NOLINT(bugprone-use-after-move)
  ASSERT_TRUE(stream.close().has_value());
  EXPECT_EQ(PrintToString(stream), "closed stream");
}

TEST(Print, BuffersOfEachKind) {
  auto made = Stream::create();
  ASSERT_TRUE(made.has_value());
  const Stream stream = std::move(made).value();
  auto pitched = PitchedBuffer<float>::create(stream, extent{rows{3}, cols{100}});
  ASSERT_TRUE(pitched.has_value());
  EXPECT_THAT(PrintToString(pitched),
              MatchesRegex("3 rows of 100 elements of 4 bytes, 512 bytes apart, at 0x[0-9a-f]+"));
  const auto part =
      pitched.value().view().window(extent{rows{1}, cols{2}}, extent{rows{2}, cols{5}}).value();
  EXPECT_THAT(PrintToString(part),
              MatchesRegex("2 rows of 5 elements of 4 bytes, 512 bytes apart, at 0x[0-9a-f]+"));
  ASSERT_TRUE(pitched.value().close().has_value());
  EXPECT_EQ(PrintToString(pitched.value()), "closed buffer");
  const auto pinned = PinnedBuffer<int>::create(7);
  ASSERT_TRUE(pinned.has_value());
  EXPECT_THAT(PrintToString(pinned), MatchesRegex("7 elements of 4 bytes at 0x[0-9a-f]+"));
  EXPECT_EQ(PrintToString(MemoryHold()), "hold of nothing");
  EXPECT_EQ(PrintToString(trust(static_cast<int*>(nullptr), -3)), "-3 elements of 4 bytes at 0x0");
}

TEST(Print, CapturesAndGraphs) {
  auto made = Stream::create();
  ASSERT_TRUE(made.has_value());
  const Stream stream = std::move(made).value();
  auto capture = Capture::begin(stream);
  ASSERT_TRUE(capture.has_value());
  EXPECT_EQ(PrintToString(capture), "capture of " + PrintToString(stream));
  auto graph = std::move(capture).value().end();
  ASSERT_TRUE(graph.has_value());
  EXPECT_EQ(PrintToString(capture.value()), "ended capture");  // NOLINT(bugprone-use-after-move)
  EXPECT_THAT(PrintToString(graph), MatchesRegex("graph 0x[0-9a-f]+"));
  EXPECT_THAT(PrintToString(graph.value().instantiate()),
              MatchesRegex("executable graph 0x[0-9a-f]+"));
  ASSERT_TRUE(graph.value().close().has_value());
  EXPECT_EQ(PrintToString(graph.value()), "closed graph");
}

TEST(Print, NeedsAndShapes) {
  EXPECT_EQ(
      PrintToString(
          kernel<shown::scale, index<std::uint64_t>, requires_warp<32>, needs_shared<float, 8>>.needs),
      "warp_size=32, index_max=18446744073709551615, min_dynamic_shared=32");
  EXPECT_EQ(PrintToString(shared<float>(-16)), "shared=-16 elements of 4 bytes");
  EXPECT_EQ(PrintToString(rows{-3}), "rows{-3}");
  EXPECT_EQ(PrintToString(kernel<shown::scale>), "kernel 'shown::scale'");
}

TEST(Print, WhatADeviceAllows) {
  const auto limits = device_limits(DeviceId(0));
  ASSERT_TRUE(limits.has_value());
  EXPECT_THAT(PrintToString(limits.value()),
              MatchesRegex("Device 0 '.*': .*max_threads_per_block=.*"));
}

#if defined(FMT_VERSION)
TEST(Print, FmtWritesTheSame) {
  const auto grid = SafeGrid<>::cover(1000, block<256>);
  EXPECT_EQ(fmt::format("{}", grid.value()), PrintToString(grid.value()));
  EXPECT_EQ(fmt::format("{:>14}", Errc::size_zero), "     size_zero");
  EXPECT_EQ(fmt::format("{}", block<32>), "(32,1,1)");
}
#endif

}  // namespace
}  // namespace warpsafe
