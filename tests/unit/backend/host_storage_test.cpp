// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The memory that stands for a device's, and the record of it, without a runtime.

#include "host_test_kernel.hpp"
#include <warpsafe/backend/host/detail/guarded_pages.hpp>
#include <warpsafe/backend/host/detail/memory.hpp>

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace warpsafe::host_test {
namespace {

using host::Allocation;
using host::FreedMemory;
using host::GuardedPages;
using host::MemoryGuard;
using host::MemoryRegistry;
using host::Storage;

unsigned char* bytes_of(const Storage& storage) {
  return static_cast<unsigned char*>(storage.get());
}
std::uintptr_t address_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

unsigned char byte_of(std::uint32_t pattern, std::size_t place) {
  const std::array<unsigned char, 4> bytes{
      static_cast<unsigned char>(pattern), static_cast<unsigned char>(pattern >> 8U),
      static_cast<unsigned char>(pattern >> 16U), static_cast<unsigned char>(pattern >> 24U)};
  return bytes[place % 4];
}
bool holds(const unsigned char* memory, std::size_t bytes, std::uint32_t pattern) {
  for (std::size_t i = 0; i < bytes; ++i) {
    if (memory[i] != byte_of(pattern, i)) return false;
  }
  return true;
}

TEST(HostStorage, HasPagesOfItsOwnExceptUnderASanitizer) {
  const Storage storage(100);
  EXPECT_EQ(storage.pages() == nullptr, host::address_sanitizer || host::thread_sanitizer);
}

TEST(HostPattern, FillsAndFindsEachByte) {
  for (std::size_t bytes = 0; bytes <= 13; ++bytes) {
    std::array<unsigned char, 16> memory{};
    memory.fill(0x55);
    host::fill_pattern(memory.data() + 1, bytes, 0x44332211);
    EXPECT_TRUE(holds(memory.data() + 1, bytes, 0x44332211)) << bytes;
    EXPECT_EQ(memory[0], 0x55);
    EXPECT_EQ(memory[bytes + 1], 0x55) << bytes;
    EXPECT_TRUE(host::holds_pattern(memory.data() + 1, bytes, 0x44332211)) << bytes;
    EXPECT_FALSE(host::holds_pattern(memory.data() + 1, bytes + 1, 0x44332211)) << bytes;
    for (std::size_t wrong = 1; wrong <= bytes; ++wrong) {
      memory[wrong] ^= 0x80U;
      EXPECT_FALSE(host::holds_pattern(memory.data() + 1, bytes, 0x44332211)) << wrong;
      memory[wrong] ^= 0x80U;
    }
  }
}

TEST(HostStorage, BeginsFreshAlignedAndGuarded) {
  for (const std::size_t bytes : {1UL, 100UL, 255UL, 256UL, 257UL, 4096UL, 5000UL}) {
    const Storage storage(bytes);
    ASSERT_NE(storage.get(), nullptr);
    EXPECT_EQ(address_of(storage.get()) % 256, 0U) << bytes;
    EXPECT_TRUE(holds(bytes_of(storage), bytes, host::fresh_pattern)) << bytes;
    if (under_sanitizer) continue;
    const std::size_t room = (bytes + 255) / 256 * 256;
    const std::size_t page = GuardedPages::page();
    EXPECT_TRUE(holds(bytes_of(storage) + bytes, room - bytes, host::guard_pattern)) << bytes;
    EXPECT_EQ(storage.page_bytes(), (bytes + page - 1) / page * page) << bytes;
    EXPECT_EQ(address_of(storage.pages()) + storage.page_bytes(), address_of(storage.get()) + room)
        << bytes;
  }
}

TEST(HostStorage, EachByteBehindItIsCheckedAndRetiringLeavesTheFreedPattern) {
  if (under_sanitizer) GTEST_SKIP() << "the sanitizers check the end";
  const std::size_t bytes = 100;
  Storage storage(bytes);
  unsigned char* const memory = bytes_of(storage);
  memory[0] = 1;
  memory[99] = 1;
  EXPECT_FALSE(storage.take_overrun());
  storage.retire();
  EXPECT_TRUE(holds(memory, bytes, host::freed_pattern));
  EXPECT_TRUE(holds(memory + bytes, 156, host::guard_pattern));
  for (const std::size_t place : {100UL, 101UL, 180UL, 255UL}) {
    memory[place] ^= 1U;
    EXPECT_TRUE(storage.take_overrun()) << place;
    EXPECT_FALSE(storage.take_overrun()) << "once";
  }
  EXPECT_TRUE(holds(memory + bytes, 156, host::guard_pattern));
  EXPECT_EQ(storage.written_after_free(), 0U);
  for (const std::size_t place : {0UL, 50UL, 99UL}) {
    memory[place] ^= 1U;
    EXPECT_EQ(storage.written_after_free(), bytes) << place;
    memory[place] ^= 1U;
  }
}

TEST(HostStorage, ItsRoomCanBecomeOtherMemoryOfTheSameRoom) {
  if (under_sanitizer) GTEST_SKIP() << "heap memory keeps its size";
  Storage storage(100);
  void* const begin = storage.get();
  EXPECT_TRUE(storage.fits(1));
  EXPECT_TRUE(storage.fits(256));
  EXPECT_FALSE(storage.fits(257));
  EXPECT_FALSE(storage.fits(512));
  EXPECT_FALSE(storage.take_overrun());
  storage.retire();
  storage.reissue(200);
  unsigned char* const memory = bytes_of(storage);
  EXPECT_EQ(memory, begin);
  EXPECT_TRUE(holds(memory, 200, host::fresh_pattern));
  EXPECT_TRUE(holds(memory + 200, 56, host::guard_pattern));
  memory[199] = 1;
  EXPECT_FALSE(storage.take_overrun());
  storage.retire();
  EXPECT_TRUE(holds(memory, 200, host::freed_pattern));
  memory[199] = 1;
  EXPECT_EQ(storage.written_after_free(), 200U);
  storage.reissue(30);
  EXPECT_TRUE(holds(memory + 30, 226, host::guard_pattern));
  memory[255] = 1;
  EXPECT_TRUE(storage.take_overrun());
}

TEST(HostStorage, MovesWithItsPagesAndGuard) {
  Storage first(100);
  void* const memory = first.get();
  void* const pages = first.pages();
  const std::size_t page_bytes = first.page_bytes();
  Storage second(std::move(first));
  EXPECT_EQ(second.get(), memory);
  EXPECT_EQ(second.pages(), pages);
  EXPECT_EQ(second.page_bytes(), page_bytes);
  Storage third;
  EXPECT_EQ(third.get(), nullptr);
  EXPECT_EQ(third.pages(), nullptr);
  EXPECT_EQ(third.page_bytes(), 0U);
  third = std::move(second);
  EXPECT_EQ(third.get(), memory);
  EXPECT_EQ(third.pages(), pages);
  EXPECT_EQ(third.page_bytes(), page_bytes);
  EXPECT_FALSE(third.take_overrun());
  third.retire();
  bytes_of(third)[99] = 1;
  EXPECT_EQ(third.written_after_free(), 100U);
  if (!under_sanitizer) {
    bytes_of(third)[100] = 1;
    EXPECT_TRUE(third.take_overrun());
  }
}

TEST(HostStorage, AnEmptyOneHasNothingToCheck) {
  Storage none;
  EXPECT_FALSE(none.take_overrun());
  none.retire();
  EXPECT_EQ(none.written_after_free(), 0U);
}

TEST(HostStorage, GivesItsPagesBack) {
  if (under_sanitizer) GTEST_SKIP() << "the sanitizers know only memory of the heap";
  void* pages = nullptr;
  {
    const Storage storage(100);
    pages = storage.pages();
  }
  EXPECT_EQ(GuardedPages::take(GuardedPages::page()), pages);
  GuardedPages::give_back(pages, GuardedPages::page());
}

TEST(HostStorage, NoMemoryHasSizesThatNoneCanHave) {
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 100, SIZE_MAX / 2 + 1}) {
    const Storage storage(bytes);
    EXPECT_EQ(storage.get(), nullptr) << bytes;
    EXPECT_EQ(storage.pages(), nullptr) << bytes;
  }
}

