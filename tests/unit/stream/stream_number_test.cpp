// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/stream/detail/stream_number.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <thread>
#include <vector>

namespace warpsafe::detail {
namespace {

TEST(StreamNumber, IsNoStreamAtFirst) {
  EXPECT_EQ(StreamNumber().value(), 0U);
  EXPECT_NE(StreamNumber::next().value(), 0U);
  EXPECT_NE(StreamNumber::legacy(0).value(), 0U);
}

TEST(StreamNumber, IsNeverUsedAgain) {
  constexpr int threads = 4;
  constexpr int each = 1000;
  std::vector<std::vector<std::uint64_t>> made(threads);
  std::vector<std::thread> running;
  for (auto& own : made) {
    running.emplace_back([&own] {
      for (int i = 0; i < each; ++i) own.push_back(StreamNumber::next().value());
    });
  }
  for (std::thread& one : running) one.join();
  std::set<std::uint64_t> all;
  for (const auto& own : made) all.insert(own.begin(), own.end());
  for (const std::uint64_t one : all) StreamNumber(one).end();
  EXPECT_EQ(all.size(), std::size_t{threads} * each);
}

TEST(StreamNumber, KnowsWhetherItsStreamHasEnded) {
  const StreamNumber first = StreamNumber::next();
  const StreamNumber second = StreamNumber::next();
  EXPECT_FALSE(first.has_ended());
  first.end();
  EXPECT_TRUE(first.has_ended());
  EXPECT_FALSE(second.has_ended());
  first.end();
  second.end();
  EXPECT_TRUE(first.has_ended());
  EXPECT_TRUE(second.has_ended());
  int stream = 0;
  for (const StreamNumber other :
       {StreamNumber::of_vendor(second.value()), StreamNumber::of_handle(&stream, 0),
        StreamNumber::legacy(0), StreamNumber::per_thread(0), StreamNumber()}) {
    EXPECT_FALSE(other.has_ended()) << other.value() << ": nobody tells";
  }
}

// One that lives long does not keep others from being tracked.
TEST(StreamNumber, ThatFindsItsSlotTakenIsLeftOut) {
  const StreamNumber kept = StreamNumber::next();
  for (std::uint64_t i = 0; i < 2 * LiveStreams::slots; ++i) {
    const StreamNumber one = StreamNumber::next();
    EXPECT_FALSE(one.has_ended());
    one.end();
    EXPECT_TRUE(one.has_ended()) << i;
  }
  kept.end();
}

// A slot is given again, and then the older number still is that of a stream that has ended. A
// number for which there is no slot is not tracked.
TEST(StreamNumber, ThatFindsNoSlotIsNeverCalledEnded) {
  const StreamNumber old = StreamNumber::next();
  old.end();
  const StreamNumber kept = StreamNumber::next();
  std::vector<StreamNumber> others;
  for (std::uint64_t i = 0; i < LiveStreams::slots; ++i) others.push_back(StreamNumber::next());
  EXPECT_TRUE(old.has_ended()) << "its slot is another stream's";
  EXPECT_FALSE(kept.has_ended());
  const StreamNumber without_slot = others.back();
  EXPECT_FALSE(without_slot.has_ended());
  for (const StreamNumber one : others) one.end();
  EXPECT_FALSE(without_slot.has_ended()) << "it is not known";
  EXPECT_FALSE(kept.has_ended()) << "the slot is still its own";
  EXPECT_TRUE(others.front().has_ended());
  kept.end();
  EXPECT_TRUE(kept.has_ended());
}

// A plug-in may have a table and a count of its own, and its streams are no strangers' concern.
TEST(StreamNumber, OfAnotherModuleIsNotCalledEnded) {
  const StreamNumber mine = StreamNumber::next();
  const std::uint64_t another_table = std::uint64_t{1} << 41U;
  const StreamNumber theirs(mine.value() ^ another_table);
  EXPECT_NE(mine, theirs);
  EXPECT_FALSE(theirs.has_ended());
  mine.end();
  EXPECT_TRUE(mine.has_ended());
  EXPECT_FALSE(theirs.has_ended());
}

// Numbers of different origin are never equal.
TEST(StreamNumber, KeepsItsOrigin) {
  int stream = 0;
  const std::uint64_t id = StreamNumber::next().value();
  const StreamNumber numbers[] = {StreamNumber(id),
                                  StreamNumber::of_vendor(id),
                                  StreamNumber::of_handle(&stream, 0),
                                  StreamNumber::legacy(0),
                                  StreamNumber::legacy(1),
                                  StreamNumber::per_thread(0).here(),
                                  StreamNumber::of_handle(&stream, 1),
                                  StreamNumber::per_thread(1).here()};
  std::set<std::uint64_t> values;
  for (const StreamNumber one : numbers) values.insert(one.value());
  EXPECT_EQ(values.size(), std::size(numbers));
  EXPECT_EQ(StreamNumber::of_vendor(id), StreamNumber::of_vendor(id));
}

TEST(StreamNumber, OfAHandleIsNotCertain) {
  int stream = 0;
  const StreamNumber by_handle = StreamNumber::of_handle(&stream, 0);
  EXPECT_EQ(by_handle, StreamNumber::of_handle(&stream, 0));
  EXPECT_FALSE(by_handle.is_certain());
  EXPECT_FALSE(is_one_stream(by_handle, by_handle)) << "one stream, or two";
  for (const StreamNumber certain : {StreamNumber::next(), StreamNumber::of_vendor(3),
                                     StreamNumber::legacy(0), StreamNumber::per_thread(0).here()}) {
    EXPECT_TRUE(certain.is_certain());
    EXPECT_TRUE(is_one_stream(certain, certain));
    EXPECT_FALSE(is_one_stream(certain, by_handle));
  }
}

TEST(StreamNumber, OfAThreadIsThatOfWhoeverAsks) {
  const StreamNumber any = StreamNumber::per_thread(2);
  const StreamNumber mine = any.here();
  EXPECT_EQ(mine, any.here());
  EXPECT_EQ(mine.here(), mine);
  EXPECT_NE(mine, any);
  EXPECT_FALSE(mine.is_of_another_thread());
  std::thread([&] {
    EXPECT_NE(any.here(), mine);
    EXPECT_EQ(mine.here(), mine) << "it is known already";
    EXPECT_TRUE(mine.is_of_another_thread());
    EXPECT_FALSE(any.here().is_of_another_thread());
  }).join();
  for (const StreamNumber other : {StreamNumber::next(), StreamNumber::of_vendor(1),
                                   StreamNumber::legacy(2), StreamNumber()}) {
    EXPECT_EQ(other.here(), other);
    EXPECT_FALSE(other.is_of_another_thread());
  }
}

TEST(StreamNumber, TheHandlesOfDefaultStreamsAreSmallNumbers) {
  for (std::uintptr_t name = 0; name < 3; ++name) {
    EXPECT_TRUE(StreamNumber::is_default(reinterpret_cast<const void*>(name)));
  }
  int stream = 0;
  EXPECT_FALSE(StreamNumber::is_default(&stream));
  EXPECT_FALSE(StreamNumber::is_default(reinterpret_cast<const void*>(std::uintptr_t{3})));
}

}  // namespace
}  // namespace warpsafe::detail
