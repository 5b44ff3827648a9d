// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The line of an operation, of a wait and of a launch in the log, and that of a device's limits:
// each from values made by hand, compared whole.

#include "core_test.hpp"
#include "hand_made_run.hpp"
#include "log_fixture.hpp"
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/debug/detail/operation_trace.hpp>
#include <warpsafe/debug/journal/launch_text.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpsafe::core_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

struct OperationTrace : ::testing::Test, LogSinkTest {
  OperationTrace() { debug::set_log_level(debug::LogLevel::trace); }
  [[nodiscard]] std::vector<std::string> lines() {
    std::vector<std::string> found;
    for (const auto& message : messages) found.push_back(message.text);
    messages.clear();
    return found;
  }
  const void* const handle = reinterpret_cast<const void*>(std::uintptr_t{0x70});
};

TEST_F(OperationTrace, ALineHasWhatTheRecordKnows) {
  const Name what = Name::of("copy to host");
  debug::detail::trace_operation({what, app, handle, 5, &what, 400});
  debug::detail::trace_operation({what, app, nullptr, 5, nullptr, 0});
  debug::detail::trace_operation({what, call_site{}, nullptr, 0, nullptr, 0});
  EXPECT_THAT(lines(),
              ElementsAre(MatchesRegex("  copy to host, stream 0x70, 400 bytes at 0x[0-9a-f]+, at "
                                       "app\\.cpp:7"),
                          "  copy to host, stream 0x0, at app.cpp:7", "  copy to host"));
}
TEST_F(OperationTrace, AWaitHasItsStatusAndMicroseconds) {
  const Name what = Name::of("event synchronize");
  debug::detail::trace_wait({what, handle, 3, Vendor::amd, 700, 1'000, 13'350, app, 5});
  debug::detail::trace_wait({what, nullptr, -1, Vendor::amd, 0, 0, 3'600'000'000'000, {}, 0});
  EXPECT_THAT(lines(),
              ElementsAre("  event synchronize, stream 0x70, status 700, 12.3 us, at app.cpp:7",
                          "  event synchronize, 3600000000.0 us"));
}
TEST_F(OperationTrace, ALowerLevelWritesNothing) {
  debug::set_log_level(debug::LogLevel::debug);
  debug::detail::trace_operation({Name::of("capture end"), app});
  debug::detail::trace_wait({Name::of("event synchronize"), handle, 3, Vendor::amd, 0, 0, 1, app});
  EXPECT_THAT(lines(), IsEmpty());
}
TEST_F(OperationTrace, TheLevelThatIsSetTwiceWritesALineOnce) {
  debug::set_log_level(debug::LogLevel::trace);
  detail::tell_called(detail::observers(), {Name::of("capture end"), app});
  EXPECT_THAT(lines(), SizeIs(1));
}

TEST(LimitsText, NamesEachLimitThatIsKnown) {
  const auto shown = [](const DeviceLimits& limits) {
    char room[1024];
    const std::size_t size = debug::format_limits(limits, room, sizeof room);
    EXPECT_EQ(size, std::string(room).size());
    return std::string(room);
  };
  DeviceLimits limits = numbered_limits();
  const std::string start =
      "Device 3 'GPU': max_threads_per_block=1010, max_block=(1020,1021,1022), "
      "max_grid=(1030,1031,1032), shared_per_block=1040, shared_per_block_optin=1050, "
      "warp_size=32, registers_per_block=65536, multiprocessors=132, "
      "max_threads_per_multiprocessor=2048, max_cluster_blocks=8, compute_major=9, "
      "compute_minor=1";
  EXPECT_EQ(shown(limits), start + ", cooperative_launch");
  limits.cooperative_launch = false;
  limits.floored = true;
  EXPECT_EQ(shown(limits),
            start + " (limits that the device does not report have their documented minimum)");
  EXPECT_EQ(shown({}), "Device -1 '': nothing");
}
TEST(LimitsText, IsCutWhereTheCallersRoomEnds) {
  char whole[1024];
  const std::size_t size = debug::format_limits(numbered_limits(), whole, sizeof whole);
  for (const std::size_t room : {std::size_t{1}, std::size_t{10}, size, size + 1, size + 2}) {
    std::vector<char> buffer(room + 1, '#');
    const std::size_t written_bytes = debug::format_limits(numbered_limits(), buffer.data(), room);
    EXPECT_EQ(written_bytes, room <= size ? room - 1 : size) << room;
    EXPECT_EQ(std::string(buffer.data()), std::string(whole, written_bytes));
    EXPECT_EQ(buffer[room], '#');
  }
}

TEST(LaunchLine, HasTheStreamAndThePlaceWhereTheyAreKnown) {
  LaunchRecord record{};
  record.sequence = 12;
  record.kernel = Name::of("axpy");
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    record.grid[axis] = axis + 1;
    record.block[axis] = axis + 4;
  }
  record.dynamic_shared = 9;
  record.stream = reinterpret_cast<const void*>(std::uintptr_t{0x70});
  const auto shown = [&](bool with_stream) {
    char room[256];
    detail::TextBuffer out(room, sizeof room);
    debug::put_listed(out, record, with_stream);
    return std::string(room);
  };
  const std::string start = "\n    #12 'axpy', grid=(1,2,3), block=(4,5,6), shared=9 bytes";
  EXPECT_EQ(shown(false), start);
  EXPECT_EQ(shown(true), start + ", stream 0x70");
  record.site = app;
  EXPECT_EQ(shown(true), start + ", stream 0x70, at app.cpp:7");
}

}  // namespace
}  // namespace warpsafe::core_test
