// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What is recorded of a run on the modelled GPU, and the files written from it.

#include "launch_fixture.hpp"
#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/debug/data/npy.hpp>
#include <warpsafe/debug/run/journal_file.hpp>
#include <warpsafe/debug/run/run_recorder.hpp>
#include <warpsafe/debug/run/timeline_export.hpp>
#include <warpsafe/graph/capture.hpp>

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

WARPSAFE_KERNEL void loads() {}
WARPSAFE_KERNEL void stores() {}

namespace warpsafe::core_test {
namespace {

using debug::RunRecord;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr LaunchConfig two_blocks{grid<2>, block<1>};

struct Recorder : LaunchTest {
  template <class K>
  void go(const Stream& on, K which) {
    const auto launched = launch(on, two_blocks, which);
    ASSERT_TRUE(launched.has_value()) << message(launched.error());
  }
  [[nodiscard]] RunRecord ended() {
    recorder.stop();
    return recorder.run();
  }
  Stream other = Stream::create().value();
  debug::RunRecorder recorder;
};

/// What `write(run, file)` writes, as lines.
template <class Write>
std::vector<std::string> lines_of(const RunRecord& run, const Write& write) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const file = ::open_memstream(&text, &size);
  EXPECT_EQ(write(run, file), 0);
  EXPECT_EQ(std::fclose(file), 0);
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (text[i] == '\n') lines.emplace_back();
    if (text[i] != '\n') lines.back() += text[i];
  }
  std::free(text);
  EXPECT_EQ(lines.back(), "");
  lines.pop_back();
  return lines;
}
std::vector<std::string> journal(const RunRecord& run) {
  return lines_of(
      run, [](const RunRecord& one, std::FILE* file) { return debug::write_journal(one, file); });
}
std::vector<std::string> trace(const RunRecord& run) {
  return lines_of(
      run, [](const RunRecord& one, std::FILE* file) { return debug::write_trace(one, file); });
}

TEST_F(Recorder, TakesDownWhatHappensBetweenStartAndStop) {
  go(stream, kernel<loads>);
  recorder.start();
  go(stream, kernel<loads>);
  const unsigned line = __LINE__ - 1;
  static_cast<void>(line);
  go(other, kernel<stores>);
  ASSERT_TRUE(stream.synchronize().has_value());
  const unsigned wait_line = __LINE__ - 1;
  recorder.stop();
  go(stream, kernel<loads>);
  const RunRecord run = recorder.run();
  ASSERT_THAT(run.launches, SizeIs(2));
  EXPECT_EQ(text(run.launches[0].record.kernel), "loads");
  EXPECT_EQ(run.launches[0].record.stream, stream.native());
  EXPECT_EQ(run.launches[0].record.state, LaunchState::complete);
  EXPECT_EQ(text(run.launches[1].record.kernel), "stores");
  EXPECT_EQ(run.launches[1].record.state, LaunchState::submitted) << "nobody waited for it";
  EXPECT_EQ(run.launches[1].record.sequence, run.launches[0].record.sequence + 1);
  EXPECT_EQ(run.lost, run.launches[0].record.sequence - 1);
  EXPECT_GE(run.launches[0].begun, 1U);
  EXPECT_GE(run.launches[0].ended, run.launches[0].begun);
  EXPECT_GE(run.launches[1].begun, run.launches[0].ended);
  EXPECT_EQ(run.launches[0].gpu_begun, 0U) << "no events were asked for";
  ASSERT_THAT(run.waits, SizeIs(1));
  EXPECT_EQ(text(run.waits[0].wait.what), "stream synchronize");
  EXPECT_EQ(run.waits[0].wait.stream, stream.native());
  EXPECT_EQ(run.waits[0].wait.status, 0);
  EXPECT_EQ(run.waits[0].wait.site.line, wait_line);
  EXPECT_THAT(run.errors, IsEmpty());
  EXPECT_FALSE(run.incomplete);
}

