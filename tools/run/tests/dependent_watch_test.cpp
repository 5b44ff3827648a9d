// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/suspicion/dependent_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace warpsafe::watch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using warpsafe::Name;

constexpr std::uint8_t plain = KernelCode::is_known;
constexpr std::uint8_t waits = plain | KernelCode::waits;
constexpr std::uint8_t triggers = plain | KernelCode::triggers | KernelCode::triggers_first;
constexpr std::uint8_t triggers_then_waits = triggers | KernelCode::waits;
constexpr std::uint8_t waits_then_triggers = waits | KernelCode::triggers;
constexpr std::uint8_t unknown = 0;

const int handles[2] = {};
std::uint64_t key(int i) { return static_cast<std::uint64_t>(i) + 1; }
StreamPlace apart(int i) { return {key(i), &handles[i], 0, StreamOrder::apart}; }
StreamPlace blocking(int i) { return {key(i), &handles[i], 0, StreamOrder::blocking}; }
const StreamPlace legacy{1000, nullptr, 0, StreamOrder::legacy};

constexpr std::uintptr_t x = 0x1000;
constexpr std::uintptr_t y = 0x2000;
constexpr std::uintptr_t z = 0x3000;
UsedPointer in(std::uintptr_t at) { return {at, PointerUse::reads}; }
UsedPointer out(std::uintptr_t at) { return {at, PointerUse::writes}; }
UsedPointer either(std::uintptr_t at) { return {at, PointerUse::may_write}; }

struct Dependent : testing::Test {
  DependentWatch watch;
  void launch(const char* name, std::uint8_t code, std::vector<UsedPointer> pointers,
              const StreamPlace& at = apart(0)) {
    put(name, code, std::move(pointers), at, false);
  }
  void early(const char* name, std::uint8_t code, std::vector<UsedPointer> pointers,
             const StreamPlace& at = apart(0), bool of_library = false) {
    put(name, code, std::move(pointers), at, true, of_library);
  }
  void put(const char* name, std::uint8_t code, std::vector<UsedPointer> pointers,
           const StreamPlace& at, bool dependent, bool of_library = false) {
    watch.launched(at, {Name::of(name), of_library, dependent, {code}, std::move(pointers)});
  }
  [[nodiscard]] std::vector<std::string> reported() {
    std::vector<std::string> all;
    watch.each([&](const std::string& text) { all.push_back(text); });
    return all;
  }
};

