// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The library makes each query of a driver once. It never caches the host backend's limits, so this
// test uses a driver that counts its queries.

#include "core_test.hpp"
#include <warpsafe/launch/detail/kernel_slots.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

/// A driver whose devices allow 1000 + ordinal threads per block. `Number` makes one per test,
/// since cached answers last as long as the program.
template <int Number>
struct CountingDriver {
  static inline std::atomic<int> limits_asked{0};
  static inline std::atomic<int> attributes_asked{0};
  static inline std::vector<std::uint64_t> raised;
  static inline int answer = 0;
  static inline int raise_answer = 0;
  static inline std::uint64_t allowed = 49152;

  static int limits_of(int device, DeviceLimits& limits) noexcept {
    ++limits_asked;
    if (answer == 0) limits.max_threads_per_block = static_cast<std::uint32_t>(1000 + device);
    return answer;
  }
  static int attributes_of(const KernelEntry&, KernelLimits& limits) noexcept {
    ++attributes_asked;
    if (answer == 0) limits.max_threads_per_block = 128;
    limits.max_dynamic_shared = allowed;
    return answer;
  }
  static int raise_dynamic_shared(const KernelEntry&, std::uint64_t bytes) noexcept {
    raised.push_back(bytes);
    const int status = answer != 0 ? answer : raise_answer;
    if (status == 0) allowed = bytes;
    return status;
  }
};
/// Answers last as long as the program, so each run of a repeated test takes devices that were not
/// asked.
template <int Number>
[[nodiscard]] int fresh_devices(int count) {
  static int next = 0;
  return std::exchange(next, next + count);
}
struct SomeKernel {};
struct OtherKernel {};
const KernelEntry entry{nullptr, nullptr, nullptr, 0};

TEST(OnceSlot, KeepsTheFirstValue) {
  detail::OnceSlot<int> slot{};
  EXPECT_EQ(slot.get(), nullptr);
  slot.put(5);
  slot.put(6);
  ASSERT_NE(slot.get(), nullptr);
  EXPECT_EQ(*slot.get(), 5);
}

