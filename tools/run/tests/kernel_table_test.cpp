// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/kernel/kernel_table.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace warpsafe::watch;

const void* handle(std::size_t number) { return reinterpret_cast<const void*>(number * 64); }

struct Table : testing::Test {
  std::unique_ptr<KernelTable> table = std::make_unique<KernelTable>();

  /// Adds a kernel with that limit and parameters.
  Kernel* add(std::size_t number, const char* name, std::uint32_t threads = 1024,
              std::vector<KernelParameter> parameters = {}) {
    return table->add(handle(number), 0, name, [&](Kernel& made) {
      made.limits.known = true;
      made.limits.max_threads_per_block = threads;
      made.parameters = parameters;
      made.described = true;
    });
  }
  std::size_t size() {
    std::size_t count = 0;
    table->each([&](const Kernel&) { ++count; });
    return count;
  }
};

TEST_F(Table, FindsAKernelUntilAnImageIsUnloaded) {
  Kernel* const one = add(1, "one");
  EXPECT_EQ(table->find(handle(1), 0), one);
  EXPECT_EQ(table->find(handle(1), 1), nullptr);
  EXPECT_EQ(table->find(handle(2), 0), nullptr);
  table->forget_handles();
  EXPECT_EQ(table->find(handle(1), 0), nullptr);
  EXPECT_EQ(add(1, "one"), one);
  EXPECT_EQ(table->find(handle(1), 0), one);
}

// A program that loads and unloads images for days must not become slow.
TEST_F(Table, FindsAKernelAfterManyImages) {
  for (int round = 0; round < 1000; ++round) {
    for (std::size_t i = 1; i <= 100; ++i) {
      const std::string name = "kernel" + std::to_string(i);
      Kernel* const added = add(i + static_cast<std::size_t>(round) * 7919, name.c_str());
      ASSERT_EQ(table->find(handle(i + static_cast<std::size_t>(round) * 7919), 0), added) << round;
    }
    table->forget_handles();
  }
  EXPECT_EQ(size(), 100U);
}

TEST_F(Table, TellsKernelsOfOneNameApart) {
  Kernel* const first = add(1, "scale", 1024, {{0, 8}, {8, 8}});
  EXPECT_NE(add(2, "scale", 256, {{0, 8}, {8, 8}}), first);
  Kernel* const third = add(3, "scale", 1024, {{0, 8}});
  EXPECT_NE(third, first);
  EXPECT_EQ(third->parameters.size(), 1U);
  // Each keeps its entry, however often the images are loaded.
  for (int round = 0; round < 10; ++round) {
    table->forget_handles();
    EXPECT_EQ(add(1, "scale", 1024, {{0, 8}, {8, 8}}), first);
    EXPECT_EQ(add(3, "scale", 1024, {{0, 8}}), third);
  }
  EXPECT_EQ(size(), 3U);
}

TEST_F(Table, IsReadWhileItIsWritten) {
  constexpr std::size_t count = 50;
  std::vector<Kernel*> kernels;
  for (std::size_t i = 1; i <= count; ++i) {
    kernels.push_back(add(i, ("kernel" + std::to_string(i)).c_str()));
  }
  bool stop = false;
  std::size_t wrong = 0;
  std::thread reader([&] {
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
      for (std::size_t i = 1; i <= count; ++i) {
        const Kernel* const found = table->find(handle(i), 0);
        wrong += found != nullptr && found != kernels[i - 1] ? 1 : 0;
      }
    }
  });
  for (int round = 0; round < 2000; ++round) {
    table->forget_handles();
    for (std::size_t i = 1; i <= count; ++i) {
      table->add(handle(i), 0, ("kernel" + std::to_string(i)).c_str(), [](Kernel&) {});
    }
  }
  __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
  reader.join();
  EXPECT_EQ(wrong, 0U);
}

}  // namespace