TEST_F(Dependent, AKernelThatNeverWaits) {
  launch("a", plain, {in(x), out(y)});
  early("b", plain, {in(y), out(z)});
  EXPECT_THAT(
      reported(),
      ElementsAre(testing::AllOf(
          HasSubstr("suspicion: 'b' never waits for the kernel before it on stream 0x"),
          HasSubstr(", and is launched with programmatic stream serialization: 'b' may begin "
                    "before 'a' has ended; the earlier one writes memory that the later one "
                    "receives; call cudaGridDependencySynchronize() in 'b' before its first "
                    "access, or launch it without that attribute"))));
}
TEST_F(Dependent, AKernelThatWaitsIsRight) {
  launch("a", triggers, {in(x), out(y)});
  early("b", waits, {in(y), out(z)});
  early("c", waits_then_triggers, {in(z), out(y)});
  early("d", triggers_then_waits, {in(y), out(z)});
  EXPECT_THAT(reported(), IsEmpty());
}
TEST_F(Dependent, AKernelWithoutTheAttributeIsRight) {
  launch("a", triggers, {in(x), out(y)});
  launch("b", plain, {in(y), out(z)});
  early("c", waits, {in(z), out(y)});
  EXPECT_THAT(reported(), IsEmpty());
}
TEST_F(Dependent, AKernelOfUnknownCodeIsNotSuspected) {
  launch("a", triggers, {in(x), out(y)});
  early("b", unknown, {in(y), out(z)});
  EXPECT_THAT(reported(), IsEmpty());
}
TEST_F(Dependent, AnUnknownKernelLetsNothingThrough) {
  launch("a", triggers, {in(x), out(y)});
  early("b", unknown, {in(x), out(z)});
  early("c", waits, {in(y), out(x)});
  EXPECT_THAT(reported(), IsEmpty());
}
TEST_F(Dependent, KernelsThatShareNothingOrOnlyRead) {
  launch("a", triggers, {in(x), out(y)});
  early("b", plain, {in(x), out(z)});
  EXPECT_THAT(reported(), IsEmpty());
}
TEST_F(Dependent, ALaterWriteOfWhatTheEarlierReadsNeedsATrigger) {
  launch("a", plain, {in(x), out(y)});
  early("b", plain, {in(z), out(x)});
  EXPECT_THAT(reported(), IsEmpty());
  launch("c", triggers, {in(x), out(y)});
  early("d", plain, {in(z), out(x)});
  EXPECT_THAT(
      reported(),
      ElementsAre(HasSubstr("; the later one writes memory that the earlier one receives")));
}
TEST_F(Dependent, APossibleWriteNeedsATrigger) {
  launch("a", plain, {either(x), either(y)});
  early("b", plain, {in(y), out(z)});
  EXPECT_THAT(reported(), IsEmpty());
  launch("c", triggers, {either(x), either(y)});
  early("d", plain, {in(y), out(z)});
  EXPECT_THAT(reported(),
              ElementsAre(HasSubstr("; both receive the same memory, and one may write it")));
}
TEST_F(Dependent, ALibraryWithoutATriggerIsNotSuspected) {
  early("a", plain, {in(x), out(y)}, apart(0), true);
  early("b", plain, {in(y), out(z)}, apart(0), true);
  early("c", plain, {in(z), out(x)});
  EXPECT_THAT(reported(), IsEmpty());
  launch("d", triggers, {in(x), out(y)});
  early("e", plain, {in(y), out(z)}, apart(0), true);
  EXPECT_EQ(reported().size(), 1U);
}
TEST_F(Dependent, AWaitCoversTheKernelBeforeAlone) {
  launch("a", triggers, {in(x), out(y)});
  early("between", plain, {in(x), out(z)});
  early("c", waits, {in(y), out(x)});
  EXPECT_THAT(reported(),
              ElementsAre(testing::AllOf(
                  HasSubstr("suspicion: 'between' never waits for the kernel before it on stream"),
                  HasSubstr(": 'c' may begin before 'a' has ended; the earlier one writes memory"),
                  HasSubstr("call cudaGridDependencySynchronize() in 'between'"))));
}
TEST_F(Dependent, AChainOfWaitsIsRight) {
  launch("a", triggers, {in(x), out(y)});
  early("between", triggers_then_waits, {in(x), out(z)});
  early("c", waits, {in(y), out(x)});
  EXPECT_THAT(reported(), IsEmpty());
}
TEST_F(Dependent, ATriggerBeforeTheWaitLetsAThirdKernelBegin) {
  launch("a", triggers, {in(x), out(y)});
  early("between", triggers_then_waits, {in(x), out(z)});
  early("c", plain, {in(y), out(x)});
  EXPECT_THAT(
      reported(),
      ElementsAre(
          HasSubstr("'c' never waits"),
          testing::AllOf(HasSubstr("'c' may begin before 'a' has ended, because 'between' lets it "
                                   "begin before its own wait"),
                         HasSubstr("call cudaGridDependencySynchronize() in 'c'"))));
}
TEST_F(Dependent, ATriggerAfterTheWaitDoesNot) {
  launch("a", triggers, {in(x), out(y)});
  early("between", waits_then_triggers, {in(x), out(z)});
  early("c", plain, {in(y), out(0x4000)});
  EXPECT_THAT(reported(), IsEmpty());
}
TEST_F(Dependent, OtherWorkAndWaitsOrderAll) {
  launch("a", triggers, {in(x), out(y)});
  watch.ordered(apart(0));
  early("b", plain, {in(y), out(z)});
  watch.ordered_all();
  early("c", plain, {in(z), out(y)});
  EXPECT_THAT(reported(), IsEmpty());
}
TEST_F(Dependent, StreamsAreApart) {
  launch("a", triggers, {in(x), out(y)}, apart(0));
  early("b", plain, {in(y), out(z)}, apart(1));
  watch.ordered(apart(1));
  EXPECT_THAT(reported(), IsEmpty());
  early("c", plain, {in(y), out(z)}, apart(0));
  EXPECT_EQ(reported().size(), 1U);
}
TEST_F(Dependent, TheLegacyStreamAndTheBlockingStreamsOrderEachOther) {
  launch("a", triggers, {in(x), out(y)}, legacy);
  launch("b", triggers, {in(x), out(z)}, blocking(0));
  early("c", plain, {in(y), out(z)}, legacy);
  EXPECT_THAT(reported(), IsEmpty());
  early("d", plain, {in(z), out(y)}, legacy);
  EXPECT_THAT(reported(), ElementsAre(HasSubstr("on the legacy default stream")));
}
TEST_F(Dependent, EachPairIsToldOnceAndTenInAll) {
  for (int i = 0; i < 5; ++i) {
    launch("a", triggers, {in(x), out(y)});
    early("b", plain, {in(y), out(z)});
  }
  EXPECT_EQ(reported().size(), 1U);
  static const char names[20][2] = {"c", "d", "e", "f", "g", "h", "i", "j", "k", "l",
                                    "m", "n", "o", "p", "q", "r", "s", "t", "u", "v"};
  for (const auto& name : names) {
    launch("a", triggers, {in(x), out(y)});
    early(name, plain, {in(y), out(z)});
  }
  EXPECT_EQ(reported().size(), 11U);
  EXPECT_EQ(reported().back(), "suspicion: 11 more kernels without a wait for the kernel before");
}
TEST(DependentWatch, FollowsTheFirstLaunchesAndThenProgramsWithAKernelThatDoesNotWait) {
  DependentWatch watch;
  int followed = 0;
  for (int i = 0; i < 10'000; ++i) followed += watch.wants(false) ? 1 : 0;
  EXPECT_EQ(followed, 4096);
  EXPECT_TRUE(watch.wants(true));
  EXPECT_TRUE(watch.wants(false));
}

}  // namespace
