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
TEST(GuardRun, ACopyOfMemoryThatNobodyWrote) {
  const Ran ran = watched("malloc:m512 scribble:m8 read:m4 read:m0");
  EXPECT_THAT(
      ran.out,
      AllOf(HasSubstr("suspicion: cuMemcpyDtoHAsync copies 400 bytes to the host, and nobody "
                      "wrote 396 of them: the first is byte 4 of an allocation of 512 bytes"),
            HasSubstr("; the copy is made in "), HasSubstr("; the memory is allocated in "),
            HasSubstr(" 0 faults of running work")));
  EXPECT_EQ(ran.out.find("suspicion"), ran.out.rfind("suspicion"));
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(watched("malloc:m512 scribble:m8 show:m8").out, Not(HasSubstr("suspicion")));
  // The host cannot read the target.
  EXPECT_EQ(watched("malloc:m512 malloc:n512 copy:mn").status, 0);
  EXPECT_THAT(watched("malloc:m512 read:m0", "").out, Not(HasSubstr("suspicion")));
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
TEST(GuardRun, AWritePastTheEndOfMemoryOfAPool) {
  for (const std::string allocation : {"alloc:", "from_pool:"}) {
    const Ran ran = watched(allocation + "p400 sync scribble:p400 sync");
    EXPECT_THAT(ran.out,
                AllOf(found("something wrote bytes 400 to 403 of an allocation of 400 bytes\n"
                            "  allocated by cuMemAllocAsync in "),
                      HasSubstr(" 1 fault of running work")));
    EXPECT_EQ(ran.status, 7 << 8);
  }
  EXPECT_THAT(watched("alloc:p400 scribble:p404 sync free:p sync").out,
              found("something wrote bytes 404 to 407"));
  EXPECT_THAT(watched("alloc:p400 sync free:p scribble:p400 sync").out,
              found("something wrote bytes 400 to 403"));
}
TEST(GuardRun, AWriteToFreedMemoryOfAPool) {
  const Ran ran = watched("alloc:p400 free:p scribble:p16 alloc:q400 sync show:q16");
  EXPECT_THAT(ran.out, AllOf(found("something wrote bytes 16 to 19 of an allocation of 400 bytes, "
                                   "after its free\n"),
                             HasSubstr("show:q16: fffafafa\n")));
  // Memory that is too large to be kept is given back.
  EXPECT_THAT(watched("alloc:p20000000 free:p scribble:p16 sync").out, Not(found("")));
}
TEST(GuardRun, ARightProgramWithAPool) {
  std::string steps;
  for (int i = 0; i < 300; ++i) {  // more than the guard keeps, also before a wait
    steps += "alloc:p400 show:p0 scribble:p396 free:p ";
    if (i == 200) steps += "sync ";
  }
  const Ran ran = watched(steps + "sync alloc:q400 show:q396 range:q free:q free:q");
  EXPECT_THAT(ran.out, AllOf(Not(HasSubstr("memory guard")), HasSubstr("show:p0: fffafafa\n"),
                             HasSubstr("show:q396: fffafafa\nrange:q: 400\nfree:q: 1\n"),
                             HasSubstr(" 0 faults of running work")));
  EXPECT_THAT(ran.out, Not(HasSubstr("free:p: ")));
}
// The patterns are written in the order of the stream, so an early look finds none.
TEST(GuardRun, MemoryOfAPoolIsComparedOnlyAfterItsPatternWasWritten) {
  EXPECT_THAT(watched("alloc:p400 scribble:p400 free:p").out, Not(found("")));
  EXPECT_THAT(watched("alloc:p400 scribble:p400").out, Not(found("")));
}
TEST(GuardRun, LeavesAPoolAloneWhoseDriverDoesNotTakeTheSize) {
  const Ran ran = watched("alloc:p400 scribble:p400 sync free:p sync", "--guard",
                          "STAND_IN_KEEPS_PARAMETERS=1");
  EXPECT_THAT(ran.out, AllOf(HasSubstr("warpsafe: --guard does not guard memory of pools: this "
                                       "driver does not tell its size"),
                             Not(found(""))));
}
TEST(GuardRun, MemoryOfAPoolThatIsFreedDuringACaptureIsForgotten) {
  EXPECT_THAT(watched("alloc:p400 sync begin_capture free:p end_capture scribble:p0 sync").out,
              Not(found("")));
}
TEST(GuardRun, ANumberIsChecked) {
  for (const char* const wrong : {"--guard=0", "--guard=", "--guard=x", "--guard=1234567890"}) {
    EXPECT_THAT(watched("sync", wrong).out, HasSubstr("--guard needs a number from 1 to"));
  }
}

/// A guard with which another thread's launch goes on while the driver waits for the device.
warpsafe::watch::MemoryGuard* in_use = nullptr;
void launch_elsewhere() {
  if (in_use != nullptr) in_use->launched(warpsafe::Name::of("elsewhere"));
}
int waits = 0;
int marks = 0;
int releases = 0;
int releases_after = 0;
std::vector<std::uint32_t> filled;
constexpr warpsafe::watch::GuardAccess access{
    [](std::uintptr_t, std::uint32_t pattern, std::size_t, void*) noexcept {
      filled.push_back(pattern);
      return true;
    },
    [](void*, std::uintptr_t, std::size_t) noexcept { return false; },
    []() noexcept {
      ++waits;
      launch_elsewhere();
      return true;
    },
    [](std::uintptr_t) noexcept {
      ++releases;
      launch_elsewhere();
    },
    [](void*, void*& mark) noexcept {
      mark = &waits;
      ++marks;
      return true;
    },
    [](void*) noexcept { return false; },
    [](void*) noexcept { --marks; },
    [](std::uintptr_t, void*) noexcept { ++releases_after; }};

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

// The memory is released after its own stream's work, which may still use it.
TEST(MemoryGuard, DoesNotWaitForAStreamToFreeItsMemory) {
  int stream = 0;
  warpsafe::watch::MemoryGuard guard(1, access);
  std::vector<warpsafe::watch::GuardReport> found;
  waits = 0;
  marks = 0;
  releases_after = 0;
  for (std::uintptr_t i = 1; i <= 300; ++i) {
    guard.allocated(i * 4096, 400, 624, 0, warpsafe::Name::of("cuMemAllocAsync"), {}, &stream);
    EXPECT_TRUE(guard.is_of_pool(i * 4096));
    EXPECT_TRUE(guard.freed_in_order(i * 4096, 0, &stream, found));
  }
  EXPECT_EQ(waits, 0);
  EXPECT_EQ(releases_after, 300 - 256);
  EXPECT_EQ(marks, 256) << "one for each allocation that is kept";
  guard.forget();
  EXPECT_EQ(marks, 256) << "the context has ended, and its marks with it";
}

// The driver waits for the device when it frees plain memory.
TEST(MemoryGuard, AFreeOfAPoolLeavesPlainMemoryThatIsKept) {
  int stream = 0;
  warpsafe::watch::MemoryGuard guard(1, access);
  std::vector<warpsafe::watch::GuardReport> found;
  for (std::uintptr_t i = 1; i <= 256; ++i) {
    guard.allocated(i * 4096, 400, 624, 0, warpsafe::Name::of("cuMemAlloc"), {});
    EXPECT_TRUE(guard.freed(i * 4096, 0, found));
  }
  releases = 0;
  for (std::uintptr_t i = 300; i <= 310; ++i) {
    guard.allocated(i * 4096, 400, 624, 0, warpsafe::Name::of("cuMemAllocAsync"), {}, &stream);
    static_cast<void>(guard.freed_in_order(i * 4096, 0, &stream, found));
  }
  EXPECT_EQ(releases, 0);
  guard.allocated(4096, 400, 624, 0, warpsafe::Name::of("cuMemAlloc"), {});
  EXPECT_TRUE(guard.freed(4096, 0, found));
  EXPECT_GT(releases, 0);
}

// The work that the driver waits for may need a launch of another thread to end.
TEST(MemoryGuard, HoldsNoLockWhileTheDriverWaits) {
  warpsafe::watch::MemoryGuard guard(1, access);
  std::vector<warpsafe::watch::GuardReport> found;
  in_use = &guard;
  for (std::uintptr_t i = 1; i <= 257; ++i) {
    guard.allocated(i * 4096, 400, 624, 0, warpsafe::Name::of("cuMemAlloc"), {});
    EXPECT_TRUE(guard.freed(i * 4096, 0, found));
  }
  guard.release_all(found);
  in_use = nullptr;
}

}  // namespace
