// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The timeline of a run that is made by hand, compared whole.

#include "hand_made_run.hpp"
#include <warpsafe/debug/run/timeline_export.hpp>

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
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

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
  run.launches[1].record.stream_number = 0x200;
  run.launches[2].record.device = 3;
  run.launches[3].record.vendor = Vendor::amd;
  run.launches[5].record.stream = handle_at(0x200);
  run.launches[5].record.stream_number = 0x200;
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
