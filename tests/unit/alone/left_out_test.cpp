// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Kernels that leave out elements which their launch covers, and kernels that do not. In a program
// that does not include <warpsafe/debug.hpp>, so that warnings go to standard error.

#include <warpsafe/host.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace warpsafe::core_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::size_t n = 1000;

// Wrong.
WARPSAFE_KERNEL void one_each(DeviceSpan<int> x) {
  const auto i = thread_index().x;
  if (i < x.size()) x[i] = 1;
}
WARPSAFE_KERNEL void one_each_of_pointer(int* x, std::size_t size) {
  const auto i = thread_index().x;
  if (i < size) x[i] = 1;
}
WARPSAFE_KERNEL void one_each_then_throw(DeviceSpan<int> x) {
  one_each(x);
  if (thread_index().x == 767) throw 1;
}
/// For elements that several blocks write.
void set(int& element) { __atomic_store_n(&element, 1, __ATOMIC_RELAXED); }
WARPSAFE_KERNEL void in_block(DeviceSpan<int> x) { set(x[thread_in_block().x]); }
WARPSAFE_KERNEL void row_in_block(int* x) { set(x[thread_in_block().x]); }

// Right.
WARPSAFE_KERNEL void four_in_a_row(DeviceSpan<int> x) {
  for (std::size_t i = 4 * thread_index().x; i < 4 * (thread_index().x + 1); ++i) {
    if (i < x.size()) x[i] = 1;
  }
}
WARPSAFE_KERNEL void four_apart(DeviceSpan<int> x) {
  const std::size_t threads = std::size_t{grid_size().x} * block_size().x;
  for (std::size_t i = thread_index().x; i < x.size(); i += threads) x[i] = 1;
}
/// The numbers of the elements come from the device.
WARPSAFE_KERNEL void some_of_four(DeviceSpan<int> x, const std::size_t* size) {
  for (std::size_t i = 4 * thread_index().x; i < 4 * (thread_index().x + 1); ++i) {
    if (i < *size) x[i] = 1;
  }
}
WARPSAFE_KERNEL void four_if_zero(DeviceSpan<int> x) {
  for (std::size_t i = 4 * thread_index().x; i < 4 * (thread_index().x + 1); ++i) {
    if (i < x.size() && x[i] == 0) x[i] = 1;
  }
}
WARPSAFE_KERNEL void four_at_once(DeviceSpan<int> x) {
  if (4 * thread_index().x + 4 > x.size()) return;
  const auto mine = x.subspan(4 * thread_index().x, 4);
  for (std::size_t i = 0; i < 4; ++i) mine[i] = 1;
}
WARPSAFE_KERNEL void first_of_each(DeviceSpan<int> x) {
  if (thread_index().x < x.size()) x[thread_index().x] = 1;
}
WARPSAFE_KERNEL void neighbours(DeviceSpan<int> x) {
  const auto i = thread_index().x;
  if (i + 1 >= x.size()) return;
  const int next = __atomic_load_n(&x[i + 1], __ATOMIC_RELAXED);
  __atomic_store_n(&x[i], next - x[i], __ATOMIC_RELAXED);
}
WARPSAFE_KERNEL void nothing(DeviceSpan<int>) {}
WARPSAFE_KERNEL void sum_of_each_thread(DeviceSpan<const int> x, DeviceSpan<int> sums) {
  for (auto i : grid_stride(x.size())) sums[thread_index().x] += x[i];
}
WARPSAFE_KERNEL void from_queue(int* x, unsigned* next, std::size_t size) {
  const bool takes = thread_in_block().x == 0;
  for (std::size_t i = takes ? atomic_add(next, 1U) : size; i < size; i = atomic_add(next, 1U)) {
    x[i] = 1;
  }
}
WARPSAFE_KERNEL void chunk_of_block(int* x, std::size_t chunk) {
  const std::size_t begin = block_index().x * chunk;
  for (std::size_t i = thread_in_block().x; i < chunk; i += block_size().x) x[begin + i] = 1;
}
WARPSAFE_KERNEL void count_blocks(unsigned* count) {
  if (thread_in_block().x == 0) atomic_add(count, 1U);
}
WARPSAFE_KERNEL void flat_rows(int* x) {
  x[thread_index().x] = static_cast<int>(thread_in_block().x);
}

