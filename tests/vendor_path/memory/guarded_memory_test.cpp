// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// One guarded allocation, over a driver that only writes down its calls.
#include "../stand_in.hpp"
#include <warpsafe/memory.hpp>

#if defined(WARPSAFE_BACKEND_CUDA)
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace vendor_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using warpsafe::detail::CurrentContext;
using warpsafe::detail::GuardDriver;
using warpsafe::detail::GuardedMemory;

constexpr std::size_t driver_page = std::size_t{2} << 20U;
constexpr std::size_t gap = std::size_t{256} << 20U;
constexpr GuardDriver::Address first_address = std::uint64_t{1} << 40U;

/// What the driver answers and which calls it got.
struct DriverScript {
  std::vector<std::string> calls;
  std::map<std::string, std::vector<int>> statuses;  ///< of the calls of a name, in order; then 0
  int devices = 1;
  std::vector<int> peers;   ///< the devices that may be peers
  std::vector<int> broken;  ///< the devices whose question fails

  template <class... T>
  int call(const std::string& name, const T&... values) {
    std::ostringstream text;
    text << name;
    static_cast<void>((text << ... << (" " + std::to_string(values))));
    calls.push_back(text.str());
    auto& next = statuses[name];
    if (next.empty()) return 0;
    const int status = next.front();
    next.erase(next.begin());
    return status;
  }
};
DriverScript* driver_script = nullptr;

/// A driver of that script, with the functions that one allocation needs.
GuardDriver scripted_driver() {
  GuardDriver driver{};
  driver.push = [](void*) { return driver_script->call("push"); };
  driver.pop = [](void**) { return driver_script->call("pop"); };
  driver.device_count = [](int* count) {
    *count = driver_script->devices;
    return driver_script->call("device_count");
  };
  driver.can_access_peer = [](int* answer, int device, int peer) {
    const auto has = [device](const std::vector<int>& list) {
      return std::find(list.begin(), list.end(), device) != list.end();
    };
    *answer = has(driver_script->peers) ? 1 : 0;
    const int status = driver_script->call("can_access_peer", device, peer);
    return has(driver_script->broken) ? 101 : status;
  };
  driver.reserve = [](GuardDriver::Address* begin, std::size_t bytes, std::size_t alignment,
                      GuardDriver::Address wish, unsigned long long flags) {
    *begin = first_address;
    return driver_script->call("reserve", bytes, alignment, wish, flags);
  };
  driver.unreserve = [](GuardDriver::Address begin, std::size_t bytes) {
    return driver_script->call("unreserve", begin - first_address, bytes);
  };
  driver.create = [](unsigned long long* memory, std::size_t bytes,
                     const GuardDriver::Properties* of, unsigned long long flags) {
    *memory = 77;
    return driver_script->call("create", bytes, of->location.device, flags);
  };
  driver.release = [](unsigned long long memory) { return driver_script->call("release", memory); };
  driver.map = [](GuardDriver::Address begin, std::size_t bytes, std::size_t offset,
                  unsigned long long memory, unsigned long long flags) {
    return driver_script->call("map", begin - first_address, bytes, offset, memory, flags);
  };
  driver.unmap = [](GuardDriver::Address begin, std::size_t bytes) {
    return driver_script->call("unmap", begin - first_address, bytes);
  };
  driver.set_access = [](GuardDriver::Address begin, std::size_t bytes,
                         const GuardDriver::Access* access, std::size_t count) {
    std::string devices = "set_access of ";
    for (std::size_t i = 0; i != count; ++i) {
      devices += (i == 0 ? "" : ",") + std::to_string(access[i].location.device);
    }
    const int status = driver_script->call("set_access", begin - first_address, bytes);
    driver_script->calls.back().replace(0, 10, devices);
    return status;
  };
  driver.fill_words = [](GuardDriver::Address begin, unsigned pattern, std::size_t count,
                         cudaStream_t) {
    return driver_script->call("words", begin, pattern, count);
  };
  driver.fill_bytes = [](GuardDriver::Address begin, unsigned char pattern, std::size_t count,
                         cudaStream_t) {
    return driver_script->call("bytes", begin, int{pattern}, count);
  };
  return driver;
}

class GuardedMemoryTest : public testing::Test {
 protected:
  GuardedMemoryTest() { driver_script = &script; }
  ~GuardedMemoryTest() override { driver_script = nullptr; }

  /// 400 bytes on that device, whose end is the end of their page.
  bool map(int device = 0) {
    script.calls.clear();
    memory = {};
    memory.lay_out(400, driver_page, false);
    GuardDriver::Properties of;
    of.location.device = device;
    return memory.map(driver, of, driver_page);
  }

  DriverScript script;
  const GuardDriver driver = scripted_driver();
  GuardedMemory memory;
};

TEST_F(GuardedMemoryTest, BeginsAsNothing) {
  EXPECT_EQ(memory.begin, 0U);
  EXPECT_EQ(memory.bytes, 0U);
  EXPECT_EQ(memory.mapped, 0U);
  EXPECT_EQ(memory.mapped_bytes, 0U);
  EXPECT_EQ(memory.reserved, 0U);
  EXPECT_EQ(memory.reserved_bytes, 0U);
  EXPECT_EQ(memory.used, 0U);
  EXPECT_TRUE(memory.has_patterns);
}

