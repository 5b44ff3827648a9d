// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Launches written to files, read back and repeated.

#include "data_fixture.hpp"
#include "log_fixture.hpp"
#include <warpsafe/debug/data/launch_dump.hpp>
#include <warpsafe/kernel/reference.hpp>

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace {

WARPSAFE_KERNEL void axpy(float a, const float* x, float* y, std::size_t n) {
  for (auto i : warpsafe::grid_stride(n)) y[i] += a * x[i];
}
void axpy_host(float a, const float* x, float* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i];
}
WARPSAFE_KERNEL void nothing(warpsafe::device_ptr<int>) {}

}  // namespace

namespace warpsafe::core_test {
namespace {

using debug::LaunchDump;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

constexpr LaunchConfig with_shared{grid<2>, block<32>, shared<float>(5)};

struct Trace : DataTest, LogSinkTest {
  Trace() : folder("trace_test." + std::to_string(::getpid())) {
    debug::set_trace("axpy", folder.c_str());
  }
  ~Trace() override {
    debug::set_trace(nullptr);
    debug::set_reference(nullptr);
    std::filesystem::remove_all(folder);
  }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  template <class K>
  auto go(K launched) {
    return launch(stream, with_shared, launched, 2.0F, x.view(), y.view(), x.size());
  }
  /// The folder of the last launch.
  [[nodiscard]] std::string last(const char* name = "axpy") const {
    char number[32];
    std::snprintf(number, sizeof number, "/%06llu-",
                  static_cast<unsigned long long>(debug::Journal::get().last()));
    return folder + number + name;
  }
  [[nodiscard]] static std::set<std::string> files(const std::string& where) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(where)) {
      names.insert(entry.path().filename());
    }
    return names;
  }

  std::string folder;
  DeviceBuffer<float> x = filled(std::vector<float>{1, 2, 3});
  DeviceBuffer<float> y = filled(std::vector<float>{10, 20, 30});
};

TEST_F(Trace, ALaunchIsWrittenAndReadBack) {
  ASSERT_TRUE(go(kernel<axpy>).has_value());
  LaunchDump dump;
  std::string problem;
  ASSERT_TRUE(dump.open(last(), problem)) << problem;
  EXPECT_THAT(dump.grid, ElementsAre(2, 1, 1));
  EXPECT_THAT(dump.block, ElementsAre(32, 1, 1));
  EXPECT_EQ(dump.dynamic_shared, 20U);
  float a = 0;
  ASSERT_TRUE(dump.value(1, a, problem)) << problem;
  EXPECT_EQ(a, 2);
  std::vector<float> read_in, before, after;
  ASSERT_TRUE(dump.input(2, read_in, problem)) << problem;
  ASSERT_TRUE(dump.input(3, before, problem)) << problem;
  ASSERT_TRUE(dump.output(3, after, problem)) << problem;
  EXPECT_THAT(read_in, ElementsAre(1, 2, 3));
  EXPECT_THAT(before, ElementsAre(10, 20, 30));
  EXPECT_THAT(after, ElementsAre(12, 24, 36));
  std::size_t n = 0;
  ASSERT_TRUE(dump.value(4, n, problem)) << problem;
  EXPECT_EQ(n, 3U);
}

