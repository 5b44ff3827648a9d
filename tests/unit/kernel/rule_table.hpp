// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace warpsafe::core_test {

/// Rules about types, and their answers. The pointers are called when the test runs, so that its
/// failure names the rule; a static_assert would end the compilation.
template <class Answer>
using RuleTable = std::vector<std::pair<Answer (*)() noexcept, Answer>>;
template <class Answer = bool>
void expect_rules(const RuleTable<Answer>& rules) {
  for (const auto& [rule, expected] : rules) {
    EXPECT_EQ(rule(), expected) << "number " << &rule - &rules[0].first;
  }
}

}  // namespace warpsafe::core_test
