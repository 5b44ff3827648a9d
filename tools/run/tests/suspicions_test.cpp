// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/suspicion/copy_sizes.hpp"
#include "core/suspicion/freed_use.hpp"
#include "core/suspicion/graph_order.hpp"
#include "core/suspicion/legacy_use.hpp"
#include "core/suspicion/unawaited_copies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace warpsafe::watch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using warpsafe::Name;

template <class One>
std::vector<std::string> reported(One& one) {
  std::vector<std::string> all;
  one.each([&](const std::string& text) { all.push_back(text); });
  return all;
}

/// Texts of suspicions that name places; each place is "in f".
template <class One>
std::vector<std::string> placed(One& one) {
  std::vector<std::string> all;
  one.each([&](const std::string& text) { all.push_back(text); },
           [](const HostStack&, std::string_view) { return std::string("f at a.cu:7"); });
  return all;
}

TEST(LegacyUse, IsNothingAloneAndASuspicionBesideOtherStreams) {
  Kernel axpy;
  axpy.name = "axpy";
  LegacyUse use;
  use.launched(axpy, true);
  EXPECT_THAT(reported(use), IsEmpty());
  use.launched(axpy, false);
  use.launched(axpy, true);
  use.launched(axpy, true);
  EXPECT_THAT(reported(use),
              ElementsAre(HasSubstr("suspicion: 2 launches on the legacy default stream "
                                    "while other streams were in use, first 'axpy'")));
}

TEST(CopySizes, ElementsTakenForBytes) {
  CopySizes sizes;
  sizes.allocated(0x1000, 4096);
  sizes.copied(0x1000, 1024);
  sizes.freed(0x1000);
  EXPECT_THAT(reported(sizes),
              ElementsAre(HasSubstr("suspicion: 1 allocation of which only the first "
                                    "1/4 was ever copied (1024 of 4096 bytes)")));
}

TEST(CopySizes, EighthsOfWhatIsStillAllocated) {
  CopySizes sizes;
  sizes.allocated(0x1000, 4096);
  sizes.copied(0x1000, 512);
  EXPECT_THAT(reported(sizes), ElementsAre(HasSubstr("1/8 was ever copied")));
}

TEST(CopySizes, APoolIsNone) {
  CopySizes sizes;
  sizes.allocated(0x1000, 4096);
  sizes.copied(0x1000, 1024);
  sizes.copied(0x1400, 1024);  // a second part that is handed out
  sizes.allocated(0x3000, 4096);
  sizes.copied(0x3000, 1024);
  sizes.used(0x3800);
  sizes.allocated(0x5000, 4096, true);
  sizes.copied(0x5000, 1024);
  EXPECT_THAT(reported(sizes), IsEmpty());
  // Work at the beginning says nothing, and neither does work behind the end.
  CopySizes whole;
  whole.allocated(0x1000, 4096);
  whole.copied(0x1000, 1024);
  whole.used(0x1000);
  whole.used(0x2000);
  whole.copied(0x2000, 64);
  EXPECT_THAT(reported(whole), testing::SizeIs(1));
}

TEST(CopySizes, AFillOfTheSamePartShowsThatItIsIntended) {
  CopySizes sizes;
  sizes.allocated(0x1000, 4096);
  sizes.filled(0x1000, 4096);
  sizes.copied(0x1000, 1024);
  sizes.allocated(0x3000, 4096);
  sizes.filled(0x3000, 1024);
  sizes.copied(0x3000, 1024);
  EXPECT_THAT(placed(sizes),
              ElementsAre(testing::AllOf(HasSubstr("suspicion: 1 allocation"),
                                         HasSubstr(" passed as bytes? The first copy is submitted "
                                                   "in f at a.cu:7"))));
}

TEST(CopySizes, WhatIsCopiedWholeOnceIsNone) {
  CopySizes sizes;
  sizes.allocated(0x1000, 4096);
  sizes.copied(0x1000, 1024);
  sizes.copied(0x1000, 4096);
  sizes.allocated(0x3000, 256);
  sizes.copied(0x3000, 32);  // copies of a few bytes are usually intended
  sizes.copied(0x9000, 64);  // unknown memory
  EXPECT_THAT(reported(sizes), IsEmpty());
}

const StreamPlace legacy{1000, nullptr, 0, StreamOrder::legacy};
StreamWork copy_of(std::size_t bytes) {
  return {Name::of("cudaMemcpyAsync"), false, bytes, "", legacy};
}
const Name free_async = Name::of("cudaFreeAsync");

TEST(FreedUse, AWorkOnMemoryThatThePoolHasBackIsToldOnce) {
  FreedUse freed;
  freed.allocated(0x1000, 4096, true);
  EXPECT_FALSE(freed.any());
  freed.used(copy_of(64), 0x1000);
  freed.freed(0x1000, free_async);
  freed.used(copy_of(64), 0x1ff0);
  freed.used(copy_of(32), 0x1000);
  freed.used(copy_of(64), 0x2000);  // behind it
  EXPECT_THAT(
      placed(freed),
      ElementsAre("suspicion: cudaMemcpyAsync of 64 bytes on the legacy default stream uses "
                  "memory of 4096 bytes that cudaFreeAsync freed before: call cudaFreeAsync "
                  "after the last use; it is submitted in f at a.cu:7"));
}

