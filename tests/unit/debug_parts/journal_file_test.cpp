// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The journal of a run that is made by hand, compared whole.

#include "hand_made_run.hpp"
#include <warpsafe/debug/run/journal_file.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace warpsafe::core_test {
namespace {

using debug::RunError;
using debug::RunLaunch;
using debug::RunRecord;
using debug::RunWait;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> journal_of(const RunRecord& run) {
  return split(file_of(run, [](const RunRecord& one,
                               std::FILE* file) { return debug::write_journal(one, file); }),
               "\n");
}
std::string launch_text(const std::string& end) {
  return "{\"launch\":5,\"kernel\":\"axpy\",\"grid\":[1,2,3],\"block\":[4,5,6],"
         "\"dynamic_shared\":64,\"static_shared\":128,\"registers\":40,"
         "\"max_threads_per_block\":512,\"stream\":\"0x100\",\"stream_number\":256,\"device\":2,"
         "\"vendor\":\"nvidia\"," +
         end;
}

TEST(JournalFile, HasTheEnvironmentAndTheDevicesFirst) {
  RunRecord run;
  run.environment.started = "2026-01-31T12:00:00Z";
  run.environment.host = "box";
  run.environment.compiler = "cc 1";
  run.environment.level = 2;
  run.environment.backend = Name::of("CUDA");
  run.environment.versions = {1, 2, 3};
  run.environment.variables = {{"CUDA_A", "1"}, {"HIP_B", "\"x\""}};
  run.lost = 9;
  run.incomplete = true;
  run.launches = {launch_made(), launch_made()};
  DeviceLimits limits = numbered_limits();
  limits.vendor = Vendor::amd;
  limits.device = 4;
  limits.warp_size = 64;
  limits.floored = true;
  run.environment.devices = {limits};
  const auto lines = journal_of(run);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0],
            "{\"warpsafe\":\"" + std::to_string(WARPSAFE_VERSION_MAJOR) + '.' +
                std::to_string(WARPSAFE_VERSION_MINOR) + '.' +
                std::to_string(WARPSAFE_VERSION_PATCH) +
                "\",\"format\":1,\"started\":\"2026-01-31T12:00:00Z\",\"host\":\"box\","
                "\"compiler\":\"cc 1\",\"checks\":2,\"backend\":\"CUDA\",\"driver\":1,"
                "\"runtime\":2,\"toolkit\":3,\"launches\":2,\"lost\":9,\"incomplete\":true,"
                "\"variables\":{\"CUDA_A\":\"1\",\"HIP_B\":\"\\\"x\\\"\"}}");
  EXPECT_THAT(lines[1], StartsWith("{\"device\":4,\"name\":\"GPU\",\"vendor\":\"amd\","));
  for (const char* const field :
       {"\"max_block\":[1020,1021,1022]", "\"shared_per_block_optin\":1050", "\"warp_size\":64",
        "\"cooperative_launch\":true", "\"memory_pools\":false", "\"max_threads_per_axis\":0"}) {
    EXPECT_THAT(lines[1], HasSubstr(field));
  }
  EXPECT_THAT(lines[1], EndsWith(",\"floored\":true}"));
}