TEST_F(Trace, TheFilesAreTheseAndSaid) {
  ASSERT_TRUE(go(kernel<axpy>).has_value());
  EXPECT_THAT(files(last()),
              UnorderedElementsAre("launch.txt", "grid.npy", "block.npy", "shared.npy", "arg1.npy",
                                   "arg2.in.npy", "arg3.in.npy", "arg3.out.npy", "arg4.npy"));
  EXPECT_THAT(all_texts(),
              ElementsAre("warpsafe: launch " + std::to_string(debug::Journal::get().last()) +
                          ", kernel 'axpy', is written to " + last()));
  std::ifstream file(last() + "/launch.txt");
  const std::string about{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(about, StartsWith("Launch: kernel=axpy, grid=(2,1,1), block=(32,1,1), shared=20 "
                                "bytes\nlaunch "));
  EXPECT_THAT(about, HasSubstr("\narg1: float32\narg2: float32, 3 elements of 4 bytes, only read\n"
                               "arg3: float32, 3 elements of 4 bytes\narg4: uint64\n"));
}

TEST_F(Trace, OnlyTheChosenLaunchesAreWritten) {
  debug::set_trace("axpy:1:2", folder.c_str());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(go(kernel<axpy>).has_value());
  EXPECT_EQ(files(folder).size(), 2U);
}

TEST_F(Trace, APointerOfUnknownExtentIsLeftOut) {
  debug::set_trace("nothing", folder.c_str());
  int* const raw = device_array<int>(3);
  ASSERT_TRUE(launch(stream, with_shared, kernel<nothing>, trust(raw)).has_value());
  EXPECT_THAT(files(last("nothing")),
              UnorderedElementsAre("launch.txt", "grid.npy", "block.npy", "shared.npy"));
  std::ifstream file(last("nothing") + "/launch.txt");
  const std::string about{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(about, HasSubstr("\narg1: int32, a pointer of unknown extent: not written\n"));
}

TEST_F(Trace, WhatAReferenceComputedIsWrittenToo) {
  debug::set_reference("axpy");
  ASSERT_TRUE(go(kernel<axpy, reference<axpy_host>>).has_value());
  LaunchDump dump;
  std::string problem;
  std::vector<float> before, after;
  ASSERT_TRUE(dump.open(last(), problem) && dump.input(3, before, problem) &&
              dump.output(3, after, problem))
      << problem;
  EXPECT_THAT(before, ElementsAre(10, 20, 30));
  EXPECT_THAT(after, ElementsAre(12, 24, 36));
}

TEST_F(Trace, AFolderThatCannotBeMadeIsSaid) {
  debug::set_trace("axpy", "/proc/none");
  ASSERT_TRUE(go(kernel<axpy>).has_value());
  EXPECT_THAT(all_texts(), ElementsAre(HasSubstr("cannot be written: /proc/none: ")));
  EXPECT_THAT(read(y), ElementsAre(12, 24, 36)) << "and the launch is made";
}

TEST_F(Trace, OnlyTheUserReadsWhatIsWritten) {
  ASSERT_TRUE(go(kernel<axpy>).has_value());
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(folder).permissions(), perms::owner_all);
  EXPECT_EQ(std::filesystem::status(last()).permissions(), perms::owner_all);
  for (const std::string& name : files(last())) {
    EXPECT_EQ(std::filesystem::status(last() + "/" + name).permissions(),
              perms::owner_read | perms::owner_write)
        << name;
  }
}

/// The number of the next launch is known, so another user could place a link under its name.
TEST_F(Trace, ALinkUnderTheNameOfALaunchIsNotFollowed) {
  ASSERT_TRUE(go(kernel<axpy>).has_value());
  const std::string next = [&] {
    char name[48];
    std::snprintf(name, sizeof name, "/%06llu-axpy",
                  static_cast<unsigned long long>(debug::Journal::get().last() + 1));
    return folder + name;
  }();
  const std::string elsewhere = folder + "/elsewhere";
  std::filesystem::create_directory(elsewhere);
  std::filesystem::create_directory_symlink("elsewhere", next);
  ASSERT_TRUE(go(kernel<axpy>).has_value());
  EXPECT_THAT(all_texts().back(), HasSubstr(next + ": a symbolic link has that name; remove it"));
  EXPECT_TRUE(std::filesystem::is_empty(elsewhere));
}
TEST_F(Trace, ALinkUnderTheNameOfAFileIsNotFollowed) {
  ASSERT_TRUE(go(kernel<axpy>).has_value());
  char name[48];
  std::snprintf(name, sizeof name, "/%06llu-axpy",
                static_cast<unsigned long long>(debug::Journal::get().last() + 1));
  std::filesystem::create_directory(folder + name);
  std::filesystem::create_symlink("../kept", folder + name + "/block.npy");
  std::ofstream(folder + "/kept") << "kept";
  ASSERT_TRUE(go(kernel<axpy>).has_value());
  EXPECT_THAT(all_texts().back(),
              HasSubstr("/block.npy: a symbolic link has that name; remove it"));
  EXPECT_EQ(std::filesystem::file_size(folder + "/kept"), 4U);
}
/// Correct: dumps go to a disk with room, through a link of the user's own.
TEST_F(Trace, TheFolderOfAllDumpsMayBeTheUsersLink) {
  const std::string target = folder + ".target";
  std::filesystem::create_directory(target);
  std::filesystem::create_directory_symlink(target, folder);
  ASSERT_TRUE(go(kernel<axpy>).has_value());
  EXPECT_EQ(files(target).size(), 1U);
  std::filesystem::remove_all(target);
}

TEST_F(Trace, AnotherTypeThanWasWrittenIsRefused) {
  ASSERT_TRUE(go(kernel<axpy>).has_value());
  LaunchDump dump;
  std::string problem;
  ASSERT_TRUE(dump.open(last(), problem)) << problem;
  double wide = 0;
  EXPECT_FALSE(dump.value(1, wide, problem));
  EXPECT_THAT(problem, HasSubstr("arg1.npy: its elements are '<f4', but '<f8' was requested"));
  std::vector<int> other;
  EXPECT_FALSE(dump.output(3, other, problem));
  EXPECT_FALSE(dump.open(folder + "/none", problem));
  EXPECT_THAT(problem, HasSubstr("/none/grid.npy: No such file"));
}

}  // namespace
}  // namespace warpsafe::core_test
