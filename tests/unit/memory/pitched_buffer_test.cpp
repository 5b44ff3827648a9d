// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "data_fixture.hpp"
#include <warpsafe/memory/pitched_buffer.hpp>

#include <type_traits>
#include <utility>
#include <vector>

// At global scope: a kernel's name is part of messages.
WARPSAFE_KERNEL void negate(warpsafe::PitchedSpan<int> matrix) {
  const warpsafe::Index3 at = warpsafe::thread_index();
  if (matrix.size().contains(at)) matrix[at] = -matrix[at];
}

namespace warpsafe::core_test {
namespace {

static_assert(std::is_trivially_copyable_v<PitchedSpan<int>> && sizeof(PitchedSpan<int>) == 32);
static_assert(std::is_convertible_v<PitchedView<int>, PitchedView<const int>> &&
              !std::is_convertible_v<PitchedView<const int>, PitchedView<int>>);

struct PitchedBufferTest : DataTest {
  static constexpr extent<2> three_by_five{rows{3}, cols{5}};
  [[nodiscard]] PitchedBuffer<int> matrix() const {
    auto made = PitchedBuffer<int>::create(stream, three_by_five).value();
    EXPECT_TRUE(copy_and_wait(stream, from(counting(15)), to(made)).has_value());
    return made;
  }
};

TEST_F(PitchedBufferTest, AClosedOneHasNoMemoryToCopy) {
  auto empty = PitchedBuffer<int>::create(stream, extent<2>{rows{0}, cols{0}}).value();
  auto closed = matrix();
  ASSERT_TRUE(closed.close().has_value());
  EXPECT_EQ(error_in(copy(stream, from(empty), to(closed))).code, Errc::memory_closed);
  EXPECT_EQ(error_in(copy(stream, from(closed), to(empty))).code, Errc::memory_closed);
  EXPECT_TRUE(copy(stream, from(empty), to(empty)).has_value());
}

TEST_F(PitchedBufferTest, HostMemoryHasNoGaps) {
  const auto made = matrix();
  EXPECT_EQ(made.rows(), 3U);
  EXPECT_EQ(made.cols(), 5U);
  EXPECT_EQ(held_bytes(), 3U * 256) << "each row begins at a multiple of 256 bytes";
  EXPECT_EQ(made.to_host(stream).get().value(), counting(15));
}

TEST_F(PitchedBufferTest, AKernelIndexesByRowAndColumn) {
  auto made = matrix();
  const auto config = configure(SafeGrid<>::cover(made.size(), block<4, 4>));
  ASSERT_TRUE(launch(stream, config, kernel<negate>, made.view()).has_value());
  auto expected = counting(15);
  for (int& value : expected) value = -value;
  EXPECT_EQ(made.to_host(stream).get().value(), expected);
}

TEST_F(PitchedBufferTest, AWindowIsCopiedRowByRow) {
  const auto source = matrix();
  auto target = matrix();
  const extent<2> size{rows{2}, cols{2}};
  ASSERT_TRUE(copy(stream, from(source.view().window(extent<2>{rows{1}, cols{3}}, size).value()),
                   to(target.view().window(extent<2>{rows{0}, cols{0}}, size).value()))
                  .has_value());
  EXPECT_EQ(target.to_host(stream).get().value(),
            (std::vector<int>{8, 9, 2, 3, 4, 13, 14, 7, 8, 9, 10, 11, 12, 13, 14}));
}

TEST_F(PitchedBufferTest, AWindowIsInsideOfTheMatrix) {
  auto made = matrix();
  const auto window = [&](std::int64_t row, std::int64_t col, std::int64_t high,
                          std::int64_t wide) {
    return made.view().window(extent<2>{rows{row}, cols{col}}, extent<2>{rows{high}, cols{wide}});
  };
  EXPECT_EQ(window(2, 4, 1, 1).value().rows(), 1U);
  EXPECT_EQ(window(0, 0, 3, 5).value().cols(), 5U);
  EXPECT_EQ(window(3, 5, 0, 0).value().rows(), 0U);
  const auto expect_outside = [](const auto& part, std::uint64_t first, std::uint64_t limit,
                                 Axis axis) {
    const LaunchError error = error_in(part);
    EXPECT_EQ(error.code, Errc::part_outside);
    EXPECT_EQ(error.extra, first);
    EXPECT_EQ(error.limit, limit);
    EXPECT_EQ(error.axis, axis);
  };
  expect_outside(window(2, 4, 2, 1), 2, 3, Axis::y);
  expect_outside(window(2, 4, 1, 2), 4, 5, Axis::x);
  expect_outside(window(9, 9, 1, 1), 9, 5, Axis::x);
  expect_outside(made.view().row(3), 3, 3, Axis::y);
  EXPECT_EQ(error_in(window(-1, 0, 1, 1)).code, Errc::size_negative);
  EXPECT_EQ(error_in(window(0, 0, 1, -1)).code, Errc::size_negative);
}

TEST_F(PitchedBufferTest, RowsAreSpans) {
  auto made = matrix();
  const auto line = filled(counting(5, 50));
  ASSERT_TRUE(copy(stream, from(line), to(made.view().row(1).value())).has_value());
  EXPECT_EQ(made.to_host(stream).get().value(),
            (std::vector<int>{0, 1, 2, 3, 4, 50, 51, 52, 53, 54, 10, 11, 12, 13, 14}));
}

TEST_F(PitchedBufferTest, FlatMemoryIsRowAfterRow) {
  auto made = matrix();
  auto flat = DeviceBuffer<int>::create(stream, 15).value();
  ASSERT_TRUE(copy(stream, from(made), to(flat)).has_value());
  EXPECT_EQ(read(flat), counting(15));
  ASSERT_TRUE(made.zero(stream).has_value());
  EXPECT_EQ(made.to_host(stream).get().value(), std::vector<int>(15, 0));
  auto pinned = PinnedBuffer<int>::create(15).value();
  for (int& value : pinned.span()) value = 6;
  ASSERT_TRUE(copy(stream, from(std::move(pinned)), to(made)).get().has_value());
  EXPECT_EQ(made.to_host(stream).get().value(), std::vector<int>(15, 6));
}

TEST_F(PitchedBufferTest, ShapesOfOneSizeAreNotTheSame) {
  const auto source = matrix();
  auto target = PitchedBuffer<int>::create(stream, extent<2>{rows{5}, cols{3}}).value();
  EXPECT_EQ(finding(error_in(copy(stream, from(source), to(target)))),
            (Finding{Errc::size_mismatch, Stage::construction, 3, 5, Axis::y}));
}

TEST_F(PitchedBufferTest, AClosedOrMovedMatrixHasNoElements) {
  auto one = matrix();
  auto other = matrix();
  const auto has_none = [](const auto& buffer) { return buffer.rows() == 0 && buffer.cols() == 0; };
  EXPECT_FALSE(has_none(one));
  auto moved = std::move(one);
  EXPECT_TRUE(has_none(one));  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(moved.rows() * moved.cols(), 15U);
  other = std::move(moved);
  EXPECT_TRUE(has_none(moved));  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(other.to_host(stream).get().value(), counting(15));
  ASSERT_TRUE(other.close().has_value());
  EXPECT_TRUE(has_none(other));
  EXPECT_TRUE(other.close().has_value());
}

TEST_F(PitchedBufferTest, SizesAreChecked) {
  using Buffer = PitchedBuffer<double>;
  EXPECT_EQ(finding(error_in(Buffer::create(stream, extent<2>{rows{-2}, cols{5}}))),
            (Finding{Errc::size_negative, Stage::construction, 2, 0, Axis::y}));
  EXPECT_EQ(finding(error_in(Buffer::create(stream, extent<2>{rows{2}, cols{-5}}))),
            (Finding{Errc::size_negative, Stage::construction, 5, 0, Axis::x}));
  constexpr std::uint64_t large = 1ULL << 40U;
  const LaunchError elements =
      error_in(Buffer::create(stream, extent<2>{rows{large * 2}, cols{large}}));
  EXPECT_EQ(finding(elements),
            (Finding{Errc::size_overflow, Stage::construction, large, large * 2, Axis::none}));
  EXPECT_EQ(elements.third_extent(), 1U);
  EXPECT_EQ(finding(error_in(Buffer::create(stream, extent<2>{rows{1ULL << 60U}, cols{1}}))),
            (Finding{Errc::bytes_overflow, Stage::construction, 1ULL << 60U, 8, Axis::none}));
  // A width of which not even the rounded pitch is a number.
  EXPECT_EQ(error_in(Buffer::create(stream, extent<2>{rows{1}, cols{~0ULL / 8}})).code,
            Errc::bytes_overflow);
  auto empty = Buffer::create(stream, extent<2>{rows{0}, cols{5}}).value();
  EXPECT_TRUE(empty.zero(stream).has_value());
  EXPECT_TRUE(empty.to_host(stream).get().value().empty());
}

TEST_F(PitchedBufferTest, MovesAndCloses) {
  auto first = matrix();
  auto second = std::move(first);
  EXPECT_EQ(first.rows(), 0U);  // NOLINT(bugprone-use-after-move): what is tested
  first = std::move(second);
  EXPECT_EQ(first.to_host(stream).get().value(), counting(15));
  EXPECT_TRUE(first.close().has_value());
  EXPECT_EQ(held_bytes(), 0U);
}

TEST_F(PitchedBufferTest, EachRowBeginsAtTheNextMultipleOf256Bytes) {
  const struct {
    std::size_t cols, pitch;
  } widths[] = {{1, 256}, {63, 256}, {64, 256}, {65, 512}, {128, 512}, {129, 768}};
  for (const auto& [cols, pitch] : widths) {
    auto made =
        PitchedBuffer<int>::create(stream, extent<2>{rows{2}, warpsafe::cols{cols}}).value();
    EXPECT_EQ(detail::PitchedAccess::rows_of(made.view()).pitch, pitch) << cols;
    EXPECT_EQ(held_bytes(), 2 * pitch) << cols;
  }
  // The widest row whose rounded pitch is a number, for a device that has no such memory.
  const LaunchError error = error_in(
      PitchedBuffer<char>::create(stream, extent<2>{rows{1}, cols{~std::uint64_t{0} - 256}}));
  EXPECT_EQ(error.code, Errc::out_of_memory);
  EXPECT_EQ(error_in(PitchedBuffer<char>::create(stream,
                                                 extent<2>{rows{1}, cols{~std::uint64_t{0} - 255}}))
                .code,
            Errc::bytes_overflow);
}

TEST_F(PitchedBufferTest, ACopyFromTheHostHasAllOfItsElements) {
  auto made = matrix();
  EXPECT_EQ(finding(error_in(copy_and_wait(stream, from(counting(14)), to(made)))),
            (Finding{Errc::size_mismatch, Stage::construction, 14, 15, Axis::none}));
  EXPECT_EQ(made.to_host(stream).get().value(), counting(15));
  const auto copies = host::calls_made(call_of<&host_backend::copy_2d>);
  auto empty = PitchedBuffer<int>::create(stream, extent<2>{rows{0}, cols{5}}).value();
  EXPECT_TRUE(copy_and_wait(stream, from(std::vector<int>{}), to(empty)).has_value());
  EXPECT_EQ(error_in(copy_and_wait(stream, from(counting(1)), to(empty))).code,
            Errc::size_mismatch);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::copy_2d>), copies);
  ASSERT_TRUE(made.close().has_value());
  EXPECT_EQ(error_in(copy_and_wait(stream, from(counting(15)), to(made))).code,
            Errc::memory_closed);
  EXPECT_EQ(error_in(made.used_on(stream)).code, Errc::memory_closed);
  EXPECT_EQ(error_in(made.zero(stream)).code, Errc::memory_closed);
}

