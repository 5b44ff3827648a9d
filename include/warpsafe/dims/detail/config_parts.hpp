// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/size_type.hpp>
#include <warpsafe/dims/dim3.hpp>

#include <cstdint>
#include <type_traits>

// The parts of a LaunchConfig, and which of them go together.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

template <class T>
constexpr PartKind find_part_kind() noexcept {
  if constexpr (requires { T::launch_part; }) {
    return T::launch_part;
  } else {
    return PartKind::none;
  }
}
/// The part of a configuration that T is; none for any other type.
template <class T>
inline constexpr PartKind part_kind = find_part_kind<T>();
template <std::uint32_t X, std::uint32_t Y, std::uint32_t Z>
inline constexpr PartKind part_kind<Dim3<cluster_space, X, Y, Z>> = PartKind::cluster;
template <std::uint32_t X, std::uint32_t Y, std::uint32_t Z>
inline constexpr PartKind part_kind<Dim3<block_space, X, Y, Z>> = PartKind::block;
template <std::uint32_t X, std::uint32_t Y, std::uint32_t Z>
inline constexpr PartKind part_kind<Dim3<grid_space, X, Y, Z>> = PartKind::grid;
template <class Rules, class Block, int Rank, GridPolicy Policy, std::uint32_t Items>
inline constexpr PartKind part_kind<SafeGrid<Rules, Block, Rank, Policy, Items>> = PartKind::grid;

struct NoPart {};
template <class... Options>
struct OptionList : Options... {
  // Not an aggregate: g++ 12 clears an empty aggregate that is initialised by braces, and a
  // [[no_unique_address]] one overlaps its neighbour.
  constexpr explicit OptionList(const Options&... options) noexcept : Options(options)... {}
};

/// The first of Parts of a kind, or NoPart.
template <PartKind Kind, class... Parts>
struct FirstOf {
  using type = NoPart;
};
template <PartKind Kind, class First, class... Rest>
struct FirstOf<Kind, First, Rest...> {
  using type = typename std::conditional_t<part_kind<First> == Kind, std::type_identity<First>,
                                           FirstOf<Kind, Rest...>>::type;
};

template <class List, class... Parts>
struct OnlyOptions {
  using type = List;
};
template <class... Kept, class First, class... Rest>
struct OnlyOptions<OptionList<Kept...>, First, Rest...>
    : OnlyOptions<std::conditional_t<part_kind<First> == PartKind::grid ||
                                         part_kind<First> == PartKind::block,
                                     OptionList<Kept...>, OptionList<Kept..., First>>,
                  Rest...> {};

template <PartKind Kind, class... Parts>
inline constexpr int count_of = ((part_kind<Parts> == Kind ? 1 : 0) + ... + 0);

template <class Grid, class Block>
struct BlockOf {
  using type = Block;
};
template <class Rules, class Block, int Rank, GridPolicy Policy, std::uint32_t Items>
struct BlockOf<SafeGrid<Rules, Block, Rank, Policy, Items>, NoPart> {
  using type = Block;
};

