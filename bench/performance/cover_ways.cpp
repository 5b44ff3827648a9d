// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The formulas of bench/safe_grid.cpp, once each under a name that callgrind counts in.

#include <warpsafe/safe_grid.hpp>

#include <cstdint>

namespace {

using Grid = warpsafe::SafeGrid<warpsafe::cuda_backend>;

template <warpsafe::CheckLevel Level>
[[gnu::noinline]] std::uint32_t cover(std::int64_t n) {
  const auto grid = Grid::cover<Level>(n, warpsafe::block<256>);
  return grid.has_value() ? grid.assume_value().blocks(0) : 0;
}
[[gnu::noinline]] std::uint32_t naive_64(std::int64_t n) {
  return static_cast<std::uint32_t>((n + 256 - 1) / 256);
}
[[gnu::noinline]] std::uint32_t wide_128(std::int64_t n) {
  __extension__ using Wide = __int128;
  const Wide blocks = (static_cast<Wide>(n) + 256 - 1) / 256;
  return blocks > 0 && blocks <= 2147483647 ? static_cast<std::uint32_t>(blocks) : 0;
}
volatile std::int64_t size = 1100;
bool all_good = true;

}  // namespace

extern "C" {
[[gnu::noinline]] void count_naive_64() { all_good = all_good && naive_64(size) == 5; }
[[gnu::noinline]] void count_wide_128() { all_good = all_good && wide_128(size) == 5; }
[[gnu::noinline]] void count_release() {
  all_good = all_good && cover<warpsafe::CheckLevel::off>(size) == 5;
}
[[gnu::noinline]] void count_checked() {
  all_good = all_good && cover<warpsafe::CheckLevel::full>(size) == 5;
}
}

int main() {
  for (int round = 0; round < 2; ++round) {
    count_naive_64();
    count_wide_128();
    count_release();
    count_checked();
  }
  return all_good ? 0 : 1;
}
