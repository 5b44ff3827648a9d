// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "tools/ranks/record/known_walks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace warpsafe::ranks {
namespace {

using Walks = KnownWalks<int>;

void* address(std::uintptr_t number) { return reinterpret_cast<void*>(number); }  // NOLINT
/// Of a function with two words of variables.
Walks::Step step(std::uintptr_t number) {
  FrameRule rule;
  rule.cfa = FrameRule::Cfa::from_stack_pointer;
  rule.cfa_offset = 24;
  return {address(number), rule};
}
/// In a stack of such functions, which has these return addresses after the first.
int* found(Walks& walks, std::uintptr_t first, const std::vector<std::uintptr_t>& others) {
  std::array<std::uintptr_t, 64> stack{};
  for (std::size_t i = 0; i < others.size(); ++i) stack[3 * i + 2] = others[i];
  return walks.find({address(first), reinterpret_cast<std::uintptr_t>(stack.data()), 0});
}

TEST(KnownWalks, AreFoundByTheirAddresses) {
  Walks walks;
  EXPECT_EQ(found(walks, 1, {2, 3}), nullptr);
  walks.add({step(1), step(2), step(3)}, 123);
  walks.add({step(1), step(2), step(4), step(3)}, 1243);
  walks.add({step(1), step(5)}, 15);
  walks.add({step(2), step(3)}, 23);
  EXPECT_EQ(*found(walks, 1, {2, 3, 9}), 123);
  EXPECT_EQ(*found(walks, 1, {2, 4, 3}), 1243);
  EXPECT_EQ(*found(walks, 1, {5}), 15);
  EXPECT_EQ(*found(walks, 2, {3}), 23);
  EXPECT_EQ(found(walks, 1, {2, 5}), nullptr);
  EXPECT_EQ(found(walks, 1, {3}), nullptr);
  EXPECT_EQ(found(walks, 3, {}), nullptr);
}

TEST(KnownWalks, TheEndOfTheStackIsAStep) {
  Walks walks;
  walks.add({step(1), step(2), step(0)}, 12);
  EXPECT_EQ(*found(walks, 1, {2, 0}), 12);
  EXPECT_EQ(found(walks, 1, {2, 3}), nullptr);
  walks.add({step(1), step(2), step(3)}, 123);
  EXPECT_EQ(*found(walks, 1, {2, 0}), 12);
  EXPECT_EQ(*found(walks, 1, {2, 3}), 123);
}

TEST(KnownWalks, AreForgottenBeforeTheyAreTooMany) {
  Walks walks;
  walks.add({step(1), step(2)}, 12);
  for (std::uintptr_t i = 3; i < 100000; ++i) walks.add({step(i), step(1)}, 1);
  EXPECT_EQ(found(walks, 1, {2}), nullptr);
  walks.add({step(1), step(2)}, 12);
  EXPECT_EQ(*found(walks, 1, {2}), 12);
  walks.clear();
  EXPECT_EQ(found(walks, 1, {2}), nullptr);
}

}  // namespace
}  // namespace warpsafe::ranks
