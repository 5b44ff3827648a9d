// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/rerun/suspect.hpp"

#include "core/options.hpp"
#include "core/rerun/rerun.hpp"
#include "core/rerun/step_graph.hpp"
#include "core/stream/known_streams.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace warpsafe::watch;

TEST(SuspectFile, IsReadAsItWasWritten) {
  SuspectFile file;
  file.suspects = {{3, 1, "demo::axpy<float, 4>", "grid=(4,1,1), block=(32,1,1), shared=0 bytes"},
                   {1, 0, "graph of 2 kernels: a, b", ""}};
  EXPECT_EQ(SuspectFile::parse(file.text()).suspects, file.suspects);
  EXPECT_FALSE(SuspectFile::parse(file.text()).is_exact);
  file.is_exact = true;
  EXPECT_TRUE(SuspectFile::parse(file.text()).is_exact);
  EXPECT_EQ(file.suspects[0].text(),
            "'demo::axpy<float, 4>', launch 3 of it, grid=(4,1,1), block=(32,1,1), shared=0 bytes");
  EXPECT_EQ(file.suspects[1].text(), "'graph of 2 kernels: a, b', launch 1 of it");
}
// A process may end while it writes.
TEST(SuspectFile, AHalfLineIsLeftOut) {
  SuspectFile file;
  file.suspects = {{3, 1, "axpy", "grid"}, {4, 1, "axpy", "grid"}};
  const std::string whole = file.text();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_LE(SuspectFile::parse(whole.substr(0, size)).suspects.size(), 1U) << size;
  }
  EXPECT_TRUE(SuspectFile::parse("\n\t\n1\t2\nno line").suspects.empty());
}

// The folder is a public place's. Somebody may have replaced it, or a file in it.
TEST(Rerun, AFileIsWrittenThroughNoLink) {
  const std::string place = testing::TempDir() + "watch_rerun_links." + std::to_string(::getpid());
  const std::string folder = place + "/folder";
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/1." + std::to_string(::getpid());
  const std::string options = "rerun=1\nrerun-folder=" + folder + '\n';
  Rerun rerun(Options::parse(options.c_str()));
  std::filesystem::create_symlink(place + "/target", file);
  rerun.suspected({});
  EXPECT_FALSE(std::filesystem::exists(place + "/target"));
  std::filesystem::remove(file);
  std::filesystem::rename(folder, place + "/old");
  std::filesystem::create_directory(place + "/other");
  std::filesystem::create_symlink(place + "/other", folder);
  rerun.suspected({});
  EXPECT_TRUE(std::filesystem::is_empty(place + "/other"));
  std::filesystem::remove(folder);
  std::filesystem::create_directory(folder);
  rerun.suspected({});
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove(folder);
  std::filesystem::rename(place + "/old", folder);
  rerun.suspected({});
  EXPECT_TRUE(std::filesystem::exists(file));
  std::filesystem::remove_all(place);
}
TEST(Rerun, OnlyLaunchesOfTheDeviceThatRunAreToBlame) {
  Rerun rerun(Options::parse("rerun=2\nrerun-folder=/none/there\n"));
  warpsafe::LaunchRecord record{};
  for (const std::int32_t device : {0, 1}) {
    record.device = device;
    record.stream_number = static_cast<std::uint64_t>(device) + 1;
    ++record.sequence;
    rerun.opened({record.sequence, record, 1, false, {}, {}, {}, {}, false});
  }
  EXPECT_EQ(rerun.open(-1).size(), 2U);
  ASSERT_EQ(rerun.open(1).size(), 1U);
  EXPECT_EQ(rerun.open(1).front().sequence, 2U);
  rerun.ended(2, 1);  // earlier launches
  EXPECT_EQ(rerun.open(1).size(), 1U);
  rerun.ended(2, 2);
  EXPECT_EQ(rerun.open(1).size(), 0U);
  EXPECT_EQ(rerun.open(0).size(), 1U);
  rerun.closed(1);
  EXPECT_EQ(rerun.open(-1).size(), 0U);
}