TEST_F(Recorder, ErrorsAreThoseOfChecksLaunchesAndWaits) {
  recorder.start();
  const LaunchConfig too_much{grid<1>, block<1>, shared<char>(1 << 30)};
  ASSERT_FALSE(launch(stream, too_much, kernel<loads>).has_value());
  host::fail_next(call_of<&host_backend::launch>, 1, HostStatus::invalid_value);
  ASSERT_FALSE(launch(stream, two_blocks, kernel<stores>).has_value());
  host::fault_in_kernel(1, HostStatus::illegal_address);
  go(stream, kernel<loads>);
  ASSERT_FALSE(stream.synchronize().has_value());
  const RunRecord run = ended();
  ASSERT_THAT(run.errors, SizeIs(3));
  EXPECT_EQ(run.errors[0].code, Errc::shared_too_large);
  EXPECT_THAT(run.errors[0].text, StartsWith("Kernel 'loads' not launched: shared memory"));
  EXPECT_EQ(run.errors[1].code, Errc::launch_refused);
  EXPECT_THAT(run.errors[1].text, StartsWith("Kernel 'stores' launch failed"));
  EXPECT_EQ(run.errors[1].sequence, run.launches[0].record.sequence);
  EXPECT_EQ(run.errors[2].code, Errc::execution_failed);
  EXPECT_EQ(run.errors[2].device, 0);
  ASSERT_THAT(run.launches, SizeIs(2));
  EXPECT_EQ(run.launches[0].record.state, LaunchState::refused);
  EXPECT_EQ(run.waits[0].wait.status, raw(HostStatus::illegal_address));
}

TEST_F(Recorder, AnObserverThatExplainsAnErrorMayCallTheLibrary) {
  static thread_local bool explains = false;
  Observer observer;
  observer.explain = [](void*, TextBuffer& out, const LaunchError&) noexcept {
    if (std::exchange(explains, true)) return;
    EXPECT_TRUE(Stream::create().has_error()) << "which is told to the recorder, too";
    out << "\n  a note";
    explains = false;
  };
  observe(observer);
  recorder.start();
  host::fault_in_kernel(1, HostStatus::illegal_address);
  go(stream, kernel<loads>);
  EXPECT_TRUE(stream.synchronize().has_error());
  stop_observing(observer);
  const RunRecord run = ended();
  ASSERT_THAT(run.errors, SizeIs(2));
  EXPECT_THAT(run.errors[1].text, HasSubstr("a note"));
}

TEST_F(Recorder, EventsTellWhenTheGpuCameToALaunchAndLeftIt) {
  recorder.start({.gpu_times = true});
  for (int i = 0; i < 3; ++i) go(stream, kernel<loads>);
  wait();
  const RunRecord run = ended();
  ASSERT_THAT(run.launches, SizeIs(3));
  for (const debug::RunLaunch& one : run.launches) {
    EXPECT_GE(one.gpu_begun, 1U);
    EXPECT_GE(one.gpu_ended, one.gpu_begun);
  }
  EXPECT_GE(run.launches[2].gpu_begun, run.launches[0].gpu_ended);
}

TEST_F(Recorder, WhileAGraphIsCapturedThereAreNoEvents) {
  recorder.start({.gpu_times = true});
  const auto recorded = host::calls_made(call_of<&host_backend::event_record>);
  auto capture = Capture::begin(stream).value();
  go(stream, kernel<loads>);
  go(other, kernel<stores>);
  ASSERT_TRUE(std::move(capture).end().has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::event_record>), recorded);
  EXPECT_THAT(ended().launches, SizeIs(2));
}

// Whether an event has been reached is a query, which would break the capture.
TEST_F(Recorder, ARunThatIsReadInACaptureBreaksNothing) {
  recorder.start({.gpu_times = true});
  go(stream, kernel<loads>);
  wait();
  auto capture = Capture::begin(stream).value();
  EXPECT_GE(recorder.run().launches.at(0).gpu_begun, 1U);
  EXPECT_TRUE(std::move(capture).end().has_value());
  static_cast<void>(ended());
}

TEST_F(Recorder, ThreadsAreNumberedAndLaunchesInOrder) {
  constexpr unsigned each = 50;
  recorder.start();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const Stream mine = Stream::create().value();
      for (unsigned n = 0; n < each; ++n) go(mine, kernel<loads>);
      EXPECT_TRUE(mine.synchronize().has_value());
    });
  }
  for (std::thread& one : threads) one.join();
  const RunRecord run = ended();
  ASSERT_THAT(run.launches, SizeIs(4 * each));
  EXPECT_THAT(run.waits, SizeIs(4));
  std::vector<unsigned> counts(4);
  for (std::size_t i = 0; i < run.launches.size(); ++i) {
    ++counts.at(run.launches[i].thread);
    if (i != 0) {
      EXPECT_LT(run.launches[i - 1].record.sequence, run.launches[i].record.sequence);
    }
    EXPECT_EQ(run.launches[i].record.state, LaunchState::complete);
  }
  EXPECT_THAT(counts, ElementsAre(each, each, each, each));
}

