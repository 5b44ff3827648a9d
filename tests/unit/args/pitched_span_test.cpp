// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Rows, windows and elements of a matrix, and what is said of those outside of it.

#include <warpsafe/args/pitched_span.hpp>
#include <warpsafe/memory/pitched_view.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

/// `count` elements from `first` on, of only `size`, in a line.
using Outside = std::tuple<size_type, size_type, size_type, unsigned>;
std::vector<Outside> outside;

/// A matrix of 3 rows with 4 elements each, at a distance of 6. What lies outside of it is noted,
/// as the host backend notes it in a kernel.
class PitchedSpanOf3By4 : public ::testing::Test {
 protected:
  PitchedSpanOf3By4() {
    outside.clear();
    detail::leave_span = [](size_type first, size_type count, size_type size, const char* file,
                            unsigned line) {
      EXPECT_EQ(std::string(file), "a.cu");
      outside.emplace_back(first, count, size, line);
    };
  }
  ~PitchedSpanOf3By4() override {
    detail::leave_span = leave_span_;
    outside.clear();
  }
  PitchedSpanOf3By4(const PitchedSpanOf3By4&) = delete;
  PitchedSpanOf3By4& operator=(const PitchedSpanOf3By4&) = delete;

  using Outsides = std::vector<Outside>;
  static Outsides taken() { return std::exchange(outside, {}); }
  static detail::KernelPlace line(unsigned number) { return {"a.cu", number}; }

  int memory[18] = {};
  const PitchedSpan<int> matrix =
      detail::PitchedAccess::make(&memory[0], 6 * sizeof(int), 3, 4, 0, nullptr).span();

 private:
  decltype(detail::leave_span) leave_span_ = detail::leave_span;
};

TEST_F(PitchedSpanOf3By4, HasItsSizeAlongBothAxes) {
  EXPECT_EQ(matrix.rows(), 3U);
  EXPECT_EQ(matrix.cols(), 4U);
  const extent<2> size = matrix.size();
  EXPECT_EQ(size.size(0), 4U) << "columns";
  EXPECT_EQ(size.size(1), 3U);
  const PitchedSpan<const int> constant = matrix;
  EXPECT_EQ(constant.rows(), 3U);
  EXPECT_EQ(constant.cols(), 4U);
  EXPECT_EQ(constant.row(2).pointer().get(), &memory[12]);
}

TEST_F(PitchedSpanOf3By4, AnEmptyOneHasNothing) {
  const PitchedSpan<int> none;
  EXPECT_EQ(none.rows(), 0U);
  EXPECT_EQ(none.cols(), 0U);
  EXPECT_EQ(detail::PitchedAccess::pitch_of(none), 0U);
  EXPECT_EQ(detail::PitchedAccess::start_of(none), nullptr);
}

TEST_F(PitchedSpanOf3By4, ItsRowsAndElementsAreApart) {
  for (unsigned row = 0; row < 3; ++row) {
    const DeviceSpan<int> elements = matrix.row<CheckLevel::full>(row, line(1));
    EXPECT_EQ(elements.pointer().get(), &memory[std::size_t{6} * row]);
    EXPECT_EQ(elements.size(), 4U);
    for (unsigned col = 0; col < 4; ++col) {
      EXPECT_EQ((&matrix[{col, row, 0, line(1)}]), &memory[std::size_t{6} * row + col]);
    }
  }
  EXPECT_EQ(taken(), Outsides{});
  EXPECT_EQ(matrix.row<CheckLevel::full>(3, line(7)).pointer().get(), nullptr);
  EXPECT_EQ(taken(), (Outsides{{3, 1, 3, 7}}));
  static_cast<void>(matrix.operator[]<CheckLevel::full>({4, 2, 0, line(8)}));
  EXPECT_EQ(taken(), (Outsides{{4, 1, 4, 8}}));
  static_cast<void>(matrix.operator[]<CheckLevel::full>({0, 3, 0, line(9)}));
  EXPECT_EQ(taken(), (Outsides{{3, 1, 3, 9}}));
}

TEST_F(PitchedSpanOf3By4, AWindowLiesInsideOfBothAxes) {
  struct Case {
    int row, col, row_count, col_count;
    Outsides outside;
  };
  constexpr size_type negative = ~size_type{0};
  const Case cases[] = {
      {0, 0, 3, 4, {}},
      {1, 2, 2, 2, {}},
      {3, 4, 0, 0, {}},
      {0, 4, 3, 0, {}},
      {2, 0, 2, 1, {{2, 2, 3, 5}}},
      {0, 3, 1, 2, {{3, 2, 4, 5}}},
      {4, 0, 0, 1, {{4, 0, 3, 5}}},
      {0, 5, 1, 0, {{5, 0, 4, 5}}},
      {-1, 0, 1, 1, {{negative, 1, 3, 5}}},
      {0, -1, 1, 1, {{negative, 1, 4, 5}}},
      {0, 0, -1, 1, {{0, negative, 3, 5}}},
      {0, 0, 1, -1, {{0, negative, 4, 5}}},
  };
  for (const Case& one : cases) {
    const PitchedSpan<int> part = matrix.window<CheckLevel::full>(
        extent<2>{rows{one.row}, cols{one.col}},
        extent<2>{rows{one.row_count}, cols{one.col_count}}, line(5));
    EXPECT_EQ(taken(), one.outside) << &one - cases;
    const int* const start = detail::PitchedAccess::start_of(part);
    if (!one.outside.empty()) {
      EXPECT_EQ(start, nullptr) << &one - cases;
      EXPECT_EQ(part.rows(), 0U);
      EXPECT_EQ(part.cols(), 0U);
      continue;
    }
    EXPECT_EQ(start, &memory[0] + 6 * one.row + one.col);
    EXPECT_EQ(part.rows(), static_cast<size_type>(one.row_count));
    EXPECT_EQ(part.cols(), static_cast<size_type>(one.col_count));
    EXPECT_EQ(detail::PitchedAccess::pitch_of(part), 24U);
  }
}

TEST_F(PitchedSpanOf3By4, OfAnArrayEachElementIsInside) {
  const DeviceSpan<int> span(detail::DeviceAccess::pointer(&memory[0]), 5);
  for (unsigned i = 0; i < 5; ++i) {
    EXPECT_EQ((&span.operator[]<CheckLevel::full>({i, line(2)})), &memory[i]);
  }
  EXPECT_EQ(taken(), Outsides{});
  static_cast<void>(span.operator[]<CheckLevel::full>({5, line(3)}));
  EXPECT_EQ(taken(), (Outsides{{5, 1, 5, 3}}));
  EXPECT_EQ(span.subspan<CheckLevel::full>(4, 2, line(4)).size(), 0U);
  EXPECT_EQ(taken(), (Outsides{{4, 2, 5, 4}}));
}

TEST_F(PitchedSpanOf3By4, WithoutFullChecksOrTheHostBackendNothingIsNoted) {
  EXPECT_EQ(matrix.row<CheckLevel::off>(3, line(7)).pointer().get(), nullptr);
  EXPECT_EQ(taken(), Outsides{});
  detail::leave_span = nullptr;
  EXPECT_EQ(matrix.row<CheckLevel::full>(3, line(7)).pointer().get(), nullptr);
  EXPECT_EQ(matrix.row<CheckLevel::full>(2, line(7)).pointer().get(), &memory[12]);
}

}  // namespace
}  // namespace warpsafe::core_test