TEST_F(PitchedBufferTest, AFreeThatFailsIsAnError) {
  auto made = matrix();
  host::fail_next(call_of<&host_backend::deallocate>, 1, HostStatus::invalid_value);
  EXPECT_EQ(text(error_in(made.close()).operation), "free device memory");
  EXPECT_TRUE(made.close().has_value()) << "nothing is left to free";
}

// The free waits for the last use on another stream.
TEST_F(PitchedBufferTest, AUseOfAnotherStreamIsRecorded) {
  const ForeignStream foreign;
  const StreamRef other = foreign.ref();
  const auto records = [] { return host::calls_made(call_of<&host_backend::event_record>); };
  auto made = matrix();
  auto before = records();
  ASSERT_TRUE(made.fill_bytes(stream, std::byte{1}).has_value());
  EXPECT_EQ(records(), before) << "its own stream needs no record";
  ASSERT_TRUE(made.fill_bytes(other, std::byte{2}).has_value());
  EXPECT_EQ(records(), ++before);
  ASSERT_TRUE(made.zero(other).has_value());
  EXPECT_EQ(records(), ++before);
  ASSERT_TRUE(made.used_on(other).has_value());
  EXPECT_EQ(records(), ++before);
  const auto second = matrix();
  before = records();
  ASSERT_TRUE(copy(other, from(second), to(made)).has_value());
  EXPECT_EQ(records(), before + 2) << "both matrices";
  EXPECT_EQ(made.to_host(other).get().value(), counting(15));
  host::fail_next(call_of<&host_backend::event_record>, 1, HostStatus::invalid_value);
  EXPECT_EQ(text(error_in(made.used_on(other)).operation), "event record");
  host::fail_next(call_of<&host_backend::fill>, 1, HostStatus::invalid_value);
  EXPECT_EQ(text(error_in(made.zero(other)).operation), "fill device memory");
}

}  // namespace
}  // namespace warpsafe::core_test
