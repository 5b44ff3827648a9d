// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Tests the memory guard, and warpsafe-run --guard over stand-ins for the driver and CUPTI. The
// stand-in's kernel scribbles writes 4 bytes wherever the program says.

#include "core/guard/memory_guard.hpp"
#include "shell.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Ran watched(const std::string& steps, const std::string& options = "--guard",
            const std::string& variables = "") {
  return shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " " + variables +
               " " WATCH_RUN " --cuda --error-exitcode 7 " + options +
               " " WATCH_DEPENDENT " /dev/null " + steps);
}
auto found(const std::string& text) { return HasSubstr("warpsafe: memory guard: " + text); }

TEST(GuardRun, AWritePastTheEndIsFoundAtTheNextWait) {
  const Ran ran = watched("malloc:m400 scribble:m400 sync");
  EXPECT_THAT(ran.out,
              AllOf(found("something wrote bytes 400 to 403 of an allocation of 400 bytes\n"
                          "  allocated by cuMemAlloc in "),
                    HasSubstr("\n  launched since the last check: 'scribbles'\n"),
                    HasSubstr(" 1 fault of running work")));
  EXPECT_EQ(ran.status, 7 << 8);
}
TEST(GuardRun, AndAtTheFreeAndAtTheEnd) {
  EXPECT_THAT(watched("malloc:m512 scribble:m520 mfree:m").out,
              found("something wrote bytes 520 to 523 of an allocation of 512 bytes\n"));
  EXPECT_THAT(watched("malloc:m512 scribble:m1020").out,
              found("something wrote bytes 1020 to 1023 of an allocation of 512 bytes\n"));
}
TEST(GuardRun, EachWriteIsReportedOnce) {
  const std::string out = watched("malloc:m400 scribble:m400 sync sync mfree:m").out;
  EXPECT_THAT(out, HasSubstr(" 1 fault of running work"));
  EXPECT_THAT(watched("malloc:m400 scribble:m400 sync scribble:m400 sync").out,
              HasSubstr(" 2 faults of running work"));
}
TEST(GuardRun, AWriteAfterTheFree) {
  EXPECT_THAT(
      watched("malloc:m400 mfree:m scribble:m16 sync").out,
      found("something wrote bytes 16 to 19 of an allocation of 400 bytes, after its free\n"));
}
TEST(GuardRun, ARightProgram) {
  const Ran ran = watched("malloc:m400 scribble:m396 sync mfree:m malloc:n512 scribble:n0 mfree:n");
  EXPECT_THAT(ran.out, AllOf(Not(HasSubstr("guard")), HasSubstr(" 0 faults of running work")));
  EXPECT_EQ(ran.status, 0);
}
TEST(GuardRun, OneAllocationInSoMany) {
  // The program's own allocations w, x, y and z come before.
  EXPECT_THAT(watched("malloc:m400 scribble:m400 sync", "--guard=4").out,
              found("something wrote bytes 400 to 403"));
  EXPECT_THAT(watched("malloc:m400 scribble:m400 sync", "--guard=3").out, Not(found("")));
}
TEST(GuardRun, IsOffWithoutTheOption) {
  EXPECT_THAT(watched("malloc:m400 scribble:m400 sync mfree:m", "").out, Not(HasSubstr("guard")));
}
TEST(GuardRun, SaysThatADriverDoesNotTakeTheSize) {
  const Ran ran =
      watched("malloc:m400 scribble:m400 sync mfree:m", "--guard", "STAND_IN_KEEPS_PARAMETERS=1");
  EXPECT_THAT(ran.out, AllOf(HasSubstr("warpsafe: --guard has no effect"), Not(found(""))));
  EXPECT_EQ(ran.status, 0);
}
// A stream that captures forbids the guard's own work on the device. Afterwards other memory, which
// the guard does not know, may have the same address.
TEST(GuardRun, MemoryThatIsFreedDuringACaptureIsForgotten) {
  const Ran ran = watched(
      "malloc:m400 begin_capture mfree:m end_capture malloc:n1024 scribble:n400 sync show:n400",
      "--guard=4", "STAND_IN_REUSES=1");
  EXPECT_THAT(ran.out, AllOf(Not(found("")), HasSubstr("show:n400: 5a5a5a5a\n")));
  EXPECT_EQ(ran.status, 0);
}
TEST(GuardRun, TheEndOfTheProgramWaitsForNoKernel) {
  const Ran ran = shell("env STAND_IN_NEVER_ENDS=1 LD_LIBRARY_PATH=" WATCH_STAND_IN
                        " timeout -s KILL 60 " WATCH_RUN " --cuda --guard " WATCH_DEPENDENT
                        " /dev/null malloc:m400 scribble:m400");
  EXPECT_THAT(ran.out, found("something wrote bytes 400 to 403"));
  EXPECT_EQ(ran.status, 0);
}
TEST(GuardRun, TheProgramSeesItsOwnSizes) {
  EXPECT_THAT(watched("malloc:m400 range:m").out, HasSubstr("range:m: 400\n"));
}
TEST(GuardRun, AWrongFreeIsStillRefused) {
  const std::string out = watched("malloc:m400 mfree:m mfree:m").out;
  EXPECT_THAT(out, HasSubstr("mfree:m: 1\n"));
}
TEST(GuardRun, ANumberIsChecked) {
  for (const char* const wrong : {"--guard=0", "--guard=", "--guard=x", "--guard=1234567890"}) {
    EXPECT_THAT(watched("sync", wrong).out, HasSubstr("--guard needs a number from 1 to"));
  }
}

int waits = 0;
std::vector<std::uint32_t> filled;
constexpr warpsafe::watch::GuardAccess access{
    [](std::uintptr_t, std::uint32_t pattern, std::size_t) noexcept {
      filled.push_back(pattern);
      return true;
    },
    [](void*, std::uintptr_t, std::size_t) noexcept { return false; },
    []() noexcept {
      ++waits;
      return true;
    },
    [](std::uintptr_t) noexcept {}};

// A wait reaches the current device only. Work of the memory's own device may still use it, until
// the driver's free has waited for that work.
TEST(MemoryGuard, LeavesMemoryOfAnotherDeviceToTheDriver) {
  warpsafe::watch::MemoryGuard guard(1, access);
  std::vector<warpsafe::watch::GuardReport> found;
  for (const std::int32_t current : {0, 1}) {
    waits = 0;
    guard.allocated(4096, 400, 624, 1, warpsafe::Name::of("cuMemAlloc"), {});
    filled.clear();
    EXPECT_EQ(guard.freed(4096, current, found), current == 1);
    EXPECT_EQ(waits, current);
    EXPECT_EQ(filled.size(), current == 1 ? 1U : 0U);
  }
}

}  // namespace
