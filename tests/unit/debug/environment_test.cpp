// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The environment is read once per process, so each value is tried in a separate process.

#include "launch_fixture.hpp"
#include "private_member.hpp"

#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

WARPSAFE_KERNEL void wants_whole_warps(int* runs) { warpsafe::atomic_add(runs, 1); }

namespace warpsafe::core_test {

struct ReadEnvironment {
  friend constexpr auto member(ReadEnvironment);
};
template struct PrivateMember<ReadEnvironment, &debug::Environment::read>;

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

/// Launches on a stream that was moved from. Exits with 1 if the launch is refused.
[[noreturn]] void launch_on_nothing_and_exit() {
  ::setenv("WARPSAFE_ON_ERROR", "warn", 1);
  Stream stream = Stream::create().value();
  const Stream moved = std::move(stream);
  int runs = 0;
  const LaunchConfig config{grid<1>, block<32>};
  // NOLINTNEXTLINE(bugprone-use-after-move): refused is what it is
  const auto launched = launch(stream, config, kernel<wants_whole_warps>, trust(&runs));
  std::_Exit(launched.has_value() ? 2 : error_in(launched).code == Errc::stream_null ? 1 : 3);
}
TEST_F(EnvironmentDeathTest, NothingIsLaunchedWithoutAStream) {
  EXPECT_EXIT(launch_on_nothing_and_exit(), ::testing::ExitedWithCode(1), "^$");
}
TEST_F(EnvironmentDeathTest, TheWarningSaysThatItGoesOn) {
  EXPECT_EXIT(launch_and_exit("warn"), ::testing::ExitedWithCode(30),
              "WARPSAFE_ON_ERROR=warn: launched anyway");
}

TEST_F(EnvironmentDeathTest, AnythingElseRefuses) {
  EXPECT_EXIT(launch_and_exit("error"), ::testing::ExitedWithCode(1), "^$");
}

/// The switches of an environment in which only these variables are set.
struct Switches : ::testing::Test {
  static constexpr const char* names[] = {
      "WARPSAFE_LOG",         "WARPSAFE_ON_ERROR", "AMD_SERIALIZE_KERNEL",
      "CUDA_LAUNCH_BLOCKING", "WARPSAFE_GUARD",    "WARPSAFE_SYNC",
      "HIP_LAUNCH_BLOCKING",  "WARPSAFE_BREAK",    "WARPSAFE_TIMEOUT"};
  Switches() {
    for (const char* const name : names) {
      if (const char* const value = std::getenv(name)) before.emplace_back(name, value);
    }
  }
  ~Switches() override {
    clear();
    for (const auto& [name, value] : before) ::setenv(name.c_str(), value.c_str(), 1);
  }
  Switches(const Switches&) = delete;
  Switches& operator=(const Switches&) = delete;

  using Variables = std::vector<std::pair<const char*, const char*>>;
  static void clear() {
    for (const char* const name : names) ::unsetenv(name);
  }
  static debug::Environment read_with(const Variables& variables) {
    clear();
    for (const auto& [name, value] : variables) ::setenv(name, value, 1);
    debug::Environment found = member(ReadEnvironment{})();
    if (found.blocking_names != nullptr) {
      static std::string kept;
      kept = found.blocking_names;
      std::free(const_cast<char*>(found.blocking_names));
      found.blocking_names = kept.c_str();
    }
    return found;
  }
  static std::string shown(const char* value) { return value == nullptr ? "nullptr" : value; }

