// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "core_test.hpp"
#include <warpsafe/host.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>

#include <gtest/gtest.h>

#include <utility>

// A runtime that is asked about memory, and answers what the test says.

namespace warpsafe::core_test {

/// What the runtime answers, and how often it was asked.
struct MemoryAnswers {
  int status = 0;
  bool access = false;
  MemoryKind kind = MemoryKind::device;
  int memory_device = 0;
  int asked_access = 0;
  int asked_kind = 0;
  const void* memory = nullptr;  ///< of the last question
  int from = -1;
  int to = -1;
};
inline MemoryAnswers answers;

struct AskedRuntime : host_backend {
  static constexpr bool limits_may_change = false;
  static int can_access(int device, const void* memory, int memory_device, bool& answer) noexcept {
    ++answers.asked_access;
    answers.memory = memory;
    answers.from = device;
    answers.to = memory_device;
    answer = answers.access;
    return answers.status;
  }
  static int pointer_kind(const void* memory, MemoryKind& kind, int& device) noexcept {
    ++answers.asked_kind;
    answers.memory = memory;
    kind = answers.kind;
    device = answers.memory_device;
    return answers.status;
  }
};
struct ForgetfulRuntime : AskedRuntime {
  static constexpr bool limits_may_change = true;
};

class AskedRuntimeTest : public ::testing::Test {
 protected:
  AskedRuntimeTest() { answers = {}; }
  ~AskedRuntimeTest() override {
    answers = {};
    detail::devices_with_streams<AskedRuntime> = 0;
  }
  AskedRuntimeTest(const AskedRuntimeTest&) = delete;
  AskedRuntimeTest& operator=(const AskedRuntimeTest&) = delete;

  float memory[4] = {};
};

}  // namespace warpsafe::core_test