TEST_F(GuardedMemoryTest, EndsAtItsMappingsEndButForItsAlignment) {
  struct Row {
    std::size_t bytes, unit;
  };
  for (const Row& row : {Row{1, 16},
                         {8, 16},
                         {12, 16},
                         {16, 16},
                         {24, 16},
                         {32, 32},
                         {48, 16},
                         {64, 64},
                         {96, 32},
                         {128, 128},
                         {256, 256},
                         {384, 128},
                         {512, 256},
                         {768, 256},
                         {1000, 16},
                         {driver_page, 256},
                         {driver_page + 4, 16},
                         {3 * driver_page, 256}}) {
    GuardedMemory one;
    one.lay_out(row.bytes, driver_page, false);
    const std::size_t pages = (row.bytes + driver_page - 1) / driver_page;
    const std::size_t room = (row.bytes + row.unit - 1) / row.unit * row.unit;
    EXPECT_EQ(one.bytes, row.bytes);
    EXPECT_EQ(one.mapped_bytes, pages * driver_page) << row.bytes;
    EXPECT_EQ(one.reserved_bytes, driver_page + pages * driver_page + gap) << row.bytes;
    EXPECT_EQ(one.mapped, driver_page) << row.bytes;
    EXPECT_EQ(one.begin, driver_page + pages * driver_page - room) << row.bytes;
    EXPECT_EQ(one.extra(), pages * driver_page - row.bytes) << row.bytes;
  }
}

TEST_F(GuardedMemoryTest, BeginsWhereItsMappingBeginsForAccessesBefore) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{400}, driver_page, driver_page + 1}) {
    GuardedMemory one;
    one.lay_out(bytes, driver_page, true);
    EXPECT_EQ(one.mapped, gap) << bytes;
    EXPECT_EQ(one.begin, gap) << bytes;
    EXPECT_EQ(one.mapped_bytes, bytes > driver_page ? 2 * driver_page : driver_page) << bytes;
    EXPECT_EQ(one.reserved_bytes, driver_page + one.mapped_bytes + gap) << bytes;
  }
}

TEST_F(GuardedMemoryTest, ComparesAtMost64KiBOfAPattern) {
  memory.mapped = 1000;
  memory.begin = 1000 + 70'000;
  memory.bytes = 10;
  memory.mapped_bytes = 70'000 + 10 + 300;
  EXPECT_EQ(memory.in_front(), 65536U);
  EXPECT_EQ(memory.behind(), 300U);
  EXPECT_EQ(memory.compared(65535), 65535U);
  EXPECT_EQ(memory.compared(65536), 65536U);
  EXPECT_EQ(memory.compared(65537), 65536U);
  memory.has_patterns = false;
  EXPECT_EQ(memory.in_front(), 0U);
  EXPECT_EQ(memory.behind(), 0U);
}

TEST_F(GuardedMemoryTest, AListForgetsWhatIsRemoved) {
  GuardedMemory* list = nullptr;
  GuardedMemory three[3];
  const auto order = [&] {
    std::vector<std::ptrdiff_t> found;
    for (const GuardedMemory* one = list; one != nullptr; one = one->next) {
      found.push_back(one - three);
    }
    return found;
  };
  for (const int without : {0, 1, 2}) {
    for (GuardedMemory& one : three) one.insert(list);
    EXPECT_THAT(order(), ElementsAre(2, 1, 0));
    three[without].remove();
    EXPECT_EQ(order().size(), 2U);
    EXPECT_THAT(order(), testing::Not(testing::Contains(without)));
    for (int i = 0; i != 3; ++i) {
      if (i != without) three[i].remove();
    }
    EXPECT_EQ(list, nullptr);
  }
}

TEST_F(GuardedMemoryTest, IsMappedBetweenAddressesWithoutMemory) {
  EXPECT_TRUE(map(3));
  EXPECT_THAT(script.calls, ElementsAre("reserve 272629760 2097152 0 0", "create 2097152 3 0",
                                        "map 2097152 2097152 0 77 0", "release 77", "device_count",
                                        "can_access_peer 0 3", "set_access of 3 2097152 2097152"));
  EXPECT_EQ(memory.reserved, first_address);
  EXPECT_EQ(memory.mapped, first_address + driver_page);
  EXPECT_EQ(memory.end(), first_address + 2 * driver_page);
}

