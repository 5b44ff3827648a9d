// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The files of a run that is made by hand, compared whole.

#include "core_test.hpp"
#include <warpsafe/debug/run/journal_file.hpp>
#include <warpsafe/debug/run/timeline_export.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace warpsafe::core_test {
namespace {

using debug::LaunchOption;
using debug::LaunchState;
using debug::RunError;
using debug::RunLaunch;
using debug::RunRecord;
using debug::RunWait;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

/// What `write(run, file)` writes, without the final newline.
template <class Write>
std::string file_of(const RunRecord& run, const Write& write) {
  char* written = nullptr;
  std::size_t size = 0;
  std::FILE* const file = ::open_memstream(&written, &size);
  EXPECT_EQ(write(run, file), 0);
  EXPECT_EQ(std::fclose(file), 0);
  std::string whole(written, size);
  std::free(written);
  EXPECT_EQ(whole.back(), '\n');
  whole.pop_back();
  return whole;
}
std::vector<std::string> split(const std::string& whole, const std::string& at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = whole.find(at); end != std::string::npos; end = whole.find(at, begin)) {
    parts.push_back(whole.substr(begin, end - begin));
    begin = end + at.size();
  }
  parts.push_back(whole.substr(begin));
  return parts;
}
std::vector<std::string> journal_of(const RunRecord& run) {
  return split(file_of(run, [](const RunRecord& one,
                               std::FILE* file) { return debug::write_journal(one, file); }),
               "\n");
}
/// The events of a trace, without what every trace has.
std::vector<std::string> events_of(const RunRecord& run) {
  const std::string whole = file_of(
      run, [](const RunRecord& one, std::FILE* file) { return debug::write_trace(one, file); });
  const std::string start =
      "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
      "{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"host\"}}";
  EXPECT_EQ(whole.substr(0, start.size()), start);
  EXPECT_EQ(whole.substr(whole.size() - 3), "\n]}");
  std::vector<std::string> events =
      split(whole.substr(start.size(), whole.size() - start.size() - 3), ",\n");
  EXPECT_EQ(events.front(), "");
  events.erase(events.begin());
  return events;
}

const void* handle_at(std::uintptr_t number) { return reinterpret_cast<const void*>(number); }

