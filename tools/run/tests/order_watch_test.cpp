// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/suspicion/order_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace warpsafe::watch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using warpsafe::AccessKind;
using warpsafe::MemoryAccess;
using warpsafe::Name;

const Caller nobody{[](const HostStack&) noexcept { return ""; },
                    [](const HostStack&) { return std::string(); }};
const Caller somebody{[](const HostStack&) noexcept { return ""; },
                      [](const HostStack&) { return std::string("clear, f of libx.so"); }};

const int handles[8] = {};
std::uint64_t key(int i) { return static_cast<std::uint64_t>(i) + 1; }
StreamPlace apart(int i) { return {key(i), &handles[i], 0, StreamOrder::apart}; }
StreamPlace blocking(int i) { return {key(i), &handles[i], 0, StreamOrder::blocking}; }
const StreamPlace legacy{1000, nullptr, 0, StreamOrder::legacy};
const void* const event = &handles[7];
constexpr std::uintptr_t x = 0x7f0000001000;

/// A program with one allocation, at x, and one event.
struct Program : testing::Test {
  OrderWatch order{nobody};
  Program() {
    order.allocated(x, 4096, false);
    order.event_created(event);
    order.begin();
  }
  void copy(const StreamPlace& at, std::size_t from = 0, std::size_t bytes = 4096) {
    order.submitted({Name::of("cuMemcpyHtoDAsync"), false, bytes, "", at},
                    std::vector<MemoryAccess>{{x + from, bytes, AccessKind::write}});
  }
  void copy_out(const StreamPlace& at) {
    order.submitted({Name::of("cuMemcpyDtoHAsync"), false, 4096, "", at},
                    std::vector<MemoryAccess>{{x, 4096, AccessKind::read}});
  }
  /// A kernel of the program that writes.
  void fill(const StreamPlace& at) {
    order.submitted({Name::of("fill"), true, 0, "", at},
                    std::vector<MemoryAccess>{{x, 1, AccessKind::write}});
  }
  /// A library's kernel that receives x.
  void gemm(const StreamPlace& at) {
    order.submitted({Name::of("gemm"), true, 0, "libcublas", at},
                    std::vector<MemoryAccess>{{x, 1, AccessKind::read}});
  }
  [[nodiscard]] std::vector<std::string> reported() {
    std::vector<std::string> all;
    order.each([&](const std::string& text) { all.push_back(text); });
    return all;
  }
};

TEST_F(Program, ALibraryThatDoesNotWaitForTheCopyOfItsData) {
  copy(apart(0));
  gemm(legacy);
  EXPECT_THAT(
      reported(),
      ElementsAre(testing::AllOf(
          HasSubstr("suspicion: nothing orders cuMemcpyHtoDAsync of 4096 bytes on stream 0x"),
          HasSubstr(" before 'gemm' of libcublas on the legacy default stream: the first "
                    "operation writes memory that is passed to the second; record an event"),
          HasSubstr("or set the libcublas handle to the stream of the first"))));
}

TEST(OrderWatch, SaysWhoMadeACallLikeTheFirst) {
  OrderWatch order{somebody};
  order.allocated(x, 4096, false);
  order.begin();
  const auto fill = [&](std::size_t bytes) {
    order.submitted({Name::of("cuMemsetD8"), false, bytes, "", legacy},
                    std::vector<MemoryAccess>{{x, bytes, AccessKind::write}});
  };
  fill(12);
  order.submitted({Name::of("gemm"), true, 0, "libcublas", apart(0)},
                  std::vector<MemoryAccess>{{x, 1, AccessKind::read}});
  const auto reported = [&] {
    std::string all;
    order.each([&](const std::string& text) { all += text + '\n'; });
    return all;
  };
  fill(16);
  EXPECT_THAT(reported(), Not(HasSubstr("like the first")));
  fill(12);
  fill(12);
  EXPECT_THAT(reported(),
              HasSubstr("the stream of the first; a later call like the first comes from clear, f "
                        "of libx.so\n"));
  EXPECT_THAT(reported(), HasSubstr("; the second comes from clear, f of libx.so"));
}