TEST(FreedUse, AKernelReceivesTheMemory) {
  FreedUse freed;
  freed.allocated(0x1000, 4096, true);
  freed.freed(0x1000, free_async);
  freed.used({Name::of("axpy"), true, 0, "", legacy}, 0x1000);
  EXPECT_THAT(placed(freed), ElementsAre(HasSubstr("'axpy' on the legacy default stream receives "
                                                   "memory of 4096 bytes")));
}

TEST(FreedUse, MemoryThatIsAllocatedAgainIsNone) {
  FreedUse freed;
  freed.allocated(0x1000, 4096, true);
  freed.allocated(0x3000, 4096, true);
  freed.freed(0x1000, free_async);
  freed.freed(0x3000, free_async);
  freed.allocated(0x1800, 64, true);     // in the middle of the first
  freed.allocated(0x2800, 4096, false);  // over the beginning of the second
  freed.used(copy_of(64), 0x1800);
  freed.used(copy_of(64), 0x3000);
  // Of another program or a graph: its allocation was not seen.
  freed.freed(0x9000, free_async);
  freed.used(copy_of(64), 0x9000);
  EXPECT_THAT(placed(freed), IsEmpty());
}

TEST(FreedUse, MemoryThatAnotherThreadHasBeforeTheEndOfTheFreeIsNone) {
  FreedUse freed;
  freed.allocated(0x1000, 4096, true, 1);
  freed.allocated(0x5000, 64, true, 2);
  freed.freed(0x5000, free_async, 2);
  // The free of number 1 began when 2 was the last.
  freed.allocated(0x1000, 4096, true, 3);
  freed.freed(0x1000, free_async, 2);
  freed.used(copy_of(64), 0x1000);
  EXPECT_THAT(placed(freed), IsEmpty());
  freed.freed(0x1000, free_async, 3);
  freed.used(copy_of(64), 0x1000);
  EXPECT_THAT(placed(freed), testing::SizeIs(1));
}

TEST(UnawaitedCopies, OfAnotherThreadThatHasTheMemoryBeforeTheEndOfTheFree) {
  UnawaitedCopies copies;
  copies.allocated(0x1000, 4096, 1);
  copies.allocated(0x1000, 4096, 2);
  copies.copied(copy_of(64), 0x1000);
  copies.freed(0x1000, 1);
  copies.waited();
  EXPECT_THAT(placed(copies), IsEmpty());
}

TEST(UnawaitedCopies, AFreeWithoutAWait) {
  UnawaitedCopies copies;
  copies.allocated(0x1000, 4096);
  copies.copied(copy_of(64), 0x1040);
  copies.freed(0x1000);
  copies.waited();
  EXPECT_THAT(
      placed(copies),
      ElementsAre("suspicion: the program never waits for cudaMemcpyAsync of 64 bytes on the "
                  "legacy default stream to pinned host memory, and frees that memory: if it "
                  "reads the memory, the data may not be there yet; wait for the stream "
                  "before the first read; the copy is submitted in f at a.cu:7"));
}

TEST(UnawaitedCopies, OnePlaceIsToldOnce) {
  UnawaitedCopies copies;
  for (int i = 0; i < 3; ++i) {
    copies.allocated(0x1000, 4096);
    copies.allocated(0x3000, 4096);
    copies.copied(copy_of(64), i == 0 ? 0x3000 : 0x1000);
    copies.freed(0x1000);
  }
  EXPECT_THAT(placed(copies), testing::SizeIs(1));
  copies.allocated(0x1000, 4096);
  copies.copied(copy_of(64), 0x1000);
  copies.copied(copy_of(64), 0x3000);
  EXPECT_THAT(placed(copies), testing::SizeIs(2));
}

TEST(UnawaitedCopies, AnEndWithoutAWait) {
  UnawaitedCopies copies;
  copies.allocated(0x1000, 4096);
  copies.copied(copy_of(64), 0x1000);
  EXPECT_THAT(placed(copies), ElementsAre(HasSubstr("to pinned host memory, and ends: ")));
}

TEST(UnawaitedCopies, AWaitOrOtherMemoryIsNone) {
  UnawaitedCopies copies;
  copies.allocated(0x1000, 4096);
  EXPECT_TRUE(copies.is_pinned(0x1fff));
  EXPECT_FALSE(copies.is_pinned(0x2000));
  copies.copied(copy_of(64), 0x1000);
  copies.waited();
  copies.copied(copy_of(64), 0x2000);  // not pinned
  copies.freed(0x1000);
  copies.copied(copy_of(64), 0x1000);
  EXPECT_THAT(placed(copies), IsEmpty());
}

TEST(UnorderedNodes, AreThoseWithoutAPath) {
  // copy -> fill -> first; second waits for nothing; third -> copy
  const std::vector<OrderedNode> nodes{
      {"copy", {4}, 0x1000, {}},           {"fill", {0}, 0, {}},       {"first", {1}, 0, {0x1000}},
      {"second", {}, 0, {0x3000, 0x1000}}, {"third", {}, 0, {0x1000}}, {"other", {}, 0, {0x3000}}};
  EXPECT_THAT(unordered_nodes(nodes), ElementsAre(std::pair<std::size_t, std::size_t>(0, 3)));
  EXPECT_THAT(unordered_nodes({}), IsEmpty());
  // A graph whose nodes wait for nothing.
  std::vector<OrderedNode> many(600, OrderedNode{"fill", {}, 0x1000, {}});
  many.resize(1200, OrderedNode{"kernel", {}, 0, {0x1000}});
  EXPECT_THAT(unordered_nodes(many), testing::SizeIs(100));
}

}  // namespace