TEST(OnceSlot, IsFilledByOneOfManyThreadsAndReadWhole) {
  struct Pair {
    std::uint64_t one, same;
  };
  for (int round = 0; round < 50; ++round) {
    detail::OnceSlot<Pair> slot{};
    std::vector<std::thread> threads;
    std::atomic<int> torn{0};
    for (std::uint64_t i = 1; i <= 4; ++i) {
      threads.emplace_back([&slot, &torn, i] {
        slot.put({i, i});
        for (int look = 0; look < 100; ++look) {
          const Pair* const seen = slot.get();
          if (seen != nullptr && (seen->one != seen->same || seen->one == 0)) ++torn;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_NE(slot.get(), nullptr);
    EXPECT_EQ(torn, 0);
  }
}

TEST(DeviceCache, AsksOncePerDeviceAndPutsTheFloorIn) {
  using Driver = CountingDriver<1>;
  for (int again = 0; again < 3; ++again) {
    for (const int device : {0, 1, 63}) {
      DeviceLimits local;
      int status = -1;
      const DeviceLimits* const found = detail::DeviceCache<Driver>::find(device, local, status);
      ASSERT_NE(found, nullptr);
      EXPECT_EQ(found->max_threads_per_block, static_cast<std::uint32_t>(1000 + device));
      EXPECT_EQ(found->device, device);
      EXPECT_EQ(found->max_grid[1], 65535U) << "not reported: the floor";
      EXPECT_TRUE(found->floored);
    }
  }
  EXPECT_EQ(Driver::limits_asked, 3);
}

TEST(DeviceCache, ADeviceBeyondTheRememberedOnesIsAskedEachTime) {
  using Driver = CountingDriver<2>;
  Driver::limits_asked = 0;
  for (int again = 0; again < 3; ++again) {
    DeviceLimits local;
    int status = -1;
    const DeviceLimits* const found = detail::DeviceCache<Driver>::find(64, local, status);
    EXPECT_EQ(found, &local);
    EXPECT_EQ(local.max_threads_per_block, 1064U);
  }
  EXPECT_EQ(Driver::limits_asked, 3);
}

TEST(DeviceCache, AFailureIsNotRemembered) {
  using Driver = CountingDriver<3>;
  const int device = fresh_devices<3>(1);
  Driver::limits_asked = 0;
  DeviceLimits local;
  int status = 0;
  Driver::answer = 101;
  EXPECT_EQ(detail::DeviceCache<Driver>::find(device, local, status), nullptr);
  EXPECT_EQ(status, 101);
  Driver::answer = 0;
  ASSERT_NE(detail::DeviceCache<Driver>::find(device, local, status), nullptr);
  EXPECT_EQ(Driver::limits_asked, 2);
}

TEST(KernelCache, AsksOncePerKernelAndDevice) {
  using Driver = CountingDriver<4>;
  const int first = fresh_devices<4>(3);
  Driver::attributes_asked = 0;
  Driver::answer = 0;
  KernelLimits local;
  int status = -1;
  for (int again = 0; again < 3; ++again) {
    for (const int device : {first, first + 1}) {
      const auto* const one =
          detail::KernelCache<Driver, SomeKernel>::slots.find(entry, device, local, status);
      ASSERT_NE(one, nullptr);
      EXPECT_TRUE(one->known);
      EXPECT_EQ(one->max_threads_per_block, 128U);
      ASSERT_NE(
          (detail::KernelCache<Driver, OtherKernel>::slots.find(entry, device, local, status)),
          nullptr);
    }
  }
  EXPECT_EQ(Driver::attributes_asked, 4);
  Driver::answer = 98;
  EXPECT_EQ((detail::KernelCache<Driver, SomeKernel>::slots.find(entry, first + 2, local, status)),
            nullptr);
  EXPECT_EQ(status, 98);
}

TEST(KernelCache, SharedMemoryIsOnlyEverRaised) {
  using Driver = CountingDriver<5>;
  const int device = fresh_devices<5>(1);
  Driver::raised.clear();
  Driver::allowed = 49152;
  auto& cache = detail::KernelCache<Driver, SomeKernel>::slots;
  EXPECT_EQ(cache.allow_dynamic_shared(entry, device, 1024), 0);
  EXPECT_TRUE(Driver::raised.empty()) << "allowed without";
  EXPECT_EQ(cache.allow_dynamic_shared(entry, device, 100000), 0);
  EXPECT_EQ(cache.allow_dynamic_shared(entry, device, 60000), 0);
  EXPECT_EQ(cache.allow_dynamic_shared(entry, device, 100000), 0);
  EXPECT_EQ(Driver::raised, std::vector<std::uint64_t>{100000});
  const int asked = Driver::attributes_asked;
  EXPECT_EQ(cache.allow_dynamic_shared(entry, device, 99999), 0);
  EXPECT_EQ(Driver::attributes_asked, asked) << "remembered";
  EXPECT_EQ(cache.allow_dynamic_shared(entry, device, 200000), 0);
  EXPECT_EQ(Driver::raised, (std::vector<std::uint64_t>{100000, 200000}));
  const std::uint64_t more_than_an_int = (std::uint64_t{1} << 32) + 1000;
  EXPECT_EQ(cache.allow_dynamic_shared(entry, device, more_than_an_int), 0);
  EXPECT_EQ(cache.allow_dynamic_shared(entry, device, 220000), 0);
  EXPECT_EQ(Driver::raised, (std::vector<std::uint64_t>{100000, 200000, 220000}));
}

TEST(KernelCache, EachDeviceIsRaisedOnItsOwn) {
  using Driver = CountingDriver<6>;
  auto& cache = detail::KernelCache<Driver, SomeKernel>::slots;
  EXPECT_EQ(cache.allow_dynamic_shared(entry, 0, 100000), 0);
  Driver::allowed = 49152;  // the second device's
  EXPECT_EQ(cache.allow_dynamic_shared(entry, 1, 100000), 0);
  EXPECT_EQ(Driver::raised, (std::vector<std::uint64_t>{100000, 100000}));
}

/// A driver that answers for the current device, as those of the vendors.
struct TwoDevices {
  static inline int current = 0;
  static inline int set_answer = 0;
  static inline std::uint64_t allowed[2] = {49152, 49152};

  static int current_device(int& device) noexcept {
    device = current;
    return 0;
  }
  static int set_device(int device) noexcept {
    if (set_answer == 0) current = device;
    return set_answer;
  }
  static int device_synchronize() noexcept { return 0; }
  static int attributes_of(const KernelEntry&, KernelLimits& limits) noexcept {
    limits.max_threads_per_block = current == 0 ? 128 : 256;
    limits.max_dynamic_shared = allowed[current];
    return 0;
  }
  static int raise_dynamic_shared(const KernelEntry&, std::uint64_t bytes) noexcept {
    allowed[current] = bytes;
    return 0;
  }
};

TEST(KernelCache, AnswersForTheDeviceThatIsAskedWhicheverIsCurrent) {
  detail::KernelSlots<TwoDevices> slots{};
  for (std::uint64_t& allowed : TwoDevices::allowed) allowed = 49152;
  TwoDevices::set_answer = 101;
  EXPECT_EQ(slots.allow_dynamic_shared(entry, 1, 100000), 101);
  TwoDevices::set_answer = 0;
  EXPECT_EQ(slots.allow_dynamic_shared(entry, 1, 100000), 0);
  EXPECT_THAT(TwoDevices::allowed, testing::ElementsAre(49152, 100000));
  EXPECT_EQ(slots.allow_dynamic_shared(entry, 0, 60000), 0);
  EXPECT_THAT(TwoDevices::allowed, testing::ElementsAre(60000, 100000));
  for (const int device : {1, 0}) {
    KernelLimits local;
    int status = -1;
    const KernelLimits* const found = slots.find(entry, device, local, status);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->max_threads_per_block, device == 0 ? 128U : 256U);
  }
  EXPECT_EQ(TwoDevices::current, 0);
  slots.forget();
}

TEST(KernelCache, ARefusedRaiseIsReportedAndTriedAgain) {
  using Driver = CountingDriver<7>;
  const int device = fresh_devices<7>(1);
  Driver::raised.clear();
  Driver::allowed = 49152;
  auto& cache = detail::KernelCache<Driver, SomeKernel>::slots;
  Driver::answer = 1;
  EXPECT_EQ(cache.allow_dynamic_shared(entry, device, 300000), 1);
  Driver::answer = 0;
  EXPECT_EQ(cache.allow_dynamic_shared(entry, device, 300000), 0);
  EXPECT_EQ(Driver::raised, std::vector<std::uint64_t>{300000});
}

TEST(KernelCache, ThreadsThatNeedDifferentAmountsNeverLowerIt) {
  using Driver = CountingDriver<8>;
  auto& cache = detail::KernelCache<Driver, SomeKernel>::slots;
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (std::uint64_t i = 1; i <= 4; ++i) {
    threads.emplace_back([&failed, i] {
      for (std::uint64_t step = 0; step < 200; ++step) {
        if (cache.allow_dynamic_shared(entry, 0, 49152 + i * 1000 + step) != 0) ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(Driver::allowed, 49152U + 4199);
  for (std::size_t i = 1; i < Driver::raised.size(); ++i) {
    EXPECT_LT(Driver::raised[i - 1], Driver::raised[i]);
  }
}

// Ordinals without a slot: -1 stands for a device that is not known.
TEST(DeviceCache, HasSlotsForSixtyFourDevices) {
  using Driver = CountingDriver<9>;
  Driver::limits_asked = 0;
  const auto remembered = &detail::DeviceCache<Driver>::remembered;
  for (const int device : {-1, 64, 1000}) {
    for (int again = 1; again <= 2; ++again) {
      DeviceLimits local;
      int status = -1;
      EXPECT_EQ(detail::DeviceCache<Driver>::find(device, local, status), &local);
      EXPECT_EQ(local.device, device);
    }
    EXPECT_EQ(remembered(device), nullptr) << device;
  }
  EXPECT_EQ(Driver::limits_asked, 6);
  for (const int device : {0, 1, 63}) {
    DeviceLimits local;
    int status = -1;
    static_cast<void>(detail::DeviceCache<Driver>::find(device, local, status));
    ASSERT_NE(remembered(device), nullptr) << device;
    EXPECT_EQ(remembered(device)->device, device);
  }
  EXPECT_EQ(remembered(2), nullptr) << "it was not asked about";
}

TEST(KernelCache, IsSmallUntilASecondDeviceIsUsed) {
  EXPECT_LE(sizeof(detail::KernelSlots<CountingDriver<10>>), 128U) << "a program has many kernels";
}

TEST(KernelCache, HasSlotsForSixtyFourDevices) {
  using Driver = CountingDriver<10>;
  Driver::attributes_asked = 0;
  Driver::allowed = 49152;
  detail::KernelSlots<Driver> slots{};
  for (const int device : {-1, 64, 1000}) {
    for (int again = 1; again <= 2; ++again) {
      KernelLimits local;
      int status = -1;
      EXPECT_EQ(slots.find(entry, device, local, status), &local);
      EXPECT_TRUE(local.known);
      EXPECT_EQ(slots.allow_dynamic_shared(entry, device, 1), 0);
    }
    EXPECT_EQ(slots.remembered(device), nullptr) << device;
  }
  EXPECT_EQ(Driver::attributes_asked, 12) << "each time";
  for (const int device : {0, 1, 63}) {
    EXPECT_EQ(slots.remembered(device), nullptr);
    KernelLimits local;
    int status = -1;
    const KernelLimits* const found = slots.find(entry, device, local, status);
    ASSERT_NE(slots.remembered(device), nullptr) << device;
    EXPECT_EQ(slots.remembered(device)->max_threads_per_block, found->max_threads_per_block);
    EXPECT_EQ(slots.allow_dynamic_shared(entry, device, 49152), 0);
    EXPECT_EQ(slots.allow_dynamic_shared(entry, device, 49152), 0);
  }
  EXPECT_EQ(Driver::attributes_asked, 12 + 6) << "once for each question";
  slots.forget();
}

/// A driver whose answers a test may change.
struct ChangingDriver : CountingDriver<11> {
  static constexpr bool limits_may_change = true;
};

TEST(KernelCache, AsksADriverWhoseLimitsMayChangeEachTime) {
  ChangingDriver::limits_asked = 0;
  ChangingDriver::attributes_asked = 0;
  ChangingDriver::allowed = 49152;
  detail::KernelSlots<ChangingDriver> slots{};
  for (int again = 1; again <= 2; ++again) {
    DeviceLimits device;
    KernelLimits local;
    int status = -1;
    EXPECT_EQ(detail::DeviceCache<ChangingDriver>::find(0, device, status), &device);
    EXPECT_EQ(slots.find(entry, 0, local, status), &local);
    EXPECT_EQ(slots.allow_dynamic_shared(entry, 0, 0), 0);
    EXPECT_EQ(ChangingDriver::limits_asked, again);
    EXPECT_EQ(ChangingDriver::attributes_asked, 2 * again);
  }
  EXPECT_EQ(slots.remembered(0), nullptr);
  EXPECT_EQ(detail::DeviceCache<ChangingDriver>::remembered(0), nullptr);
}

TEST(KernelCache, ARaiseThatTheDriverRefusesIsNotRemembered) {
  using Driver = CountingDriver<12>;
  Driver::raised.clear();
  Driver::allowed = 49152;
  detail::KernelSlots<Driver> slots{};
  Driver::raise_answer = 1;
  EXPECT_EQ(slots.allow_dynamic_shared(entry, 5, 300000), 1);
  EXPECT_EQ(slots.allow_dynamic_shared(entry, 5, 300000), 1) << "asked again";
  Driver::raise_answer = 0;
  EXPECT_EQ(slots.allow_dynamic_shared(entry, 5, 300000), 0);
  EXPECT_EQ(slots.allow_dynamic_shared(entry, 5, 300000), 0);
  EXPECT_EQ(Driver::raised, (std::vector<std::uint64_t>{300000, 300000, 300000}));
}

}  // namespace
}  // namespace warpsafe::core_test