/// Does what another thread does that calls the runtime in a library's constructor: it has the
/// loader's lock, for which whoever asks for a caller waits.
OrderWatch* asked = nullptr;
void allocate_on_another_thread() {
  std::thread([] { asked->allocated(x + 8192, 4096, false); }).join();
}

TEST(OrderWatch, HoldsNoLockWhileItAsksForACaller) {
  OrderWatch order{{[](const HostStack&) noexcept {
                      allocate_on_another_thread();
                      return "";
                    },
                    [](const HostStack&) {
                      allocate_on_another_thread();
                      return std::string("clear of libx.so");
                    }}};
  asked = &order;
  order.allocated(x, 4096, false);
  order.begin();
  const auto access = std::vector<MemoryAccess>{{x, 8, AccessKind::write}};
  for (int i = 0; i < 2; ++i) {
    order.submitted({Name::of("gemm"), true, 0, "libcublas", apart(0)}, access);
    order.submitted({Name::of("cuMemsetD8"), false, 8, "", legacy}, access);
  }
  std::string all;
  order.each([&](const std::string& text) { all += text; });
  EXPECT_THAT(all, HasSubstr("; the second comes from clear of libx.so"));
  EXPECT_THAT(all, HasSubstr("; a later call like the first comes from clear of libx.so"));
}

TEST_F(Program, EachPairIsToldOnce) {
  for (int i = 0; i < 100; ++i) {
    copy(apart(0));
    gemm(apart(1));
  }
  EXPECT_EQ(reported().size(), 2U);  // the copy before the library, and the reverse
}

TEST_F(Program, AKernelThatMustWrite) {
  fill(apart(0));
  gemm(apart(1));
  EXPECT_THAT(reported(), ElementsAre(HasSubstr("'fill' on stream 0x")));
}

