// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "data_fixture.hpp"
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

using CopyTest = DataTest;

// NOLINTBEGIN(bugprone-use-after-move): decltype evaluates nothing
static_assert(std::is_same_v<decltype(copy(std::declval<const Stream&>(),
                                           from(std::declval<const DeviceBuffer<int>&>()),
                                           to(std::declval<DeviceBuffer<int>&>()))),
                             result<void>>);
static_assert(std::is_same_v<decltype(copy(std::declval<StreamRef>(),
                                           from(std::declval<DeviceView<const int>>()),
                                           to(std::declval<PinnedBuffer<int>>()))),
                             Pending<PinnedBuffer<int>>>);
// NOLINTEND(bugprone-use-after-move)

TEST_F(CopyTest, BetweenBuffersAndPartsOfThem) {
  const auto source = filled(counting(10));
  auto target = filled(counting(10, 100));
  ASSERT_TRUE(copy(stream, from(source.view().subspan(5, 3).value()),
                   to(target.view().subspan(2, 3).value()))
                  .has_value());
  EXPECT_EQ(read(target), (std::vector<int>{100, 101, 5, 6, 7, 105, 106, 107, 108, 109}));
  ASSERT_TRUE(copy(stream, from(source), to(target)).has_value());
  EXPECT_EQ(read(target), counting(10));
}

TEST_F(CopyTest, SourceAndTargetHaveTheSameNumberOfElements) {
  const auto source = filled(counting(10));
  auto target = filled(counting(8));
  const auto copies = host::calls_made(call_of<&host_backend::copy>);
  const auto refused = copy(stream, from(source), to(target), app);
  EXPECT_EQ(said(refused),
            "copy not called: the source has 10 elements and the target 8\n  at app.cpp:7");
  EXPECT_EQ(host::calls_made(call_of<&host_backend::copy>), copies);
  EXPECT_EQ(error_in(copy_and_wait(stream, from(counting(3)), to(target))).code,
            Errc::size_mismatch);
}

TEST_F(CopyTest, ReturnsBeforeItHasRun) {
  const auto source = filled(counting(4));
  auto target = filled(counting(4, 9));
  hold(stream);
  ASSERT_TRUE(copy(stream, from(source), to(target)).has_value());
  auto token = copy(stream, from(target), to(PinnedBuffer<int>::create(4).value()));
  EXPECT_TRUE(stays_pending(token));
  open();
  const auto pinned = std::move(token).get().value();
  EXPECT_THAT(pinned.span(), ::testing::ElementsAre(0, 1, 2, 3));
}

TEST_F(CopyTest, ARefusedCopyLeavesThePinnedBufferWithItsCaller) {
  auto pinned = PinnedBuffer<int>::create(3).value();
  auto target = DeviceBuffer<int>::create(stream, 4).value();
  EXPECT_EQ(error_in(copy(stream, from(std::move(pinned)), to(target)).get()).code,
            Errc::size_mismatch);
  // NOLINTNEXTLINE(bugprone-use-after-move): that it was not moved is the subject
  EXPECT_EQ(pinned.size(), 3U);
  EXPECT_EQ(error_in(copy(stream, from(target), to(std::move(pinned))).get()).code,
            Errc::size_mismatch);
  EXPECT_EQ(pinned.size(), 3U);  // NOLINT(bugprone-use-after-move)
}

TEST_F(CopyTest, PinnedMemoryGoesInAndComesBack) {
  auto pinned = PinnedBuffer<int>::create(3).value();
  for (int i = 0; i < 3; ++i) pinned.span()[static_cast<std::size_t>(i)] = 7 + i;
  auto target = DeviceBuffer<int>::create(stream, 3).value();
  pinned = copy(stream, from(std::move(pinned)), to(target)).get().value();
  EXPECT_EQ(pinned.size(), 3U);
  EXPECT_EQ(read(target), counting(3, 7));
  EXPECT_EQ(
      error_in(copy(stream, from(target), to(PinnedBuffer<int>::create(2).value())).get()).code,
      Errc::size_mismatch);
}