/// What the launch says: the error of the wait, or the warning on standard error.
template <class Grid, class K, class... A>
std::string said_by(const Stream& stream, const Grid& grid, K of, const A&... arguments) {
  testing::internal::CaptureStderr();
  const auto launched = launch(stream, grid, of, arguments...);
  EXPECT_TRUE(launched.has_value());
  const auto ended = stream.synchronize();
  std::string text = testing::internal::GetCapturedStderr();
  if (!ended.has_value()) text.append(ended.error().raw_text.data, ended.error().raw_text.size);
  return text;
}

/// A thread for four elements.
auto quarter() { return SafeGrid<>::cover(n, block<256>, items_per_thread<4>); }

class LeftOut : public testing::Test {
 protected:
  ~LeftOut() override { host::reset(); }

  const Stream stream = Stream::create().value();
  DeviceBuffer<int> x = zeros<int>(n);
  DeviceBuffer<unsigned> counter = zeros<unsigned>(1);

  template <class T>
  DeviceBuffer<T> zeros(std::size_t count) const {
    auto made = DeviceBuffer<T>::create(stream, count).value();
    made.zero(stream).value();
    return made;
  }
};

TEST_F(LeftOut, OneOfFourElementsIsAnError) {
  EXPECT_EQ(said_by(stream, quarter(), kernel<one_each, handles_items<4>>, x.view()),
            "the launch covers 1000 elements with 256 threads, and each thread used only the "
            "element of its own number: elements 256 to 999 are left out; let the kernel loop with "
            "grid_stride(n), or launch it with cover(n, block<256>), which has a thread for each "
            "element");
}

TEST_F(LeftOut, AStridedGridWithoutALoopIsAnError) {
  const auto strided = SafeGrid<>::grid_stride(n, block<64>, max_blocks(3));
  EXPECT_THAT(said_by(stream, strided, kernel<one_each, grid_stride_kernel>, x.view()),
              HasSubstr("1000 elements with 192 threads"));
}

TEST_F(LeftOut, AStridedGridWithoutALoopOverAPointerIsAWarning) {
  const auto strided = SafeGrid<>::grid_stride(n, block<64>, max_blocks(3));
  constexpr auto wrong = kernel<one_each_of_pointer, grid_stride_kernel>;
  EXPECT_EQ(said_by(stream, strided, wrong, x.view(), n),
            "warpsafe: the launch of 'one_each_of_pointer' covers 1000 elements with 192 threads, "
            "and the kernel calls neither grid_stride(n) nor grid_size(): elements 192 to 999 are "
            "left out unless it strides by a number of its own; loop with grid_stride(n)\n");
  EXPECT_EQ(said_by(stream, strided, wrong, x.view(), n), "") << "once for each kernel";
}

TEST_F(LeftOut, BlocksThatDoTheSameAreAWarning) {
  EXPECT_EQ(said_by(stream, SafeGrid<>::cover(n, block<256>), kernel<in_block>, x.view()),
            "warpsafe: the launch of 'in_block' covers 1000 elements with 4 blocks, and no thread "
            "asks for its block: each block does the same; take the element from thread_index(), "
            "or from block_index() if a block handles an element\n");
  EXPECT_THAT(said_by(stream, SafeGrid<>::cover(3, block<64>, block_per_item),
                      kernel<row_in_block, block_per_item_kernel>, x.view()),
              HasSubstr("'row_in_block' covers 3 elements with 3 blocks"));
}

TEST_F(LeftOut, ANumberOfBlocksThatIsRoundedDownIsAWarning) {
  const auto rounded_down = configure(GridDim::from_blocks(n / 256), block<256>);
  EXPECT_EQ(said_by(stream, rounded_down, kernel<one_each>, x.view()),
            "warpsafe: the launch of 'one_each' has 3 blocks, 768 threads, and each thread used "
            "only the element of its own number in a span of more: elements from 768 on are left "
            "out; cover(n, block<256>) rounds the number of blocks up\n");
}