/// A launch at 1000 ns, of 2500 ns.
RunLaunch launch_made(std::uint64_t number = 5) {
  RunLaunch one{};
  one.record.sequence = number;
  one.record.kernel = Name::of("axpy");
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    one.record.grid[axis] = axis + 1;
    one.record.block[axis] = axis + 4;
  }
  one.record.dynamic_shared = 64;
  one.record.static_shared = 128;
  one.record.registers = 40;
  one.record.max_threads_per_block = 512;
  one.record.stream = handle_at(0x100);
  one.record.device = 2;
  one.record.vendor = Vendor::nvidia;
  one.record.state = LaunchState::complete;
  one.begun = 1000;
  one.ended = 3500;
  return one;
}
RunWait wait_made() {
  RunWait one{};
  one.wait.what = Name::of("stream synchronize");
  one.wait.stream = handle_at(0x100);
  one.wait.device = 2;
  one.wait.vendor = Vendor::nvidia;
  one.wait.status = 7;
  one.wait.begun = 4000;
  one.wait.ended = 4500;
  return one;
}
std::string launch_text(const std::string& end) {
  return "{\"launch\":5,\"kernel\":\"axpy\",\"grid\":[1,2,3],\"block\":[4,5,6],"
         "\"dynamic_shared\":64,\"static_shared\":128,\"registers\":40,"
         "\"max_threads_per_block\":512,\"stream\":\"0x100\",\"device\":2,\"vendor\":\"nvidia\"," +
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
  DeviceLimits limits{};
  limits.vendor = Vendor::amd;
  limits.device = 4;
  limits.name = Name::of("GPU");
  limits.compute_major = 9;
  limits.compute_minor = 1;
  limits.max_threads_per_block = 1010;
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    limits.max_block[axis] = 1020 + axis;
    limits.max_grid[axis] = 1030 + axis;
  }
  limits.shared_per_block = 1040;
  limits.shared_per_block_optin = 1050;
  limits.warp_size = 64;
  limits.registers_per_block = 65536;
  limits.multiprocessors = 132;
  limits.max_cluster_blocks = 8;
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
  EXPECT_EQ(lines[1],
            "{\"device\":4,\"name\":\"GPU\",\"vendor\":\"amd\",\"compute_major\":9,"
            "\"compute_minor\":1,\"max_threads_per_block\":1010,\"max_block\":[1020,1021,1022],"
            "\"max_grid\":[1030,1031,1032],\"shared_per_block\":1040,"
            "\"shared_per_block_optin\":1050,\"warp_size\":64,\"registers_per_block\":65536,"
            "\"multiprocessors\":132,\"max_cluster_blocks\":8,\"floored\":true}");
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
  EXPECT_EQ(lines[1],
            "{\"wait\":\"stream synchronize\",\"stream\":\"0x100\",\"device\":2,"
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

std::string meta(const std::string& what, int process, int row, const std::string& name) {
  return "{\"ph\":\"M\",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(row) +
         ",\"name\":\"" + what + "\",\"args\":{\"name\":\"" + name + "\"}}";
}
std::string process_made(int process, const std::string& name) {
  return meta("process_name", process, 0, name);
}
std::string stream_made(int process, int number, const std::string& address) {
  return meta("thread_name", process, 1000000 + number,
              "stream " + std::to_string(number) + " (" + address + ")");
}
std::string thread_made(int number) {
  return meta("thread_name", 1, 1 + number, "thread " + std::to_string(number));
}
std::string head(const std::string& phase, int process, int row, const std::string& name) {
  return "{\"ph\":\"" + phase + "\",\"pid\":" + std::to_string(process) +
         ",\"tid\":" + std::to_string(row) + ",\"name\":\"" + name + "\",";
}
std::string arguments_made(const std::string& end) {
  return "\"args\":{\"number\":5,\"grid\":[1,2,3],\"block\":[4,5,6],\"dynamic_shared\":64,"
         "\"registers\":40," +
         end + "}}";
}

TEST(Timeline, ALaunchIsASliceOfItsThreadAndOfItsStream) {
  RunRecord run;
  run.launches = {launch_made()};
  const std::string rest = arguments_made(
      "\"state\":\"complete\",\"time\":\"of the launch on the host: no events were on\"");
  EXPECT_THAT(
      events_of(run),
      ElementsAre(
          process_made(2, "nvidia device 2"), stream_made(2, 0, "0x100"), thread_made(0),
          head("X", 1, 1, "axpy") + "\"ts\":1.000,\"dur\":2.500,\"cat\":\"launch\"," + rest,
          head("X", 2, 1000000, "axpy") + "\"ts\":1.000,\"dur\":2.500,\"cat\":\"kernel\"," + rest));
  run.launches[0].record.state = LaunchState::refused;
  EXPECT_EQ(events_of(run).size(), 4U) << "it never ran";
  run.launches[0].begun = 0;
  EXPECT_EQ(events_of(run).size(), 0U) << "only the journal knows it";
}

TEST(Timeline, AnArrowLeadsFromALaunchToItsKernelOnTheGpu) {
  RunRecord run;
  run.launches = {launch_made()};
  RunLaunch& one = run.launches[0];
  one.record.site = app;
  one.gpu_begun = 3000;
  one.gpu_ended = 9000;
  const std::string rest = arguments_made(
      "\"state\":\"complete\",\"time\":\"of the GPU\",\"at\":\"/home/me/src/app.cpp:7\"");
  const auto expected = [&](const std::string& begun, const std::string& lasted) {
    return std::vector<std::string>{
        process_made(2, "nvidia device 2"),
        stream_made(2, 0, "0x100"),
        thread_made(0),
        head("X", 1, 1, "axpy") + "\"ts\":1.000,\"dur\":2.500,\"cat\":\"launch\"," + rest,
        head("X", 2, 1000000, "axpy") + "\"ts\":" + begun + ",\"dur\":" + lasted +
            ",\"cat\":\"kernel\"," + rest,
        head("s", 1, 1, "launch") + "\"cat\":\"flow\",\"id\":5,\"ts\":1.000}",
        head("f", 2, 1000000, "launch") + "\"cat\":\"flow\",\"id\":5,\"bp\":\"e\",\"ts\":" + begun +
            "}"};
  };
  EXPECT_THAT(events_of(run), ElementsAreArray(expected("3.000", "6.000")));
  // On an idle stream, the event before the kernel happens before the launch.
  one.gpu_begun = 500;
  EXPECT_THAT(events_of(run), ElementsAreArray(expected("1.000", "8.000")));
  one.gpu_ended = 600;
  EXPECT_THAT(events_of(run), ElementsAreArray(expected("1.000", "0.000")));
}

/// "name:process:row" of each slice of a kernel.
std::vector<std::string> kernel_rows(const RunRecord& run) {
  std::vector<std::string> rows;
  for (const std::string& event : events_of(run)) {
    if (event.find("\"cat\":\"kernel\"") == std::string::npos) continue;
    rows.push_back(event.substr(10, event.find(",\"name\"") - 10));
  }
  return rows;
}
TEST(Timeline, EachDeviceIsAProcessAndEachStreamARow) {
  RunRecord run;
  run.launches.assign(7, launch_made());
  run.launches[1].record.stream = handle_at(0x200);
  run.launches[2].record.device = 3;
  run.launches[3].record.vendor = Vendor::amd;
  run.launches[5].record.stream = handle_at(0x200);
  run.launches[6].record.device = 3;
  EXPECT_THAT(kernel_rows(run),
              ElementsAre("\"pid\":2,\"tid\":1000000", "\"pid\":2,\"tid\":1000001",
                          "\"pid\":3,\"tid\":1000002", "\"pid\":4,\"tid\":1000003",
                          "\"pid\":2,\"tid\":1000000", "\"pid\":2,\"tid\":1000001",
                          "\"pid\":3,\"tid\":1000002"));
  DeviceLimits limits{};
  limits.vendor = Vendor::nvidia;
  limits.device = 3;
  limits.name = Name::of("H100");
  run.environment.devices = {limits};
  limits.vendor = Vendor::amd;
  limits.device = 2;
  limits.name = Name::of("MI300");
  run.environment.devices.push_back(limits);
  std::vector<std::string> names;
  for (const std::string& event : events_of(run)) {
    if (event.substr(0, 9) == "{\"ph\":\"M\"") names.push_back(event);
  }
  EXPECT_THAT(names,
              ElementsAre(process_made(2, "nvidia device 2"), stream_made(2, 0, "0x100"),
                          thread_made(0), stream_made(2, 1, "0x200"),
                          process_made(3, "nvidia device 3 'H100'"), stream_made(3, 2, "0x100"),
                          process_made(4, "amd device 2 'MI300'"), stream_made(4, 3, "0x100")));
}

TEST(Timeline, ThreadsAreRowsOfTheHostInTheOrderOfTheirNumbers) {
  RunRecord run;
  RunError error;
  error.code = Errc::execution_failed;
  error.text = "text";
  error.at = 1500;
  error.sequence = 5;
  error.thread = 2;
  run.errors = {error, error};
  run.errors[1].thread = 0;
  const std::string rest =
      "\"ts\":1.500,\"s\":\"t\",\"cat\":\"error\",\"args\":{\"text\":\"text\",\"after_launch\":5}}";
  const std::string what = describe(Errc::execution_failed);
  EXPECT_THAT(events_of(run),
              ElementsAre(thread_made(0), thread_made(1), thread_made(2),
                          head("i", 1, 3, what) + rest, head("i", 1, 1, what) + rest));
}

TEST(Timeline, AWaitIsASliceOfItsThreadAndItsEndAnInstantOfTheStream) {
  RunRecord run;
  run.waits = {wait_made()};
  run.waits[0].wait.site = app;
  const std::string rest =
      "\"args\":{\"stream\":\"0x100\",\"status\":7,\"at\":\"/home/me/src/app.cpp:7\"}}";
  const std::string slice =
      head("X", 1, 1, "stream synchronize") + "\"ts\":4.000,\"dur\":0.500,\"cat\":\"wait\",";
  EXPECT_THAT(
      events_of(run),
      ElementsAre(thread_made(0), slice + rest, process_made(2, "nvidia device 2"),
                  stream_made(2, 0, "0x100"),
                  head("i", 2, 1000000, "waited for") + "\"ts\":4.500,\"s\":\"t\"," + rest));
  run.waits[0].wait.stream = nullptr;
  run.waits[0].wait.site = {};
  EXPECT_THAT(events_of(run),
              ElementsAre(thread_made(0), slice + "\"args\":{\"stream\":\"0x0\",\"status\":7}}"))
      << "it is not known which";
}

}  // namespace
}  // namespace warpsafe::core_test
