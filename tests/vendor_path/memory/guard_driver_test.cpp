// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// How WARPSAFE_GUARD maps, fills and shares memory, with a driver that does nothing: it notes its
// calls.
#include "../../unit/fixtures/private_member.hpp"
#include "../stand_in.hpp"
#include <warpsafe/memory.hpp>

#if defined(WARPSAFE_BACKEND_CUDA)
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
struct CompareGuarded {
  friend constexpr auto member(CompareGuarded);
};
template struct PrivateMember<CompareGuarded, &detail::CudaGuard::compare>;
}  // namespace warpsafe::core_test

namespace vendor_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using warpsafe::detail::CurrentContext;
using warpsafe::detail::GuardDriver;
using warpsafe::detail::GuardedMemory;

/// What the driver of these tests answers, and the calls that it got.
struct GuardScript {
  std::vector<std::string> calls;
  std::set<std::string> fails;
  int devices = 1;
  std::set<int> peers;      ///< the devices that may access device 3
  int unknown_peer = -1;    ///< the device about which the driver gives no answer
  std::size_t gives = 100;  ///< to how many devices access can be given

  template <class... Arguments>
  int call(const std::string& name, const Arguments&... arguments) {
    std::string text = name;
    ((text += ' ' + std::to_string(arguments)), ...);
    calls.push_back(text);
    return fails.contains(name) ? 1 : 0;
  }
  [[nodiscard]] std::vector<std::string> taken() { return std::exchange(calls, {}); }
};
GuardScript guard_script;

GuardDriver scripted_driver() {
  guard_script = {};
  GuardDriver driver{};
  driver.push = [](void*) { return guard_script.call("push"); };
  driver.pop = [](void**) { return guard_script.call("pop"); };
  driver.device_count = [](int* count) {
    *count = guard_script.devices;
    return guard_script.fails.contains("device_count") ? 1 : 0;
  };
  driver.can_access_peer = [](int* answer, int device, int peer) {
    if (device == guard_script.unknown_peer) return 1;
    *answer = peer == 3 && guard_script.peers.contains(device) ? 1 : 0;
    return 0;
  };
  driver.reserve = [](GuardDriver::Address* begin, std::size_t bytes, std::size_t alignment,
                      GuardDriver::Address wish, unsigned long long flags) {
    *begin = 1'000'000;
    return guard_script.call("reserve", bytes, alignment, wish, flags);
  };
  driver.unreserve = [](GuardDriver::Address begin, std::size_t bytes) {
    return guard_script.call("unreserve", begin, bytes);
  };
  driver.create = [](unsigned long long* memory, std::size_t bytes,
                     const GuardDriver::Properties* of, unsigned long long flags) {
    *memory = 77;
    return guard_script.call("create", bytes, of->location.device, flags);
  };
  driver.release = [](unsigned long long memory) { return guard_script.call("release", memory); };
  driver.map = [](GuardDriver::Address begin, std::size_t bytes, std::size_t offset,
                  unsigned long long memory, unsigned long long flags) {
    return guard_script.call("map", begin, bytes, offset, memory, flags);
  };
  driver.unmap = [](GuardDriver::Address begin, std::size_t bytes) {
    return guard_script.call("unmap", begin, bytes);
  };
  driver.set_access = [](GuardDriver::Address begin, std::size_t bytes,
                         const GuardDriver::Access* access, std::size_t count) {
    std::string devices;
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(access[i].location.type, 1);
      EXPECT_EQ(access[i].flags, 3);
      devices += ' ' + std::to_string(access[i].location.device);
    }
    guard_script.call("set_access", begin, bytes);
    guard_script.calls.back() += " to" + devices;
    return count > guard_script.gives ? 1 : 0;
  };
  driver.fill_words = [](GuardDriver::Address begin, unsigned pattern, std::size_t count,
                         cudaStream_t) {
    return guard_script.call("fill_words", begin, pattern, count);
  };
  driver.fill_bytes = [](GuardDriver::Address begin, unsigned char pattern, std::size_t count,
                         cudaStream_t) {
    return guard_script.call("fill_bytes", begin, unsigned{pattern}, count);
  };
  return driver;
}

