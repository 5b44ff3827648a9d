// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpsafe::host {

/// Numbers that a seed settles, on every machine and with every standard library: splitmix64
/// (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  [[nodiscard]] std::uint64_t next() noexcept {
    std::uint64_t mixed = state_ += 0x9E3779B97F4A7C15U;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31);
  }
  /// One of 0 … end - 1; `end` is not 0, and far below 2^32, so that none is favoured noticeably.
  [[nodiscard]] std::size_t below(std::size_t end) noexcept {
    return static_cast<std::size_t>((next() >> 32) * end >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace warpsafe::host