/// Takes pages until there are no more, and gives them back. Returns how many there were.
std::size_t pages_left(std::size_t bytes) {
  std::vector<void*> taken;
  for (void* pages = nullptr; (pages = GuardedPages::take(bytes)) != nullptr;) {
    taken.push_back(pages);
  }
  for (void* const pages : taken) GuardedPages::give_back(pages, bytes);
  return taken.size();
}

/// The bytes of all addresses that this process has.
std::size_t address_bytes() {
  std::ifstream in("/proc/self/statm");
  std::size_t pages = 0;
  in >> pages;
  return pages * GuardedPages::page();
}

TEST(HostPages, HaveAddressesWithoutMemoryOnBothSides) {
  if (under_sanitizer) GTEST_SKIP() << "the sanitizers know only memory of the heap";
  testing::FLAGS_gtest_death_test_style = "fast";
  const std::size_t page = GuardedPages::page();
  auto* const one = static_cast<volatile unsigned char*>(GuardedPages::take(2 * page));
  ASSERT_NE(one, nullptr);
  one[0] = 1;
  one[2 * page - 1] = 1;
  for (const std::ptrdiff_t place :
       {std::ptrdiff_t{-1}, -static_cast<std::ptrdiff_t>(page),
        static_cast<std::ptrdiff_t>(2 * page),
        static_cast<std::ptrdiff_t>(2 * page + GuardedPages::unmapped_bytes - 1)}) {
    // The pages are reserved: the system gives none of these addresses to anything else.
    unsigned char resident = 0;
    auto* const there = const_cast<unsigned char*>(one) + place;
    auto* const its_page = there - (address_of(there) % page);
    EXPECT_EQ(mincore(its_page, page, &resident), 0) << place;
    EXPECT_EXIT(*(one + place) = 1, ::testing::KilledBySignal(SIGSEGV), "") << place;
  }
  GuardedPages::give_back(const_cast<unsigned char*>(one), 2 * page);
  unsigned char resident = 0;
  auto* const gone = const_cast<unsigned char*>(one);
  EXPECT_NE(mincore(gone, page, &resident), 0) << "the system has them back";
  EXPECT_NE(mincore(gone - page, page, &resident), 0);
  EXPECT_NE(mincore(gone + page + GuardedPages::unmapped_bytes, page, &resident), 0);
}

