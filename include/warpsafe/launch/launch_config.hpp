// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/dims/detail/config_parts.hpp>
#include <warpsafe/dims/dim3.hpp>
#include <warpsafe/error/result.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// The configuration of a launch: a grid, a block (a SafeGrid brings its own) and options in any
/// order, as in `LaunchConfig{grid, block<256>, shared<float>(256), cluster<2>, cooperative}`.
/// Trivially copyable.
template <class Grid, class Block, class Options>
class LaunchConfig;

template <class Grid, class Block, class... Options>
class LaunchConfig<Grid, Block, detail::OptionList<Options...>> {
 public:
  using grid_type = Grid;
  using block_type = Block;
  template <detail::PartKind Kind>
  static constexpr bool has = detail::count_of<Kind, Options...> != 0;
  template <detail::PartKind Kind>
  using option = typename detail::FirstOf<Kind, Options...>::type;

  template <class... Parts>
  requires((detail::part_kind<Parts> != detail::PartKind::none) &&
           ...) constexpr explicit LaunchConfig(const Parts&... parts) noexcept
      : grid_(detail::pick<Grid>(parts...)),
        block_(block_of(parts...)),
        options_{detail::pick<Options>(parts...)...} {}

  [[nodiscard]] constexpr const Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] constexpr Block block() const noexcept {
    if constexpr (is_safe_grid<Grid>) {
      return grid_.block();
    } else {
      return block_;
    }
  }

  /// The configuration without the sizes that its SafeGrid covers. A launch needs no more.
  [[nodiscard, gnu::always_inline]] constexpr decltype(auto) numbers(
      detail::ForDispatch) const noexcept {
    if constexpr (is_safe_grid<Grid>) {
      using Blocks = Dim3<grid_space, dynamic_dim, (Grid::rank > 1 ? dynamic_dim : 1),
                          (Grid::rank > 2 ? dynamic_dim : 1)>;
      const Block threads = grid_.block();
      return LaunchConfig<Blocks, Block, detail::OptionList<Options...>>(
          detail::DimAccess::make<Blocks>(grid_.blocks(0), grid_.blocks(1), grid_.blocks(2)),
          threads, static_cast<const Options&>(options_)...);
    } else {
      return (*this);
    }
  }
  /// The dimensions and options as the runtime takes them.
  [[nodiscard, gnu::always_inline]] constexpr LaunchShape shape() const noexcept {
    LaunchShape shape;
    if constexpr (is_safe_grid<Grid>) {
      shape = grid_.shape();
    } else {
      shape.grid[0] = grid_.x();
      shape.grid[1] = grid_.y();
      shape.grid[2] = grid_.z();
    }
    shape.block[0] = block().x();
    shape.block[1] = block().y();
    shape.block[2] = block().z();
    (detail::apply_option(static_cast<const Options&>(options_), shape), ...);
    return shape;
  }
  /// Whether the grid is the empty grid of `cover_or_empty(0, …)`, whose launch does nothing and
  /// succeeds.
  [[nodiscard]] constexpr bool empty() const noexcept {
    if constexpr (is_safe_grid<Grid>) {
      return grid_.empty();
    } else {
      return false;
    }
  }
  /// The first problem that shows without a kernel and a device: a wrong count of shared memory
  /// (Errc::shared_negative, ::shared_overflow) or a cluster that does not divide the grid
  /// (::cluster_not_divisor), or ::priority_range. An error with Errc{} if there is none.
  [[nodiscard]] constexpr LaunchError problem() const noexcept {
    const LaunchShape numbers = shape();
    LaunchError error = LaunchError::make(Errc{}, Stage::construction);
    if constexpr (has<detail::PartKind::shared>) {
      error = static_cast<const option<detail::PartKind::shared>&>(options_).problem();
    }
    if constexpr (has<detail::PartKind::cluster>) {
      for (int axis = 0; axis < 3 && error.code == Errc{}; ++axis) {
        if (numbers.cluster[axis] != 0 && numbers.grid[axis] % numbers.cluster[axis] != 0) {
          error =
              LaunchError::make(Errc::cluster_not_divisor, Stage::construction, numbers.grid[axis],
                                numbers.cluster[axis], static_cast<Axis>(axis));
        }
      }
    }
    if (error.code == Errc{} && numbers.priority > detail::least_urgent) {
      error = LaunchError::make(Errc::priority_range, Stage::construction,
                                static_cast<std::uint64_t>(numbers.priority), detail::least_urgent);
    }
    error.with_shape(numbers);
    return error;
  }

  /// Prints grid=(…), block=(…), shared=N bytes.
  template <class Stream>
  requires requires { typename Stream::char_type; }
  friend Stream& operator<<(Stream& out, const LaunchConfig& config) {
    const LaunchShape shape = config.shape();
    out << "grid=(" << shape.grid[0] << ',' << shape.grid[1] << ',' << shape.grid[2] << "), block=("
        << shape.block[0] << ',' << shape.block[1] << ',' << shape.block[2]
        << "), shared=" << shape.dynamic_shared << " bytes";
    return out;
  }

 private:
  template <class... Parts>
  static constexpr auto block_of([[maybe_unused]] const Parts&... parts) noexcept {
    if constexpr (is_safe_grid<Grid>) {
      return detail::NoPart{};
    } else {
      return detail::pick<Block>(parts...);
    }
  }

  Grid grid_;
  // A SafeGrid brings its block. Neither this nor the options are [[no_unique_address]]: with that,
  // g++ 12 loses the grid of a constant configuration.
  std::conditional_t<is_safe_grid<Grid>, detail::NoPart, Block> block_;
  detail::OptionList<Options...> options_;
};