TEST_F(GuardedMemoryTest, LeavesNothingBehindIfACallFails) {
  struct Row {
    const char* call;
    std::vector<std::string> after;  ///< the calls after that one
  };
  const std::string unmap = "unmap 2097152 2097152";
  const std::string unreserve = "unreserve 0 272629760";
  for (const Row& row :
       {Row{"reserve", {}}, Row{"create", {unreserve}}, Row{"map", {"release 77", unreserve}},
        Row{"set_access", {unmap, unreserve}}}) {
    script.statuses = {{row.call, {2}}};
    EXPECT_FALSE(map()) << row.call;
    const auto failed =
        std::find_if(script.calls.begin(), script.calls.end(),
                     [&](const auto& call) { return call.rfind(row.call, 0) == 0; });
    ASSERT_NE(failed, script.calls.end()) << row.call;
    EXPECT_EQ(std::vector<std::string>(failed + 1, script.calls.end()), row.after) << row.call;
  }
}

TEST_F(GuardedMemoryTest, ItsPossiblePeersMayUseIt) {
  script.devices = 6;
  script.peers = {0, 1, 3, 5};
  script.broken = {1};
  EXPECT_TRUE(map(3));
  EXPECT_EQ(script.calls.back(), "set_access of 3,0,5 2097152 2097152");
  EXPECT_THAT(script.calls, testing::Contains("can_access_peer 5 3"));
  EXPECT_THAT(script.calls, testing::Not(testing::Contains(HasSubstr("can_access_peer 3"))));
  EXPECT_THAT(script.calls, testing::Not(testing::Contains(HasSubstr("can_access_peer 6"))));

  // If the driver does not give them access, its own device still gets it.
  script.statuses = {{"set_access", {1}}};
  EXPECT_TRUE(map(3));
  EXPECT_EQ(script.calls.back(), "set_access of 3 2097152 2097152");
  script.statuses = {{"set_access", {1, 1}}};
  EXPECT_FALSE(map(3));

  script.statuses = {{"device_count", {3}}};
  EXPECT_TRUE(map(3));
  EXPECT_EQ(script.calls.back(), "set_access of 3 2097152 2097152");
}

TEST_F(GuardedMemoryTest, AtMostSixteenDevicesMayUseIt) {
  script.devices = 20;
  for (int device = 0; device != 20; ++device) script.peers.push_back(device);
  EXPECT_TRUE(map(0));
  EXPECT_EQ(script.calls.back(),
            "set_access of 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 2097152 2097152");
}

TEST_F(GuardedMemoryTest, IsFilledInWordsAndThenInBytes) {
  const auto fill = [&](GuardDriver::Address from, std::size_t count) {
    script.calls.clear();
    return GuardedMemory::fill(driver, from, count, 0xFFFAFAFB, nullptr);
  };
  EXPECT_TRUE(fill(1000, 0));
  EXPECT_TRUE(script.calls.empty());
  EXPECT_TRUE(fill(1000, 3));
  EXPECT_THAT(script.calls, ElementsAre("bytes 1000 251 3"));
  EXPECT_TRUE(fill(1000, 8));
  EXPECT_THAT(script.calls, ElementsAre("words 1000 4294638331 2"));
  EXPECT_TRUE(fill(1000, 10));
  EXPECT_THAT(script.calls, ElementsAre("words 1000 4294638331 2", "bytes 1008 251 2"));
  EXPECT_TRUE(fill(1001, 10));
  EXPECT_THAT(script.calls, ElementsAre("bytes 1001 251 10"));
  script.statuses = {{"words", {1}}};
  EXPECT_FALSE(fill(1000, 10));
  EXPECT_THAT(script.calls, ElementsAre("words 1000 4294638331 2"));
  script.statuses = {{"bytes", {1}}};
  EXPECT_FALSE(fill(1000, 10));
}

TEST_F(GuardedMemoryTest, SaysWhichBytesWereWritten) {
  memory.begin = first_address;
  memory.bytes = 400;
  const auto say = [&](std::int64_t first, std::int64_t last, const char* when) {
    testing::internal::CaptureStderr();
    memory.tell_written(first_address + static_cast<std::uint64_t>(first),
                        first_address + static_cast<std::uint64_t>(last), when);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(say(400, 403, ""),
            "warpsafe: memory guard: something wrote bytes 400 to 403 of 400 bytes\n");
  EXPECT_EQ(say(0, 0, ""), "warpsafe: memory guard: something wrote bytes 0 to 0 of 400 bytes\n");
  EXPECT_EQ(say(-12, -1, ", after their free"),
            "warpsafe: memory guard: something wrote bytes 12 to 1 before the beginning of 400 "
            "bytes, after their free\n");
  memory.site = {"saxpy.cpp", "main", 12};
  EXPECT_THAT(say(1, 2, ""), testing::EndsWith(" that were allocated at saxpy.cpp:12\n"));
}

TEST_F(GuardedMemoryTest, AContextThatWasNotPushedIsNotPopped) {
  {
    const CurrentContext current(driver, this);
    EXPECT_EQ(current.status(), 0);
    EXPECT_THAT(script.calls, ElementsAre("push"));
  }
  EXPECT_THAT(script.calls, ElementsAre("push", "pop"));
  script.calls.clear();
  script.statuses = {{"push", {201}}};
  EXPECT_EQ(CurrentContext(driver, this).status(), 201);
  EXPECT_THAT(script.calls, ElementsAre("push"));
}

}  // namespace
}  // namespace vendor_test
#endif
