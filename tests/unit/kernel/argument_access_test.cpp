// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Whether work of a device can access the memory behind an argument, and what is recorded of a use.

#include "asked_runtime.hpp"
#include <warpsafe/stream/stream.hpp>

#include <cstdint>
#include <optional>

namespace warpsafe::core_test {
namespace {

using detail::MemoryOwner;

using ArgumentAccess = AskedRuntimeTest;

TEST_F(ArgumentAccess, IsAskedOnlyOfMemoryOfAnotherDevice) {
  struct Case {
    int device;
    bool has_memory;
    int memory_device;
    bool asked;
  };
  const Case cases[] = {{1, true, 0, true},   {0, true, 1, true},  {1, false, 0, false},
                        {0, true, -1, false}, {2, true, 2, false}, {0, true, 0, false}};
  for (const Case& one : cases) {
    answers = {};
    const void* const asked = one.has_memory ? memory : nullptr;
    EXPECT_EQ(detail::can_access<AskedRuntime>(one.device, asked, one.memory_device), !one.asked)
        << one.device << " of " << one.memory_device;
    EXPECT_EQ(answers.asked_access, one.asked ? 1 : 0);
    if (!one.asked) continue;
    EXPECT_EQ(answers.memory, memory);
    EXPECT_EQ(answers.from, one.device);
    EXPECT_EQ(answers.to, one.memory_device);
    answers.access = true;
    EXPECT_TRUE(detail::can_access<AskedRuntime>(one.device, asked, one.memory_device));
  }
}

TEST_F(ArgumentAccess, CountsAsGivenIfTheRuntimeCannotTell) {
  answers.status = 999;
  EXPECT_TRUE(detail::can_access<AskedRuntime>(1, memory, 0));
  MemoryOwner owner;
  EXPECT_TRUE(detail::can_access<AskedRuntime>(1, memory, 0, &owner));
  EXPECT_EQ(answers.asked_access, 2);
  EXPECT_EQ(owner.accessed_from, 0U) << "it is asked again next time";
}

TEST_F(ArgumentAccess, AYesIsKeptInTheOwnerAndANoIsNot) {
  for (const int device : {0, 1, 63}) {
    answers = {};
    MemoryOwner owner;
    owner.accessed_from = 4;
    const unsigned long bit = 1UL << static_cast<unsigned>(device);
    EXPECT_FALSE(detail::can_access<AskedRuntime>(device, memory, 5, &owner)) << device;
    EXPECT_EQ(owner.accessed_from, 4U) << device;
    answers.access = true;
    EXPECT_TRUE(detail::can_access<AskedRuntime>(device, memory, 5, &owner)) << device;
    EXPECT_EQ(owner.accessed_from, 4U | bit);
    EXPECT_EQ(answers.asked_access, 2);
    answers.access = false;
    EXPECT_TRUE(detail::can_access<AskedRuntime>(device, memory, 5, &owner)) << "known";
    EXPECT_EQ(answers.asked_access, 2);
    EXPECT_FALSE(detail::can_access<AskedRuntime>(3, memory, 5, &owner)) << "of another device";
    EXPECT_EQ(answers.asked_access, 3);
  }
}

TEST_F(ArgumentAccess, WithoutAQuestionNothingIsKept) {
  MemoryOwner owner;
  EXPECT_TRUE(detail::can_access<AskedRuntime>(1, nullptr, 0, &owner));
  EXPECT_TRUE(detail::can_access<AskedRuntime>(1, memory, 1, &owner));
  EXPECT_EQ(owner.accessed_from, 0U);
}

TEST_F(ArgumentAccess, OfDevicesThatNoBitStandsForIsAskedEachTime) {
  answers.access = true;
  for (const int device : {-1, 64, 65}) {
    for (const unsigned long known : {0UL, 1UL, ~1UL, 3UL}) {
      MemoryOwner owner;
      owner.accessed_from = known;
      answers.asked_access = 0;
      EXPECT_TRUE(detail::can_access<AskedRuntime>(device, memory, 5, &owner));
      EXPECT_EQ(answers.asked_access, 1) << device << ' ' << known;
      EXPECT_EQ(owner.accessed_from, known) << device;
    }
  }
}

TEST_F(ArgumentAccess, ToManagedMemoryHasEveryDevice) {
  MemoryOwner owner;
  owner.accessed_from = ~0UL;
  for (const int device : {0, 1, 63, 64, 100}) {
    EXPECT_TRUE(detail::can_access<AskedRuntime>(device, memory, 5, &owner)) << device;
  }
  EXPECT_EQ(answers.asked_access, 0);
}

TEST_F(ArgumentAccess, IsNotKeptWhereItMayChange) {
  answers.access = true;
  MemoryOwner owner;
  for (int asked = 1; asked < 4; ++asked) {
    EXPECT_TRUE(detail::can_access<ForgetfulRuntime>(1, memory, 0, &owner));
    EXPECT_EQ(answers.asked_access, asked);
    EXPECT_EQ(owner.accessed_from, 0U);
  }
}

TEST_F(ArgumentAccess, ToTheMemoryOfABufferIsRefusedWithBothDevices) {
  struct Case {
    int of_device;
    Vendor vendor;
    bool access;
    std::optional<Errc> code;
    Subcode subcode = Subcode::none;
  };
  const Case cases[] = {
      {1, Vendor::host, false, Errc::memory_wrong_device},
      {0, Vendor::host, false, Errc::memory_wrong_device},
      {1, Vendor::host, true, {}},
      {3, Vendor::host, false, {}},
      {1, Vendor::nvidia, false, {}},
      {detail::memory_was_freed, Vendor::host, true, Errc::memory_closed},
      {detail::memory_was_freed, Vendor::nvidia, true, Errc::memory_closed},
      {detail::memory_is_at_host, Vendor::host, true, Errc::memory_closed, Subcode::at_host},
      {detail::memory_of_idle_graph, Vendor::host, true, Errc::memory_closed, Subcode::graph_idle},
      {detail::memory_of_lost_capture, Vendor::host, true, Errc::memory_closed,
       Subcode::graph_lost}};
  for (const Case& one : cases) {
    answers = {};
    answers.access = one.access;
    MemoryOwner owner;
    owner.vendor = static_cast<unsigned char>(one.vendor);
    owner.of_device = one.of_device;
    owner.start = memory;
    LaunchError error = LaunchError::make(Errc{}, Stage{});
    EXPECT_EQ(detail::check_access<AskedRuntime>(3, owner, 7, error), !one.code.has_value());
    if (!one.code) continue;
    const std::uint64_t other =
        one.code == Errc::memory_closed ? 0 : static_cast<std::uint64_t>(one.of_device);
    EXPECT_EQ(finding(error), (Finding{*one.code, Stage::validation, 3, other, Axis::none}));
    EXPECT_EQ(error.subcode, one.subcode);
    EXPECT_EQ(error.argument(), 7U);
  }
}

TEST_F(ArgumentAccess, ToABufferIsAskedOfItsFirstByteAndKept) {
  answers.access = true;
  MemoryOwner owner;
  owner.vendor = static_cast<unsigned char>(Vendor::host);
  owner.of_device = 1;
  owner.start = memory;
  LaunchError error = LaunchError::make(Errc{}, Stage{});
  EXPECT_TRUE(detail::check_access<AskedRuntime>(2, owner, 1, error));
  EXPECT_TRUE(detail::check_access<AskedRuntime>(2, owner, 1, error));
  EXPECT_EQ(answers.asked_access, 1);
  EXPECT_EQ(answers.memory, memory);
  EXPECT_EQ(owner.accessed_from, 4U);
}

// Uses by other streams.

struct NotedOwner : MemoryOwner {
  explicit NotedOwner(std::uint64_t stream, int status = 0, Vendor its_vendor = Vendor::host)
      : answer(status) {
    freed_on = stream;
    vendor = static_cast<unsigned char>(its_vendor);
    add_use = [](MemoryOwner& self, void* by, int its_device, unsigned long by_number) noexcept {
      auto& noted = static_cast<NotedOwner&>(self);
      ++noted.uses;
      noted.user = by;
      noted.number = by_number;
      noted.device = its_device;
      return noted.answer;
    };
  }
  int answer;
  int uses = 0;
  void* user = nullptr;
  std::uint64_t number = 0;
  int device = -1;
};

/// The stream has the number 1.
result<void> record_uses(void* stream, int device, MemoryOwner* a, MemoryOwner* b, MemoryOwner* c) {
  const auto by = detail::StreamAccess::make<AskedRuntime>(stream, device, detail::StreamNumber(1));
  return detail::record_uses<AskedRuntime>(by, app, a, b, c);
}

TEST_F(ArgumentAccess, AUseByAnotherStreamIsRecordedInEachOwner) {
  int streams[1] = {};
  NotedOwner own(1);
  NotedOwner first(2);
  NotedOwner second(0);
  NotedOwner foreign(2, 0, Vendor::nvidia);
  EXPECT_TRUE(record_uses(&streams[0], 3, &own, nullptr, &first).has_value());
  EXPECT_TRUE(record_uses(&streams[0], 3, nullptr, &foreign, &second).has_value());
  EXPECT_EQ(own.uses, 0);
  EXPECT_EQ(foreign.uses, 0);
  for (const NotedOwner* const one : {&first, &second}) {
    EXPECT_EQ(one->uses, 1);
    EXPECT_EQ(one->user, &streams[0]);
    EXPECT_EQ(one->number, 1U);
    EXPECT_EQ(one->device, 3);
  }
}

TEST_F(ArgumentAccess, DuringACaptureAUseByTheOwnStreamIsRecordedToo) {
  const detail::CaptureHooks hooks{};
  int streams[1] = {};
  NotedOwner own(1);
  __atomic_store_n(&detail::capture_hooks, &hooks, __ATOMIC_RELEASE);
  const result<void> recorded = record_uses(&streams[0], 3, nullptr, &own, nullptr);
  __atomic_store_n(&detail::capture_hooks, nullptr, __ATOMIC_RELEASE);
  EXPECT_TRUE(recorded.has_value());
  EXPECT_EQ(own.uses, 1);
  EXPECT_EQ(own.user, &streams[0]);
}

TEST_F(ArgumentAccess, AUseThatCannotBeRecordedIsAnErrorAndTheOthersAreRecorded) {
  int streams[2] = {};
  const int failed = static_cast<int>(host::HostStatus::out_of_memory);
  NotedOwner first(2, failed);
  NotedOwner second(2);
  const LaunchError error = error_in(record_uses(&streams[0], 0, nullptr, &first, &second));
  EXPECT_EQ(error.raw, failed);
  EXPECT_EQ(text(error.operation), "event record");
  EXPECT_TRUE(is_app(error.site));
  EXPECT_EQ(second.uses, 1);
}

}  // namespace
}  // namespace warpsafe::core_test