TEST(HostPages, SinglePagesAreKeptForTheNext) {
  if (under_sanitizer) GTEST_SKIP() << "the sanitizers know only memory of the heap";
  const std::size_t page = GuardedPages::page();
  void* const one = GuardedPages::take(page);
  void* const other = GuardedPages::take(page);
  GuardedPages::give_back(one, page);
  GuardedPages::give_back(other, page);
  EXPECT_EQ(GuardedPages::take(page), other);
  EXPECT_EQ(GuardedPages::take(page), one);
  GuardedPages::give_back(one, page);
  GuardedPages::give_back(other, page);
}

TEST(HostPages, AreAsManyAfterEveryFailureAndAllAtOnce) {
  if (under_sanitizer) GTEST_SKIP() << "the sanitizers know only memory of the heap";
  const std::size_t page = GuardedPages::page();
  // Those that are kept count as taken, so the pool is filled first.
  static_cast<void>(pages_left(page));
  const std::size_t left = pages_left(2 * page);
  EXPECT_LE(left, 8192U - 1024U);
  EXPECT_EQ(pages_left(page), left + 1024);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(GuardedPages::take(SIZE_MAX / 4 / page * page), nullptr);
  EXPECT_EQ(pages_left(2 * page), left);
  EXPECT_EQ(pages_left(page), left + 1024);
}

