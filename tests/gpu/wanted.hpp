// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>
#include <cstdlib>

/// How much of itself a test repeats: what the variable of the environment says, fewer where a tool
/// slows each down, or else `usual`.
[[nodiscard]] inline std::uint64_t wanted(const char* variable, std::uint64_t usual) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : usual;
}
