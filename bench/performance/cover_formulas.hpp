// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// The compared formulas for the number of blocks of a size: timed by bench/safe_grid.cpp, counted
// in cover_ways.cpp.

#include <warpsafe/dims/safe_grid.hpp>
#include <warpsafe/error/exception.hpp>

#include <cstdint>

namespace formulas {

/// Makes the compiler assume that the value is used here, in a register, so that no formula pays
/// for an unnecessary store.
template <class T>
[[gnu::always_inline]] inline void use(const T& value) {
  asm volatile("" : : "r"(value));
}
/// Makes the compiler assume that the value comes from elsewhere.
template <class T>
[[gnu::always_inline]] inline void hide(T& value) {
  asm volatile("" : "+r"(value));
}

/// Blocks of 256 threads, known at compile time and at run time.
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

/// Each formula that can refuse uses the fields of its error.
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
