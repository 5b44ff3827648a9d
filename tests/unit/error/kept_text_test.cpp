// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core_test.hpp"
#include <warpsafe/error/detail/kept_text.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

namespace warpsafe::core_test {
namespace {

Name name_of(const std::string& text) { return {text.data(), text.size()}; }

/// A program that has kept nothing, and after it the program as it was.
struct KeptTextTest : ::testing::Test {
  detail::KeptText* const before = std::exchange(detail::kept_texts, nullptr);
  const std::size_t bytes_before = std::exchange(detail::kept_text_bytes, 0);
  ~KeptTextTest() override {
    while (detail::kept_texts != nullptr) {
      std::free(std::exchange(detail::kept_texts, detail::kept_texts->next));
    }
    detail::kept_texts = before;
    detail::kept_text_bytes = bytes_before;
  }
};

TEST_F(KeptTextTest, OutlivesTheTextAndIsSharedByEqualOnes) {
  Name first, second, again;
  {
    const std::string text = "one";
    first = detail::keep_text(name_of(text));
    second = detail::keep_text(name_of("one more"));
    again = detail::keep_text(name_of(std::string("one")));
    EXPECT_NE(first.data, text.data());
  }
  EXPECT_EQ(text(first), "one");
  EXPECT_EQ(text(second), "one more");
  EXPECT_EQ(again.data, first.data);
  EXPECT_EQ(detail::kept_text_bytes, 11U);
  EXPECT_EQ(detail::keep_text(name_of("one more")).data, second.data);
  EXPECT_EQ(detail::kept_text_bytes, 11U);
  EXPECT_EQ(detail::keep_text(Name{}).data, nullptr);
  EXPECT_EQ(detail::keep_text(Name::of("")).size, 0U);
  EXPECT_EQ(detail::kept_text_bytes, 11U);
}

TEST_F(KeptTextTest, AMegabyteIsKept) {
  constexpr std::size_t most = std::size_t{1} << 20U;
  const std::string half(most / 2, 'a'), rest(most / 2, 'b');
  EXPECT_EQ(detail::keep_text(name_of(half)), name_of(half));
  EXPECT_EQ(text(detail::keep_text(name_of(rest + "c"))), "(no memory was left for this text)");
  EXPECT_EQ(detail::keep_text(name_of(rest)), name_of(rest));
  EXPECT_EQ(detail::kept_text_bytes, most);
  EXPECT_EQ(text(detail::keep_text(name_of("d"))), "(no memory was left for this text)");
  EXPECT_EQ(detail::keep_text(name_of(half)), name_of(half)) << "it is there";
}

}  // namespace
}  // namespace warpsafe::core_test
