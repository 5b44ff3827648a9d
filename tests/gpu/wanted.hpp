// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>
#include <cstdlib>

/// The number of repetitions of a test: the value of the environment variable, which is lower under
/// a tool that slows each repetition down, or else `usual`.
[[nodiscard]] inline std::uint64_t wanted(const char* variable, std::uint64_t usual) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : usual;
}