TEST(HostStorage, IsOfTheHeapWhereTheSystemGivesNoPages) {
  std::vector<void*> taken;
  if (!under_sanitizer) {
    while (void* const pages = GuardedPages::take(GuardedPages::page())) taken.push_back(pages);
  }
  {
    Storage storage(100);
    ASSERT_NE(storage.get(), nullptr);
    EXPECT_EQ(storage.pages(), nullptr);
    EXPECT_EQ(address_of(storage.get()) % 256, 0U);
    EXPECT_TRUE(holds(bytes_of(storage), 100, host::fresh_pattern));
    EXPECT_TRUE(storage.fits(100));
    EXPECT_FALSE(storage.fits(99));
    EXPECT_FALSE(storage.fits(101));
    EXPECT_FALSE(storage.take_overrun());
    storage.reissue(100);
    EXPECT_TRUE(holds(bytes_of(storage), 100, host::fresh_pattern));
    if (!host::address_sanitizer) {
      EXPECT_TRUE(holds(bytes_of(storage) + 100, 64, host::guard_pattern));
      bytes_of(storage)[163] ^= 1U;
      EXPECT_TRUE(storage.take_overrun());
      bytes_of(storage)[100] ^= 1U;
      EXPECT_TRUE(storage.take_overrun());
    }
    // The sanitizers end a program that asks for so much.
    if (!under_sanitizer) {
      EXPECT_EQ(Storage(SIZE_MAX / 2).get(), nullptr);
    }
    EXPECT_NE(Storage(10).get(), nullptr) << "less than its guard";
    const std::size_t before = address_bytes();
    const std::size_t large = std::size_t{64} << 20U;  // no heap keeps so much
    EXPECT_NE(Storage(large).get(), nullptr);
    if (!under_sanitizer) {
      EXPECT_LT(address_bytes(), before + large / 2);
    }
  }
  for (void* const pages : taken) GuardedPages::give_back(pages, GuardedPages::page());
}

Allocation allocation(std::size_t bytes, MemoryKind kind = MemoryKind::device, int device = 0,
                      bool ordered = false) {
  return {Storage(bytes), bytes, kind, device, false, ordered, {nullptr, nullptr, 0}};
}
/// Freed memory, as the backend adds it.
Allocation freed(std::size_t bytes, MemoryKind kind = MemoryKind::device, int device = 0,
                 bool ordered = false) {
  Allocation made = allocation(bytes, kind, device, ordered);
  made.storage.retire();
  return made;
}
/// What asks for memory: it has none yet.
Allocation asking(std::size_t bytes, MemoryKind kind = MemoryKind::device, int device = 0,
                  bool ordered = false) {
  return {{}, bytes, kind, device, false, ordered, {nullptr, nullptr, 0}};
}

TEST(HostAllocation, AnotherDeviceReachesItUnlessItIsThatDevicesOwn) {
  host::Device device(0);
  EXPECT_TRUE(asking(8, MemoryKind::device, 0).is_accessible(device));
  EXPECT_FALSE(asking(8, MemoryKind::device, 1).is_accessible(device));
  EXPECT_TRUE(asking(8, MemoryKind::managed, 1).is_accessible(device));
  EXPECT_TRUE(asking(8, MemoryKind::pinned, 1).is_accessible(device));
  device.peers = 2;
  EXPECT_TRUE(asking(8, MemoryKind::device, 1).is_accessible(device));
  const Allocation nothing;
  EXPECT_EQ(nothing.bytes, 0U);
  EXPECT_EQ(nothing.kind, MemoryKind::unregistered);
  EXPECT_EQ(nothing.device, -1);
  EXPECT_FALSE(nothing.freed);
  EXPECT_FALSE(nothing.ordered);
  EXPECT_EQ(nothing.site.file, nullptr);
  EXPECT_EQ(nothing.site.line, 0U);
}

