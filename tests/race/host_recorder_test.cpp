// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The recorder of the modelled GPU, and what it believes of kernels, with operations that the test
// makes by hand.

#include <warpsafe/host.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::host {
namespace {

using debug::ActionKind;
using debug::Mistake;
using debug::Point;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr call_site line_7{"program.cpp", "main", 7};

TEST(RandomOfASeed, IsTheSameEverywhere) {
  Random zero(0);
  EXPECT_EQ(zero.next(), 0xE220A8397B1DCDAFU);
  EXPECT_EQ(zero.next(), 0x6E789E6AA1B965F4U);
  EXPECT_EQ(zero.next(), 0x06C45D188009454FU);
  Random seeded(1234567);
  EXPECT_EQ(seeded.next(), 6457827717110365317U);
  EXPECT_EQ(seeded.next(), 3203168211198807973U);
  std::array<int, 3> counts{};
  Random draws(9);
  for (int i = 0; i < 3000; ++i) ++counts.at(draws.below(3));
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(draws.below(1), 0U);
}

/// Kernels differ by the address of their function.
const char functions[4] = {};
[[nodiscard]] Shared<KernelOperation> kernel_of(std::size_t number, Array<MemoryAccess> accesses) {
  static GridPool pool;
  const KernelEntry entry{&functions[number], nullptr, nullptr, 0};
  static std::vector<std::unique_ptr<KernelEntry>> entries;
  entries.push_back(std::make_unique<KernelEntry>(entry));
  auto made = make_shared<KernelOperation>(*entries.back(), LaunchShape{}, nullptr, pool);
  made->accesses = std::move(accesses);
  made->caller = {line_7, Name::of("k")};
  return made;
}
[[nodiscard]] MemoryAccess access_of(const void* memory, bool writes,
                                     std::size_t bytes = MemoryAccess::whole_allocation) {
  return MemoryAccess::of(memory, bytes, writes ? AccessKind::write : AccessKind::read);
}

class Recording : public testing::Test {
 protected:
  Recording() { recorder_.begin(); }
  /// An operation that is submitted, and lives as long as the test.
  template <class Made>
  Operation& submit(StreamState& stream, Shared<Made> operation) {
    operation->caller.site = line_7;
    recorder_.submitted(stream, *operation);
    kept_.push_back(std::move(operation));
    return *kept_.back();
  }
  Operation& fill(StreamState& stream, std::size_t byte, std::size_t bytes = 1) {
    return submit(stream, make_shared<FillOperation>(&memory_.at(byte), std::uint8_t{0}, bytes));
  }
  Operation& wait(StreamState& stream, const Operation* after) {
    auto mark = make_shared<MarkOperation>();
    if (after != nullptr) mark->after = Shared<const Operation>(after);
    return submit(stream, mark);
  }
  void known_done(const Operation& operation) {
    const Shared<const Operation> known(&operation);
    recorder_.known_done({&known, 1});
  }
  [[nodiscard]] debug::RaceReport report() const {
    debug::RaceReport report;
    debug::add_findings(report, recorder_.history, recorder_.races, recorder_.uses_after_destroy,
                        recorder_.remarks);
    return report;
  }
  /// All that has happened.
  [[nodiscard]] std::string table() const { return debug::timeline(recorder_.history, {}); }
  [[nodiscard]] std::size_t races() const { return recorder_.races.size(); }
  void forget() {
    for (int i = 0; i < 3000; ++i) recorder_.host(ActionKind::not_done);
  }

