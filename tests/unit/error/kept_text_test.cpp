// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core_test.hpp"
#include <warpsafe/error/detail/kept_text.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace warpsafe::core_test {
namespace {

Name name_of(const std::string& text) { return {text.data(), text.size()}; }

TEST(KeptText, OutlivesTheTextAndIsSharedByEqualOnes) {
  Name first, second, again;
  {
    const std::string text = "one";
    first = detail::keep_name(name_of(text));
    second = detail::keep_name(name_of("one more"));
    again = detail::keep_error_text(name_of(std::string("one")));
    EXPECT_NE(first.data, text.data());
  }
  EXPECT_EQ(text(first), "one");
  EXPECT_EQ(text(second), "one more");
  EXPECT_EQ(again.data, first.data);
}

TEST(KeptText, TheEmptyTextIsNoMissingMemory) {
  for (const Name empty : {Name{}, Name::of(""), Name::of(nullptr)}) {
    EXPECT_NE(detail::keep_name(empty).data, nullptr);
    EXPECT_EQ(detail::keep_name(empty).size, 0U);
    EXPECT_TRUE(detail::keep_error_text(empty).empty());
  }
}

// Four megabytes, and more texts than the table has lists.
TEST(KeptText, AsManyDifferentTextsAreKeptAsThereAre) {
  std::vector<Name> kept;
  std::set<const char*> places;
  const std::string rest(400, 'x');
  constexpr int count = 10'000;
  for (int i = 0; i < count; ++i) {
    kept.push_back(detail::keep_name(name_of(std::to_string(i) + rest)));
    places.insert(kept.back().data);
  }
  EXPECT_EQ(places.size(), static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const std::string text = std::to_string(i) + rest;
    ASSERT_EQ(kept[static_cast<std::size_t>(i)], name_of(text));
    ASSERT_EQ(detail::keep_name(name_of(text)).data, kept[static_cast<std::size_t>(i)].data);
  }
}

}  // namespace
}  // namespace warpsafe::core_test