TEST(HostFreedMemory, IsHandedOutAgainOnlyToItsKind) {
  struct Case {
    MemoryKind kind;
    int device;
    bool ordered;
    std::size_t bytes;
    bool taken;
  };
  const Case cases[] = {{MemoryKind::device, 1, true, 100, true},
                        {MemoryKind::managed, 1, true, 100, false},
                        {MemoryKind::device, 0, true, 100, false},
                        {MemoryKind::device, 1, false, 100, false},
                        {MemoryKind::device, 1, true, 300, false}};
  for (const Case& one : cases) {
    FreedMemory kept;
    kept.make_room();
    kept.add(freed(100, MemoryKind::device, 1, true));
    Allocation made = asking(one.bytes, one.kind, one.device, one.ordered);
    int asked = 0;
    EXPECT_EQ(kept.take(made, [&] { return ++asked != 0; }), one.taken);
    EXPECT_EQ(asked, one.taken ? 1 : 0);
    EXPECT_EQ(made.storage.get() != nullptr, one.taken);
  }
}

TEST(HostFreedMemory, GivesTheNewestAsFreshMemoryOnce) {
  FreedMemory kept;
  Allocation made = asking(100);
  EXPECT_FALSE(kept.take(made, [] { return true; }));
  kept.add(freed(100));
  Allocation newest = freed(100);
  const void* const memory = newest.storage.get();
  kept.add(std::move(newest));
  kept.add(freed(700));
  EXPECT_FALSE(kept.take(made, [] { return false; }));
  EXPECT_EQ(made.storage.get(), nullptr);
  ASSERT_TRUE(kept.take(made, [] { return true; }));
  EXPECT_EQ(made.storage.get(), memory);
  EXPECT_TRUE(holds(bytes_of(made.storage), 100, host::fresh_pattern));
  EXPECT_EQ(kept.written_after_free(), 0U);
  Allocation second = asking(100);
  ASSERT_TRUE(kept.take(second, [] { return true; }));
  EXPECT_NE(second.storage.get(), memory);
  Allocation third = asking(100);
  EXPECT_FALSE(kept.take(third, [] { return true; })) << "both are in use";
  Allocation large = asking(700);
  EXPECT_TRUE(kept.take(large, [] { return true; }));
}

TEST(HostFreedMemory, LooksAtTheNewest64) {
  for (const int newer : {63, 64}) {
    FreedMemory kept;
    kept.add(freed(600));
    for (int i = 0; i < newer; ++i) kept.add(freed(100));
    Allocation made = asking(600);
    EXPECT_EQ(kept.take(made, [] { return true; }), newer == 63);
  }
}

TEST(HostFreedMemory, DoesNotLookAtWhatIsInUseAgain) {
  FreedMemory kept;
  kept.add(freed(600));
  for (int i = 0; i < 70; ++i) {
    kept.add(freed(100));
    Allocation made = asking(100);
    ASSERT_TRUE(kept.take(made, [] { return true; }));
  }
  Allocation made = asking(600);
  EXPECT_TRUE(kept.take(made, [] { return true; }));
}

/// Memory of 8 bytes that counts as `bytes`.
Allocation freed_as(std::size_t bytes) {
  Allocation made = freed(8, MemoryKind::device, 0, true);
  made.bytes = bytes;
  return made;
}
/// Takes all pieces of 8 bytes out, and returns how many there were.
std::size_t take_all(FreedMemory& kept) {
  std::size_t found = 0;
  for (;; ++found) {
    Allocation made = asking(8, MemoryKind::device, 0, true);
    if (!kept.take(made, [] { return true; })) return found;
  }
}

TEST(HostFreedMemory, KeepsTheNewestPieces) {
  FreedMemory kept;
  for (int i = 0; i < 8192; ++i) kept.add(freed_as(8));
  EXPECT_EQ(take_all(kept), 8192U);
  for (int i = 0; i < 8193; ++i) kept.add(freed_as(8));
  EXPECT_EQ(take_all(kept), 4096U);
}