TEST_F(Recorder, TheEnvironmentIsDescribed) {
  become(limits::sm_90, "Test \"GPU\"");
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1);
  recorder.start();
  ::unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
  const debug::RunEnvironment found = ended().environment;
  EXPECT_THAT(found.started, MatchesRegex("20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z"));
  EXPECT_THAT(found.compiler, Not(IsEmpty()));
  EXPECT_EQ(found.level, 1);
  EXPECT_EQ(text(found.backend), "host");
  EXPECT_EQ(text(found.devices.at(0).name), "Test \"GPU\"");
  EXPECT_THAT(found.variables,
              Contains(std::pair<std::string, std::string>("CUDA_DEVICE_MAX_CONNECTIONS", "1")));
  for (const auto& [name, value] : found.variables) EXPECT_NE(name, "PATH");
}

TEST_F(Recorder, TheJournalIsOneObjectPerLine) {
  recorder.start();
  go(stream, kernel<loads>);
  wait();
  host::fail_next(call_of<&host_backend::launch>, 1, HostStatus::invalid_value);
  ASSERT_FALSE(launch(stream, two_blocks, kernel<stores>).has_value());
  const auto lines = journal(ended());
  ASSERT_THAT(lines, SizeIs(6));
  EXPECT_THAT(lines[0], StartsWith("{\"warpsafe\":\""));
  EXPECT_THAT(lines[0], HasSubstr("\"format\":1,"));
  EXPECT_THAT(lines[1], StartsWith("{\"device\":0,\"name\":\"CPU"));
  EXPECT_THAT(
      lines[2],
      MatchesRegex(
          "\\{\"launch\":[0-9]+,\"kernel\":\"loads\",\"grid\":\\[2,1,1\\],\"block\":"
          "\\[1,1,1\\],\"dynamic_shared\":0,\"static_shared\":0,\"registers\":0,"
          "\"max_threads_per_block\":[0-9]+,\"stream\":\"0x[0-9a-f]+\",\"stream_number\":[0-9]+,"
          "\"device\":0,"
          "\"vendor\":\"host\",\"state\":\"complete\",\"thread\":0,\"begin_us\":[0-9.]+,"
          "\"end_us\":[0-9.]+,\"file\":\".*run_recorder_test.cpp\",\"line\":[0-9]+,"
          "\"function\":\"go.*\"\\}"));
  EXPECT_THAT(lines[3], HasSubstr("\"state\":\"refused\""));
  EXPECT_THAT(lines[4], StartsWith("{\"wait\":\"stream synchronize\","));
  EXPECT_THAT(lines[5], AllOf(StartsWith("{\"error\":\"the runtime refused the launch\""),
                              HasSubstr("launch failed: hostErrorInvalidValue")));
}

TEST_F(Recorder, TheJournalHasWhatALaunchAsksForBesidesItsSizes) {
  become(limits::sm_90);
  recorder.start();
  const auto with = [&](const auto& config) {
    ASSERT_TRUE(launch(stream, config, kernel<loads>).has_value());
  };
  with(LaunchConfig{grid<4>, block<32>});
  with(LaunchConfig{grid<4>, block<32>, cluster<2>, priority(-3)});
  with(LaunchConfig{grid<4>, block<32>, cooperative});
  const auto lines = journal(ended());
  ASSERT_THAT(lines, SizeIs(5));
  for (const char* const field : {"cluster", "priority", "cooperative", "programmatic"}) {
    EXPECT_THAT(lines[2], Not(HasSubstr(field)));
  }
  EXPECT_THAT(lines[3], HasSubstr(",\"cluster\":[2,1,1],\"priority\":-3,\"thread\":"));
  EXPECT_THAT(lines[4], HasSubstr("\",\"cooperative\":true,\"thread\":"));
}

