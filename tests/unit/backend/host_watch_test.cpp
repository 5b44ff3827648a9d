// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// How the race detector follows a dependent launch: pages that are protected by rules, and faults
// that are noted. The faults are calls with a processor state that the test makes.

#include <warpsafe/backend/host/detail/predecessor_watch.hpp>

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <vector>

namespace warpsafe::host_test {
namespace {

using host::EarlyTouch;
using host::PredecessorMemory;
using host::PredecessorWatch;
using Rule = PredecessorMemory::Rule;

/// Pages of the system, and whether a program can read or write them now.
class Pages {
 public:
  explicit Pages(std::size_t count) : bytes_(count * page()) {
    void* const mapped =
        mmap(nullptr, bytes_ + 2 * page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(mapped, MAP_FAILED);
    begin_ = static_cast<unsigned char*>(mapped) + page();
    EXPECT_EQ(mprotect(begin_, bytes_, PROT_READ | PROT_WRITE), 0);
    EXPECT_EQ(pipe(ends_.data()), 0);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() {
    munmap(begin_ - page(), bytes_ + 2 * page());
    close(ends_[0]);
    close(ends_[1]);
  }
  [[nodiscard]] static std::size_t page() {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }
  [[nodiscard]] unsigned char* begin() const { return begin_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// "rw", "r" or "": what the system lets the program do.
  [[nodiscard]] std::string rights() const {
    const bool reads = write(ends_[1], begin_, 1) == 1;
    if (!reads) return "";
    return read(ends_[0], begin_, 1) == 1 ? "rw" : (drop(), "r");
  }

 private:
  void drop() const {
    char byte = 0;
    EXPECT_EQ(read(ends_[0], &byte, 1), 1);
  }
  std::size_t bytes_;
  unsigned char* begin_ = nullptr;
  std::array<int, 2> ends_{};
};

enum class TouchKind : std::uint8_t { read, write };

struct HostWatch : ::testing::Test {
  void SetUp() override {
    if (host::address_sanitizer || host::thread_sanitizer) {
      GTEST_SKIP() << "the sanitizers have their own handler of faults";
    }
  }
  ~HostWatch() override { detail::host_thread = nullptr; }

  PredecessorMemory& add(Rule early, Rule later, std::size_t pages = 1) {
    pages_.push_back(std::make_unique<Pages>(pages));
    const Pages& made = *pages_.back();
    memory.push_back({reinterpret_cast<std::uintptr_t>(made.begin()), made.bytes(), made.begin(),
                      made.bytes(), early, later});
    return memory.back();
  }
  [[nodiscard]] std::vector<std::string> rights() const {
    std::vector<std::string> all;
    for (const auto& one : pages_) all.push_back(one->rights());
    return all;
  }
  [[nodiscard]] unsigned char* at(std::size_t number) const { return pages_[number]->begin(); }
  void become(unsigned block, unsigned thread) {
    self = {};
    self.block[0] = block;
    self.block[2] = 9;
    self.thread[0] = thread;
    self.thread[2] = 8;
    detail::host_thread = &self;
  }
  /// A fault of the thread, as the handler passes it on.
  [[nodiscard]] static bool fault(const void* address, TouchKind access,
                                  bool protection_only = true) {
    ucontext_t context{};
#if defined(__x86_64__)
    context.uc_mcontext.gregs[19] =
        4 + (protection_only ? 1 : 0) + (access == TouchKind::write ? 2 : 0);
#else
    static_cast<void>(access);
    static_cast<void>(protection_only);
#endif
    return PredecessorWatch::takes(address, &context);
  }
  void wait(unsigned line) { watch.wait(self, "waits.cpp", line); }

  detail::HostThread self{};
  host::Array<PredecessorMemory> memory;
  PredecessorWatch watch;

 private:
  std::vector<std::unique_ptr<Pages>> pages_;
};

using ::testing::ElementsAre;

TEST_F(HostWatch, WithoutAGridNoFaultIsItsOwn) {
  add(Rule::no_access, Rule::no_access);
  EXPECT_FALSE(fault(at(0), TouchKind::read));
  watch.begin(memory, 1, 0);
  become(0, 0);
  EXPECT_TRUE(fault(at(0), TouchKind::read));
  watch.end();
  EXPECT_FALSE(fault(at(0), TouchKind::read));
  EXPECT_THAT(rights(), ElementsAre("rw"));
}

TEST_F(HostWatch, PagesAreProtectedByTheRuleForTheRunningThread) {
  for (const Rule early : {Rule::none, Rule::no_write, Rule::no_access}) {
    for (const Rule later : {Rule::none, Rule::no_write, Rule::no_access}) add(early, later);
  }
  PredecessorMemory without_pages;
  without_pages.early = without_pages.late = Rule::no_access;
  memory.push_back(without_pages);
  const auto later = ElementsAre("rw", "r", "", "rw", "r", "", "rw", "r", "");
  const auto early = ElementsAre("rw", "rw", "rw", "r", "r", "r", "", "", "");
  watch.begin(memory, 3, 1);
  EXPECT_THAT(rights(), later) << "no thread is followed yet";
  for (std::uint64_t block = 0; block < 9; ++block) {
    const bool followed = block == 0 || block % 3 == 1;
    EXPECT_EQ(watch.begin_block(block), followed) << block;
    if (followed) {
      EXPECT_THAT(rights(), early) << block;
    } else {
      EXPECT_THAT(rights(), later) << block;
    }
    become(static_cast<unsigned>(block), 0);
    wait(1);
    EXPECT_THAT(rights(), later) << block;
    watch.begin_thread();
    EXPECT_THAT(rights(), early) << block;
    watch.end_block();
  }
  watch.end();
  EXPECT_THAT(rights(), ::testing::Each(std::string("rw")));
  EXPECT_TRUE(watch.touches().empty());
}

TEST_F(HostWatch, AfterABarrierOneThreadsWaitHoldsForAll) {
  add(Rule::no_access, Rule::none);
  watch.begin(memory, 1, 0);
  ASSERT_TRUE(watch.begin_block(0));
  become(0, 0);
  watch.arrive();
  watch.begin_thread();
  watch.arrive();
  watch.open_barrier();
  watch.leave_barrier();
  EXPECT_THAT(rights(), ElementsAre("")) << "none has waited";
  wait(1);
  watch.arrive();
  watch.begin_thread();
  EXPECT_THAT(rights(), ElementsAre("")) << "the other one has not";
  watch.arrive();
  watch.leave_barrier();
  EXPECT_THAT(rights(), ElementsAre("")) << "it is not open";
  watch.open_barrier();
  watch.leave_barrier();
  EXPECT_THAT(rights(), ElementsAre("rw"));
  watch.end_block();
  ASSERT_TRUE(watch.begin_block(1));
  watch.open_barrier();
  watch.leave_barrier();
  EXPECT_THAT(rights(), ElementsAre("")) << "another block";
}

TEST_F(HostWatch, EachKindOfAccessIsNotedOnceAndGoesOn) {
  add(Rule::none, Rule::none);
  add(Rule::no_access, Rule::no_access, 2);
  add(Rule::no_write, Rule::none);
  watch.begin(memory, 1, 0);
  ASSERT_TRUE(watch.begin_block(0));
  become(4, 5);
  EXPECT_FALSE(fault(at(0), TouchKind::write)) << "no rule";
  EXPECT_FALSE(fault(at(1) - 1, TouchKind::read));
  EXPECT_FALSE(fault(at(1) + 2 * Pages::page(), TouchKind::read));
  EXPECT_TRUE(watch.touches().empty());

  EXPECT_TRUE(fault(at(1) + 2 * Pages::page() - 1, TouchKind::read));
  EXPECT_THAT(rights(), ElementsAre("rw", "r", "r"));
  become(4, 6);
  EXPECT_TRUE(fault(at(1), TouchKind::read)) << "a page that can be read faults at a write only";
  EXPECT_THAT(rights(), ElementsAre("rw", "rw", "r"));
  EXPECT_FALSE(fault(at(1), TouchKind::write)) << "it has all rights";
  EXPECT_TRUE(fault(at(2), TouchKind::write));
  EXPECT_THAT(rights(), ElementsAre("rw", "rw", "rw"));

  const host::Array<EarlyTouch>& touches = watch.touches();
  ASSERT_EQ(touches.size(), 3U);
  const std::size_t numbers[] = {1, 1, 2};
  const bool writes[] = {false, true, true};
  const unsigned threads[] = {5, 6, 6};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(touches[i].memory, numbers[i]) << i;
    EXPECT_EQ(touches[i].writes, writes[i]) << i;
    EXPECT_TRUE(touches[i].early) << i;
    EXPECT_THAT(touches[i].block, ElementsAre(4U, 0U, 9U)) << i;
    EXPECT_THAT(touches[i].thread, ElementsAre(threads[i], 0U, 8U)) << i;
    EXPECT_EQ(touches[i].wait.file, nullptr) << i;
  }
  watch.begin(memory, 1, 0);
  EXPECT_TRUE(watch.touches().empty()) << "of another grid";
}

#if defined(__x86_64__)
TEST_F(HostWatch, TheProcessorTellsWhetherAnAccessWrites) {
  for (const TouchKind access : {TouchKind::read, TouchKind::write}) {
    for (const bool protection_only : {false, true}) {
      memory.clear();
      add(Rule::no_access, Rule::none);
      PredecessorWatch mine;
      mine.begin(memory, 1, 0);
      ASSERT_TRUE(mine.begin_block(0));
      become(0, 0);
      EXPECT_TRUE(fault(reinterpret_cast<void*>(memory[0].begin), access, protection_only));
      ASSERT_EQ(mine.touches().size(), 1U);
      EXPECT_EQ(mine.touches()[0].writes, access == TouchKind::write) << protection_only;
    }
  }
}
#endif

// What a thread does after its wait is noted apart from what it did before; what was noted before
// is not noted again after.
TEST_F(HostWatch, EarlyAndLateAccessesAreNotedApart) {
  add(Rule::no_access, Rule::no_access);
  add(Rule::no_access, Rule::no_access);
  watch.begin(memory, 1, 0);
  ASSERT_TRUE(watch.begin_block(0));
  become(0, 0);
  ASSERT_TRUE(fault(at(0), TouchKind::read));
  wait(3);
  EXPECT_THAT(rights(), ElementsAre("r", ""));
  ASSERT_TRUE(fault(at(0), TouchKind::write));
  ASSERT_TRUE(fault(at(1), TouchKind::read));
  EXPECT_THAT(rights(), ElementsAre("rw", "r"));
  watch.begin_thread();
  EXPECT_THAT(rights(), ElementsAre("r", "")) << "late accesses are no early ones";
  ASSERT_TRUE(fault(at(0), TouchKind::write));
  EXPECT_THAT(rights(), ElementsAre("rw", ""));
  ASSERT_TRUE(fault(at(1), TouchKind::read));
  ASSERT_TRUE(fault(at(1), TouchKind::write));
  wait(4);
  EXPECT_THAT(rights(), ElementsAre("rw", "rw"));
  std::vector<bool> early;
  std::vector<bool> writes;
  for (const EarlyTouch& touch : watch.touches()) {
    early.push_back(touch.early);
    writes.push_back(touch.writes);
  }
  EXPECT_THAT(early, ElementsAre(true, false, false, true, true, true));
  EXPECT_THAT(writes, ElementsAre(false, true, false, true, false, true));
}

TEST_F(HostWatch, AnotherThreadOfTheProgramIsLetThrough) {
  add(Rule::no_access, Rule::no_access);
  watch.begin(memory, 1, 0);
  detail::host_thread = nullptr;
  EXPECT_TRUE(fault(at(0), TouchKind::write));
  EXPECT_THAT(rights(), ElementsAre("rw"));
  EXPECT_TRUE(watch.touches().empty());
}

TEST_F(HostWatch, ATouchNamesTheWaitThatItsThreadMadeAfterIt) {
  for (int i = 0; i < 3; ++i) add(Rule::no_access, Rule::no_access);
  watch.begin(memory, 1, 0);
  ASSERT_TRUE(watch.begin_block(0));
  become(1, 1);
  ASSERT_TRUE(fault(at(0), TouchKind::read));
  watch.begin_thread();
  become(1, 2);
  ASSERT_TRUE(fault(at(1), TouchKind::read));
  wait(10);
  ASSERT_TRUE(fault(at(2), TouchKind::read));
  wait(20);
  become(2, 1);
  wait(30);
  const host::Array<EarlyTouch>& touches = watch.touches();
  ASSERT_EQ(touches.size(), 3U);
  EXPECT_EQ(touches[0].wait.file, nullptr) << "neither thread nor block are the same";
  ASSERT_NE(touches[1].wait.file, nullptr);
  EXPECT_STREQ(touches[1].wait.file, "waits.cpp");
  EXPECT_EQ(touches[1].wait.line, 10U) << "the first one";
  EXPECT_FALSE(touches[2].early);
  EXPECT_EQ(touches[2].wait.file, nullptr) << "it came after a wait";
}

TEST(HostWatchTypes, SayNothingAtFirst) {
  const PredecessorMemory none;
  EXPECT_EQ(none.begin, 0U);
  EXPECT_EQ(none.bytes, 0U);
  EXPECT_EQ(none.page_bytes, 0U);
  const EarlyTouch touch;
  EXPECT_EQ(touch.memory, 0U);
  EXPECT_FALSE(touch.early);
  EXPECT_FALSE(touch.writes);
  EXPECT_EQ(touch.wait.line, 0U);
  PredecessorWatch watch;
  EXPECT_FALSE(watch.covered());
  EXPECT_FALSE(watch.hides());
  watch.allow();
  EXPECT_FALSE(watch.covered());
}

TEST_F(HostWatch, NoFaultReachesADestroyedOne) {
  add(Rule::no_access, Rule::no_access);
  alignas(PredecessorWatch) std::array<unsigned char, sizeof(PredecessorWatch)> place{};
  auto* const mine = new (place.data()) PredecessorWatch;
  mine->begin(memory, 1, 0);
  mine->~PredecessorWatch();
  std::iota(place.begin(), place.end(),
            static_cast<unsigned char>(1));  // another object is there now
  EXPECT_FALSE(fault(at(0), TouchKind::read));
}

TEST_F(HostWatch, ADestroyedOneHasEnded) {
  add(Rule::no_access, Rule::no_access);
  {
    PredecessorWatch mine;
    mine.begin(memory, 1, 0);
    EXPECT_THAT(rights(), ElementsAre(""));
  }
  EXPECT_THAT(rights(), ElementsAre("rw"));
  EXPECT_FALSE(fault(at(0), TouchKind::read));
}

TEST_F(HostWatch, AnEndOfOneThatFollowsNothingLeavesTheOtherAlone) {
  add(Rule::no_access, Rule::no_access);
  watch.begin(memory, 1, 0);
  {
    PredecessorWatch other;
    other.end();
  }
  EXPECT_THAT(rights(), ElementsAre(""));
}

// Old contents.

TEST_F(HostWatch, OldContentsAreSeenUntilTheFirstWaitOrTheEnd) {
  add(Rule::no_access, Rule::no_access);
  add(Rule::no_write, Rule::no_write);
  std::memcpy(at(0), "new!", 4);
  std::memcpy(at(1), "NEW!", 4);
  EXPECT_FALSE(watch.hides());
  watch.hide(at(0), {'o', 'l', 'd', '.'}, false);
  watch.hide(at(1), {'O', 'L', 'D', '.'}, true);
  EXPECT_TRUE(watch.hides());
  EXPECT_EQ(std::memcmp(at(0), "old.", 4), 0);
  EXPECT_EQ(std::memcmp(at(1), "OLD.", 4), 0);
  at(0)[1] = 'X';  // what the grid writes stays
  watch.begin(memory, 1, 0);
  ASSERT_TRUE(watch.begin_block(0));
  become(0, 0);
  wait(1);
  EXPECT_TRUE(watch.hides()) << "the late one";
  EXPECT_THAT(rights(), ElementsAre("", "r")) << "as before";
  EXPECT_EQ(std::memcmp(at(1), "OLD.", 4), 0);
  watch.end();
  EXPECT_FALSE(watch.hides());
  EXPECT_EQ(std::memcmp(at(0), "nXw!", 4), 0);
  EXPECT_EQ(std::memcmp(at(1), "NEW!", 4), 0);
}

TEST_F(HostWatch, AWaitThatRevealsKeepsTheRulesOfABlockThatIsNotFollowed) {
  add(Rule::none, Rule::no_access);
  std::memcpy(at(0), "new!", 4);
  watch.hide(at(0), {'o', 'l', 'd', '.'}, false);
  watch.begin(memory, 2, 1);
  ASSERT_FALSE(watch.begin_block(2));
  EXPECT_THAT(rights(), ElementsAre(""));
  wait(1);
  EXPECT_FALSE(watch.hides());
  EXPECT_THAT(rights(), ElementsAre(""));
  watch.end();
  EXPECT_EQ(std::memcmp(at(0), "new!", 4), 0);
}

// Whether the grid's dependents can begin only after its own predecessor has ended.
TEST_F(HostWatch, ABlockCoversThatWaitsBeforeItAllows) {
  struct Case {
    const char* steps;  // b, B: a block that is followed, not; w: wait; a: allow; t: next thread
    bool covered;
  };
  const Case cases[] = {{"be", false},     {"bwe", true},    {"bwae", true},   {"bawe", false},
                        {"bae", false},    {"Bwe", true},    {"Bwae", true},   {"Bawe", false},
                        {"Be", false},     {"bwtae", false}, {"Bwtae", true},  {"bawae", false},
                        {"btwe", true},    {"bwebe", true},  {"baebwe", true}, {"baebe", false},
                        {"bawebae", false}};
  for (const Case& one : cases) {
    add(Rule::none, Rule::none);
    watch.begin(memory, 2, 1);
    EXPECT_FALSE(watch.covered());
    become(0, 0);
    for (const char* step = one.steps; *step != '\0'; ++step) {
      switch (*step) {
        case 'b':
          ASSERT_TRUE(watch.begin_block(0));
          break;
        case 'B':
          ASSERT_FALSE(watch.begin_block(2));
          break;
        case 'w':
          wait(1);
          break;
        case 'a':
          watch.allow();
          break;
        case 't':
          watch.begin_thread();
          break;
        default:
          watch.end_block();
      }
    }
    EXPECT_EQ(watch.covered(), one.covered) << one.steps;
    watch.end();
  }
}

}  // namespace
}  // namespace warpsafe::host_test
