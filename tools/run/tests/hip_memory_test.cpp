// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "hip/hip_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using namespace warpsafe::watch;

TEST(HipMemory, TellsWhatItWasGivenAsAndNothingOfTheRest) {
  HipMemory memory;
  alignas(64) static const char bytes[256] = {};
  const auto at = reinterpret_cast<std::uintptr_t>(bytes);
  EXPECT_EQ(memory.kind_of(at), MemoryKind::ordinary);
  memory.add(bytes, 64, MemoryKind::device);
  memory.add(bytes + 128, 64, MemoryKind::pinned);
  EXPECT_EQ(memory.kind_of(at + 63), MemoryKind::device);
  EXPECT_EQ(memory.kind_of(at + 64), MemoryKind::ordinary);
  EXPECT_EQ(memory.kind_of(at + 128), MemoryKind::pinned);
  memory.erase(bytes);
  memory.erase(bytes + 128);
  EXPECT_EQ(memory.kind_of(at), MemoryKind::ordinary);
  EXPECT_EQ(memory.kind_of(at + 128), MemoryKind::ordinary);
}

}  // namespace
