// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A run of a backend that the library does not know, recorded and checked for races.

#include "fixture.hpp"
#include <warpsafe/race/recorded.hpp>

#include <gmock/gmock.h>

#include <vector>

namespace serial_test::race_test {
namespace {

using debug_backend = ws::debug::Recorded<serial::backend>;
using Recorded = ws::basic_stream<debug_backend>;
using Buffer = ws::basic_device_buffer<debug_backend, float>;
using testing::HasSubstr;
using ws::kernel;

WARPSAFE_KERNEL void put(float* x) { *x = 1.0F; }
WARPSAFE_KERNEL void add(const float* x, float* y) { *y += *x; }

constexpr ws::LaunchConfig once{ws::grid<1>, ws::block<1>};

/// `second` reads what `first` writes, and may wait for it.
ws::debug::RaceReport record(bool wait_first) {
  const auto first = Recorded::create().value();
  const auto second = Recorded::create().value();
  ws::debug::RaceRecorder::get().begin();
  {
    auto x = Buffer::create(first, 1).value();
    auto y = Buffer::create(second, 1).value();
    EXPECT_TRUE(y.zero(second).has_value());
    EXPECT_TRUE(wait(second, first.record().value()).has_value());
    EXPECT_TRUE(launch(first, once, kernel<put>, x.view()).has_value());
    if (wait_first) {
      EXPECT_TRUE(wait(second, first.record().value()).has_value());
    }
    EXPECT_TRUE(ws::launch(second.ref(), once, kernel<add>, x.view(), y.view()).has_value());
    EXPECT_TRUE(second.synchronize().has_value());
    EXPECT_TRUE(first.synchronize().has_value());
  }
  return ws::debug::RaceRecorder::get().end();
}

TEST(FourthRace, IsFound) {
  const ws::debug::RaceReport report = record(false);
  ASSERT_EQ(report.findings.size(), 1U) << report.text();
  const auto& found = report.findings.front();
  EXPECT_EQ(found.mistake, ws::debug::Mistake::race);
  EXPECT_THAT(found.text, HasSubstr("put' on stream 1, at race_test.cpp:"));
  EXPECT_THAT(found.text, HasSubstr("add' on stream 2, at race_test.cpp:"));
}

TEST(FourthRace, IsNotThereWithTheWait) {
  const ws::debug::RaceReport report = record(true);
  EXPECT_TRUE(report.clean()) << report.text();
}

TEST(FourthRace, ALaunchThatIsRefusedKeepsItsLine) {
  const auto stream = Recorded::create().value();
  auto x = Buffer::create(stream, 1).value();
  const ws::LaunchConfig large{ws::grid<1>, ws::block<1024>};
  const auto refused = launch(stream, large, kernel<put>, x.view());
  EXPECT_THAT(error_text(refused), HasSubstr("race_test.cpp:" + std::to_string(__LINE__ - 1)));
}

}  // namespace
}  // namespace serial_test::race_test