template <class... Parts>
LaunchConfig(const Parts&...) -> LaunchConfig<typename detail::ConfigParts<Parts...>::grid,
                                              typename detail::ConfigParts<Parts...>::block,
                                              typename detail::ConfigParts<Parts...>::options>;

/// Whether T is a configuration for `launch`: a LaunchConfig, or a SafeGrid, which is a
/// configuration without options.
template <class T>
inline constexpr bool is_launch_config = false;
template <class Grid, class Block, class Options>
inline constexpr bool is_launch_config<LaunchConfig<Grid, Block, Options>> = true;
template <class Rules, class Block, int Rank, GridPolicy Policy, std::uint32_t Items>
inline constexpr bool is_launch_config<SafeGrid<Rules, Block, Rank, Policy, Items>> = true;

namespace detail {

template <class T>
[[gnu::always_inline]] constexpr const T& value_of(const T& value) noexcept {
  return value;
}
template <class T>
[[gnu::always_inline]] constexpr const T& value_of(const result<T>& value) noexcept {
  return UnwrapWithTryOrValue::value_in(value);
}
/// The configuration that C is, or is a result of.
template <class C>
using config_of = std::remove_cvref_t<decltype(value_of(std::declval<const C&>()))>;
/// Whether an option in the configuration's type may have a problem (LaunchConfig::problem).
template <class Config>
inline constexpr bool may_have_problem =
    Config::template has<PartKind::shared> || Config::template has<PartKind::cluster> ||
    Config::template has<PartKind::priority>;
/// Whether no option in the configuration's type needs a launch attribute.
template <class Config>
inline constexpr bool is_plain =
    !(Config::template has<PartKind::cluster> || Config::template has<PartKind::cooperative> ||
      Config::template has<PartKind::priority> || Config::template has<PartKind::dependent>);
/// The number of elements that the configuration's grid covers; 1 if it covers no size.
template <class Config>
[[nodiscard]] constexpr std::uint64_t covered_elements(
    [[maybe_unused]] const Config& config) noexcept {
  std::uint64_t all = 1;
  if constexpr (is_safe_grid<typename Config::grid_type>) {
    // `cover` has checked that the product fits.
    for (int axis = 0; axis < Config::grid_type::rank; ++axis) all *= config.grid().size(axis);
  }
  return all;
}

template <class T>
[[gnu::always_inline]] constexpr const LaunchError* error_of(const T&) noexcept {
  return nullptr;
}
template <class T>
[[gnu::always_inline]] constexpr const LaunchError* error_of(const result<T>& value) noexcept {
  return value.has_value() ? nullptr : &UnwrapWithTryOrValue::error_in(value);
}

}  // namespace detail

/// Makes a LaunchConfig of parts, any of which may be a `result`. Returns the first error among
/// them. Checked builds also return Errc::shared_negative, ::shared_overflow, ::priority_range and
/// ::cluster_not_divisor.
template <CheckLevel Level = current_level, class... Parts>
[[nodiscard, gnu::always_inline]] constexpr auto configure(const Parts&... parts) noexcept {
  using Config = decltype(LaunchConfig(detail::value_of(parts)...));
  const LaunchError* error = nullptr;
  ((error = error != nullptr ? error : detail::error_of(parts)), ...);
  if (error != nullptr) return detail::failure<Config>(*error);
  if constexpr (Level == CheckLevel::full && detail::may_have_problem<Config>) {
    const LaunchError problem = Config(detail::value_of(parts)...).problem();
    if (problem.code != Errc{}) return detail::failure<Config>(problem);
  }
  return detail::result_of<Config>(detail::value_of(parts)...);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