  Device device_{0};
  StreamState one_{device_, 1};
  StreamState two_{device_, 2};
  std::vector<unsigned char> memory_ = std::vector<unsigned char>(64);
  std::vector<Shared<Operation>> kept_;
  HostRaceRecorder recorder_;
};

TEST_F(Recording, NamesEachKindOfOperation) {
  two_.is_default = true;
  submit(one_, make_shared<AllocateOperation>(memory_.data(), 64U));
  fill(one_, 0, 3);
  submit(one_, make_shared<CopyOperation>(memory_.data(), 8U, memory_.data() + 32, 8U, Rows{4, 3}));
  submit(one_, kernel_of(0, {access_of(memory_.data(), true)}));
  const Operation& record = wait(one_, nullptr);
  wait(two_, &record);
  const auto nodes = make_shared<GraphNodes>();
  nodes->push_back({make_shared<FillOperation>(memory_.data() + 60, std::uint8_t{0}, 2U), {}});
  submit(two_, make_shared<GraphOperation>(nodes));
  caller().site = line_7;
  recorder_.host(ActionKind::host_write, {}, std::array{MemoryAccess{1, 5, AccessKind::write}});
  recorder_.host(ActionKind::synchronize, std::array<Point, 2>{1, 2});
  caller() = {};
  recorder_.runs(*kept_[1]);
  recorder_.runs(MarkOperation());  // which was not submitted
  EXPECT_EQ(
      table(),
      "    host                                                      stream 1              default stream\n"
      "    #1 allocation of 64 bytes -> stream 1  (program.cpp:7)\n"
      "    #2 fill of 3 bytes -> stream 1  (program.cpp:7)\n"
      "    #3 copy of 12 bytes -> stream 1  (program.cpp:7)\n"
      "    #4 kernel 'k' -> stream 1  (program.cpp:7)\n"
      "    #5 event record -> stream 1  (program.cpp:7)\n"
      "    #6 wait for #5 -> default stream  (program.cpp:7)\n"
      "    #8 graph -> default stream  (program.cpp:7)\n"
      "    #9 write of 5 bytes  (program.cpp:7)\n"
      "    #10 knows done: #3  (program.cpp:7)\n"
      "                                                              #2 fill of 3 bytes\n");
  EXPECT_EQ(recorder_.history[6].kind, ActionKind::fill);
  EXPECT_EQ(recorder_.history[6].bytes, 2U);
  EXPECT_EQ(recorder_.history[6].graph, 7U);
  EXPECT_EQ(recorder_.history[7].bytes, 0U);
  EXPECT_EQ(recorder_.history[9].bytes, 0U);
  EXPECT_EQ(recorder_.history[3].bytes, 0U) << "a kernel accesses whole allocations";
}

TEST_F(Recording, TheHostKnowsAStreamOnceItWaitedForItsNewest) {
  EXPECT_TRUE(recorder_.host_knows(one_)) << "no work";
  const auto& first = fill(one_, 0);
  EXPECT_FALSE(recorder_.host_knows(one_)) << "the host has done nothing";
  recorder_.host(ActionKind::not_done);
  EXPECT_FALSE(recorder_.host_knows(one_));
  EXPECT_TRUE(recorder_.host_knows(two_));
  known_done(first);
  EXPECT_TRUE(recorder_.host_knows(one_));
  fill(one_, 0);
  EXPECT_FALSE(recorder_.host_knows(one_));
}

TEST_F(Recording, AWaitOrdersTheWorkOfTwoStreams) {
  fill(one_, 0);
  const Operation& record = wait(one_, nullptr);
  fill(two_, 0);
  EXPECT_EQ(races(), 1U);
  wait(two_, &record);
  fill(two_, 0);
  EXPECT_EQ(races(), 1U);
  fill(one_, 0);
  EXPECT_EQ(races(), 3U);
}

// Operations from before the run have no point in it, and so order nothing.
TEST_F(Recording, OperationsOfAnEarlierRunAreUnknown) {
  const Operation& early = fill(one_, 0);
  for (int i = 0; i < 3; ++i) fill(one_, 1);
  recorder_.begin();
  recorder_.runs(early);
  known_done(early);
  EXPECT_EQ(recorder_.history.size(), 1U);
  EXPECT_EQ(recorder_.history[0].after, debug::no_point);
  EXPECT_EQ(recorder_.history.moments().size(), 1U);
  fill(one_, 5);
  wait(two_, &early);
  fill(two_, 5);
  EXPECT_EQ(races(), 1U);
}

TEST_F(Recording, BeginRemovesEverything) {
  Operation& first = fill(one_, 0);
  fill(two_, 0);
  recorder_.remark(first, Mistake::missing_wait);
  recorder_.destroyed(one_);
  recorder_.refused(&one_);
  EXPECT_EQ(report().findings.size(), 3U);
  recorder_.begin();
  EXPECT_TRUE(report().clean());
  EXPECT_EQ(recorder_.history.size(), 0U);
  const auto held = recorder_.held();
  EXPECT_EQ(held.actions + held.accesses, 0U);
  EXPECT_EQ(held.strands, 1U);
  recorder_.refused(&one_);
  EXPECT_TRUE(recorder_.uses_after_destroy.empty()) << "destroyed in another run";
}

TEST_F(Recording, AUseOfADestroyedStreamNamesBoth) {
  recorder_.refused(&one_);
  recorder_.refused(nullptr);
  EXPECT_EQ(recorder_.history.size(), 0U) << "none is destroyed";
  StreamState three(device_, 3);
  fill(three, 0);
  recorder_.refused(&three);
  EXPECT_TRUE(recorder_.uses_after_destroy.empty()) << "it was refused for another reason";
  recorder_.begin();
  recorder_.destroyed(one_);
  recorder_.destroyed(two_);
  recorder_.refused(&one_);
  EXPECT_THAT(recorder_.uses_after_destroy, ElementsAre(std::pair<Point, Point>(0, 2)));
  EXPECT_EQ(recorder_.history[0].kind, ActionKind::destroy_stream);
  EXPECT_EQ(recorder_.history[2].kind, ActionKind::use_after_destroy);
  // After a long time, too.
  const std::string text = report().findings[0].text;
  forget();
  EXPECT_EQ(report().findings[0].text, text);
  EXPECT_THAT(report().timeline_text, HasSubstr("  * #3 uses the destroyed stream\n    #4 query"));
  EXPECT_THAT(report().timeline_text, HasSubstr("    #15 query: not done\n    ...\n"));
}

TEST_F(Recording, ADestructionOfLongAgoIsNamed) {
  for (int i = 0; i < 20; ++i) recorder_.host(ActionKind::not_done);
  recorder_.destroyed(two_);
  forget();
  recorder_.refused(&two_);
  EXPECT_THAT(report().findings.at(0).text, HasSubstr("#21 destroys the stream by the host"));
}

TEST_F(Recording, ARaceAndAnAllocationOfLongAgoAreNamed) {
  known_done(submit(one_, make_shared<AllocateOperation>(memory_.data(), 8U)));
  kept_.clear();
  for (int i = 0; i < 20; ++i) recorder_.host(ActionKind::not_done);
  Operation& first = fill(one_, 0);
  Operation& second = fill(two_, 0);
  known_done(first);
  known_done(second);
  kept_.clear();
  const std::string text = report().findings.at(0).text;
  EXPECT_THAT(text, HasSubstr("bytes 0 to 0 of #1 allocation of 8 bytes on stream 1"));
  forget();
  EXPECT_EQ(report().findings.at(0).text, text);
  EXPECT_THAT(report().timeline_text, HasSubstr("    ...\n    #11 query"));
  recorder_.races.clear();
  forget();
  fill(one_, 7);
  fill(two_, 7);
  EXPECT_THAT(report().findings.at(0).text, HasSubstr("of #1 allocation of 8 bytes on stream 1"));
}

TEST_F(Recording, ARemarkKeepsItsActionAndItsSurroundings) {
  for (int i = 0; i < 30; ++i) fill(one_, 0);
  recorder_.remark(*kept_[15], Mistake::missing_wait);
  known_done(*kept_.back());
  kept_.clear();
  forget();
  EXPECT_THAT(report().findings.at(0).text, HasSubstr("#16 fill of 1 bytes on stream 1"));
  EXPECT_THAT(report().timeline_text, HasSubstr("    ...\n    #4 fill"));
  EXPECT_THAT(report().timeline_text, HasSubstr("  * #16 fill"));
  EXPECT_THAT(report().timeline_text,
              HasSubstr("    #28 fill of 1 bytes -> stream 1  (program.cpp:7)\n    ...\n"));
}

TEST_F(Recording, OverlapsNameTheKernelBetween) {
  Operation& first = fill(one_, 0);
  Operation& through = fill(one_, 1);
  Operation& second = fill(one_, 2);
  const MemoryAccess access{1000, 4, AccessKind::write};
  recorder_.overlaps(first, second, &through, access, access,
                     {true, true, line_7, debug::no_point});
  recorder_.overlaps(first, second, nullptr, access, access,
                     {true, false, line_7, debug::no_point});
  ASSERT_EQ(races(), 2U);
  EXPECT_EQ(recorder_.races[0].first, 0U);
  EXPECT_EQ(recorder_.races[0].second, 2U);
  EXPECT_EQ(recorder_.races[0].overlap.through, 1U);
  EXPECT_EQ(recorder_.races[1].overlap.through, debug::no_point);
}

TEST_F(Recording, WorkOfLongAgoRacesUntilTheHostKnowsIt) {
  const Operation& first = fill(one_, 0);
  forget();
  EXPECT_LT(recorder_.held().actions, 2100U);
  fill(two_, 0);
  EXPECT_EQ(races(), 1U);
  EXPECT_THAT(report().timeline_text, HasSubstr("  * #1 fill"));
  EXPECT_THAT(report().timeline_text, HasSubstr("    #13 query: not done\n    ...\n"));
  // An operation that exists may still be waited for.
  known_done(first);
  EXPECT_EQ(recorder_.history[static_cast<Point>(recorder_.history.size() - 1)].after, 0U);
}

TEST_F(Recording, AnOperationThatExistsMayBeWaitedForLongAfterwards) {
  fill(one_, 0);
  const Operation& record = wait(one_, nullptr);
  wait(one_, nullptr);
  forget();
  wait(two_, &record);
  fill(two_, 0);
  EXPECT_EQ(races(), 0U);
}

TEST_F(Recording, AnOperationOfAnotherRecorderIsUnknown) {
  HostRaceRecorder newer;
  newer.begin();
  auto mark = make_shared<MarkOperation>();
  newer.submitted(one_, *mark);
  recorder_.runs(*mark);
  EXPECT_TRUE(recorder_.history.moments().empty());
}

TEST_F(Recording, TheHostsKnowledgeNamesTheNewestPoint) {
  fill(one_, 0);
  fill(two_, 1);
  const Shared<const Operation> known[] = {kept_[1], kept_[0]};
  recorder_.known_done({known, 2});
  EXPECT_EQ(recorder_.history[2].after, 1U) << "in the order of the program";
}

// The next forgetting comes after as many actions as the recorder then holds, and 2048.
TEST_F(Recording, ForgettingTakesAConstantTimeForEachAction) {
  fill(one_, 0);
  recorder_.begin();
  for (std::size_t i = 0; i < 20; ++i) {
    known_done(submit(one_, make_shared<AllocateOperation>(&memory_[i], 1U)));
  }
  wait(two_, nullptr);
  wait(two_, nullptr);
  kept_.pop_back();  // nothing can name it
  std::vector<std::size_t> sizes;
  std::size_t held = recorder_.held().actions;
  while (sizes.size() < 2) {
    const std::size_t before = recorder_.held().actions;
    recorder_.host(ActionKind::not_done);
    if (recorder_.held().actions >= before) continue;
    if (sizes.empty()) held = recorder_.held().actions - 1;
    sizes.push_back(recorder_.history.size() - 1);
  }
  EXPECT_EQ(sizes[0], 2048U);
  EXPECT_EQ(sizes[1] - sizes[0], 2048 + held + 20 + 2 + 21) << "allocations, streams, operations";
}

TEST_F(Recording, EachKindOfActionMayForget) {
  for (const bool on_host : {false, true}) {
    recorder_.begin();
    for (std::size_t i = 0; i < 2049; ++i) {
      if (i == 2048) {
        EXPECT_EQ(recorder_.held().actions, 2048U) << "a shorter run is kept whole";
      }
      if (on_host) {
        recorder_.host(ActionKind::not_done);
      } else {
        wait(one_, nullptr);
        kept_.clear();
      }
    }
    EXPECT_LT(recorder_.held().actions, 40U);
  }
}

TEST_F(Recording, StrandsOfDestroyedStreamsAndOfLaunchesAreUsedAgain) {
  const auto nodes = make_shared<GraphNodes>();
  for (std::size_t i = 0; i < 3; ++i) nodes->push_back({make_shared<MarkOperation>(), {}});
  std::size_t most = 0;
  for (int i = 0; i < 5; ++i) {
    StreamState stream(device_, 3);
    submit(stream, make_shared<GraphOperation>(nodes));
    EXPECT_EQ(recorder_.held().strands, 4U) << "host, stream, and two chains beside it";
    submit(stream, make_shared<GraphOperation>(nodes));
    EXPECT_EQ(recorder_.held().strands, 4U) << "launches share them";
    known_done(*kept_.back());
    recorder_.destroyed(stream);
    kept_.clear();
    forget();
    forget();
    most = recorder_.held().strands;
    if (most != 4) break;
    recorder_.begin();
  }
  EXPECT_EQ(most, 4U);
}

TEST_F(Recording, StrandsOfALivingStreamsLaunchesAreUsedAgain) {
  const auto nodes = make_shared<GraphNodes>();
  for (std::size_t i = 0; i < 3; ++i) nodes->push_back({make_shared<MarkOperation>(), {}});
  std::vector<Owned<StreamState>> streams;
  for (int i = 0; i < 4; ++i) {
    streams.push_back(make_owned<StreamState>(device_, 3U));
    submit(*streams.back(), make_shared<GraphOperation>(nodes));
    known_done(*kept_.back());
    recorder_.destroyed(*streams.back());
    submit(one_, make_shared<GraphOperation>(nodes));
    known_done(*kept_.back());
    kept_.clear();
    forget();
    EXPECT_LE(recorder_.held().strands, 7U) << "host, and three of each stream";
  }
}

/// The races of a graph's nodes that fill a byte each, after the given nodes.
class RecordedNodes : public Recording {
 protected:
  [[nodiscard]] Shared<GraphOperation> graph(std::vector<std::pair<std::size_t, NodeSet>> nodes) {
    const auto made = make_shared<GraphNodes>();
    for (auto& [byte, after] : nodes) {
      made->push_back(
          {make_shared<FillOperation>(&memory_.at(byte), std::uint8_t{0}, 1U), std::move(after)});
    }
    return make_shared<GraphOperation>(made);
  }
  [[nodiscard]] std::vector<std::pair<Point, Point>> pairs() const {
    std::vector<std::pair<Point, Point>> found;
    for (const debug::Race& race : recorder_.races) found.emplace_back(race.first, race.second);
    return found;
  }
};

TEST_F(RecordedNodes, RaceUnlessOneWaitsForTheOther) {
  using Pairs = std::vector<std::pair<Point, Point>>;
  struct Row {
    std::vector<std::pair<std::size_t, NodeSet>> nodes;
    Pairs races;
    std::size_t strands;  // with the host's
  };
  const Row rows[] = {
      {{{0, {}}, {0, {0}}, {0, {1}}}, {}, 2},
      {{{0, {}}, {0, {}}}, {{0, 1}}, 3},
      {{{0, {}}, {1, {0}}, {1, {0}}, {1, {1, 2}}}, {{1, 2}}, 3},
      {{{0, {}}, {1, {0}}, {1, {0}}, {1, {2}}}, {{1, 2}, {1, 3}}, 3},
      {{{0, {}}, {1, {}}, {1, {0}}, {0, {1}}}, {{1, 2}, {0, 3}}, 3},
      // The last goes on with the first chain that ends in a node before it.
      {{{0, {}}, {1, {}}, {2, {}}, {3, {1, 2}}, {1, {3}}, {0, {0, 4}}}, {}, 4},
      {{{0, {}}, {1, {0}}, {2, {0}}, {3, {0}}, {1, {2, 3}}}, {{1, 4}}, 4},
  };
  for (const Row& row : rows) {
    recorder_.begin();
    submit(one_, graph(row.nodes));
    EXPECT_EQ(pairs(), row.races) << &row - rows;
    EXPECT_EQ(recorder_.held().strands, row.strands) << &row - rows;
    EXPECT_EQ(recorder_.history.size(), row.nodes.size() + 1);
    for (Point i = 0; i < row.nodes.size(); ++i) {
      EXPECT_EQ(recorder_.history[i].graph, row.nodes.size());
      EXPECT_EQ(recorder_.history[i].kind, ActionKind::fill);
    }
    EXPECT_EQ(recorder_.history[static_cast<Point>(row.nodes.size())].kind, ActionKind::graph);
  }
}

TEST_F(RecordedNodes, ComeAfterEarlierWorkOfTheStreamAndBeforeLaterWork) {
  fill(one_, 0);
  fill(one_, 1);
  submit(one_, graph({{0, {}}, {1, {}}}));
  fill(one_, 0);
  fill(one_, 1);
  submit(one_, graph({{2, {}}, {0, {}}, {1, {}}}));
  EXPECT_EQ(races(), 0U);
  EXPECT_EQ(recorder_.history[7].graph, 10U);
  fill(two_, 1);
  EXPECT_EQ(races(), 4U) << "two fills and a node of each launch, since the graphs are no accesses";
  // A graph that waits for another stream's work waits with all its nodes.
  auto waiting = graph({{5, {}}, {6, {}}});
  fill(two_, 6);
  waiting->after = kept_.back();
  submit(one_, waiting);
  EXPECT_EQ(races(), 4U);
}

// What kernels are believed to access: their views, until one has written around its view.
class Outside : public testing::Test {
 protected:
  Outside() {
    EXPECT_EQ(host_backend::allocate_unordered(memory_, 64), 0);
    EXPECT_EQ(host_backend::allocate_unordered(other_, 64), 0);
    std::memset(memory_, 1, 64);
    std::memset(other_, 1, 64);
  }
  ~Outside() override {
    EXPECT_EQ(host_backend::deallocate_unordered(memory_), 0);
    EXPECT_EQ(host_backend::deallocate_unordered(other_), 0);
  }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