TEST_F(CopyTest, OfPageableMemoryHasEndedWhenItReturns) {
  auto target = DeviceBuffer<int>::create(stream, 3).value();
  ASSERT_TRUE(copy_and_wait(stream, from(counting(3, 5)), to(target)).has_value());
  std::array<int, 3> back{};
  ASSERT_TRUE(copy_and_wait(stream, from(target), to(back)).has_value());
  EXPECT_THAT(back, ::testing::ElementsAre(5, 6, 7));
  int two[2] = {};
  ASSERT_TRUE(
      copy_and_wait(stream, from(target.view().subspan(1, 2).value()), to(two)).has_value());
  EXPECT_THAT(two, ::testing::ElementsAre(6, 7));
}

TEST_F(CopyTest, BetweenTwoDevicesGoesFromPeerToPeer) {
  host::set_device_count(2);
  const Stream other = Stream::create(DeviceId(1)).value();
  const auto source = filled(counting(4));
  auto target = DeviceBuffer<int>::create(other, 4).value();
  EXPECT_EQ(target.view().device(), 1);
  EXPECT_EQ(target.view().subspan(1, 2).value().device(), 1);
  ASSERT_TRUE(stream.synchronize().has_value());
  ASSERT_TRUE(copy(other, from(source), to(target)).has_value());
  ASSERT_TRUE(copy(other, from(source.view().subspan(2, 2).value()),
                   to(target.view().subspan(0, 2).value()))
                  .has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::copy_peer>), 2U);
  EXPECT_EQ(target.to_host(other).get().value(), (std::vector<int>{2, 3, 2, 3}));
}

TEST_F(CopyTest, BetweenTwoDevicesWouldBreakACapture) {
  host::set_device_count(2);
  const Stream other = Stream::create(DeviceId(1)).value();
  const auto source = filled(counting(4));
  auto target = DeviceBuffer<int>::create(other, 4).value();
  ASSERT_EQ(host_backend::capture_begin(stream.native(), CaptureMode::relaxed), 0);
  const LaunchError error = error_in(copy(stream, from(source), to(target)));
  EXPECT_EQ(error.code, Errc::stream_capturing);
  EXPECT_EQ(text(error.operation), "copy between devices");
  EXPECT_EQ(host::calls_made(call_of<&host_backend::copy_peer>), 0U);
  host_backend::native_graph graph{};
  ASSERT_EQ(host_backend::capture_end(stream.native(), graph), 0) << "the capture is whole";
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
}

TEST_F(CopyTest, OfNothingCallsNothing) {
  auto target = DeviceBuffer<int>::create(stream, 0).value();
  const auto source = DeviceBuffer<int>::create(stream, 0).value();
  EXPECT_TRUE(copy(stream, from(source), to(target)).has_value());
  EXPECT_TRUE(copy_and_wait(stream, from(std::vector<int>{}), to(target)).has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::copy>), 0U);
}

TEST_F(CopyTest, WhatTheRuntimeRefusesIsAnError) {
  const auto source = filled(counting(4));
  auto target = filled(counting(4));
  host::fail_next(call_of<&host_backend::copy>, 1, HostStatus::invalid_value);
  EXPECT_EQ(said(copy(stream, from(source), to(target), app)),
            "copy on the device failed: invalid argument (hostErrorInvalidValue, 1)\n"
            "  at app.cpp:7");
}

TEST_F(CopyTest, WhatWaitsIsRefusedInACaptureAndBreaksNone) {
  auto source = filled(counting(4));
  auto target = filled(counting(4, 9));
  ASSERT_EQ(host_backend::capture_begin(stream.native(), CaptureMode::global), 0);
  EXPECT_EQ(error_in(source.to_host(stream).get()).code, Errc::stream_capturing);
  EXPECT_EQ(error_in(copy_and_wait(stream, from(counting(4)), to(target))).code,
            Errc::stream_capturing);
  EXPECT_EQ(
      error_in(copy(stream, from(PinnedBuffer<int>::create(4).value()), to(target)).get()).code,
      Errc::stream_capturing);
  EXPECT_TRUE(copy(stream, from(source), to(target)).has_value());
  EXPECT_TRUE(source.zero(stream).has_value());
  host_backend::native_graph graph{};
  ASSERT_EQ(host_backend::capture_end(stream.native(), graph), 0) << "the capture is whole";
  std::size_t nodes = 0;
  ASSERT_EQ(host_backend::graph_nodes(graph, nodes), 0);
  EXPECT_EQ(nodes, 2U);
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
  EXPECT_EQ(read(target), counting(4, 9)) << "captured, and not run";
}

