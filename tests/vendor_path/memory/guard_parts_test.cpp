// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The parts of WARPSAFE_GUARD that need no driver: lists, layouts, texts and the switch.
#include "../stand_in.hpp"
#include <warpsafe/memory.hpp>

#if defined(WARPSAFE_BACKEND_CUDA)
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <string>
#include <vector>

namespace vendor_test {
namespace {

using warpsafe::detail::GuardDriver;
using warpsafe::detail::GuardedMemory;

/// Addresses without memory, where mistakes are looked for.
constexpr std::size_t guard_far = std::size_t{256} << 20U;

TEST(GuardedMemoryParts, AListHoldsWhatWasInsertedAndNotRemoved) {
  std::vector<int> order{0, 1, 2, 3, 4};
  do {
    GuardedMemory memories[5];
    GuardedMemory* list = nullptr;
    std::list<GuardedMemory*> model;
    const auto check = [&] {
      std::vector<GuardedMemory*> held;
      for (GuardedMemory* one = list; one != nullptr; one = one->next) held.push_back(one);
      ASSERT_THAT(held, testing::ElementsAreArray(model));
    };
    for (GuardedMemory& one : memories) {
      one.insert(list);
      model.push_front(&one);
      check();
    }
    for (const int i : order) {
      memories[i].remove();
      model.remove(&memories[i]);
      check();
    }
    // One that was removed can be inserted again.
    memories[order[2]].insert(list);
    model.push_front(&memories[order[2]]);
    check();
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(GuardedMemoryParts, TheMemoryEndsWhereItsMappingEndsButForTheAlignment) {
  struct Case {
    std::size_t bytes, unit;
  };
  constexpr std::size_t page = 4096;
  for (const Case& one :
       {Case{1, 16}, Case{4, 16}, Case{8, 16}, Case{15, 16}, Case{16, 16}, Case{24, 16},
        Case{32, 32}, Case{48, 16}, Case{64, 64}, Case{192, 64}, Case{128, 128}, Case{256, 256},
        Case{512, 256}, Case{768, 256}, Case{4095, 16}, Case{4096, 256}, Case{4097, 16},
        Case{8192, 256}, Case{10000, 16}}) {
    GuardedMemory made;
    made.lay_out(one.bytes, page, false);
    const std::size_t rest = (one.unit - one.bytes % one.unit) % one.unit;
    const std::size_t mapped = (one.bytes + page - 1) / page * page;
    EXPECT_EQ(made.bytes, one.bytes);
    EXPECT_EQ(made.mapped_bytes, mapped) << one.bytes;
    EXPECT_EQ(made.mapped, page) << one.bytes;
    EXPECT_EQ(made.mapped + made.mapped_bytes - made.end(), rest) << one.bytes;
    EXPECT_EQ(made.begin % one.unit, 0U) << one.bytes;
    EXPECT_EQ(made.reserved_bytes, page + mapped + guard_far) << one.bytes;
    EXPECT_EQ(made.extra(), mapped - one.bytes) << one.bytes;
  }
}

TEST(GuardedMemoryParts, WithBeforeTheMemoryBeginsWhereItsMappingBegins) {
  constexpr std::size_t page = 4096;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, page, page + 1, 3 * page}) {
    GuardedMemory made;
    made.lay_out(bytes, page, true);
    EXPECT_EQ(made.begin, guard_far) << bytes;
    EXPECT_EQ(made.mapped, guard_far) << bytes;
    EXPECT_EQ(made.mapped_bytes, (bytes + page - 1) / page * page) << bytes;
    EXPECT_EQ(made.reserved_bytes, guard_far + made.mapped_bytes + page) << bytes;
  }
}

TEST(GuardedMemoryParts, AtMost64KibOfAPatternAreCompared) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{65535}}) {
    EXPECT_EQ(GuardedMemory::compared(count), count);
  }
  for (const std::size_t count : {std::size_t{65536}, std::size_t{65537}, ~std::size_t{0}}) {
    EXPECT_EQ(GuardedMemory::compared(count), 65536U);
  }
  GuardedMemory made;
  made.mapped = 1'000'000;
  made.mapped_bytes = 300'000;
  made.begin = made.mapped + 70'000;
  made.bytes = 229'990;
  EXPECT_EQ(made.in_front(), 65536U);
  EXPECT_EQ(made.behind(), 10U);
  made.begin = made.mapped + 100;
  EXPECT_EQ(made.in_front(), 100U);
  made.has_patterns = false;
  EXPECT_EQ(made.in_front(), 0U);
  EXPECT_EQ(made.behind(), 0U);
}