/// Sorts the parts of a configuration. It diagnoses parts that do not go together before anything
/// else can fail on them.
template <class... Parts>
struct ConfigParts {
  static constexpr bool known = ((part_kind<Parts> != PartKind::none) && ...);
  static constexpr bool whole_number =
      ((is_size<Parts> || is_bool<Parts> || is_floating<Parts>) || ...);
  static_assert(
      !whole_number,
      "warpsafe: a bare number is not a launch option; write shared<T>(count) for dynamic shared memory, block<256> for the block, SafeGrid<>::cover(n, block<256>) for the grid");
  static_assert(
      (!is_result<Parts> && ...),
      "warpsafe: a part of this LaunchConfig is a result; write configure(grid, options...), which takes results, or unwrap it with WARPSAFE_TRY");
  static_assert(
      whole_number || known || (is_result<Parts> || ...),
      "warpsafe: a LaunchConfig takes a grid, a block and options: shared<T>(n), cluster<N>, cooperative, priority(p), dependent_launch; pass the stream to launch, and convert a vendor's dim3 with GridDim::from_vendor or BlockDim::from_vendor");
  static_assert(count_of<PartKind::grid, Parts...> < 2, "warpsafe: two grids in one LaunchConfig");
  static_assert(count_of<PartKind::block, Parts...> < 2,
                "warpsafe: two blocks in one LaunchConfig");
  static_assert(
      count_of<PartKind::shared, Parts...> < 2,
      "warpsafe: dynamic shared memory is given twice; a launch has one block of it, so add the sizes");
  static_assert(count_of<PartKind::cluster, Parts...> < 2,
                "warpsafe: two clusters in one LaunchConfig");
  static_assert(count_of<PartKind::cooperative, Parts...> < 2 &&
                    count_of<PartKind::priority, Parts...> < 2 &&
                    count_of<PartKind::dependent, Parts...> < 2,
                "warpsafe: a launch option is given twice");
  static_assert(!known || count_of<PartKind::grid, Parts...> > 0,
                "warpsafe: a LaunchConfig needs a grid: SafeGrid<>::cover(n, block<256>)");
  using grid = typename FirstOf<PartKind::grid, Parts...>::type;
  using given_block = typename FirstOf<PartKind::block, Parts...>::type;
  using block = typename BlockOf<grid, given_block>::type;
  static_assert(
      !known || count_of<PartKind::grid, Parts...> == 0 || !std::is_same_v<block, NoPart>,
      "warpsafe: a LaunchConfig needs a block: block<256>, or a grid that was computed for one");

  template <class G>
  static constexpr bool same_block() noexcept {
    if constexpr (is_safe_grid<G> && !std::is_same_v<given_block, NoPart>) {
      return std::is_same_v<typename G::block_type, given_block> && given_block::is_static;
    } else {
      return true;
    }
  }
  static_assert(
      same_block<grid>(),
      "warpsafe: the grid was computed for a different block than the one given here; leave the block out, because the grid carries its own");
  template <class G, class C>
  static constexpr bool divides() noexcept {
    if constexpr (is_grid_dim<G> && is_cluster_dim<C>) {
      if constexpr (G::is_static && C::is_static) {
        return G{}.x() % C{}.x() == 0 && G{}.y() % C{}.y() == 0 && G{}.z() % C{}.z() == 0;
      }
    }
    return true;
  }
  static_assert(
      divides<grid, typename FirstOf<PartKind::cluster, Parts...>::type>(),
      "warpsafe: the cluster does not divide the grid; the number of blocks must be a multiple of the cluster");
  static constexpr bool fine =
      known && count_of<PartKind::grid, Parts...> == 1 && count_of<PartKind::block, Parts...> < 2 &&
      !std::is_same_v<block, NoPart> && count_of<PartKind::shared, Parts...> < 2 &&
      count_of<PartKind::cluster, Parts...> < 2 && count_of<PartKind::cooperative, Parts...> < 2 &&
      count_of<PartKind::priority, Parts...> < 2 && count_of<PartKind::dependent, Parts...> < 2;
  using options = typename std::conditional_t<fine, OnlyOptions<OptionList<>, Parts...>,
                                              std::type_identity<OptionList<>>>::type;
};

template <class Option>
constexpr void apply_option(const Option& option, LaunchShape& shape) noexcept {
  if constexpr (is_cluster_dim<Option>) {
    shape.cluster[0] = option.x();
    shape.cluster[1] = option.y();
    shape.cluster[2] = option.z();
    shape.has_cluster = true;
  } else {
    option.apply(shape);
  }
}

template <class Wanted, class First, class... Rest>
constexpr const Wanted& pick(const First& first, const Rest&... rest) noexcept {
  if constexpr (std::is_same_v<Wanted, First>) {
    return first;
  } else {
    return pick<Wanted>(rest...);
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
