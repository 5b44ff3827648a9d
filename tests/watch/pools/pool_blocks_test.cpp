// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/suspicion/order_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace warpsafe::watch;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using warpsafe::Name;
using warpsafe::debug::AccessKind;
using warpsafe::debug::MemoryAccess;

const Caller nobody{[](const HostStack&) noexcept { return ""; },
                    [](const HostStack&) { return std::string(); }};
const int handles[8] = {};
StreamPlace apart(int i) { return {&handles[i], &handles[i], 0, StreamOrder::apart}; }
StreamPlace legacy(int device = 0) { return {nullptr, nullptr, device, StreamOrder::legacy}; }
const void* const event = &handles[7];
constexpr std::uintptr_t x = 0x7f0000001000;

/// A program with a pool of 64 KiB at x, which gives and takes blocks for the streams 0, 1 and 2.
struct PoolProgram : testing::Test {
  OrderWatch order{nobody, true};
  PoolProgram() {
    order.allocated(x, 65536, false);
    order.event_created(event);
    order.begin();
  }
  void take(const StreamPlace& at, std::size_t from = 0, std::size_t bytes = 4096,
            const std::string& where = "app.py:1") {
    order.pool_allocated({x + from, bytes, at, "", nullptr}, where);
  }
  void give_back(std::size_t from = 0) { order.pool_returned(x + from); }
  void drop(const StreamPlace& at, std::size_t from = 0) { order.pool_freed(x + from, at); }
  /// A kernel that receives the address, and may do anything with it.
  void use(const char* kernel, const StreamPlace& at, std::size_t from = 0) {
    order.submitted({Name::of(kernel), true, 0, "", at}, {}, nullptr,
                    std::vector<std::uintptr_t>{x + from});
  }
  /// A kernel whose parameters show nothing.
  void unseen(const StreamPlace& at) {
    if (order.pool_awaits(at)) order.submitted({Name::of("unseen"), true, 0, "", at}, {});
  }
  void wait(const StreamPlace& first, const StreamPlace& second) {
    order.recorded(event, first);
    order.waits(second, event);
  }
  [[nodiscard]] std::vector<std::string> reported() {
    std::vector<std::string> all;
    order.each([&](const std::string& text) { all.push_back(text); });
    return all;
  }
};

