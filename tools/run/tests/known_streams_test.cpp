// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/stream/known_streams.hpp"

#include "core/stream/stream_names.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <thread>

namespace {

using warpsafe::watch::KnownStreams;
using warpsafe::watch::per_thread_handle;
using warpsafe::watch::place_of;

const char handles[2] = {};
const void* const one = &handles[0];
const void* const other = &handles[1];

TEST(KnownStreams, TheNextStreamWithAHandleHasAnotherNumber) {
  KnownStreams streams;
  streams.made(one, 0, false);
  streams.made(other, 0, true);
  const std::uint64_t first = streams.number_of(one, 0);
  EXPECT_EQ(streams.number_of(one, 0), first);
  EXPECT_NE(streams.number_of(other, 0), first);
  streams.destroyed(one);
  streams.made(one, 0, false);
  EXPECT_NE(streams.number_of(one, 0), first);
}

TEST(KnownStreams, AStreamWhoseCreationWasNotSeenHasANumberUntilItsEnd) {
  KnownStreams streams;
  const std::uint64_t first = streams.number_of(one, 0);
  EXPECT_EQ(streams.number_of(one, 0), first);
  EXPECT_EQ(streams.device_of(one), -1);
  streams.destroyed(one);
  EXPECT_NE(streams.number_of(one, 0), first);
  streams.made(one, 0, false);
  const std::uint64_t made = streams.number_of(one, 0);
  streams.destroyed(one);
  EXPECT_NE(streams.number_of(one, 0), made);
}

TEST(KnownStreams, ADefaultStreamIsOneOfEachDeviceOrThread) {
  KnownStreams streams;
  streams.made(one, 0, false);
  std::set<std::uint64_t> numbers{streams.number_of(one, 0)};
  for (const int device : {0, 1}) {
    numbers.insert(streams.number_of(nullptr, device));
    numbers.insert(streams.number_of(per_thread_handle(), device));
    std::thread([&] { numbers.insert(streams.number_of(per_thread_handle(), device)); }).join();
  }
  EXPECT_EQ(numbers.size(), 7U);
  EXPECT_EQ(streams.number_of(nullptr, 1), place_of(nullptr, false, 1, streams).key);
  EXPECT_EQ(streams.number_of(per_thread_handle(), 1), place_of(nullptr, true, 1, streams).key);
}

TEST(KnownStreams, EachThreadSeesTheNewNumber) {
  KnownStreams streams;
  streams.made(one, 0, false);
  const std::uint64_t first = streams.number_of(one, 0);
  std::thread([&] {
    streams.destroyed(one);
    streams.made(one, 0, false);
  }).join();
  EXPECT_NE(streams.number_of(one, 0), first);
}

TEST(KnownStreams, TwoTablesHaveStreamsOfTheirOwn) {
  KnownStreams first;
  KnownStreams second;
  first.made(other, 0, false);
  first.made(one, 0, false);
  second.made(one, 0, false);
  const std::uint64_t number = first.number_of(one, 0);
  EXPECT_EQ(second.number_of(one, 0), 1U);
  EXPECT_EQ(first.number_of(one, 0), number);
}

}  // namespace