TEST(JournalFile, ALaunchHasWhatItAsksForAndTheTimesThatAreKnown) {
  RunRecord run;
  run.launches.assign(4, launch_made());
  RunLaunch& timed = run.launches[0];
  timed.thread = 3;
  timed.gpu_begun = 1234;
  timed.gpu_ended = 5678;
  timed.record.site = app;
  RunLaunch& untimed = run.launches[1];
  untimed.begun = 0;
  untimed.record.vendor = Vendor::unknown;
  untimed.record.state = LaunchState::started;
  RunLaunch& all = run.launches[2];
  all.record.state = LaunchState::refused;
  all.record.options = 31;
  all.record.priority = -2;
  for (std::uint8_t axis = 0; axis < 3; ++axis) all.record.cluster[axis] = axis + 7;
  RunLaunch& one = run.launches[3];
  one.record.state = LaunchState::submitted;
  one.record.options = static_cast<std::uint8_t>(LaunchOption::programmatic);
  const auto lines = journal_of(run);
  ASSERT_EQ(lines.size(), 5U);
  const std::string times = "\"thread\":0,\"begin_us\":1.000,\"end_us\":3.500}";
  EXPECT_EQ(lines[1],
            launch_text("\"state\":\"complete\",\"thread\":3,\"begin_us\":1.000,\"end_us\":3.500,"
                        "\"gpu_begin_us\":1.234,\"gpu_end_us\":5.678,"
                        "\"file\":\"/home/me/src/app.cpp\",\"line\":7,\"function\":\"main\"}"));
  std::string unknown = launch_text("\"state\":\"started\"}");
  unknown.replace(unknown.find("nvidia"), 6, "unknown");
  EXPECT_EQ(lines[2], unknown);
  EXPECT_EQ(lines[3], launch_text("\"state\":\"refused\",\"cluster\":[7,8,9],"
                                  "\"non_portable_cluster\":true,\"priority\":-2,"
                                  "\"cooperative\":true,\"programmatic\":true," +
                                  times));
  EXPECT_EQ(lines[4], launch_text("\"state\":\"submitted\",\"programmatic\":true," + times));
}

TEST(JournalFile, WaitsAndErrorsFollow) {
  RunRecord run;
  run.waits = {wait_made()};
  run.waits[0].thread = 2;
  run.waits[0].wait.site = app;
  run.errors = {RunError{Errc::execution_failed, "text", 1500, 5, 2, handle_at(0x100), 4}};
  const auto lines = journal_of(run);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(
      lines[1],
      "{\"wait\":\"stream synchronize\",\"stream\":\"0x100\",\"stream_number\":256,\"device\":2,"
      "\"vendor\":\"nvidia\",\"status\":7,\"thread\":2,\"begin_us\":4.000,\"end_us\":4.500,"
      "\"file\":\"/home/me/src/app.cpp\",\"line\":7,\"function\":\"main\"}");
  EXPECT_EQ(lines[2],
            std::string("{\"error\":\"") + describe(Errc::execution_failed) +
                "\",\"code\":" + std::to_string(static_cast<unsigned>(Errc::execution_failed)) +
                ",\"text\":\"text\",\"after_launch\":5,\"device\":2,\"stream\":\"0x100\","
                "\"thread\":4,\"at_us\":1.500}");
}

TEST(RunText, EachStateAndVendorHasItsName) {
  const auto state = &debug::state_name;
  EXPECT_STREQ(state(LaunchState::started), "started");
  EXPECT_STREQ(state(LaunchState::submitted), "submitted");
  EXPECT_STREQ(state(LaunchState::complete), "complete");
  EXPECT_STREQ(state(LaunchState::refused), "refused");
  EXPECT_STREQ(state(LaunchState{9}), "");
  const auto vendor = &debug::vendor_name;
  EXPECT_STREQ(vendor(Vendor::nvidia), "nvidia");
  EXPECT_STREQ(vendor(Vendor::amd), "amd");
  EXPECT_STREQ(vendor(Vendor::host), "host");
  EXPECT_STREQ(vendor(Vendor::unknown), "unknown");
}
TEST(RunText, ARecordBeginsWithNothingKnown) {
  const RunLaunch launch_begun{};
  EXPECT_EQ(launch_begun.begun + launch_begun.ended + launch_begun.gpu_begun +
                launch_begun.gpu_ended + launch_begun.thread,
            0U);
  EXPECT_EQ(RunWait{}.thread, 0U);
  const RunError error_begun;
  EXPECT_EQ(error_begun.at + error_begun.sequence + error_begun.thread, 0U);
  EXPECT_EQ(error_begun.device, -1);
  const debug::RunEnvironment environment;
  EXPECT_EQ(environment.level, 0);
  EXPECT_EQ(environment.versions.driver, 0);
  EXPECT_EQ(environment.versions.runtime, 0);
  EXPECT_EQ(environment.versions.toolkit, 0);
  EXPECT_EQ(RunRecord{}.lost, 0U);
  EXPECT_FALSE(RunRecord{}.incomplete);
}

}  // namespace
}  // namespace warpsafe::core_test