TEST(HostFreedMemory, KeepsTheNewestBytes) {
  constexpr std::size_t large = std::size_t{128} << 20U;
  FreedMemory kept;
  for (int i = 0; i < 4; ++i) kept.add(freed_as(large));
  EXPECT_EQ(take_all(kept), 4U);
  for (int i = 0; i < 4; ++i) kept.add(freed_as(large));
  kept.add(freed_as(1));
  EXPECT_EQ(take_all(kept), 2U) << "more than 512 MiB become at most 256";
  kept.add(freed_as(8 * large));
  EXPECT_EQ(take_all(kept), 1U) << "the newest stays, whatever its size";
  for (int i = 0; i < 4; ++i) kept.add(freed_as(large));
  EXPECT_EQ(take_all(kept), 4U) << "what is in use again does not count";
}

TEST(HostFreedMemory, AWriteIsToldAlsoOnceItsMemoryHasGone) {
  FreedMemory kept;
  Allocation first = freed_as(8);
  *bytes_of(first.storage) = 1;
  kept.add(std::move(first));
  EXPECT_EQ(kept.written_after_free(), 8U);
  for (int i = 0; i < 8192; ++i) kept.add(freed_as(8));
  EXPECT_EQ(kept.written_after_free(), 8U);
  EXPECT_EQ(take_all(kept), 4096U);
}

TEST(HostFreedMemory, TellsOfWritesToAllOfItAlsoOnceItIsHandedOut) {
  FreedMemory kept;
  EXPECT_EQ(kept.written_after_free(), 0U);
  std::array<unsigned char*, 3> memory{};
  const std::array<std::size_t, 3> sizes{100, 600, 3000};
  for (std::size_t i = 0; i < 3; ++i) {
    Allocation one = freed(sizes[i]);
    memory[i] = bytes_of(one.storage);
    kept.add(std::move(one));
  }
  EXPECT_EQ(kept.written_after_free(), 0U);
  memory[0][7] = 1;
  memory[2][7] = 1;
  EXPECT_EQ(kept.written_after_free(), 3100U);
  Allocation made = asking(100);
  ASSERT_TRUE(kept.take(made, [] { return true; }));
  EXPECT_EQ(kept.written_after_free(), 3100U);
  Allocation large = asking(3000);
  ASSERT_TRUE(kept.take(large, [] { return true; }));
  EXPECT_EQ(kept.written_after_free(), 100U) << "of those handed out, the first";
  kept.clear();
  EXPECT_EQ(kept.written_after_free(), 0U);
  Allocation other = asking(600);
  EXPECT_FALSE(kept.take(other, [] { return true; }));
}

struct HostRegistry : ::testing::Test {
  /// Allocations in the order of their addresses, whatever the order of their registration is.
  HostRegistry() {
    for (const std::size_t bytes : {256UL, 512UL, 256UL}) {
      Allocation one = allocation(bytes);
      begins.push_back(bytes_of(one.storage));
      registry.add(std::move(one));
    }
    std::sort(begins.begin(), begins.end());
  }
  [[nodiscard]] std::string nearest_text(const unsigned char* address) {
    char text[256];
    detail::TextBuffer out(text, sizeof text);
    registry.name_nearest(out, address);
    return text;
  }

  MemoryRegistry registry;
  std::vector<unsigned char*> begins;
};