TEST_F(LeftOut, AGridThatFailedSaysThatAlone) {
  const auto rounded_down = configure(GridDim::from_blocks(n / 256), block<256>);
  EXPECT_THAT(said_by(stream, rounded_down, kernel<one_each_then_throw>, x.view()),
              AllOf(HasSubstr("threw"), Not(HasSubstr("left out"))));
}

TEST_F(LeftOut, OtherNumbersOfBlocksAreSilent) {
  const auto said = [&](std::size_t blocks, auto of) {
    return said_by(stream, configure(GridDim::from_blocks(blocks), block<256>), of, x.view());
  };
  EXPECT_THAT(said(2, kernel<first_of_each>), IsEmpty()) << "more than a block is missing";
  EXPECT_THAT(said(4, kernel<first_of_each>), IsEmpty());
  EXPECT_THAT(said(3, kernel<four_in_a_row>), IsEmpty());
  EXPECT_THAT(said(3, kernel<four_apart>), IsEmpty());
  EXPECT_THAT(said(3, kernel<neighbours>), IsEmpty()) << "the last element is a neighbour's";
}

TEST_F(LeftOut, KernelsWithSeveralElementsAThreadAreSilent) {
  EXPECT_THAT(said_by(stream, quarter(), kernel<four_in_a_row, handles_items<4>>, x.view()),
              IsEmpty());
  EXPECT_THAT(said_by(stream, quarter(), kernel<four_apart, handles_items<4>>, x.view()),
              IsEmpty());
  EXPECT_THAT(said_by(stream, quarter(), kernel<four_if_zero, handles_items<4>>, x.view()),
              IsEmpty());
  EXPECT_THAT(said_by(stream, quarter(), kernel<four_at_once, handles_items<4>>, x.view()),
              IsEmpty());
  EXPECT_THAT(said_by(stream, quarter(), kernel<nothing, handles_items<4>>, x.view()), IsEmpty());
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{200}, n}) {
    auto number = DeviceBuffer<std::size_t>::from(stream, std::vector<std::size_t>{size}).value();
    EXPECT_THAT(
        said_by(stream, quarter(), kernel<some_of_four, handles_items<4>>, x.view(), number.view()),
        IsEmpty())
        << size;
  }
}

TEST_F(LeftOut, KernelsOfAStridedGridAreSilent) {
  const auto strided = SafeGrid<>::grid_stride(n, block<50>, max_blocks(4));
  auto sums = zeros<int>(n);
  EXPECT_THAT(said_by(stream, strided, kernel<four_apart, grid_stride_kernel>, x.view()),
              IsEmpty());
  EXPECT_THAT(said_by(stream, strided, kernel<sum_of_each_thread, grid_stride_kernel>, x.view(),
                      sums.view()),
              IsEmpty());
  EXPECT_THAT(
      said_by(stream, strided, kernel<from_queue, grid_stride_kernel>, x.view(), counter.view(), n),
      IsEmpty());
  EXPECT_THAT(said_by(stream, strided, kernel<chunk_of_block, grid_stride_kernel>, x.view(), n / 4),
              IsEmpty());
}

TEST_F(LeftOut, KernelsWithAThreadOrABlockForEachElementAreSilent) {
  EXPECT_THAT(said_by(stream, SafeGrid<>::cover(n, block<256>), kernel<one_each>, x.view()),
              IsEmpty());
  EXPECT_THAT(
      said_by(stream, SafeGrid<>::cover(n, block<1024>), kernel<count_blocks>, counter.view()),
      IsEmpty());
  EXPECT_THAT(said_by(stream, SafeGrid<>::cover(64, block<64>), kernel<in_block>, x.view()),
              IsEmpty());
  EXPECT_THAT(said_by(stream, SafeGrid<>::cover(10, block<100>, block_per_item),
                      kernel<flat_rows, block_per_item_kernel>, x.view()),
              IsEmpty());
}

}  // namespace
}  // namespace warpsafe::core_test
