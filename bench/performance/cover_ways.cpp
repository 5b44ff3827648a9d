// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Each formula once, in a function that callgrind counts by its name.

#include "cover_formulas.hpp"

#include <cstdint>

namespace formulas {
namespace {

volatile std::int64_t size = 1100;
bool all_good = true;

template <class Formula, class Block>
[[gnu::noinline]] std::uint32_t blocks(std::int64_t n, const Block& block) {
  return Formula{}(n, block);
}
template <class Formula, class Block>
[[gnu::always_inline]] inline void count(const Block& block) {
  all_good = all_good && blocks<Formula>(size, block) == 5;
}
StaticBlock static_block;
DynamicBlock dynamic_block;

}  // namespace

extern "C" {
[[gnu::noinline]] void count_naive_64_static() { count<Naive64>(static_block); }
[[gnu::noinline]] void count_wide_128_static() { count<Wide128>(static_block); }
[[gnu::noinline]] void count_release_static() { count<Release>(static_block); }
[[gnu::noinline]] void count_checked_static() { count<Checked>(static_block); }
[[gnu::noinline]] void count_naive_64_dynamic() { count<Naive64>(dynamic_block); }
[[gnu::noinline]] void count_wide_128_dynamic() { count<Wide128>(dynamic_block); }
[[gnu::noinline]] void count_release_dynamic() { count<Release>(dynamic_block); }
[[gnu::noinline]] void count_checked_dynamic() { count<Checked>(dynamic_block); }
}

}  // namespace formulas

int main() {
  using namespace formulas;
  for (int round = 0; round < 2; ++round) {
    count_naive_64_static();
    count_wide_128_static();
    count_release_static();
    count_checked_static();
    count_naive_64_dynamic();
    count_wide_128_dynamic();
    count_release_dynamic();
    count_checked_dynamic();
  }
  return all_good ? 0 : 1;
}