TEST_F(CopyTest, BesideACaptureEverythingGoesOn) {
  const Stream other = Stream::create().value();
  const auto source = filled(counting(4));
  auto early = copy(stream, from(source), to(PinnedBuffer<int>::create(4).value()));
  ASSERT_EQ(host_backend::capture_begin(other.native(), CaptureMode::global), 0);
  EXPECT_TRUE(early.ready().has_value());
  EXPECT_TRUE(std::move(early).get().has_value());
  {
    auto buffer = filled(counting(4));
    EXPECT_EQ(read(buffer), counting(4));
    EXPECT_TRUE(synchronize(stream, buffer.to_host(stream)).has_value());
  }
  EXPECT_TRUE(PinnedBuffer<int>::create(4).value().close().has_value());
  host_backend::native_graph graph{};
  ASSERT_EQ(host_backend::capture_end(other.native(), graph), 0) << "the capture is whole";
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
}

TEST_F(CopyTest, AFreeThatMeetsACaptureIsMadeAfterwards) {
  auto source = filled(counting(4));
  ASSERT_EQ(host_backend::capture_begin(stream.native(), CaptureMode::global), 0);
  EXPECT_TRUE(source.close().has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate>), 0U);
  host_backend::native_graph graph{};
  ASSERT_EQ(host_backend::capture_end(stream.native(), graph), 0) << "the capture is whole";
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
  const auto later = filled(counting(1));
  EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate>), 1U);
  EXPECT_EQ(held_bytes(), 4U);
}

TEST_F(CopyTest, SourceAndTargetDoNotOverlap) {
  auto buffer = filled(counting(100));
  const auto part = [&](std::size_t offset, std::size_t count) {
    return buffer.view().subspan(offset, count).value();
  };
  const LaunchError error = error_in(copy(stream, from(part(0, 50)), to(part(10, 50))));
  EXPECT_EQ(error.code, Errc::copy_overlaps);
  EXPECT_EQ(error.value, 40U);
  EXPECT_EQ(error.limit, 200U);
  EXPECT_EQ(error_in(copy(stream, from(part(49, 50)), to(part(0, 50)))).code, Errc::copy_overlaps);
  EXPECT_EQ(error_in(copy(stream, from(buffer), to(buffer))).code, Errc::copy_overlaps)
      << "onto itself";
  EXPECT_EQ(error_in(copy(stream, from(part(7, 1)), to(part(7, 1)))).code, Errc::copy_overlaps)
      << "one element";
  EXPECT_EQ(error_in(copy(stream, from(buffer.view().span()), to(buffer.view().span()))).code,
            Errc::copy_overlaps);
  EXPECT_EQ(read(buffer), counting(100)) << "nothing was copied";

  EXPECT_TRUE(copy(stream, from(part(0, 50)), to(part(50, 50))).has_value()) << "side by side";
  EXPECT_TRUE(copy(stream, from(part(50, 50)), to(part(0, 50))).has_value());
  EXPECT_TRUE(copy(stream, from(part(7, 0)), to(part(7, 0))).has_value()) << "nothing";
  const auto other = filled(counting(100));
  EXPECT_TRUE(copy(stream, from(other), to(buffer)).has_value());
}