TEST_F(HostRegistry, FindsWhatBeginsOrLiesAnywhere) {
  unsigned char outside = 0;
  MemoryRegistry none;
  EXPECT_EQ(none.at(&outside), nullptr);
  EXPECT_EQ(none.around(&outside, 1), nullptr);
  EXPECT_EQ(none.nearest(&outside), nullptr);
  EXPECT_EQ(registry.at(nullptr), nullptr);
  EXPECT_EQ(registry.around(nullptr, 1), nullptr);
  for (unsigned char* const begin : begins) {
    const Allocation* const found = registry.at(begin);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->storage.get(), begin);
    const std::size_t bytes = found->bytes;
    EXPECT_EQ(registry.at(begin + 1), nullptr);
    EXPECT_EQ(registry.at(begin - 1), nullptr);
    EXPECT_EQ(registry.around(begin, bytes), found);
    EXPECT_EQ(registry.around(begin, bytes + 1), nullptr);
    EXPECT_EQ(registry.around(begin + 1, bytes - 1), found);
    EXPECT_EQ(registry.around(begin + 1, bytes), nullptr);
    EXPECT_EQ(registry.around(begin + bytes - 1, 1), found);
    EXPECT_EQ(registry.around(begin + bytes, 0), nullptr);
    EXPECT_EQ(registry.around(begin + bytes, 1), nullptr);
    EXPECT_EQ(registry.around(begin - 1, 1), nullptr);
    EXPECT_EQ(registry.around(begin + 1, SIZE_MAX), nullptr);
  }
}

TEST_F(HostRegistry, RemovesOneAndKeepsTheOthers) {
  const Allocation gone = registry.remove(begins[1]);
  EXPECT_EQ(gone.storage.get(), begins[1]);
  EXPECT_EQ(registry.at(begins[1]), nullptr);
  EXPECT_NE(registry.at(begins[0]), nullptr);
  EXPECT_NE(registry.at(begins[2]), nullptr);
}

TEST_F(HostRegistry, TheNearestIsByItsEndOrItsBeginning) {
  const unsigned char* const end = begins[0] + registry.at(begins[0])->bytes;
  const auto gap = static_cast<std::size_t>(begins[1] - end);
  ASSERT_EQ(gap % 2, 0U);
  EXPECT_EQ(registry.nearest(begins[0] - 1), registry.at(begins[0]));
  EXPECT_EQ(registry.nearest(end), registry.at(begins[0]));
  EXPECT_EQ(registry.nearest(end + gap / 2 - 1), registry.at(begins[0]));
  EXPECT_EQ(registry.nearest(end + gap / 2), registry.at(begins[0])) << "as far from both";
  EXPECT_EQ(registry.nearest(end + gap / 2 + 1), registry.at(begins[1]));
  EXPECT_EQ(registry.nearest(begins[1] - 1), registry.at(begins[1]));
  EXPECT_EQ(registry.nearest(begins[2] + 5000), registry.at(begins[2]));
}

TEST(HostRegistryText, NamesTheNearestUpToTheUnmappedAddresses) {
  MemoryRegistry registry;
  const auto said = [&](const unsigned char* address) {
    char text[256];
    detail::TextBuffer out(text, sizeof text);
    registry.name_nearest(out, address);
    return std::string(text);
  };
  EXPECT_EQ(said(nullptr), "");
  Allocation one = allocation(100);
  unsigned char* const begin = bytes_of(one.storage);
  registry.add(std::move(one));
  const std::size_t far = GuardedPages::unmapped_bytes;
  EXPECT_EQ(said(begin - 1), "; that is 1 bytes before the beginning of 100 bytes");
  EXPECT_EQ(said(begin - far), "; that is 268435456 bytes before the beginning of 100 bytes");
  EXPECT_EQ(said(begin - far - 1), "");
  EXPECT_EQ(said(begin), "") << "it is inside";
  EXPECT_EQ(said(begin + 99), "");
  EXPECT_EQ(said(begin + 100), "; that is 0 bytes past the end of 100 bytes");
  EXPECT_EQ(said(begin + 107), "; that is 7 bytes past the end of 100 bytes");
  EXPECT_EQ(said(begin + 100 + far), "; that is 268435456 bytes past the end of 100 bytes");
  EXPECT_EQ(said(begin + 101 + far), "");
  registry.at(begin)->site = {"src/app.cpp", nullptr, 7};
  EXPECT_EQ(said(begin + 107),
            "; that is 7 bytes past the end of 100 bytes that were allocated at app.cpp:7");
  // The owner may hold the lock for long, so a handler does not wait for it.
}