TEST_F(Program, AResultThatIsCopiedOutIsNotKnownToBeWritten) {
  gemm(apart(0));
  copy_out(apart(1));
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(Program, AResultThatALibraryIsKnownToWrite) {
  order.submitted({Name::of("gen_sequenced"), true, 0, "libcurand", legacy},
                  std::vector<MemoryAccess>{{x, 1, AccessKind::write}});
  copy_out(apart(1));
  EXPECT_THAT(reported(),
              ElementsAre(testing::AllOf(
                  HasSubstr("nothing orders 'gen_sequenced' of libcurand on the legacy default "
                            "stream before cuMemcpyDtoHAsync of 4096 bytes"),
                  HasSubstr("or set the libcurand handle to the stream of the second"))));
}

TEST_F(Program, OneStreamOrdersItsWork) {
  copy(apart(0));
  gemm(apart(0));
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(Program, AnEventOrders) {
  copy(apart(0));
  order.recorded(event, apart(0));
  order.waits(apart(1), event);
  gemm(apart(1));
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(Program, AnEventThatWasNeverRecordedOrdersNothing) {
  copy(apart(0));
  order.waits(apart(1), event);
  gemm(apart(1));
  EXPECT_EQ(reported().size(), 1U);
}

TEST_F(Program, AnEventOfSomebodyElseMayOrderAnything) {
  copy(apart(0));
  order.waits(apart(1), &handles[6]);
  gemm(apart(1));
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(Program, WhatTheHostWaitedForIsInOrder) {
  copy(apart(0));
  order.host_knows(apart(0));
  gemm(apart(1));
  EXPECT_THAT(reported(), IsEmpty());
  copy(apart(1));
  order.recorded(event, apart(1));
  order.host_waited_for_event(event);
  gemm(apart(2));
  copy(apart(2));
  order.host_waited_for_all();
  gemm(apart(3));
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(Program, TheLegacyStreamWaitsForBlockingOnesAndTheyForIt) {
  copy(blocking(0));
  gemm(legacy);
  copy(legacy);
  gemm(blocking(1));
  order.host_waited_for_all();
  // Work on the legacy stream comes between two others.
  copy(blocking(0));
  order.recorded(event, legacy);
  gemm(blocking(1));
  order.host_waited_for_all();
  EXPECT_THAT(reported(), IsEmpty());
  copy(blocking(0));
  gemm(blocking(1));
  EXPECT_EQ(reported().size(), 1U);
}

TEST_F(Program, TheLegacyStreamOfAnotherDeviceDoesNot) {
  copy(blocking(0));
  gemm({1001, nullptr, 1, StreamOrder::legacy});
  EXPECT_EQ(reported().size(), 1U);
}

TEST_F(Program, OtherPartsOfTheMemoryAreNotItsData) {
  copy(apart(0), 1024, 1024);
  gemm(apart(1));
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(Program, KernelsOfTheProgramAloneAreNotSuspected) {
  copy(apart(0));
  fill(apart(1));
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(Program, AKernelThatSharesAPointerOutIsNotTakenAtItsWord) {
  fill(apart(0));
  gemm(apart(1));
  fill(apart(2));  // the same pointer on another stream, and another part of the memory
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(Program, AKernelThatFillsOnePartAfterAnother) {
  fill(apart(0));
  order.recorded(event, apart(0));
  fill(apart(0));  // the next part, while the library works on the first
  order.waits(apart(1), event);
  gemm(apart(1));
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(Program, MemoryThatCameAgainHasANewLife) {
  copy(apart(0));
  order.freed(x);
  order.allocated(x, 64, false);
  gemm(apart(1));
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(Program, AStreamThatIsGoneLeavesNothingToWaitFor) {
  copy(apart(0));
  order.stream_destroyed(key(0));
  gemm(apart(1));
  EXPECT_THAT(reported(), IsEmpty());
}

// Each launch of a graph waits for the one before, but not for a destroyed graph's of the same
// handle.
TEST_F(Program, ANewGraphWithTheHandleOfADestroyedOneIsAnother) {
  const void* const graph = &handles[5];
  const std::vector<MemoryAccess> writes{{x, 1, AccessKind::write}};
  order.submitted({Name::of("graph"), true, 0, "libcublas", apart(0)}, writes, graph);
  order.work_destroyed(graph);
  order.submitted({Name::of("another graph"), true, 0, "libcublas", apart(1)}, writes, graph);
  EXPECT_THAT(reported(), SizeIs(1));
}

TEST_F(Program, ItGivesUpWhereOrderIsNotKnown) {
  order.give_up();
  EXPECT_FALSE(order.on());
  order.begin();
  EXPECT_FALSE(order.on());
}

TEST_F(Program, LongRunsAreForgotten) {
  copy(apart(0));
  for (int i = 0; i < 50'000; ++i) fill(apart(0));
  for (int i = 1; i < 6; ++i) gemm(apart(i));
  EXPECT_THAT(reported(), ElementsAre(HasSubstr("'fill'")));
}

TEST_F(Program, LaunchesOfOneGraphAreInOrder) {
  const std::vector<MemoryAccess> writes{{x, 4096, AccessKind::write}};
  const void* const graph = &handles[5];
  order.submitted({Name::of("graph"), true, 0, "libcublas", apart(0)}, writes, graph);
  order.submitted({Name::of("another"), true, 0, "libcublas", apart(1)},
                  std::vector<MemoryAccess>{{x + 8192, 1, AccessKind::read}}, graph);
  copy(apart(1));
  EXPECT_THAT(reported(), IsEmpty());
  copy(apart(2));
  EXPECT_EQ(reported().size(), 1U);
}

TEST_F(Program, MemoryThatIsNotKnownIsNotLookedAt) {
  order.submitted({Name::of("cuMemsetD8Async"), false, 64, "", apart(0)},
                  std::vector<MemoryAccess>{{x + 8192, 64, AccessKind::write}});
  order.submitted({Name::of("gemm"), true, 0, "libcublas", apart(1)},
                  std::vector<MemoryAccess>{{x + 8192, 1, AccessKind::read}});
  EXPECT_THAT(reported(), IsEmpty());
}

/// With --races: a kernel that receives x, and may use any part of it.
struct OwnWork : testing::Test {
  OrderWatch order{nobody, true};
  OwnWork() {
    order.allocated(x, 4096, false);
    order.begin();
  }
  void copy(const StreamPlace& at, std::size_t bytes) {
    order.submitted({Name::of("cuMemcpyHtoDAsync"), false, bytes, "", at},
                    std::vector<MemoryAccess>{{x, bytes, AccessKind::write}});
  }
  void swap(const StreamPlace& at) {
    order.submitted({Name::of("swap"), true, 0, "", at, 0, 0, 0, {x + 64}},
                    std::vector<MemoryAccess>{{x + 64, 1, AccessKind::read}});
  }
  [[nodiscard]] std::vector<std::string> reported() {
    std::vector<std::string> all;
    order.each([&](const std::string& text) { all.push_back(text); });
    return all;
  }
};

TEST_F(OwnWork, ACopyOfTheWholeMemoryConcernsAnyPart) {
  copy(apart(0), 4096);
  swap(apart(1));
  swap(apart(2));  // which part it uses does not matter
  EXPECT_THAT(reported(),
              ElementsAre(HasSubstr("nothing orders cuMemcpyHtoDAsync of 4096 bytes on stream")));
  EXPECT_THAT(reported(), ElementsAre(HasSubstr("before 'swap' on stream")));
}

TEST_F(OwnWork, ACopyOfAPartMayBeAnother) {
  copy(apart(0), 4095);
  swap(apart(1));
  swap(apart(2));
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(OwnWork, KernelsThatMayUseAnyPartAreNoPair) {
  swap(apart(0));
  order.submitted({Name::of("fill"), true, 0, "", apart(1)},
                  std::vector<MemoryAccess>{{x + 64, 1, AccessKind::write}});
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(Program, AnEventOfWorkBeforeAWaitOrdersNothing) {
  copy(apart(0));
  order.recorded(event, apart(0));
  order.host_waited_for_all();
  copy(apart(0));
  order.waits(apart(1), event);
  gemm(apart(1));
  EXPECT_THAT(reported(), SizeIs(1));
}
// A wait that looks at each event makes this test take half a minute.
TEST_F(Program, ManyEventsMakeNoWaitSlow) {
  constexpr int many = 50'000;
  const std::vector<char> events(many);
  for (const char& one : events) order.event_created(&one);
  for (int i = 0; i < many; ++i) {
    order.recorded(&events[static_cast<std::size_t>(i)], apart(0));
    order.host_waited_for_all();
  }
  copy(apart(0));
  gemm(apart(1));
  EXPECT_THAT(reported(), SizeIs(1));
}

TEST(OrderWatch, ThreadsTellItAtOnce) {
  OrderWatch order{nobody};
  order.begin();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&order, t] {
      const std::uintptr_t mine = x + std::uintptr_t(t) * 0x10000;
      for (int i = 0; i < 2000; ++i) {
        order.allocated(mine, 4096, false);
        order.submitted({Name::of("cuMemcpyHtoDAsync"), false, 64, "", apart(t)},
                        std::vector<MemoryAccess>{{mine, 64, AccessKind::write}});
        order.submitted({Name::of("gemm"), true, 0, "libcublas", apart(t)},
                        std::vector<MemoryAccess>{{mine, 1, AccessKind::read}});
        order.recorded(&handles[t], apart(t));
        order.host_knows(apart(t));
        order.freed(mine);
      }
    });
  }
  for (std::thread& one : threads) one.join();
  bool any = false;
  order.each([&](const std::string&) { any = true; });
  EXPECT_FALSE(any);
}

}  // namespace