TEST_F(CopyTest, WindowsOfOneMatrixMayLieBesideEachOther) {
  auto made = PitchedBuffer<int>::create(stream, extent<2>{rows{8}, cols{10}}).value();
  const auto window = [&](int row, int col, int high, int wide) {
    return made.view()
        .window(extent<2>{rows{row}, cols{col}}, extent<2>{rows{high}, cols{wide}})
        .value();
  };
  const auto overlap = [&](const auto& to, const auto& from) {
    const auto copied = copy(stream, warpsafe::from(from), warpsafe::to(to));
    if (copied.has_value()) return false;
    EXPECT_EQ(error_in(copied).code, Errc::copy_overlaps);
    return true;
  };
  EXPECT_FALSE(overlap(window(0, 0, 8, 5), window(0, 5, 8, 5)));
  EXPECT_FALSE(overlap(window(0, 5, 8, 5), window(0, 0, 8, 5)));
  EXPECT_FALSE(overlap(window(1, 0, 7, 5), window(0, 5, 7, 5)));
  EXPECT_FALSE(overlap(window(0, 5, 7, 5), window(1, 0, 7, 5)));
  EXPECT_FALSE(overlap(window(0, 0, 4, 10), window(4, 0, 4, 10)));
  EXPECT_TRUE(overlap(window(0, 0, 8, 6), window(0, 4, 8, 6)));
  EXPECT_TRUE(overlap(window(0, 0, 4, 5), window(3, 4, 4, 5)));
  EXPECT_TRUE(overlap(window(3, 0, 4, 5), window(0, 4, 4, 5)));
  EXPECT_TRUE(overlap(window(3, 0, 4, 5), window(3, 0, 4, 5)));
  EXPECT_FALSE(overlap(made.view().row(1).value(), made.view().row(2).value()));
  EXPECT_TRUE(overlap(made.view().row(1).value(), made.view().row(1).value()));
  EXPECT_TRUE(overlap(window(1, 0, 1, 10), made.view().row(1).value()));
  EXPECT_FALSE(overlap(window(1, 0, 2, 5), made.view().row(0).value()));
}

TEST_F(CopyTest, ASideIsWhatItsNameSaysInEitherOrder) {
  auto a = filled(counting(4));
  auto b = filled(counting(4, 100));
  const auto copied = [&](const auto& outcome) {
    EXPECT_TRUE(outcome.has_value());
    const auto seen = std::pair(read(a).front(), read(b).front());
    EXPECT_TRUE(copy_and_wait(stream, from(counting(4)), to(a)).has_value());
    EXPECT_TRUE(copy_and_wait(stream, from(counting(4, 100)), to(b)).has_value());
    return seen;
  };
  const std::pair to_b(0, 0);
  const std::pair to_a(100, 100);
  EXPECT_EQ(copied(copy(stream, to(b), from(a))), to_b);
  EXPECT_EQ(copied(copy(stream, from(a), to(b))), to_b);
  EXPECT_EQ(copied(copy(stream, from(b.view()), to(a.view()))), to_a);
}

TEST_F(CopyTest, NamesTakeHostMemoryToo) {
  auto a = filled(counting(4));
  std::vector<int> host = counting(4, 10);
  ASSERT_TRUE(copy_and_wait(stream, from(a), to(host)).has_value());
  EXPECT_EQ(host, counting(4));
  ASSERT_TRUE(copy_and_wait(stream, from(counting(4, 20)), to(a)).has_value());
  EXPECT_EQ(read(a), counting(4, 20));
  auto token = copy(stream, from(a), to(PinnedBuffer<int>::create(4).value()));
  static_assert(std::is_same_v<decltype(token), Pending<PinnedBuffer<int>>>);
  auto pinned = std::move(token).get().value();
  EXPECT_EQ(pinned.span()[0], 20);
  pinned.span()[0] = 7;
  ASSERT_TRUE(copy(stream, from(std::move(pinned)), to(a)).get().has_value());
  EXPECT_EQ(read(a).front(), 7);
  // A size in bytes in place of elements, and the other way round.
  EXPECT_THAT(said(copy_and_wait(stream, from(counting(16)), to(a), app)),
              testing::HasSubstr("the source has 16 elements and the target 4: they differ by the "
                                 "factor 4, the size of an element in bytes"));
  EXPECT_THAT(said(copy_and_wait(stream, from(counting(1)), to(a), app)),
              testing::HasSubstr("they differ by the factor 4"));
  const auto refused = copy_and_wait(stream, from(counting(3)), to(a), app);
  EXPECT_EQ(said(refused),
            "copy not called: the source has 3 elements and the target 4\n  at app.cpp:7");
}

}  // namespace
}  // namespace warpsafe::core_test
