// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "private_member.hpp"
#include <warpsafe/debug/journal/journal.hpp>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace warpsafe::core_test {

struct NextNumber {
  friend constexpr auto member(NextNumber);
};
template struct PrivateMember<NextNumber, &debug::Journal::last_>;

}  // namespace warpsafe::core_test

namespace warpsafe::debug {
namespace {

/// A separate journal, zeroed like static storage.
std::unique_ptr<Journal> fresh_journal() { return std::unique_ptr<Journal>(new Journal()); }

/// The `number`th launch of a thread. Every field contains both numbers, so a torn record shows.
LaunchRecord record_of(std::uint32_t thread, std::uint64_t number) {
  const auto mark = static_cast<std::uint32_t>(number * 64 + thread);
  LaunchRecord record{};
  record.kernel = {reinterpret_cast<const char*>(std::uintptr_t{mark} + 1), mark};
  for (int axis = 0; axis < 3; ++axis) record.grid[axis] = record.block[axis] = mark;
  record.dynamic_shared = mark;
  record.stream = reinterpret_cast<const void*>(std::uintptr_t{mark} + 1);
  record.device = static_cast<std::int32_t>(thread);
  record.registers = record.max_threads_per_block = mark;
  record.static_shared = mark;
  record.site.line = mark;
  return record;
}

/// Whether all fields of a record contain the same two numbers.
bool is_whole(const LaunchRecord& record) {
  const std::uint32_t mark = record.site.line;
  const void* const address = reinterpret_cast<const void*>(std::uintptr_t{mark} + 1);
  bool whole = record.kernel.data == address && record.kernel.size == mark &&
               record.dynamic_shared == mark && record.stream == address &&
               record.device == static_cast<std::int32_t>(mark % 64) && record.registers == mark &&
               record.max_threads_per_block == mark && record.static_shared == mark;
  for (int axis = 0; axis < 3; ++axis) {
    whole = whole && record.grid[axis] == mark && record.block[axis] == mark;
  }
  return whole;
}

std::map<std::uint64_t, LaunchRecord> contents(const Journal& journal) {
  std::map<std::uint64_t, LaunchRecord> found;
  for (std::size_t place = 0; place < Journal::capacity; ++place) {
    LaunchRecord record{};
    std::uint64_t submitted_at = 0;
    if (journal.read(place, record, submitted_at)) found.emplace(record.sequence, record);
  }
  return found;
}

TEST(Journal, IsEmptyAtFirst) {
  const auto journal = fresh_journal();
  EXPECT_TRUE(contents(*journal).empty());
  EXPECT_EQ(journal->last(), 0U);
  EXPECT_EQ(journal->overwritten(), 0U);
}

TEST(Journal, NumbersLaunchesFromOneAndKeepsEveryField) {
  const auto journal = fresh_journal();
  EXPECT_EQ(journal->append(record_of(3, 7)), 1U);
  EXPECT_EQ(journal->append(record_of(4, 8)), 2U);
  const auto found = contents(*journal);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(is_whole(found.at(1)));
  EXPECT_EQ(found.at(1).site.line, 7U * 64 + 3);
  EXPECT_TRUE(is_whole(found.at(2)));
}

TEST(Journal, SaysHowFarALaunchHasCome) {
  const auto journal = fresh_journal();
  const std::uint64_t number = journal->append(record_of(0, 0));
  LaunchRecord record{};
  std::uint64_t submitted_at = 1;
  ASSERT_TRUE(journal->read(number, record, submitted_at));
  EXPECT_EQ(record.state, LaunchState::started);
  EXPECT_EQ(submitted_at, 0U);
  journal->submitted(number, 42);
  ASSERT_TRUE(journal->read(number, record, submitted_at));
  EXPECT_EQ(record.state, LaunchState::submitted);
  EXPECT_EQ(submitted_at, 42U);
  journal->refused(number);
  ASSERT_TRUE(journal->read(number, record, submitted_at));
  EXPECT_EQ(record.state, LaunchState::refused);
}

TEST(Journal, OverflowIsCountedAndTheLastOnesStay) {
  const auto journal = fresh_journal();
  constexpr std::uint64_t count = Journal::capacity + 10;
  for (std::uint64_t i = 1; i <= count; ++i) journal->append(record_of(0, i));
  EXPECT_EQ(journal->overwritten(), 10U);
  const auto found = contents(*journal);
  ASSERT_EQ(found.size(), Journal::capacity);
  EXPECT_EQ(found.begin()->first, 11U);
  EXPECT_EQ(found.rbegin()->first, count);
}

TEST(Journal, ANoteThatComesARoundLateClaimsNothingOfTheNewLaunch) {
  const auto journal = fresh_journal();
  const std::uint64_t early = journal->append(record_of(0, 1));
  for (std::uint64_t i = 1; i <= Journal::capacity; ++i) journal->append(record_of(0, i + 1));
  journal->submitted(early + Journal::capacity, 5);
  journal->submitted(early, 3);
  LaunchRecord record{};
  std::uint64_t submitted_at = 0;
  ASSERT_TRUE(journal->read(early, record, submitted_at));
  EXPECT_EQ(record.sequence, early + Journal::capacity);
  EXPECT_EQ(record.state, LaunchState::started) << "too little, never too much";
}

TEST(Journal, AWriterThatIsARoundLateLeavesTheLaterLaunchInItsPlace) {
  const auto journal = fresh_journal();
  constexpr std::uint64_t written = 5 * Journal::capacity;
  for (std::uint64_t i = 0; i < written; ++i) journal->append(record_of(0, i));
  // As if its numbers were those of a round ago.
  (*journal).*member(core_test::NextNumber{}) = written - 2 * Journal::capacity;
  EXPECT_GT(journal->append(record_of(1, 1)), written - Journal::capacity);
  EXPECT_EQ(journal->skipped(), Journal::capacity) << "each place has a later launch";
}

// A reader reaches the middle of a slot, and a writer overwrites the slot before it goes on. The
// middle is at the beginning of a page that cannot be read until then.
struct Overtaken {
  static inline Journal* journal = nullptr;
  static inline unsigned char* page = nullptr;
  static inline std::size_t page_bytes = 0;
  static inline int overtaken = 0;
  static void at_fault(int) {
    ::mprotect(page, page_bytes, PROT_READ | PROT_WRITE);
    for (std::size_t i = 0; i < Journal::capacity; ++i) journal->append(record_of(1, i));
    ++overtaken;
  }
};

TEST(Journal, AReaderThatAWriterOvertakesReadsNothing) {
  const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t size = (sizeof(Journal) + bytes - 1) / bytes * bytes;
  void* const memory =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const journal = ::new (memory) Journal();
  for (std::size_t i = 0; i < Journal::capacity; ++i) journal->append(record_of(0, i));
  Overtaken::journal = journal;
  Overtaken::page_bytes = bytes;
  struct sigaction mine {};
  struct sigaction before {};
  mine.sa_handler = &Overtaken::at_fault;
  ASSERT_EQ(::sigaction(SIGSEGV, &mine, &before), 0);
  int refused = 0;
  for (std::size_t at = bytes; at < size; at += bytes) {
    Overtaken::page = static_cast<unsigned char*>(memory) + at;
    Overtaken::overtaken = 0;
    ::mprotect(Overtaken::page, bytes, PROT_NONE);
    // The slots from the first on, up to the one that reaches into the page.
    for (std::size_t place = 0; Overtaken::overtaken == 0 && place < Journal::capacity; ++place) {
      LaunchRecord record{};
      std::uint64_t submitted_at = 0;
      const bool read = journal->read(place, record, submitted_at);
      EXPECT_TRUE(!read || is_whole(record)) << place;
      refused += read ? 0 : 1;
    }
    EXPECT_EQ(Overtaken::overtaken, 1);
  }
  ASSERT_EQ(::sigaction(SIGSEGV, &before, nullptr), 0);
  EXPECT_GT(refused, 0) << "most pages begin within a slot";
  ::munmap(memory, size);
}

// The ThreadSanitizer lane runs these.

TEST(Journal, SixteenThreadsWithinItsCapacityLoseNothing) {
  const auto journal = fresh_journal();
  constexpr std::uint32_t threads = 16;
  constexpr std::uint64_t each = Journal::capacity / threads;
  std::vector<std::thread> running;
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    running.emplace_back([&journal, thread] {
      for (std::uint64_t i = 0; i < each; ++i) journal->append(record_of(thread, i));
    });
  }
  for (std::thread& one : running) one.join();
  const auto found = contents(*journal);
  EXPECT_EQ(found.size() + journal->skipped(), Journal::capacity);
  EXPECT_EQ(journal->skipped(), 0U) << "no two writers share a place in the first round";
  std::map<std::uint32_t, std::uint64_t> of_thread;
  for (const auto& [number, record] : found) {
    EXPECT_TRUE(is_whole(record));
    ++of_thread[static_cast<std::uint32_t>(record.device)];
  }
  for (std::uint32_t thread = 0; thread < threads; ++thread) EXPECT_EQ(of_thread[thread], each);
}

TEST(Journal, SixteenThreadsAtFullRateTearNothingAndKeepTheLastOnes) {
  const auto journal = fresh_journal();
  constexpr std::uint32_t threads = 16;
#if defined(__SANITIZE_THREAD__)
  constexpr std::uint64_t each = 5000;
#else
  constexpr std::uint64_t each = 50000;
#endif
  std::vector<std::vector<std::uint64_t>> numbers(threads);
  std::vector<std::thread> running;
  bool done = false;
  std::uint64_t torn = 0;
  std::uint64_t seen = 0;
  std::thread reader([&] {
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
      for (const auto& [number, record] : contents(*journal)) {
        ++seen;
        if (!is_whole(record)) ++torn;
      }
    }
  });
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < each; ++i) {
        const std::uint64_t number = journal->append(record_of(thread, i));
        journal->submitted(number, i + 1);
        numbers[thread].push_back(number);
      }
    });
  }
  for (std::thread& one : running) one.join();
  __atomic_store_n(&done, true, __ATOMIC_RELEASE);
  reader.join();
  EXPECT_EQ(torn, 0U);
  EXPECT_GT(seen, 0U);

  // Each launch has a unique number, which grows within its thread; none is missing.
  std::vector<std::uint64_t> all;
  for (const auto& mine : numbers) {
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
    all.insert(all.end(), mine.begin(), mine.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  EXPECT_EQ(all.size() + journal->skipped(), journal->last());
  // The launches with the last numbers are in the journal, each under its number.
  const auto found = contents(*journal);
  for (const std::uint64_t number : all) {
    if (number + Journal::capacity > journal->last()) {
      EXPECT_TRUE(found.count(number) == 1) << number << " of " << journal->last();
    }
  }
}

}  // namespace
}  // namespace warpsafe::debug