TEST_F(Recorder, AProgramThatWasNotRecordedStillHasItsJournal) {
  go(stream, kernel<loads>);
  go(stream, kernel<stores>);
  const RunRecord run = debug::run_from_journal();
  ASSERT_GE(run.launches.size(), 2U);
  EXPECT_EQ(text(run.launches.back().record.kernel), "stores");
  EXPECT_THAT(journal(run).back(),
              AllOf(HasSubstr("\"kernel\":\"stores\""), Not(HasSubstr("begin_us"))));
  for (const std::string& line : trace(run)) EXPECT_THAT(line, Not(HasSubstr("\"X\"")));
}

TEST_F(Recorder, TheTraceHasStreamsAsRowsAndErrorsAsInstants) {
  recorder.start({.gpu_times = true});
  go(stream, kernel<loads>);
  go(other, kernel<stores>);
  wait();
  ASSERT_TRUE(other.synchronize().has_value());
  host::fail_next(call_of<&host_backend::launch>, 1, HostStatus::invalid_value);
  ASSERT_FALSE(launch(stream, two_blocks, kernel<stores>).has_value());
  const auto lines = trace(ended());
  EXPECT_EQ(lines.front(), "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
  EXPECT_EQ(lines.back(), "]}");
  EXPECT_THAT(lines, Contains(HasSubstr("\"args\":{\"name\":\"stream 0 (0x")));
  EXPECT_THAT(lines, Contains(HasSubstr("\"args\":{\"name\":\"stream 1 (0x")));
  EXPECT_THAT(lines,
              Contains(AllOf(
                  StartsWith("{\"ph\":\"X\",\"pid\":2,\"tid\":1000001,\"name\":\"stores\",\"ts\":"),
                  HasSubstr("\"cat\":\"kernel\""), HasSubstr("\"time\":\"of the GPU\""))));
  EXPECT_THAT(lines,
              Contains(AllOf(StartsWith("{\"ph\":\"i\",\"pid\":2,\"tid\":1000000,\"name\":\"waited "
                                        "for\""),
                             HasSubstr("\"s\":\"t\""))));
  EXPECT_THAT(lines, Contains(AllOf(StartsWith("{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"name\":\"the "
                                               "runtime refused the launch\""),
                                    HasSubstr("\"s\":\"t\""))));
}

TEST_F(Recorder, AFileThatCannotBeWrittenIsTheErrnoOfIt) {
  const RunRecord run = debug::run_from_journal();
  EXPECT_EQ(debug::write_journal(run, "/no/such/folder/run.jsonl"), ENOENT);
  EXPECT_EQ(debug::write_trace(run, "/dev/full"), ENOSPC);
  // A link that another user made could direct the output into any file of the user.
  const std::string link = "run_recorder_test." + std::to_string(::getpid());
  std::filesystem::create_symlink("elsewhere", link);
  EXPECT_EQ(debug::write_journal(run, link.c_str()), ELOOP);
  EXPECT_EQ(debug::write_trace(run, link.c_str()), ELOOP);
  EXPECT_FALSE(std::filesystem::exists("elsewhere"));
  std::filesystem::remove(link);
  const std::string in_shared_memory = "/dev/shm/" + link;
  if (::symlink("/dev/null", in_shared_memory.c_str()) == 0) {
    EXPECT_EQ(debug::write_journal(run, in_shared_memory.c_str()), ELOOP);
    std::filesystem::remove(in_shared_memory);
  }
  // So could a second name of one of the user's files.
  std::ofstream("elsewhere") << "kept";
  std::filesystem::create_hard_link("elsewhere", link);
  EXPECT_EQ(debug::write_journal(run, link.c_str()), EMLINK);
  EXPECT_EQ(debug::write_trace(run, link.c_str()), EMLINK);
  EXPECT_EQ(debug::write_npy(link.c_str(), ElementType::float32, 4, 1, true, "num"), EMLINK);
  EXPECT_EQ(std::filesystem::file_size("elsewhere"), 4U);
  std::filesystem::remove(link);
  std::filesystem::remove("elsewhere");
  EXPECT_EQ(debug::write_journal(run, link.c_str()), 0);
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(link).permissions(), perms::owner_read | perms::owner_write);
  std::filesystem::remove(link);
  // Links of the system itself are followed.
  const int memory = ::memfd_create("journal", 0);
  ASSERT_GE(memory, 0);
  EXPECT_EQ(debug::write_journal(run, ("/proc/self/fd/" + std::to_string(memory)).c_str()), 0);
  EXPECT_GT(::lseek(memory, 0, SEEK_END), 0);
  ::close(memory);
}

}  // namespace
}  // namespace warpsafe::core_test