TEST_F(PoolProgram, ABlockThatAnotherStreamStillUses) {
  take(apart(0), 0, 4096, "app.py:10");
  use("fill", apart(0));
  wait(apart(0), apart(1));
  use("sum", apart(1), 512);
  give_back();
  take(apart(0), 0, 2048, "app.py:20");
  use("next", apart(0));
  EXPECT_THAT(
      reported(),
      ElementsAre(AllOf(
          HasSubstr("suspicion: nothing orders 'sum' on stream 0x"),
          HasSubstr(" before 'next' on stream 0x"),
          HasSubstr(": a pool has freed the memory of the first, and handed it out again; before "
                    "the free, make stream 0x"),
          HasSubstr(" wait for an event after the first, or in PyTorch call the tensor's "
                    "record_stream; the memory is 4096 bytes for stream 0x"),
          HasSubstr(", allocated in app.py:10, and then 2048 bytes for stream 0x"),
          HasSubstr(", allocated in app.py:20"))));
}
TEST_F(PoolProgram, AWaitOrdersTheLives) {
  for (int when = 0; when < 4; ++when) {
    take(apart(0));
    wait(apart(0), apart(1));
    use("sum", apart(1));
    if (when == 0) wait(apart(1), apart(0));
    give_back();
    if (when == 1) wait(apart(1), apart(0));
    take(apart(0));
    // The stream does nothing with the block before this.
    if (when == 2) wait(apart(1), apart(0));
    if (when == 3) order.host_knows(apart(1));
    use("next", apart(0));
  }
  EXPECT_THAT(reported(), IsEmpty());
}
/// As PyTorch's allocator does for record_stream: it records an event when the block is freed, and
/// takes the block back when a query succeeds.
TEST_F(PoolProgram, ARecordedStreamIsWaitedFor) {
  take(apart(0));
  use("sum", apart(1));
  order.recorded(event, apart(1));
  use("other", apart(1), 32768);
  order.host_waited_for_event(event);
  take(apart(0));
  use("next", apart(0));
  EXPECT_THAT(reported(), IsEmpty());
}
TEST_F(PoolProgram, OneStreamIsInOrder) {
  for (int i = 0; i < 100; ++i) {
    take(apart(0));
    use("sum", apart(0));
    give_back();
  }
  EXPECT_THAT(reported(), IsEmpty());
}
TEST_F(PoolProgram, UnseenWorkOfTheStreamFollowsTheAllocation) {
  take(apart(0));
  use("sum", apart(1));
  give_back();
  take(apart(0));
  unseen(apart(1));
  EXPECT_THAT(reported(), IsEmpty());
  unseen(apart(0));
  EXPECT_THAT(reported(), ElementsAre(AllOf(
                              HasSubstr("nothing orders 'sum' on stream 0x"),
                              HasSubstr(" before a pool's allocation of 4096 bytes on stream "))));
}
TEST_F(PoolProgram, AnAllocationOverALiveBlockEndsIt) {
  take(apart(0), 0, 512);
  take(apart(0), 512, 512);
  use("sum", apart(1), 512);
  take(apart(0), 0, 1024);
  use("next", apart(0), 0);
  EXPECT_THAT(reported(), ElementsAre(HasSubstr("nothing orders 'sum'")));
}
TEST_F(PoolProgram, NeighboursAreNoLives) {
  take(apart(0), 0, 512);
  take(apart(1), 512, 512);
  use("sum", apart(1), 512);
  give_back(0);
  give_back(512);
  take(apart(0), 0, 512);
  use("next", apart(0), 0);
  EXPECT_THAT(reported(), IsEmpty());
}
/// The pool splits what was one block.
TEST_F(PoolProgram, EachPartOfADeadBlockHasItsUses) {
  take(apart(0), 0, 3072);
  use("sum", apart(1), 100);
  give_back();
  take(apart(0), 1024, 1024);
  use("middle", apart(0), 1024);
  take(apart(0), 2048, 1024);
  use("last", apart(0), 2048);
  take(apart(0), 0, 1024);
  use("first", apart(0), 0);
  EXPECT_THAT(reported(), ElementsAre(HasSubstr("before 'middle'"), HasSubstr("before 'last'"),
                                      HasSubstr("before 'first'")));
}
TEST_F(PoolProgram, ALifeWithoutUsesHidesNothing) {
  take(apart(0));
  use("sum", apart(1));
  give_back();
  take(apart(0));
  give_back();
  take(apart(0));
  use("next", apart(0));
  EXPECT_THAT(reported(), ElementsAre(HasSubstr("nothing orders 'sum'")));
}
TEST_F(PoolProgram, AnotherStreamMustWaitForTheEarlierLife) {
  take(apart(0));
  use("sum", apart(0));
  give_back();
  take(apart(0));
  use("next", apart(1));
  EXPECT_THAT(reported(), ElementsAre(AllOf(HasSubstr("nothing orders 'sum' on stream 0x"),
                                            HasSubstr("before 'next' on stream 0x"))));
}
TEST_F(PoolProgram, AnotherStreamThatWaits) {
  take(apart(0));
  use("sum", apart(0));
  give_back();
  wait(apart(0), apart(1));
  take(apart(0));
  use("next", apart(1));
  EXPECT_THAT(reported(), IsEmpty());
}
TEST_F(PoolProgram, AFreeInTheOrderOfAStream) {
  take(apart(0));
  use("sum", apart(1));
  drop(apart(0));
  EXPECT_THAT(
      reported(),
      ElementsAre(AllOf(
          HasSubstr("nothing orders 'sum' on stream 0x"),
          HasSubstr(" before a pool's free of 4096 bytes on stream 0x"),
          HasSubstr(": the first operation uses this memory; before the free, make its stream "
                    "wait for an event after the first; the memory is 4096 bytes"),
          Not(HasSubstr("record_stream")))));
}
TEST_F(PoolProgram, AFreeThatWaits) {
  take(apart(0));
  use("sum", apart(1));
  wait(apart(1), apart(0));
  drop(apart(0));
  take(apart(0));
  use("next", apart(0));
  EXPECT_THAT(reported(), IsEmpty());
}
TEST_F(PoolProgram, AFreedBlockForAnotherStream) {
  for (const bool waits : {true, false}) {
    take(apart(0));
    use("sum", apart(0));
    drop(apart(0));
    if (waits) wait(apart(0), apart(1));
    take(apart(1));
    unseen(apart(1));
    EXPECT_THAT(reported(), SizeIs(waits ? 0 : 1));
    order.host_waited_for_all();
  }
  EXPECT_THAT(reported(), ElementsAre(AllOf(
                              HasSubstr("nothing orders a pool's free of 4096 bytes on stream 0x"),
                              HasSubstr("before a pool's allocation of 4096 bytes"))));
}
TEST_F(PoolProgram, AWaitForTheDeviceForgetsAllUses) {
  take(apart(0));
  use("sum", apart(1));
  order.host_waited_for_all();
  give_back();
  take(apart(0));
  use("next", apart(0));
  EXPECT_THAT(reported(), IsEmpty());
}
TEST_F(PoolProgram, MemoryOfTheDriverThatIsFreedTakesTheBlocksAlong) {
  take(apart(0));
  use("sum", apart(1));
  order.freed(x);
  EXPECT_FALSE(order.is_in_pool(x));
  order.allocated(x, 65536, false);
  take(apart(0));
  use("next", apart(0));
  EXPECT_THAT(reported(), IsEmpty());
}
TEST_F(PoolProgram, EachDeviceHasALegacyStream) {
  take(legacy(0));
  use("sum", legacy(1));
  give_back();
  take(legacy(0));
  use("next", legacy(0));
  EXPECT_THAT(reported(), SizeIs(1));
}
TEST_F(PoolProgram, CopiesAndFillsUseBlocksToo) {
  take(apart(0));
  order.submitted({Name::of("cuMemcpyDtoHAsync"), false, 64, "", apart(1)},
                  std::vector<MemoryAccess>{{x + 64, 64, AccessKind::read}});
  give_back();
  take(apart(0));
  order.submitted({Name::of("cuMemsetD8Async"), false, 8, "", apart(0)},
                  std::vector<MemoryAccess>{{x + 2048, 8, AccessKind::write}});
  EXPECT_THAT(reported(), ElementsAre(HasSubstr("nothing orders cuMemcpyDtoHAsync of 64 bytes")));
}
/// Each pair of names once, and not a second time as two kernels.
TEST_F(PoolProgram, APairIsReportedOnce) {
  for (int i = 0; i < 3; ++i) {
    take(apart(0));
    order.submitted({Name::of("sum"), true, 0, "", apart(1)},
                    std::vector<MemoryAccess>{{x, 1, AccessKind::read}});
    give_back();
    take(apart(0));
    order.submitted({Name::of("next"), true, 0, "", apart(0)},
                    std::vector<MemoryAccess>{{x, 1, AccessKind::write}});
    give_back();
  }
  EXPECT_THAT(reported(), SizeIs(2));  // and the reverse
}

}  // namespace
