// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What is written of a launch, and where it is not written.

#include "hand_made_launch.hpp"
#include "private_member.hpp"
#include <warpsafe/debug/data/detail/dump_writer.hpp>
#include <warpsafe/debug/data/launch_dump.hpp>

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace warpsafe::core_test {

struct WriteText {
  friend constexpr auto member(WriteText);
};
template struct PrivateMember<WriteText, &debug::DumpWriter::write_text>;

namespace {

using debug::DumpWriter;
using debug::LaunchMemory;
using ::testing::ElementsAre;

using DumpedData = LaunchData;

TEST_F(DumpedData, ADumpsFolderHasTheNumberAndTheLettersOfTheName) {
  const auto named = [&](const char* kernel) {
    const std::string whole = DumpWriter(folder.c_str(), record_named(kernel)).folder();
    EXPECT_EQ(whole.substr(0, folder.size() + 1), folder + '/');
    return whole.substr(folder.size() + 1);
  };
  EXPECT_EQ(named("azAZ09"), "000012-azAZ09");
  EXPECT_EQ(named("a`b{c@d[e/f:g"), "000012-a_b_c_d_e_f_g");
  EXPECT_EQ(named("ns::scale<float, 3>"), "000012-ns__scale_float__3_");
  const std::string most(80, 'k');
  EXPECT_EQ(named(most.c_str()), "000012-" + most);
  EXPECT_EQ(named((most + 'x').c_str()), "000012-" + most);
}
TEST_F(DumpedData, ADumpTellsEachArgument) {
  std::int32_t number = 5;
  launch.reaches(device.data(), 8, true, {ElementType::float32, 4});
  launch.reaches(device.data() + 16, 6, false, {ElementType::bytes, 3});
  launch.holds(&number, 4, ElementType::int32);
  launch.reaches(nullptr, 0);
  launch.reaches(device.data(), detail::unknown_extent);
  LaunchMemory memory(launch.arguments(), record);
  ASSERT_TRUE(memory.copy_before(error) && memory.copy_after(error));
  const auto about = [&] {
    DumpWriter dump(folder.c_str(), record);
    dump.write_inputs(record, launch.arguments(), memory);
    dump.write_outputs(memory, &LaunchMemory::after);
    EXPECT_EQ(dump.problem(), "");
    return text_in(dump.folder() + "/launch.txt");
  };
  const std::string start =
      "Launch: kernel=axpy, grid=(1,2,3), block=(4,5,6), shared=99 bytes\nlaunch 12, device 41, "
      "stream 0x990";
  const std::string rest =
      "\narg1: float32, 2 elements of 4 bytes\narg2: bytes, 2 elements of 3 bytes, only read"
      "\narg3: int32\narg4: uint8, a null pointer"
      "\narg5: uint8, a pointer of unknown extent: not written\n";
  EXPECT_EQ(about(), start + rest);
  record.site = app;
  EXPECT_EQ(about(), start + ", at app.cpp:7" + rest);
  debug::LaunchDump dump;
  std::string problem;
  ASSERT_TRUE(dump.open(folder + "/000012-axpy", problem)) << problem;
  EXPECT_THAT(dump.block, ElementsAre(4, 5, 6));
  EXPECT_EQ(dump.dynamic_shared, 99U);
  std::int32_t read_number = 0;
  EXPECT_TRUE(dump.value(3, read_number, problem)) << problem;
  EXPECT_EQ(read_number, 5);
  EXPECT_THAT(text_in(folder + "/000012-axpy/arg3.npy"), testing::HasSubstr("'shape': ()"));
  std::vector<float> floats;
  EXPECT_TRUE(dump.output(1, floats, problem)) << problem;
  EXPECT_EQ(floats.size(), 2U);
  EXPECT_EQ(debug::LaunchDump().dynamic_shared, 0U);
}

TEST_F(DumpedData, AFolderThatCannotBeMadeHasTheSystemsReason) {
  for (const std::string place : {"/none/none", "/dev/null/none"}) {
    errno = 0;
    ASSERT_NE(::mkdir(place.c_str(), S_IRWXU), 0);
    const std::string reason = std::strerror(errno);
    EXPECT_EQ(DumpWriter(place.c_str(), record).problem(), place + ": " + reason);
  }
}
TEST_F(DumpedData, AnotherUsersFolderOrLinkIsNotUsed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  constexpr uid_t somebody = 65533, nobody = 65534;
  folder = std::filesystem::temp_directory_path() / folder;  // others cannot enter every folder
  const std::string target = folder + "/target", link = folder + "/link";
  std::filesystem::create_directories(target);
  std::filesystem::create_directory_symlink("target", link);
  ASSERT_EQ(::chmod(target.c_str(), 0777) + ::chmod(folder.c_str(), 0777), 0);
  const auto problem_as = [&](uid_t owner, uid_t user) {
    EXPECT_EQ(::lchown(link.c_str(), owner, owner), 0);
    EXPECT_EQ(::seteuid(user), 0);
    std::string problem = DumpWriter(link.c_str(), record).problem();
    EXPECT_EQ(::seteuid(0), 0);
    EXPECT_EQ(std::filesystem::is_empty(target), !problem.empty()) << "nothing is made there";
    std::filesystem::remove_all(target + "/000012-axpy");
    return problem;
  };
  const std::string refused =
      link + ": a symbolic link has that name; remove it, or choose another name";
  EXPECT_EQ(problem_as(0, 0), "");
  EXPECT_EQ(problem_as(somebody, 0), refused);
  EXPECT_EQ(problem_as(0, nobody), "") << "the system's link";
  EXPECT_EQ(problem_as(nobody, nobody), "") << "the user's own";
  EXPECT_EQ(problem_as(somebody, nobody), refused);
  // The folder of a launch must be the user's own, also where root made it.
  const std::string own = target + "/000012-axpy";
  std::filesystem::create_directory(own);
  EXPECT_EQ(DumpWriter(target.c_str(), record).problem(), "");
  ASSERT_EQ(::chown(own.c_str(), nobody, nobody), 0);
  EXPECT_EQ(DumpWriter(target.c_str(), record).problem(),
            own + ": the folder belongs to another user; remove it, or choose another folder");
  ASSERT_EQ(::lchown(target.c_str(), somebody, somebody), 0);
  std::filesystem::remove(own);
  EXPECT_EQ(DumpWriter(target.c_str(), record).problem(), "")
      << "the folder of all may be another's";
}
TEST_F(DumpedData, ATextThatDoesNotFitOnTheDiskIsSaid) {
  const auto problem_of = [&](const std::string& text, bool full) {
    DumpWriter dump(folder.c_str(), record);
    ::rlimit before{};
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    const ::rlimit none{0, before.rlim_max};
    if (full) ::setrlimit(RLIMIT_FSIZE, &none);
    (dump.*member(WriteText{}))("about.txt", text);
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    return dump.problem();
  };
  const std::string path = folder + "/000012-axpy/about.txt";
  EXPECT_EQ(problem_of("short", false), "");
  EXPECT_EQ(text_in(path), "short");
  EXPECT_EQ(problem_of("", false), "");
  const std::string failed = path + ": " + std::strerror(EFBIG);
  EXPECT_EQ(problem_of("short", true), failed) << "when it is closed";
  EXPECT_EQ(problem_of(std::string(100'000, 'x'), true), failed) << "when it is written";
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_EQ(problem_of("short", false), path + ": " + std::strerror(EISDIR));
}

}  // namespace
}  // namespace warpsafe::core_test
