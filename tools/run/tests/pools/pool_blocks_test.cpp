// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/suspicion/order_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <map>
#include <random>
#include <set>
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
using warpsafe::AccessKind;
using warpsafe::MemoryAccess;
using warpsafe::Name;

const Caller nobody{[](const HostStack&) noexcept { return ""; },
                    [](const HostStack&) { return std::string(); }};
const int handles[8] = {};
std::uint64_t key(int i) { return static_cast<std::uint64_t>(i) + 1; }
StreamPlace apart(int i) { return {key(i), &handles[i], 0, StreamOrder::apart}; }
StreamPlace legacy(int device = 0) {
  return {1000 + static_cast<std::uint64_t>(device), nullptr, device, StreamOrder::legacy};
}
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
  void submit_unseen(const StreamPlace& at) {
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
          HasSubstr(
              " wait for an event after the first, or in PyTorch call the tensor's "
              "record_stream; the first follows the allocation in app.py:10; the second follows "
              "the allocation in app.py:20; the memory is 4096 bytes for stream 0x"),
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
  submit_unseen(apart(1));
  EXPECT_THAT(reported(), IsEmpty());
  submit_unseen(apart(0));
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
/// The block was freed, and split for others, on a thread whose calls nobody names. One of those is
/// in use.
TEST_F(PoolProgram, AnAllocationInsideALiveBlockForgetsItsUses) {
  for (const std::size_t from : {std::size_t{0}, std::size_t{2048}}) {
    take(apart(0), 0, 4096);
    use("sum", apart(1), 1024);
    take(apart(0), from, 512);
    use("next", apart(0), from);
    take(apart(0), 3072, 512);
    use("last", apart(0), 3072);
    EXPECT_THAT(reported(), IsEmpty());
    order.host_waited_for_all();
  }
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
  EXPECT_THAT(
      reported(),
      ElementsAre(AllOf(HasSubstr("nothing orders 'sum' on stream 0x"),
                        HasSubstr("before 'next' on stream 0x"),
                        HasSubstr("handed it out again; make the stream of the second wait for an "
                                  "event after the first; "),
                        Not(HasSubstr("record_stream")))));
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
          HasSubstr(
              ": the first operation uses this memory; before the free, make its stream "
              "wait for an event after the first; the first follows the allocation in app.py:1; "
              "the memory is 4096 bytes"),
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
    submit_unseen(apart(1));
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
/// A program may have many blocks, and wait after each kernel.
TEST_F(PoolProgram, AWaitForTheDeviceLooksAtNoBlocks) {
  constexpr std::size_t blocks = 100000;
  for (std::size_t i = 0; i < blocks; ++i) take(apart(0), 65536 + 512 * i, 512);
  const std::clock_t begin = std::clock();
  for (int i = 0; i < 5000; ++i) {
    use("sum", apart(1), 65536);
    order.host_waited_for_all();
  }
  // It takes 0.1 s; a look at each block would take 10 s.
  EXPECT_LT(std::clock() - begin, 3 * CLOCKS_PER_SEC);
  give_back(65536);
  take(apart(0), 65536, 512);
  use("next", apart(0), 65536);
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

/// Says of random programs whether something is unordered, by keeping every use and every edge.
class Model {
 public:
  static constexpr int streams = 3;
  static constexpr int slots = 6;
  [[nodiscard]] bool found() const noexcept { return found_; }
  int add(int stream) {
    std::set<int> before;
    if (last_[stream] >= 0) before = through(last_[stream]);
    before.insert(host_.begin(), host_.end());
    before.insert(awaited_[stream].begin(), awaited_[stream].end());
    before_.push_back(before);
    return last_[stream] = static_cast<int>(before_.size()) - 1;
  }
  void wait(int first, int second) {
    if (last_[first] >= 0) merge(awaited_[second], through(last_[first]));
    merge(awaited_[second], awaited_[first]);
  }
  void host_waits(int stream) {
    if (last_[stream] >= 0) merge(host_, through(last_[stream]));
    merge(host_, awaited_[stream]);
  }
  void take(int from, int count, int owner) {
    for (int slot = from; slot < from + count; ++slot) {
      if (block_[slot] < 0) continue;
      const Block old = blocks_[block_[slot]];
      end_of_block(slot);
      if (old.from >= from && old.from + old.count <= from + count) continue;
      for (int one = old.from; one < old.from + old.count; ++one) earlier_[one].clear();
    }
    Block made{from, count, owner, true, {}};
    for (int slot = from; slot < from + count; ++slot) block_[slot] = next_;
    blocks_[next_] = made;
    ++next_;
  }
  /// Returns whether a block begins at the slot.
  [[nodiscard]] bool begins(int slot) {
    return block_[slot] >= 0 && blocks_[block_[slot]].from == slot;
  }
  void give_back(int slot) { end_of_block(slot); }
  void drop(int slot, int stream) {
    const int number = block_[slot];
    if (number < 0) return;
    const int point = add(stream);
    for (const int use : blocks_[number].uses) compare(use, point);
    compare_earlier(blocks_[number], point);
    blocks_[number].uses = {point};
    for (int one = 0; one < blocks_[number].count; ++one) {
      earlier_[blocks_[number].from + one].clear();
    }
    end_of_block(slot);
  }
  /// Work of a stream, which uses the block of a slot; -1: it uses none.
  void work(int stream, int slot) {
    const int point = add(stream);
    const int number = slot < 0 ? -1 : block_[slot];
    if (number >= 0) {
      compare_earlier(blocks_[number], point);
      blocks_[number].uses.push_back(point);
    }
    for (auto& [number_of_block, block] : blocks_) {
      if (!block.awaits || block.owner != stream || block.count == 0) continue;
      compare_earlier(block, point);
      block.awaits = false;
    }
  }

 private:
  struct Block {
    int from;
    int count;
    int owner;
    bool awaits;
    std::vector<int> uses;
  };
  static void merge(std::set<int>& into, const std::set<int>& other) {
    into.insert(other.begin(), other.end());
  }
  [[nodiscard]] std::set<int> through(int point) const {
    std::set<int> all = before_[static_cast<std::size_t>(point)];
    all.insert(point);
    return all;
  }
  void compare(int earlier, int later) {
    const std::set<int>& before = before_[static_cast<std::size_t>(later)];
    found_ = found_ || (earlier != later && before.count(earlier) == 0);
  }
  void compare_earlier(const Block& block, int point) {
    for (int slot = block.from; slot < block.from + block.count; ++slot) {
      for (const int use : earlier_[slot]) compare(use, point);
    }
  }
  void end_of_block(int slot) {
    const int number = block_[slot];
    if (number < 0) return;
    Block& block = blocks_[number];
    // Each part of a block that is split has the uses of all its parts.
    std::set<int> all(block.uses.begin(), block.uses.end());
    for (int one = block.from; one < block.from + block.count; ++one) merge(all, earlier_[one]);
    for (int one = block.from; one < block.from + block.count; ++one) {
      merge(earlier_[one], all);
      block_[one] = -1;
    }
    block.count = 0;
  }

  bool found_ = false;
  int next_ = 0;
  std::vector<std::set<int>> before_;
  int last_[streams] = {-1, -1, -1};
  std::set<int> awaited_[streams];
  std::set<int> host_;
  std::map<int, Block> blocks_;
  int block_[slots] = {-1, -1, -1, -1, -1, -1};
  std::set<int> earlier_[slots];
};

TEST(PoolBlocks, AgreeWithAModelThatKeepsEverything) {
  constexpr int programs = 20000;
  int wrong_programs = 0;
  for (unsigned seed = 0; seed < programs; ++seed) {
    std::minstd_rand random(seed + 1);
    const auto below = [&](int limit) {
      return static_cast<int>((random() >> 8) % static_cast<unsigned>(limit));
    };
    OrderWatch order{nobody, true};
    order.event_created(event);
    order.begin();
    Model model;
    std::string steps;
    const int length = 4 + below(20);
    for (int i = 0; i < length; ++i) {
      const int stream = below(Model::streams);
      const int other = below(Model::streams);
      const int slot = below(Model::slots);
      const std::uintptr_t address = x + 512 * static_cast<std::uintptr_t>(slot);
      const int what = below(8);
      steps += std::to_string(what) + ':' + std::to_string(stream) + std::to_string(other) +
               std::to_string(slot) + ' ';
      if (what == 0 || what == 1) {
        const int count = 1 + below(Model::slots - slot);
        model.take(slot, count, stream);
        order.pool_allocated(
            {address, 512 * static_cast<std::size_t>(count), apart(stream), "", {}}, "app.py:1");
      } else if (what == 2 || what == 3) {
        model.work(stream, slot);
        order.submitted({Name::of("used"), true, 0, "", apart(stream)}, {}, nullptr,
                        std::vector<std::uintptr_t>{address + 100});
      } else if (what == 4) {
        model.work(stream, -1);
        if (order.pool_awaits(apart(stream))) {
          order.submitted({Name::of("unseen"), true, 0, "", apart(stream)}, {});
        }
      } else if (what == 5) {
        model.wait(stream, other);
        order.recorded(event, apart(stream));
        order.waits(apart(other), event);
      } else if (what == 6 && below(3) == 0) {
        model.host_waits(stream);
        order.host_knows(apart(stream));
      } else if (what == 7) {
        // The program names a block by where it begins.
        if (model.begins(slot)) {
          if (below(2) == 0) {
            model.give_back(slot);
            order.pool_returned(address);
          } else {
            model.drop(slot, stream);
            order.pool_freed(address, apart(stream));
          }
        }
      }
    }
    bool reported = false;
    order.each([&](const std::string&) { reported = true; });
    ASSERT_EQ(reported, model.found()) << "seed " << seed << ": " << steps;
    wrong_programs += reported ? 1 : 0;
  }
  EXPECT_GT(wrong_programs, programs / 20);
  EXPECT_LT(wrong_programs, programs - programs / 20);
}

}  // namespace
