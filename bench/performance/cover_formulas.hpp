// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// From a size and a block to a number of blocks, by each way that is compared: timed by
// bench/safe_grid.cpp, counted in cover_ways.cpp.

#include <warpsafe/dims/safe_grid.hpp>

#include <cstdint>

namespace formulas {

/// The value is used here, for all that the compiler knows: in a register, so that no way pays for
/// a store that it does not need.
template <class T>
[[gnu::always_inline]] inline void use(const T& value) {
  asm volatile("" : : "r"(value));
}
/// The value comes from elsewhere, for all that the compiler knows.
template <class T>
[[gnu::always_inline]] inline void hide(T& value) {
  asm volatile("" : "+r"(value));
}

/// Blocks of 256 threads: known while compiling, and at run time.
struct StaticBlock {
  [[nodiscard]] static constexpr std::int64_t threads() { return 256; }
  [[nodiscard]] static constexpr auto dim() { return warpsafe::block<256>; }
};
class DynamicBlock {
 public:
  DynamicBlock() {
    hide(threads_);
    dim_ = warpsafe::BlockDim::create(threads_).value();
  }
  [[nodiscard]] std::int64_t threads() const { return threads_; }
  [[nodiscard]] const warpsafe::BlockDim& dim() const { return dim_; }

 private:
  std::int64_t threads_ = 256;
  warpsafe::BlockDim dim_ = warpsafe::block<256>;
};

struct Naive64 {
  template <class Block>
  [[gnu::always_inline]] std::uint32_t operator()(std::int64_t n, const Block& block) const {
    return static_cast<std::uint32_t>((n + block.threads() - 1) / block.threads());
  }
};

/// What a refusal says is used by each way that can refuse.
struct Wide128 {
  template <class Block>
  [[gnu::always_inline]] std::uint32_t operator()(std::int64_t n, const Block& block) const {
    __extension__ using Wide = __int128;
    const Wide blocks = (static_cast<Wide>(n) + block.threads() - 1) / block.threads();
    if (blocks > 0 && blocks <= 2147483647) return static_cast<std::uint32_t>(blocks);
    use(warpsafe::Errc::grid_too_large);
    return 0;
  }
};

template <warpsafe::CheckLevel Level>
struct Cover {
  template <class Block>
  [[gnu::always_inline]] std::uint32_t operator()(std::int64_t n, const Block& block) const {
    const auto grid = warpsafe::SafeGrid<warpsafe::cuda_backend>::cover<Level>(n, block.dim());
    if (grid.has_value()) return grid.assume_value().blocks(0);
    use(grid.assume_error().code);
    return 0;
  }
};
using Release = Cover<warpsafe::CheckLevel::off>;
using Checked = Cover<warpsafe::CheckLevel::full>;

}  // namespace formulas
