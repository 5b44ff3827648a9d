// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/size_type.hpp>
#include <warpsafe/dims/bytes.hpp>

#include <cstdint>
#include <type_traits>

// The options of a launch besides grid and block. Each is a type, so that they can stand in any
// order, none can be given twice, and no bare number is mistaken for one.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {

/// Whether a signed 32-bit number holds every value of an integer type; `unsigned` does not fit.
template <class Number>
inline constexpr bool is_priority = is_size<Number> &&
                                    sizeof(Number) + std::is_unsigned_v<Number> <=
                                        sizeof(std::int32_t);

}  // namespace detail

/// A launch option: all blocks are resident at once, so the kernel may use a grid-wide barrier.
struct cooperative_t {
  static constexpr auto launch_part = detail::PartKind::cooperative;
  constexpr void apply(LaunchShape& shape) const noexcept { shape.cooperative = true; }
};
inline constexpr cooperative_t cooperative{};

/// A launch option, for CUDA: this launch's priority in the runtime's range. Smaller is more
/// urgent. Checked builds: Errc::priority_range above 1.
struct priority {
  static constexpr auto launch_part = detail::PartKind::priority;
  std::int32_t value;
  template <class Number>
  requires(detail::is_priority<Number>) explicit constexpr priority(Number its_value) noexcept
      : value(static_cast<std::int32_t>(its_value)) {}
#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: a priority is a whole number of a type whose values all fit in int: priority(-1)"
  template <class Number WARPSAFE_DETAIL_WHY>
  requires(!detail::is_priority<Number>) WARPSAFE_DETAIL_REFUSED explicit priority(Number)
      WARPSAFE_DETAIL_REFUSAL(Number,
                              : value(0));
#undef WARPSAFE_DETAIL_SENTENCE
  constexpr void apply(LaunchShape& shape) const noexcept {
    shape.priority = value;
    shape.has_priority = true;
  }
};

/// A launch option (CUDA, programmatic dependent launch): the kernel may start before its
/// predecessor in the stream has ended. Only for kernels declared `waits_for_predecessor`. Code
/// that was compiled for less than compute capability 9.0 cannot wait, and is launched without the
/// option.
struct dependent_launch_t {
  static constexpr auto launch_part = detail::PartKind::dependent;
  constexpr void apply(LaunchShape& shape) const noexcept { shape.programmatic = true; }
};
inline constexpr dependent_launch_t dependent_launch{};

/// A launch option: a cluster of up to 16 blocks. Only some devices allow more than 8.
template <std::uint32_t X, std::uint32_t Y, std::uint32_t Z>
struct NonPortableCluster {
  static constexpr auto launch_part = detail::PartKind::cluster;
  static_assert(X > 0 && Y > 0 && Z > 0,
                "warpsafe: a dimension is 0; every axis must be at least 1");
  static_assert(std::uint64_t{X} * Y * Z <= 16,
                "warpsafe: no device has clusters of more than 16 blocks");
  constexpr void apply(LaunchShape& shape) const noexcept {
    shape.cluster[0] = X;
    shape.cluster[1] = Y;
    shape.cluster[2] = Z;
    shape.has_cluster = true;
    shape.non_portable_cluster = true;
  }
};
template <std::uint32_t X, std::uint32_t Y = 1, std::uint32_t Z = 1>
inline constexpr NonPortableCluster<X, Y, Z> non_portable_cluster{};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