  std::vector<std::pair<std::string, std::string>> before;
};

TEST_F(Switches, NothingIsOnWithoutAValue) {
  Variables empty;
  for (const char* const name : names) empty.emplace_back(name, "");
  for (const Variables& variables : {Variables{}, empty}) {
    const debug::Environment found = read_with(variables);
    EXPECT_EQ(found.log, debug::LogLevel::off);
    EXPECT_FALSE(found.silent);
    EXPECT_FALSE(found.warn_only);
    EXPECT_FALSE(found.one_stream);
    EXPECT_FALSE(found.timeout_stops);
    EXPECT_EQ(found.break_at, 0U);
    EXPECT_EQ(found.timeout, ~std::uint64_t{0});
    for (const char* const value :
         {found.log_unknown, found.on_error_unknown, found.blocking, found.blocking_value,
          found.blocking_names, found.break_unknown, found.timeout_unknown}) {
      EXPECT_EQ(shown(value), "nullptr");
    }
  }
}
TEST_F(Switches, TheLogHasFiveLevels) {
  const char* const levels[] = {"off", "error", "warn", "debug", "trace"};
  for (int level = 0; level < 5; ++level) {
    const debug::Environment found = read_with({{"WARPSAFE_LOG", levels[level]}});
    EXPECT_EQ(static_cast<int>(found.log), level);
    EXPECT_EQ(found.silent, level == 0);
    EXPECT_EQ(shown(found.log_unknown), "nullptr");
  }
  const debug::Environment found = read_with({{"WARPSAFE_LOG", "Trace"}});
  EXPECT_EQ(found.log, debug::LogLevel::off);
  EXPECT_FALSE(found.silent);
  EXPECT_EQ(shown(found.log_unknown), "Trace");
}
TEST_F(Switches, AnErrorStopsALaunchOrWarns) {
  const auto with = [](const char* value) { return read_with({{"WARPSAFE_ON_ERROR", value}}); };
  EXPECT_TRUE(with("warn").warn_only);
  EXPECT_FALSE(with("error").warn_only);
  EXPECT_FALSE(with("Warn").warn_only);
  EXPECT_EQ(shown(with("warn").on_error_unknown), "nullptr");
  EXPECT_EQ(shown(with("error").on_error_unknown), "nullptr");
  EXPECT_EQ(shown(with("Warn").on_error_unknown), "Warn");
}
TEST_F(Switches, TheVendorsVariablesBlockWithTheirOwnValues) {
  const auto blocks = [](const char* name, const char* value) {
    const debug::Environment found = read_with({{name, value}});
    EXPECT_EQ(shown(found.blocking_names), "nullptr");
    EXPECT_FALSE(found.one_stream);
    if (found.blocking != nullptr) {
      EXPECT_EQ(shown(found.blocking), name);
      EXPECT_EQ(shown(found.blocking_value), value);
    }
    return found.blocking != nullptr;
  };
  for (const char* const name :
       {"AMD_SERIALIZE_KERNEL", "CUDA_LAUNCH_BLOCKING", "HIP_LAUNCH_BLOCKING"}) {
    for (const char* const on : {"1", "true", "TRUE", "True"}) EXPECT_TRUE(blocks(name, on)) << on;
    for (const char* const other : {"0", "4", "tRUE", "all", "one-stream", "before"}) {
      EXPECT_FALSE(blocks(name, other)) << name << other;
    }
    const bool amd = *name == 'A';
    EXPECT_EQ(blocks(name, "2"), amd) << name;
    EXPECT_EQ(blocks(name, "3"), amd) << name;
  }
}
TEST_F(Switches, OnesOwnVariablesNameKernels) {
  struct Row {
    const char* name;
    const char* value;
    bool blocks;
    bool named;
    bool one_stream;
  };
  constexpr Row rows[] = {{"WARPSAFE_SYNC", "all", true, false, false},
                          {"WARPSAFE_SYNC", "1", true, false, false},
                          {"WARPSAFE_SYNC", "true", true, false, false},
                          {"WARPSAFE_SYNC", "0", false, false, false},
                          {"WARPSAFE_SYNC", "axpy,scale", true, true, false},
                          {"WARPSAFE_SYNC", "before", true, true, false},
                          {"WARPSAFE_SYNC", "9lives", true, true, false},
                          {"WARPSAFE_SYNC", "one-stream", false, false, true}};
  for (const Row& row : rows) {
    const debug::Environment found = read_with({{row.name, row.value}});
    EXPECT_EQ(shown(found.blocking), row.blocks ? row.name : "nullptr") << row.name << row.value;
    EXPECT_EQ(shown(found.blocking_value), row.blocks ? row.value : "nullptr");
    EXPECT_EQ(shown(found.blocking_names), row.named ? row.value : "nullptr") << row.name;
    EXPECT_EQ(found.one_stream, row.one_stream) << row.value;
  }
  const debug::Environment last =
      read_with({{"CUDA_LAUNCH_BLOCKING", "1"}, {"WARPSAFE_SYNC", "all"}});
  EXPECT_EQ(shown(last.blocking), "WARPSAFE_SYNC");
  EXPECT_EQ(shown(last.blocking_names), "nullptr");
}
TEST_F(Switches, AWholeNumberIsCutOffItsText) {
  struct Row {
    const char* text;
    bool is_one;
    std::uint64_t number;
    const char* rest;
  };
  constexpr Row rows[] = {{"0", true, 0, ""},
                          {"0129:", true, 129, ":"},
                          {"7x", true, 7, "x"},
                          {"18446744073709551615", true, 18446744073709551615U, ""},
                          {"18446744073709551616", false, 0, nullptr},
                          {"99999999999999999999", false, 0, nullptr},
                          {"", false, 0, nullptr},
                          {"/1", false, 0, nullptr},
                          {":1", false, 0, nullptr}};
  for (const Row& row : rows) {
    const char* rest = row.text;
    std::uint64_t number = 5;
    EXPECT_EQ(debug::detail::cut_number(rest, number), row.is_one) << row.text;
    if (!row.is_one) continue;
    EXPECT_EQ(number, row.number);
    EXPECT_STREQ(rest, row.rest);
  }
}
TEST_F(Switches, ATimeIsInSecondsWithAFraction) {
  struct Row {
    const char* value;
    std::uint64_t milliseconds;
    bool stops;
  };
  constexpr Row rows[] = {{"5", 5000, false},
                          {"0", 0, false},
                          {"0.5", 500, false},
                          {"1.", 1000, false},
                          {"2.0375", 2037, false},
                          {"0.009,stop", 9, true},
                          {"90,stop", 90'000, true},
                          {"999999999999", 999'999'999'999'000, false},
                          {"1000000000000", 1'000'000'000'000'000, false},
                          {"1000000000001", 1'000'000'000'000'000, false},
                          {"99999999999999999999999999,stop", 1'000'000'000'000'000, true}};
  for (const Row& row : rows) {
    const debug::Environment found = read_with({{"WARPSAFE_TIMEOUT", row.value}});
    EXPECT_EQ(found.timeout, row.milliseconds) << row.value;
    EXPECT_EQ(found.timeout_stops, row.stops) << row.value;
    EXPECT_EQ(shown(found.timeout_unknown), "nullptr") << row.value;
  }
  for (const char* const value :
       {".5", "x", "5s", "5,stopp", "5,", "1.2.3", "1.2x", "-1", " 5", "5 "}) {
    const debug::Environment found = read_with({{"WARPSAFE_TIMEOUT", value}});
    EXPECT_EQ(found.timeout, ~std::uint64_t{0}) << value;
    EXPECT_EQ(shown(found.timeout_unknown), value);
  }
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