// Its call of the runtime has not returned; before that, the watch holds it.
TEST(Rerun, ALaunchInsideTheRuntimeMayRunBesideOthers) {
  Rerun rerun(Options::parse("rerun=3\nrerun-folder=/none/there\n"));
  warpsafe::LaunchRecord record{};
  int stream = 0;
  record.stream = &stream;
  record.device = 41;
  EXPECT_FALSE(rerun.others_run({}, 41));
  record.sequence = warpsafe::debug::Journal::get().append(record);
  EXPECT_TRUE(rerun.others_run({}, 41));
  rerun.held(record.sequence);
  EXPECT_FALSE(rerun.others_run({}, 41));
  rerun.opened({record.sequence, record, 1, false, {}, {}, {}, {}, false});
  EXPECT_TRUE(rerun.others_run({}, 41));
  EXPECT_FALSE(rerun.others_run(rerun.open(41), 41));
  warpsafe::debug::Journal::get().refused(record.sequence);
  EXPECT_FALSE(rerun.others_run({}, 41));
}

TEST(KnownStreams, NoneIsDestroyedWhileTheRuntimeIsAsked) {
  KnownStreams streams;
  int stream = 0;
  streams.made(&stream, 0, false);
  std::atomic<bool> begun = false;
  std::atomic<bool> ended = false;
  std::thread asks([&] {
    EXPECT_TRUE(streams.while_alive(&stream, [&] {
      begun = true;
      ::usleep(20'000);
      ended = true;
    }));
  });
  while (!begun) std::this_thread::yield();
  streams.destroyed(&stream);
  EXPECT_TRUE(ended);
  asks.join();
  EXPECT_FALSE(streams.while_alive(&stream, [] { FAIL(); }));
}
// The runtime may hold a lock that the question needs.
TEST(KnownStreams, AQuestionThatWaitsForTheDestructionDoesNotHangIt) {
  KnownStreams streams;
  int stream = 0;
  streams.made(&stream, 0, false);
  std::atomic<bool> destroyed = false;
  std::atomic<bool> begun = false;
  std::thread asks([&] {
    static_cast<void>(streams.while_alive(&stream, [&] {
      begun = true;
      while (!destroyed) std::this_thread::yield();
    }));
  });
  while (!begun) std::this_thread::yield();
  streams.destroyed(&stream);
  destroyed = true;
  asks.join();
}

TEST(StepGraph, PutsEachNodeBehindThoseBeforeIt) {
  int nodes[4] = {};
  StepGraph graph;
  graph.nodes = {{&nodes[3], "3", "", {&nodes[1], &nodes[2]}},
                 {&nodes[1], "1", "", {&nodes[0]}},
                 {&nodes[2], "2", "", {&nodes[0]}},
                 {&nodes[0], "0", "", {}}};
  StepGraph with_idle = graph;
  graph.sort({});
  std::string order;
  for (const StepNode& one : graph.nodes) order += one.what;
  EXPECT_EQ(order, "0123");
  EXPECT_EQ(graph.why, "");
  with_idle.sort({&nodes[1]});
  EXPECT_EQ(with_idle.nodes.size(), 3U);
}
TEST(StepGraph, WithoutAnOrderItIsLaunchedWhole) {
  int nodes[2] = {};
  StepGraph graph;
  graph.nodes = {{&nodes[0], "0", "", {&nodes[1]}}, {&nodes[1], "1", "", {&nodes[0]}}};
  graph.sort({});
  EXPECT_NE(graph.why, "");
}

TEST(RerunOptions, ComeFromTheCommandThatRunsTheProgram) {
  const Options options = Options::parse("rerun=2\nrerun-folder=/tmp/a b\n");
  EXPECT_EQ(options.rerun, 2);
  EXPECT_EQ(options.rerun_folder, "/tmp/a b");
  EXPECT_EQ(options.unknown, "");
  EXPECT_EQ(Options::parse("quiet").rerun, 0);
}

}  // namespace
