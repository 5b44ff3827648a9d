// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "data_fixture.hpp"
#include <warpsafe/memory/pinned_buffer.hpp>

#include <type_traits>
#include <utility>

namespace warpsafe::core_test {
namespace {

using PinnedBufferTest = DataTest;

static_assert(!std::is_copy_constructible_v<PinnedBuffer<int>> &&
              !std::is_default_constructible_v<PinnedBuffer<int>>);

TEST_F(PinnedBufferTest, IsHostMemoryThatTheDeviceReads) {
  auto buffer = PinnedBuffer<double>::create(5).value();
  EXPECT_EQ(buffer.size(), 5U);
  EXPECT_EQ(buffer.span().size(), 5U);
  MemoryKind kind{};
  int device = -1;
  ASSERT_EQ(host_backend::pointer_kind(buffer.span().data(), kind, device), 0);
  EXPECT_EQ(kind, MemoryKind::pinned);
}

TEST_F(PinnedBufferTest, OfNothingAsksForNoMemory) {
  auto empty = PinnedBuffer<int>::create(0).value();
  EXPECT_TRUE(empty.empty());
  EXPECT_TRUE(empty.close().has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::host_allocate>), 0U);
}

TEST_F(PinnedBufferTest, ErrorsHaveTheirNumbers) {
  EXPECT_EQ(finding(error_in(PinnedBuffer<int>::create(-4))),
            (Finding{Errc::size_negative, Stage::construction, 4, sizeof(int), Axis::none}));
  host::fail_next(call_of<&host_backend::host_allocate>, 1, HostStatus::out_of_memory);
  EXPECT_EQ(said(PinnedBuffer<int>::create(100, app)),
            "allocate pinned memory failed: out of memory: 400 bytes requested "
            "(hostErrorMemoryAllocation, 2)\n  at app.cpp:7");
}

TEST_F(PinnedBufferTest, MovesItsMemoryAlongAndGivesItBackOnce) {
  {
    auto first = PinnedBuffer<int>::create(5).value();
    auto second = std::move(first);
    EXPECT_EQ(first.size(), 0U);  // NOLINT(bugprone-use-after-move): what is tested
    first = std::move(second);
    EXPECT_EQ(first.size(), 5U);
    EXPECT_EQ(second.size(), 0U);  // NOLINT(bugprone-use-after-move): what is tested
    host::fail_next(call_of<&host_backend::host_deallocate>, 2, HostStatus::invalid_value);
    EXPECT_TRUE(first.close().has_value());
    EXPECT_EQ(first.size(), 0U);
    EXPECT_TRUE(first.span().empty());
    EXPECT_TRUE(first.close().has_value());
  }
  EXPECT_EQ(host::calls_made(call_of<&host_backend::host_deallocate>), 1U);
}

TEST_F(PinnedBufferTest, CloseTellsWhatTheRuntimeSays) {
  auto buffer = PinnedBuffer<int>::create(5).value();
  host::fail_next(call_of<&host_backend::host_deallocate>, 1, HostStatus::invalid_value);
  EXPECT_EQ(error_in(buffer.close()).code, Errc::runtime_failed);
}

TEST_F(PinnedBufferTest, AClosedOrMovedOneIsNoSideOfACopy) {
  auto device = filled(std::vector<int>(5));
  auto none = filled(std::vector<int>{});
  const auto code = [](auto&& pending) { return error_in(std::move(pending).get()).code; };
  const auto expect_closed = [&](PinnedBuffer<int>& buffer) {
    EXPECT_EQ(code(copy(stream, from(std::move(buffer)), to(device))), Errc::memory_closed);
    EXPECT_EQ(code(copy(stream, from(none), to(std::move(buffer)))), Errc::memory_closed);
  };
  auto closed = PinnedBuffer<int>::create(5).value();
  ASSERT_TRUE(closed.close().has_value());
  expect_closed(closed);
  auto moved = PinnedBuffer<int>::create(5).value();
  const auto next = std::move(moved);
  expect_closed(moved);  // NOLINT(bugprone-use-after-move): what is tested
  auto empty = PinnedBuffer<int>::create(0).value();
  EXPECT_TRUE(copy(stream, from(std::move(empty)), to(none)).get().has_value())
      << "empty is not closed";
}

WARPSAFE_KERNEL void touch(int*) {}

TEST_F(PinnedBufferTest, ASpanOfAClosedBufferIsRefusedByALaunch) {
  auto buffer = PinnedBuffer<int>::create(5).value();
  int* const kept = buffer.span().data();
  const LaunchConfig once{grid<1>, block<1>};
  ASSERT_TRUE(launch(stream, once, kernel<touch>, trust(kept)).has_value());
  ASSERT_TRUE(buffer.close().has_value());
  EXPECT_EQ(error_in(launch(stream, once, kernel<touch>, trust(kept))).code,
            Errc::argument_host_pointer);
}

}  // namespace
}  // namespace warpsafe::core_test