  [[nodiscard]] unsigned char* at(std::size_t byte) const {
    return static_cast<unsigned char*>(memory_) + byte;
  }
  /// Whether a kernel of these accesses is found out if it changes the byte.
  [[nodiscard]] bool finds(Array<MemoryAccess> accesses, unsigned char* byte) {
    OutsideWrites outside;
    const auto kernel = kernel_of(0, std::move(accesses));
    EXPECT_FALSE(outside.takes_new());
    outside.begins(*kernel);
    if (byte != nullptr) ++*byte;
    outside.has_run(*kernel);
    EXPECT_FALSE(outside.is_known(*kernel));
    const bool found = outside.takes_new();
    EXPECT_EQ(outside.is_known(*kernel), found);
    EXPECT_FALSE(outside.takes_new()) << "told once";
    return found;
  }
  void* memory_ = nullptr;
  void* other_ = nullptr;
};

TEST_F(Outside, OnlyWritesAroundAViewAreFound) {
  for (std::size_t byte = 0; byte < 64; ++byte) {
    const bool around = byte < 8 || byte >= 24;
    EXPECT_EQ(finds({access_of(at(8), true, 16)}, at(byte)), around) << byte;
    EXPECT_FALSE(finds({access_of(at(8), false, 16)}, at(byte))) << "it only reads there";
    EXPECT_FALSE(finds({access_of(at(8), true)}, at(byte))) << "all of it is its view";
    EXPECT_FALSE(finds({access_of(at(0), true, 64)}, at(byte)));
    EXPECT_EQ(finds({access_of(at(0), true, 63)}, at(byte)), byte == 63);
    EXPECT_EQ(finds({access_of(at(1), true, 64)}, at(byte)), byte == 0) << "a view past the end";
    // Two views of one allocation, and one beside it of another.
    EXPECT_EQ(
        finds({access_of(at(8), true, 16), access_of(at(32), true, 8), access_of(other_, true, 4)},
              at(byte)),
        around && (byte < 32 || byte >= 40));
    EXPECT_FALSE(finds({access_of(at(8), true, 16), access_of(at(32), true)}, at(byte)));
    EXPECT_EQ(finds({access_of(at(8), true, 16), access_of(at(32), false)}, at(byte)), around)
        << "a reader";
    EXPECT_FALSE(finds({access_of(other_, true, 4)}, at(byte))) << "memory of no view";
  }
  EXPECT_TRUE(finds({access_of(at(63), true, 1)}, at(0))) << "a view of the last byte";
  EXPECT_TRUE(finds({access_of(at(60), true, 1ULL << 40U)}, at(0))) << "a view far past the end";
  auto* const other = static_cast<unsigned char*>(other_);
  EXPECT_TRUE(finds({access_of(at(8), true, 16), access_of(other, true, 4)}, other + 4));
  EXPECT_FALSE(finds({access_of(at(8), true, 16), access_of(other, true, 4)}, other + 3));
  EXPECT_FALSE(finds({access_of(at(8), true, 16)}, nullptr));
  EXPECT_FALSE(finds({}, at(0)));
  int outside_of_all = 0;
  EXPECT_FALSE(finds({access_of(&outside_of_all, true, 1)}, at(0)));
}

TEST_F(Outside, AKernelThatIsKnownIsNotWatched) {
  OutsideWrites outside;
  const auto kernel = kernel_of(1, {access_of(at(0), true, 1)});
  const auto same = kernel_of(1, {access_of(at(0), true, 1)});
  const auto other = kernel_of(2, {access_of(at(0), true, 1)});
  outside.begins(*kernel);
  ++*at(1);
  outside.has_run(*kernel);
  // The run will be repeated, so no other kernel is looked for.
  outside.begins(*other);
  ++*at(1);
  outside.has_run(*other);
  EXPECT_TRUE(outside.takes_new());
  EXPECT_TRUE(outside.is_known(*same)) << "by its function";
  EXPECT_FALSE(outside.is_known(*other));
  outside.begins(*same);
  ++*at(1);
  outside.has_run(*same);
  EXPECT_FALSE(outside.takes_new());
  outside.begins(*other);
  ++*at(1);
  outside.has_run(*other);
  EXPECT_TRUE(outside.takes_new());
  EXPECT_TRUE(outside.is_known(*other) && outside.is_known(*kernel));
}

TEST_F(Outside, EachRunIsComparedWithItsOwnBeginning) {
  OutsideWrites outside;
  const auto kernel = kernel_of(0, {access_of(at(0), true, 1)});
  for (int i = 0; i < 2; ++i) {
    ++*at(1);
    outside.begins(*kernel);
    ++*at(0);
    outside.has_run(*kernel);
    ++*at(1);
    outside.has_run(*kernel_of(3, {}));
    EXPECT_FALSE(outside.takes_new());
  }
  outside.begins(*kernel);
  ++*at(1);
  outside.begins(*kernel);  // begins anew
  outside.has_run(*kernel);
  EXPECT_FALSE(outside.takes_new());
}

// The recorder narrows the accesses of a kernel to its view, unless the kernel is known to leave
// it.
TEST_F(Recording, AKernelAccessesItsViewUntilItIsKnownToWriteAroundIt) {
  void* memory = nullptr;
  ASSERT_EQ(host_backend::allocate_unordered(memory, 64), 0);
  auto* const bytes = static_cast<unsigned char*>(memory);
  const auto kernel = [&] { return kernel_of(1, {access_of(bytes + 8, true, 8)}); };
  for (const bool known : {false, true}) {
    recorder_.begin();
    if (known) {
      recorder_.outside.begins(*kernel());
      ++bytes[0];
      recorder_.outside.has_run(*kernel());
      EXPECT_TRUE(recorder_.outside.takes_new());
    }
    const Operation& allocation = submit(one_, make_shared<AllocateOperation>(memory, 64U));
    known_done(allocation);
    submit(one_, kernel());
    std::size_t found = 0;
    for (std::size_t byte = 0; byte < 64; ++byte) {
      StreamState stream(device_, 9);
      const std::size_t before = races();
      submit(stream,
             make_shared<CopyOperation>(memory_.data() + byte, 1U, bytes + byte, 1U, Rows{1, 1}));
      EXPECT_EQ(races() != before, known || (byte >= 8 && byte < 16)) << byte;
      recorder_.destroyed(stream);
      found += races() - before;
    }
    EXPECT_EQ(found, known ? 64U : 8U);
  }
  ASSERT_EQ(host_backend::deallocate_unordered(memory), 0);
}

TEST_F(Recording, AForgottenStreamsAddressIsThatOfAnother) {
  const auto nodes = make_shared<GraphNodes>();
  for (std::size_t i = 0; i < 3; ++i) nodes->push_back({make_shared<MarkOperation>(), {}});
  submit(one_, make_shared<GraphOperation>(nodes));
  recorder_.destroyed(one_);
  recorder_.forgotten(one_);
  recorder_.refused(&one_);
  EXPECT_THAT(recorder_.uses_after_destroy, IsEmpty()) << "nothing is known of it";
  known_done(*kept_.back());
  kept_.clear();
  forget();
  forget();
  submit(one_, make_shared<GraphOperation>(nodes));
  EXPECT_EQ(recorder_.history.is_default.size(), 3U) << "another stream";
  EXPECT_EQ(recorder_.held().strands, 4U) << "host, stream, and two chains beside it, as before";
  recorder_.forgotten(StreamState(device_, 4));
}

WARPSAFE_KERNEL void put(float* x) { *x = 1; }

// A program that makes a stream for each step. What it held grew with each stream.
TEST(LongHostProgram, StaysSmall) {
  const LaunchConfig once{grid<1>, block<1>};
  Runtime& runtime = Runtime::get();
  std::size_t most_retired = 0;
  std::size_t most_waiting = 0;
  const auto report = adversarial::run({1, 1}, [&] {
    const Stream first = Stream::create().value();
    auto buffer = DeviceBuffer<float>::create(first, 1).value();
    for (int i = 0; i < 5000; ++i) {
      const Stream own = Stream::create().value();
      ASSERT_TRUE(wait(own, first.record().value()).has_value());
      ASSERT_TRUE(launch(own, once, kernel<put>, buffer.view()).has_value());
      ASSERT_TRUE(wait(first, own.record().value()).has_value());
      if (i % 64 != 0) continue;
      const Lock lock(runtime.mutex);
      std::size_t waiting = 0;
      for (const auto& stream : runtime.retired) waiting += stream->queue.size();
      for (const auto& [key, stream] : runtime.streams) waiting += stream->queue.size();
      most_retired = std::max(most_retired, runtime.retired.size());
      most_waiting = std::max(most_waiting, waiting);
    }
  });
  EXPECT_TRUE(report.clean());
  EXPECT_LE(most_retired, 2048U + 1024U) << "1024 may have work that waits";
  EXPECT_LE(most_waiting, 1024U + 16U) << "the last call submits a few";
}

// What the library asks to keep little is no action of the program, so it hides no race.
TEST(LongHostProgram, ARaceAfterManyStreamsIsFound) {
  const LaunchConfig once{grid<1>, block<1>};
  const auto report = adversarial::run({1, 1}, [&] {
    const Stream first = Stream::create().value();
    auto buffer = DeviceBuffer<float>::create(first, 1).value();
    for (int i = 0; i < 40; ++i) {
      const Stream own = Stream::create().value();
      if (i == 0) {
        ASSERT_TRUE(wait(own, first.record().value()).has_value());
      }
      ASSERT_TRUE(launch(own, once, kernel<put>, buffer.view()).has_value());
    }
  });
  EXPECT_FALSE(report.clean());
}

}  // namespace
}  // namespace warpsafe::host