TEST(GuardedMemoryParts, NewMemoryIsNowhereAndUnused) {
  const GuardedMemory made;
  EXPECT_EQ(made.begin, 0U);
  EXPECT_EQ(made.bytes, 0U);
  EXPECT_EQ(made.mapped, 0U);
  EXPECT_EQ(made.mapped_bytes, 0U);
  EXPECT_EQ(made.reserved, 0U);
  EXPECT_EQ(made.reserved_bytes, 0U);
  EXPECT_EQ(made.used, 0U);
  EXPECT_TRUE(made.has_patterns);
  EXPECT_EQ(made.site.line, 0U);
  const GuardDriver::Properties of;
  EXPECT_EQ(of.type, 1);
  EXPECT_EQ(of.handle_types, 0);
  EXPECT_EQ(of.location.type, 1);
  EXPECT_EQ(of.location.device, 0);
  EXPECT_EQ(of.windows, nullptr);
  EXPECT_THAT(of.flags, testing::Each(0));
}

TEST(GuardedMemoryParts, AMistakeIsToldWithItsPlace) {
  GuardedMemory made;
  made.begin = 1000;
  made.bytes = 40;
  const auto told = [&](GuardDriver::Address first, GuardDriver::Address last, const char* when) {
    testing::internal::CaptureStderr();
    made.tell_written(first, last, when);
    return testing::internal::GetCapturedStderr();
  };
  const std::string guard = "warpsafe: memory guard: something wrote bytes ";
  EXPECT_EQ(told(1040, 1043, ""), guard + "40 to 43 of 40 bytes\n");
  EXPECT_EQ(told(1000, 1000, ", after their free"),
            guard + "0 to 0 of 40 bytes, after their free\n");
  made.site = {"/home/me/app.cpp", "main", 7};
  EXPECT_EQ(told(996, 999, ""), guard +
                                    "4 to 1 before the beginning of 40 bytes that were allocated "
                                    "at app.cpp:7\n");
}

TEST(GuardedMemoryParts, AnExcuseIsSaidOnce) {
  bool said = false;
  const auto excuse = [&] {
    testing::internal::CaptureStderr();
    warpsafe::detail::GuardSwitch::say_once(said, "no");
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(excuse(), "warpsafe: WARPSAFE_GUARD: no\n");
  EXPECT_EQ(excuse(), "");
  EXPECT_EQ(excuse(), "");
}

class GuardSwitchDeathTest : public testing::Test {
 protected:
  /// Ends the process with 0 if the switch says so. It is read once, so each is a process.
  static void expect_guards(const std::string& value, std::uint64_t every, bool before = false,
                            const std::string& said = "",
                            const warpsafe::detail::DebugHooks* hooks = nullptr) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
          ::setenv("WARPSAFE_GUARD", value.c_str(), 1);
          __atomic_store_n(&warpsafe::detail::debug_hooks_in_use, hooks, __ATOMIC_RELEASE);
          const auto& found = warpsafe::detail::GuardSwitch::get();
          std::_Exit(found.every == every && found.before == before ? 0 : 1);
        },
        testing::ExitedWithCode(0), testing::Eq(said))
        << value;
  }
};

TEST_F(GuardSwitchDeathTest, ANumberGuardsOneAllocationInSoMany) {
  expect_guards("0", 0);
  expect_guards("9", 9);
  expect_guards("1203", 1203);
  expect_guards("999999999999999999", 999999999999999999);
  expect_guards("", 0);
}

TEST_F(GuardSwitchDeathTest, AnythingElseIsToldOrNamesKernels) {
  expect_guards("before", 1, true);
  expect_guards("axpy", 1, false,
                "warpsafe: WARPSAFE_GUARD: a launch waits only if the program includes "
                "<warpsafe/debug.hpp>\n");
  const warpsafe::detail::DebugHooks hooks{};
  expect_guards("_Zaxpy", 1, false, "", &hooks);
  for (const char* const value : {"1234567890123456789", "1,2", "9:", "+1"}) {
    expect_guards(value, 0, false,
                  std::string("warpsafe: WARPSAFE_GUARD=") + value +
                      " is neither a number, nor before, nor kernel names; 0 is used\n");
  }
}

}  // namespace
}  // namespace vendor_test
#endif