/// Maps 10000 bytes of device 3.
bool map_guarded(const GuardDriver& driver, GuardedMemory& made) {
  GuardDriver::Properties of;
  of.location.device = 3;
  made.lay_out(10'000, 4096, false);
  return made.map(driver, of, 4096);
}
const std::string guard_range = "1004096 12288";
const std::string guard_reserved = std::to_string(4096 + 12288 + (std::size_t{256} << 20U));
const std::string guard_reserve = "reserve " + guard_reserved + " 4096 0 0";
const std::string guard_unreserve = "unreserve 1000000 " + guard_reserved;

TEST(GuardedMemoryCalls, MappingReservesCreatesAndGivesAccess) {
  const GuardDriver driver = scripted_driver();
  GuardedMemory made;
  EXPECT_TRUE(map_guarded(driver, made));
  EXPECT_EQ(made.reserved, 1'000'000U);
  EXPECT_EQ(made.mapped, 1'004'096U);
  EXPECT_EQ(made.begin, 1'004'096U + 12'288 - 10'000);
  EXPECT_THAT(guard_script.taken(),
              ElementsAre(guard_reserve, "create 12288 3 0", "map " + guard_range + " 0 77 0",
                          "release 77", "set_access " + guard_range + " to 3"));
}

TEST(GuardedMemoryCalls, MappingThatFailsLeavesNothingBehind) {
  const auto calls_if = [](const std::string& name) {
    const GuardDriver driver = scripted_driver();
    guard_script.fails = {name};
    if (name == "set_access") guard_script.gives = 0;
    GuardedMemory made;
    EXPECT_FALSE(map_guarded(driver, made)) << name;
    return guard_script.taken();
  };
  EXPECT_THAT(calls_if("reserve"), ElementsAre(guard_reserve));
  EXPECT_THAT(calls_if("create"), ElementsAre(guard_reserve, "create 12288 3 0", guard_unreserve));
  EXPECT_THAT(calls_if("map"),
              ElementsAre(guard_reserve, "create 12288 3 0", "map " + guard_range + " 0 77 0",
                          "release 77", guard_unreserve));
  EXPECT_THAT(
      calls_if("set_access"),
      ElementsAre(guard_reserve, "create 12288 3 0", "map " + guard_range + " 0 77 0", "release 77",
                  "set_access " + guard_range + " to 3", "unmap " + guard_range, guard_unreserve));
}

/// The devices that get access to memory of device 3; each attempt is a line.
std::vector<std::string> guard_access(const GuardDriver& driver) {
  GuardedMemory made;
  static_cast<void>(map_guarded(driver, made));
  std::vector<std::string> given;
  for (const std::string& call : guard_script.taken()) {
    if (call.starts_with("set_access")) given.push_back(call.substr(call.find("to ") + 3));
  }
  return given;
}

TEST(GuardedMemoryCalls, PeersMayAccessTheMemoryToo) {
  const GuardDriver driver = scripted_driver();
  guard_script.devices = 6;
  guard_script.peers = {0, 1, 3, 5};
  EXPECT_THAT(guard_access(driver), ElementsAre("3 0 1 5"));
  guard_script.unknown_peer = 1;  // which leaves the answer about the device before it
  EXPECT_THAT(guard_access(driver), ElementsAre("3 0 5"));
  guard_script.peers = {};
  EXPECT_THAT(guard_access(driver), ElementsAre("3"));
  guard_script.peers = {0, 1, 5};
  guard_script.fails = {"device_count"};
  EXPECT_THAT(guard_access(driver), ElementsAre("3")) << "the number of devices is unknown";
}

TEST(GuardedMemoryCalls, AtMost16DevicesAccessTheMemory) {
  const GuardDriver driver = scripted_driver();
  guard_script.devices = 40;
  for (int i = 0; i < 40; ++i) guard_script.peers.insert(i);
  EXPECT_THAT(guard_access(driver), ElementsAre("3 0 1 2 4 5 6 7 8 9 10 11 12 13 14 15"));
}

TEST(GuardedMemoryCalls, TheDeviceItselfAccessesTheMemoryIfItsPeersCannot) {
  const GuardDriver driver = scripted_driver();
  guard_script.devices = 2;
  guard_script.peers = {1};
  guard_script.gives = 1;
  EXPECT_THAT(guard_access(driver), ElementsAre("3 1", "3"));
  guard_script.gives = 0;
  EXPECT_THAT(guard_access(driver), ElementsAre("3 1", "3"));
  guard_script.peers = {};
  EXPECT_THAT(guard_access(driver), ElementsAre("3")) << "no second attempt with the same devices";
}

TEST(GuardedMemoryCalls, AFillWritesWordsAndTheBytesThatRemain) {
  const auto fill = [](GuardDriver::Address from, std::size_t count,
                       const std::set<std::string>& fails = {}) {
    const GuardDriver driver = scripted_driver();
    guard_script.fails = fails;
    const bool filled = GuardedMemory::fill(driver, from, count, 0xFF010203, nullptr);
    EXPECT_EQ(filled, fails.empty());
    return guard_script.taken();
  };
  const std::string word = std::to_string(0xFF010203);
  EXPECT_THAT(fill(4004, 0), IsEmpty());
  EXPECT_THAT(fill(4004, 3), ElementsAre("fill_bytes 4004 3 3"));
  EXPECT_THAT(fill(4004, 8), ElementsAre("fill_words 4004 " + word + " 2"));
  EXPECT_THAT(fill(4004, 9), ElementsAre("fill_words 4004 " + word + " 2", "fill_bytes 4012 3 1"));
  EXPECT_THAT(fill(4005, 8), ElementsAre("fill_bytes 4005 3 8")) << "no word begins there";
  EXPECT_THAT(fill(4006, 5), ElementsAre("fill_bytes 4006 3 5"));
  EXPECT_THAT(fill(4004, 9, {"fill_words"}), ElementsAre("fill_words 4004 " + word + " 2"));
  EXPECT_THAT(fill(4004, 9, {"fill_bytes"}),
              ElementsAre("fill_words 4004 " + word + " 2", "fill_bytes 4012 3 1"));
}

TEST(GuardedMemoryCalls, AContextIsPoppedIfItWasPushed) {
  const GuardDriver driver = scripted_driver();
  {
    const CurrentContext current(driver, nullptr);
    EXPECT_EQ(current.status(), 0);
    EXPECT_THAT(guard_script.taken(), ElementsAre("push"));
  }
  EXPECT_THAT(guard_script.taken(), ElementsAre("pop"));
  guard_script.fails = {"push"};
  {
    const CurrentContext current(driver, nullptr);
    EXPECT_EQ(current.status(), 1);
  }
  EXPECT_THAT(guard_script.taken(), ElementsAre("push"));
}

/// The device's memory as the guard reads it: all of it has the guard's pattern.
TEST(GuardedMemoryCalls, TheByteBehindWhatTheGuardReadIsNotCompared) {
  GuardDriver driver = scripted_driver();
  driver.stream_create = [](cudaStream_t*, unsigned) { return 0; };
  driver.stream_wait = [](cudaStream_t) { return 0; };
  driver.stream_destroy = [](cudaStream_t) { return 0; };
  driver.copy_out = [](void* to, GuardDriver::Address, std::size_t bytes, cudaStream_t) {
    std::memset(to, 0xFC, bytes);
    return 0;
  };
  constexpr std::size_t bytes = 64;
  // The next memory of that size usually is this one, so the byte behind has the pattern too.
  void* const before = std::malloc(bytes + 1);
  ASSERT_NE(before, nullptr);
  std::memset(before, 0xFC, bytes + 1);
  std::free(before);
  testing::internal::CaptureStderr();
  member(warpsafe::core_test::CompareGuarded{})(driver, GuardedMemory{}, 0x1000, bytes, 0xFCFCFCFC,
                                                "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace vendor_test
#endif
