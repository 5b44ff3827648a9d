// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Which writes count as around a kernel's views, with kernels that the test plays itself; and the
// scheduler's random numbers.

#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/race/detail/outside_writes.hpp>
#include <warpsafe/race/detail/seeded_scheduler.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace warpsafe::host {
namespace {

/// An allocation of the backend's, for the test's time.
class Memory {
 public:
  explicit Memory(std::size_t bytes) {
    void* made = nullptr;
    EXPECT_EQ(host_backend::allocate_unordered(made, bytes), 0);
    bytes_ = static_cast<unsigned char*>(made);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { EXPECT_EQ(host_backend::deallocate_unordered(bytes_), 0); }
  [[nodiscard]] unsigned char* get() const { return bytes_; }

 private:
  unsigned char* bytes_ = nullptr;
};

/// The kernels' functions differ by these addresses.
constexpr std::array<char, 4> functions{};

class OutsideWritesTest : public testing::Test {
 protected:
  Memory memory{64};
  Memory other{64};

  /// Whether a kernel with these accesses that changes the bytes at `places` is found.
  static bool found(std::vector<Access> accesses, const std::vector<unsigned char*>& places) {
    OutsideWrites watch;
    const KernelEntry entry{&functions[0], nullptr, nullptr, 0};
    KernelOperation kernel(entry, LaunchShape{}, nullptr, Runtime::get().pool);
    kernel.accesses = std::move(accesses);
    watch.begins(kernel);
    for (unsigned char* const place : places) ++*place;
    watch.has_run(kernel);
    const bool is_new = watch.takes_new();
    EXPECT_EQ(watch.is_known(kernel), is_new);
    EXPECT_FALSE(watch.takes_new()) << "told once";
    return is_new;
  }
  [[nodiscard]] static Access view(const void* begin, std::uint64_t window, bool writes = true) {
    Access access;
    access.address = begin;
    access.bytes = Access::whole_allocation;
    access.writes = writes;
    access.window = window;
    return access;
  }
};

TEST_F(OutsideWritesTest, AWriteOutsideTheViewIsFound) {
  unsigned char* const m = memory.get();
  const std::vector<Access> middle{view(m + 16, 16)};
  EXPECT_FALSE(found(middle, {}));
  EXPECT_FALSE(found(middle, {m + 16, m + 31})) << "the ends of the view";
  EXPECT_TRUE(found(middle, {m + 15}));
  EXPECT_TRUE(found(middle, {m + 32}));
  EXPECT_TRUE(found(middle, {m}));
  EXPECT_TRUE(found(middle, {m + 63})) << "the allocation's last byte";
  EXPECT_FALSE(found(middle, {other.get()})) << "another allocation";
  EXPECT_TRUE(found({view(m, 63)}, {m + 63})) << "a view from the beginning";
  EXPECT_TRUE(found({view(m + 1, 64)}, {m})) << "a window past the end";
  EXPECT_FALSE(found({view(m + 1, 64)}, {m + 63}));
  EXPECT_FALSE(found({view(m + 1, std::uint64_t{1} << 40U)}, {m + 63})) << "far past the end";
  EXPECT_TRUE(found({view(m + 63, 1)}, {m + 62}));
  EXPECT_FALSE(found({view(m + 63, 1)}, {m + 63}));
}

TEST_F(OutsideWritesTest, SeveralViewsOfOneAllocationAreTakenTogether) {
  unsigned char* const m = memory.get();
  const std::vector<Access> two{view(m, 16), view(m + 32, 16)};
  EXPECT_FALSE(found(two, {m + 15, m + 32}));
  EXPECT_FALSE(found({two[1], two[0]}, {m + 15, m + 32}));
  EXPECT_TRUE(found(two, {m + 16}));
  EXPECT_TRUE(found(two, {m + 48}));
  const std::vector<Access> unknown{view(m + 8, 8), view(m + 32, unknown_window)};
  EXPECT_FALSE(found(unknown, {m, m + 63})) << "the kernel may write all of it";
  const std::vector<Access> apart{view(m, 8), view(other.get(), 8)};
  EXPECT_TRUE(found(apart, {m + 8}));
  EXPECT_TRUE(found(apart, {other.get() + 8}));
  EXPECT_FALSE(found(apart, {m, other.get()}));
  EXPECT_TRUE(found({view(m, 8), view(m + 32, 16, false)}, {m + 32})) << "only to read";
}

TEST_F(OutsideWritesTest, NothingIsWatchedThatNeedsNoWatching) {
  unsigned char* const m = memory.get();
  EXPECT_FALSE(found({}, {m}));
  EXPECT_FALSE(found({view(m, 8, false)}, {m + 32})) << "someone else's write";
  EXPECT_FALSE(found({view(m, unknown_window)}, {m + 32}));
  EXPECT_FALSE(found({view(m, 64)}, {m + 32})) << "the view is all of it";
  EXPECT_FALSE(found({view(m, 80)}, {m + 32}));
  unsigned char outside[32]{};
  EXPECT_FALSE(found({view(outside, 8)}, {outside + 16})) << "memory that is not the backend's";
  EXPECT_TRUE(found({view(outside, 8), view(m, 8)}, {m + 16})) << "and a view after it";
}

TEST_F(OutsideWritesTest, AKernelIsFoundOnceAndOthersAfterIt) {
  unsigned char* const m = memory.get();
  OutsideWrites watch;
  const auto run = [&](std::size_t function, bool outside) {
    const KernelEntry entry{&functions[function], nullptr, nullptr, 0};
    KernelOperation kernel(entry, LaunchShape{}, nullptr, Runtime::get().pool);
    kernel.accesses = {view(m, 8)};
    watch.begins(kernel);
    if (outside) ++m[20];
    watch.has_run(kernel);
    return watch.is_known(kernel);
  };
  EXPECT_FALSE(run(0, true)) << "not before it was taken";
  EXPECT_FALSE(run(1, true)) << "one is found at a time";
  EXPECT_TRUE(watch.takes_new());
  EXPECT_TRUE(run(0, true));
  EXPECT_FALSE(watch.takes_new()) << "a known one is not watched";
  EXPECT_FALSE(run(2, false));
  EXPECT_FALSE(watch.takes_new());
  EXPECT_FALSE(run(1, true));
  EXPECT_TRUE(watch.takes_new());
  EXPECT_TRUE(run(1, false));
  EXPECT_TRUE(run(0, false));
  EXPECT_FALSE(run(2, false));
}

TEST(Random, IsSplitmix64) {
  // The first numbers of the published generator.
  Random zero(0);
  EXPECT_EQ(zero.next(), 0xE220A8397B1DCDAFU);
  EXPECT_EQ(zero.next(), 0x6E789E6AA1B965F4U);
  EXPECT_EQ(zero.next(), 0x06C45D188009454FU);
  Random seeded(1234567);
  EXPECT_EQ(seeded.next(), 6457827717110365317U);
  EXPECT_EQ(seeded.next(), 3203168211198807973U);
}

TEST(Random, NumbersBelowAnEndAreTheUpperHalfInProportion) {
  for (const std::size_t end : {1U, 2U, 7U, 1000U}) {
    Random numbers(9);
    Random same(9);
    std::size_t least = end;
    std::size_t most = 0;
    for (int i = 0; i < 20000; ++i) {
      const std::size_t number = numbers.below(end);
      ASSERT_EQ(number, (same.next() >> 32U) * end / (std::uint64_t{1} << 32U));
      least = number < least ? number : least;
      most = number > most ? number : most;
    }
    EXPECT_EQ(least, 0U);
    EXPECT_EQ(most, end - 1);
  }
}

}  // namespace
}  // namespace warpsafe::host
