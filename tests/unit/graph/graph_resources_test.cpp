// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/memory/detail/graph_resources.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

// What a graph keeps alive, and the memory that it uses.

namespace warpsafe::core_test {
namespace {

using detail::GraphResources;
using detail::ResourcesPtr;

ResourcesPtr resources() { return ResourcesPtr(new GraphResources); }

/// Tells when it is destroyed.
struct Told {
  std::vector<int>* order;
  int number;
  Told(std::vector<int>& its_order, int its_number) : order(&its_order), number(its_number) {}
  Told(Told&& other) noexcept : order(std::exchange(other.order, nullptr)), number(other.number) {}
  ~Told() {
    if (order != nullptr) order->push_back(number);
  }
};

TEST(GraphResources, KeepsValuesUntilTheLastHolderIsGoneAndDropsTheNewestFirst) {
  std::vector<int> order;
  {
    ResourcesPtr first = resources();
    EXPECT_FALSE(first->has_kept_values());
    Told* const kept = first->keep(Told(order, 1));
    ASSERT_NE(kept, nullptr);
    EXPECT_EQ(kept->number, 1);
    EXPECT_NE(first->keep(Told(order, 2)), nullptr);
    EXPECT_TRUE(first->has_kept_values());
    ResourcesPtr second = first;
    EXPECT_EQ(second.get(), first.get());
    first = ResourcesPtr();
    EXPECT_EQ(first.get(), nullptr);
    EXPECT_TRUE(order.empty());
    ResourcesPtr third = std::move(second);
    EXPECT_EQ(second.get(), nullptr);  // NOLINT(bugprone-use-after-move)
    EXPECT_TRUE(order.empty());
  }
  EXPECT_EQ(order, (std::vector<int>{2, 1}));
}

// More addresses than the first record has room for, each once.
TEST(GraphResources, RemembersEachAddressThatIsFreed) {
  const ResourcesPtr graph = resources(), other = resources();
  std::array<int, 100> memory{};
  for (int round = 0; round < 2; ++round) {
    for (int& one : memory) graph->add_memory(&one);
  }
  other->add_memory(&memory[7]);
  const auto free = [](const int& one) { detail::mark_memory_freed(&one, sizeof one); };
  EXPECT_EQ(graph->freed(), nullptr);
  for (int& one : memory) {
    free(one);
    EXPECT_EQ(graph->freed(), &one);
    EXPECT_EQ(other->freed(), &one < &memory[7] ? nullptr : &memory[7]);
  }
}

TEST(GraphResources, FreedMemoryHasItsFirstByteAndNotTheOneBehindIt) {
  std::array<char, 12> memory{};
  const struct {
    std::size_t from, bytes;
    bool freed;
  } frees[] = {{4, 1, true},  {0, 5, true},  {0, 4, false},
               {5, 7, false}, {0, 12, true}, {4, 0, false}};
  for (const auto& [from, bytes, freed] : frees) {
    const ResourcesPtr graph = resources();
    graph->add_memory(&memory[4]);
    detail::mark_memory_freed(&memory[from], bytes);
    EXPECT_EQ(graph->freed(), freed ? &memory[4] : nullptr) << from << ' ' << bytes;
  }
}

TEST(GraphResources, ADestroyedGraphHasLeftTheList) {
  const GraphResources* const of_others = detail::graphs_with_memory;  // graphs of other tests
  int memory = 0;
  auto first = std::make_unique<ResourcesPtr>(resources());
  auto second = std::make_unique<ResourcesPtr>(resources());
  auto third = std::make_unique<ResourcesPtr>(resources());
  for (auto* graph : {&first, &second, &third}) (**graph)->add_memory(&memory);
  EXPECT_EQ(detail::graphs_with_memory, third->get());
  second.reset();
  detail::mark_memory_freed(&memory, sizeof memory);
  EXPECT_EQ((*first)->freed(), &memory);
  EXPECT_EQ((*third)->freed(), &memory);
  third.reset();
  EXPECT_EQ(detail::graphs_with_memory, first->get());
  first.reset();
  EXPECT_EQ(detail::graphs_with_memory, of_others);
  const ResourcesPtr unused = resources();
  EXPECT_EQ(detail::graphs_with_memory, of_others) << "it uses no memory";
}

}  // namespace
}  // namespace warpsafe::core_test
