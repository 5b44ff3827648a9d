// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The environment is read once per process, so each value is tried in a separate process.

#include "launch_fixture.hpp"

#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

WARPSAFE_KERNEL void wants_whole_warps(int* runs) { warpsafe::atomic_add(runs, 1); }

namespace warpsafe::core_test {
namespace {

/// Launches 20 threads of a kernel that declares multiples of 32; the device itself would run it.
/// Exits with 10 plus the number of threads that ran, or with 1 if the launch is refused.
[[noreturn]] void launch_and_exit(const char* on_error) {
  ::setenv("WARPSAFE_ON_ERROR", on_error, 1);
  const Stream stream = Stream::create().value();
  void* memory = nullptr;
  if (host_backend::allocate(memory, sizeof(int), stream.native()) != 0) std::_Exit(2);
  int* const runs = static_cast<int*>(memory);
  *runs = 0;
  const LaunchConfig config{grid<1>, BlockDim::create(20).value()};
  const auto launched =
      launch(stream, config, kernel<wants_whole_warps, block_multiple_of<32>>, trust(runs));
  if (!launched.has_value()) std::_Exit(1);
  if (!stream.synchronize().has_value()) std::_Exit(3);
  std::_Exit(10 + *runs);
}

struct EnvironmentDeathTest : ::testing::Test {
  // A new process, not a fork: the modelled GPU has threads.
  EnvironmentDeathTest() { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(EnvironmentDeathTest, WarningsLetARefusedLaunchGoOn) {
  EXPECT_EXIT(
      launch_and_exit("warn"), ::testing::ExitedWithCode(30),
      "warpsafe: Kernel 'wants_whole_warps' not launched: block=.20,1,1. is 20 threads, not a "
      "multiple of 32, which the kernel requires");
}

TEST_F(EnvironmentDeathTest, TheWarningSaysThatItGoesOn) {
  EXPECT_EXIT(launch_and_exit("warn"), ::testing::ExitedWithCode(30),
              "WARPSAFE_ON_ERROR=warn: launched anyway");
}

TEST_F(EnvironmentDeathTest, AnythingElseRefuses) {
  EXPECT_EXIT(launch_and_exit("error"), ::testing::ExitedWithCode(1), "^$");
}

/// Reads the environment with this variable, and ends.
[[noreturn]] void start_and_exit(const char* name, const char* value) {
  ::setenv(name, value, 1);
  debug::detail::ensure_started();
  std::_Exit(debug::Environment::get().break_at == 0 ? 0 : 5);
}

TEST_F(EnvironmentDeathTest, ANumberOfAnotherFormIsRefusedWithWhatIsAccepted) {
  for (const char* const value :
       {"1e9", "-1", "7 ", " 7", "+7", "0x10", "18446744073709551616", "x"}) {
    const std::string said = std::string("^warpsafe: WARPSAFE_BREAK=") +
                             (*value == '+' ? "[+]7" : value) +
                             " is not the number of a launch, from 1 to 18446744073709551615; the "
                             "program does not stop\n$";
    EXPECT_EXIT(start_and_exit("WARPSAFE_BREAK", value), ::testing::ExitedWithCode(0), said);
  }
  EXPECT_EXIT(start_and_exit("WARPSAFE_BREAK", "7"), ::testing::ExitedWithCode(5), "^$");
  EXPECT_EXIT(start_and_exit("WARPSAFE_BREAK", "0"), ::testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(start_and_exit("WARPSAFE_TRACE", "axpy:1e9"), ::testing::ExitedWithCode(0),
              "^warpsafe: WARPSAFE_TRACE=axpy:1e9 selects no launch: after the names come at most "
              "two numbers, :skip:count, each from 0 to 18446744073709551615\n$");
  EXPECT_EXIT(start_and_exit("WARPSAFE_ON_ERROR", "wran"), ::testing::ExitedWithCode(0),
              "^warpsafe: WARPSAFE_ON_ERROR=wran is not one of error, warn\n$");
}

TEST_F(EnvironmentDeathTest, ControlCharactersOfAValueAreEscaped) {
  const char* const hostile = "\x1b]0;x\x07\nwarpsafe: forged\t\xc2\x9b";
  const std::string shown = ".x1b]0;x.x07.x0awarpsafe: forged.x09.x9b";
  for (const char* const name :
       {"WARPSAFE_LOG", "WARPSAFE_SYNC", "WARPSAFE_TIMEOUT", "WARPSAFE_BREAK", "WARPSAFE_ON_ERROR",
        "WARPSAFE_TRACE", "WARPSAFE_SHADOW", "WARPSAFE_REFERENCE"}) {
    EXPECT_EXIT(start_and_exit(name, hostile), ::testing::ExitedWithCode(0),
                std::string("^warpsafe: ") + name + "=" + shown + "[^\n\x1b]*\n$");
  }
}

/// Runs in a process of its own, with the rights of the file's owner.
TEST(DISABLED_RaisedRights, Child) {
  if (::getauxval(AT_SECURE) == 0) {
    std::printf("no raised rights\n");
    return;
  }
  const debug::Environment& found = debug::Environment::get();
  std::printf("break at %d, warn only %d\n", static_cast<int>(found.break_at), found.warn_only);
}

TEST(RaisedRights, AProgramThatHasThemReadsNoSwitch) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  if (host::address_sanitizer) {
    GTEST_SKIP() << "LeakSanitizer fails in a program with raised rights";
  }
  const std::string copy = "./environment_test." + std::to_string(::getpid());
  // The link's target: an emulator gives the link the size of another file.
  std::filesystem::copy_file(std::filesystem::read_symlink("/proc/self/exe"), copy);
  constexpr uid_t nobody = 65534;
  ASSERT_EQ(::chown(copy.c_str(), nobody, nobody), 0);
  ASSERT_EQ(::chmod(copy.c_str(), 04755), 0);
  const std::string command =
      "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX -u GTEST_OUTPUT WARPSAFE_BREAK=7 "
      "WARPSAFE_ON_ERROR=warn " +
      copy + " --gtest_also_run_disabled_tests --gtest_filter=DISABLED_RaisedRights.Child 2>&1";
  std::string said;
  std::FILE* const child = ::popen(command.c_str(), "r");
  ASSERT_NE(child, nullptr);
  for (int letter = std::fgetc(child); letter != EOF; letter = std::fgetc(child)) {
    said += static_cast<char>(letter);
  }
  EXPECT_EQ(::pclose(child), 0) << said;
  std::filesystem::remove(copy);
  if (said.find("no raised rights") != std::string::npos) {
    GTEST_SKIP() << "this file system gives a program no rights (nosuid)";
  }
  EXPECT_NE(said.find("break at 0, warn only 0"), std::string::npos) << said;
}

}  // namespace
}  // namespace warpsafe::core_test
