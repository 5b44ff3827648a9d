// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "tools/ranks/record/process.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <initializer_list>
#include <utility>

namespace warpsafe::ranks {
namespace {

Process process_of(std::initializer_list<std::pair<const char*, const char*>> variables) {
  for (const Launcher& launcher : launchers) {
    for (const char* name : {launcher.rank, launcher.local_rank, launcher.size}) {
      if (*name != '\0') ::unsetenv(name);
    }
  }
  for (const auto& [name, value] : variables) ::setenv(name, value, 1);
  return Process::of_environment();
}

TEST(Process, EachLauncherTellsItsRank) {
  const Process alone = process_of({});
  EXPECT_EQ(alone.rank, -1);
  EXPECT_EQ(alone.size, -1);
  EXPECT_STREQ(alone.launcher, "");
  for (const Launcher& launcher : launchers) {
    const Process found = process_of({{launcher.rank, "5"}});
    EXPECT_EQ(found.rank, 5) << launcher.name;
    EXPECT_STREQ(found.launcher, launcher.name);
    EXPECT_EQ(found.size, -1);
  }
}

TEST(Process, TheInnerLauncherCounts) {
  const Process worker = process_of({{"RANK", "7"},
                                     {"LOCAL_RANK", "3"},
                                     {"WORLD_SIZE", "16"},
                                     {"SLURM_PROCID", "1"},
                                     {"SLURM_NTASKS", "2"}});
  EXPECT_EQ(worker.rank, 7);
  EXPECT_EQ(worker.local_rank, 3);
  EXPECT_EQ(worker.size, 16);
  EXPECT_STREQ(worker.launcher, "torchrun");
}

TEST(Process, PmixUnderSrunTellsTheSizeAsSlurmDoes) {
  const Process task = process_of(
      {{"PMIX_RANK", "2"}, {"SLURM_PROCID", "2"}, {"SLURM_LOCALID", "1"}, {"SLURM_NTASKS", "4"}});
  EXPECT_EQ(task.rank, 2);
  EXPECT_EQ(task.local_rank, 1);
  EXPECT_EQ(task.size, 4);
  EXPECT_STREQ(task.launcher, "PMIx");
  // A batch script has a rank of its own, which its processes inherit.
  const Process started =
      process_of({{"PMIX_RANK", "2"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}});
  EXPECT_EQ(started.rank, 2);
  EXPECT_EQ(started.size, -1);
}

TEST(Process, AWordIsNoRank) {
  EXPECT_EQ(process_of({{"RANK", "../../x"}}).rank, -1);
  EXPECT_EQ(process_of({{"RANK", "-1"}}).rank, -1);
  EXPECT_EQ(process_of({{"RANK", "1x"}, {"OMPI_COMM_WORLD_RANK", "4"}}).rank, 4);
}

}  // namespace
}  // namespace warpsafe::ranks
