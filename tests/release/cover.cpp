// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Grid arithmetic of a release build, one function each, for check_objects.py to read.

#include <warpsafe/dims/safe_grid.hpp>

#include <cstddef>
#include <cstdint>

using Grid = warpsafe::SafeGrid<warpsafe::cuda_backend>;

extern "C" {
std::uint32_t constant_cover() {
  return Grid::cover(warpsafe::count<1000>, warpsafe::block<256>).assume_value().blocks(0);
}
std::uint32_t branchless_unsigned(std::size_t n) {
  return Grid::cover(n, warpsafe::block<256>).assume_value().blocks(0);
}
std::uint32_t branchless_signed(std::int64_t n) {
  return Grid::cover(n, warpsafe::block<256>).assume_value().blocks(0);
}
std::uint32_t branchless_int(int n) {
  return Grid::cover(n, warpsafe::block<192>).assume_value().blocks(0);
}
}