// The switch is read once, so each case is a process of its own.
class HostGuardDeathTest : public ::testing::Test {
 protected:
  HostGuardDeathTest() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
  ~HostGuardDeathTest() override { unsetenv("WARPSAFE_GUARD"); }
};

TEST_F(HostGuardDeathTest, TheSwitchHasThreeValues) {
  struct Case {
    const char* value;
    MemoryGuard guard;
    const char* warning;
  };
  const Case cases[] = {
      {"", MemoryGuard::usual, "^$"},
      {"0", MemoryGuard::usual, "^$"},
      {"1", MemoryGuard::past, "^$"},
      {"before", MemoryGuard::before, "^$"},
      {"saxpy", MemoryGuard::usual, "WARPSAFE_GUARD=saxpy is none of"},
      {"9", MemoryGuard::usual,
       "^warpsafe: WARPSAFE_GUARD=9 is none of 0, 1 and before; 0 is used\n$"},
      {"2\n", MemoryGuard::usual, "WARPSAFE_GUARD=2.x0a is none of"},
  };
  for (const Case& one : cases) {
    setenv("WARPSAFE_GUARD", one.value, 1);
    EXPECT_EXIT(std::_Exit(host::memory_guard() == one.guard ? 0 : 1), ::testing::ExitedWithCode(0),
                one.warning)
        << one.value;
  }
  unsetenv("WARPSAFE_GUARD");
  EXPECT_EXIT(std::_Exit(host::memory_guard() == MemoryGuard::usual ? 0 : 1),
              ::testing::ExitedWithCode(0), "^$");
}

TEST_F(HostGuardDeathTest, TheSwitchMovesTheEndOrTheBeginningToItsPage) {
  if (under_sanitizer) GTEST_SKIP() << "the sanitizers know only memory of the heap";
  setenv("WARPSAFE_GUARD", "1", 1);
  const auto end_of_pages = [](const Storage& storage) {
    return address_of(storage.pages()) + storage.page_bytes();
  };
  EXPECT_EXIT(
      {
        const Storage storage(100);
        std::_Exit(address_of(storage.get()) + 112 == end_of_pages(storage) ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "^$");
  setenv("WARPSAFE_GUARD", "before", 1);
  EXPECT_EXIT(
      {
        const Storage storage(100);
        std::_Exit(storage.get() == storage.pages() ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "^$");
}

// Pages in a process where nothing else takes some.
TEST_F(HostGuardDeathTest, TheFirstPagesAreThereAndThereAre8192) {
  if (under_sanitizer) GTEST_SKIP() << "the sanitizers know only memory of the heap";
  const auto first = [] { return GuardedPages::take(GuardedPages::page()) != nullptr; };
  EXPECT_EXIT(std::_Exit(first() ? 0 : 1), ::testing::ExitedWithCode(0), "^$");
  const auto all = [] { return pages_left(2 * GuardedPages::page()) == 8192; };
  EXPECT_EXIT(std::_Exit(all() ? 0 : 1), ::testing::ExitedWithCode(0), "^$");
}

TEST_F(HostGuardDeathTest, AddressesWhoseMemoryIsRefusedGoBackToTheSystem) {
  if (under_sanitizer) GTEST_SKIP() << "the sanitizers know only memory of the heap";
  const auto refused = [] {
    rlimit limit{};
    limit.rlim_cur = limit.rlim_max = std::size_t{1} << 30U;
    if (setrlimit(RLIMIT_DATA, &limit) != 0) return false;
    const std::size_t before = address_bytes();
    const std::size_t large = std::size_t{1} << 40U;
    return GuardedPages::take(large) == nullptr && address_bytes() < before + large / 2 &&
           pages_left(2 * GuardedPages::page()) == 8192;
  };
  EXPECT_EXIT(std::_Exit(refused() ? 0 : 1), ::testing::ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace warpsafe::host_test
