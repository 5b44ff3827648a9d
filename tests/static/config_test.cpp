// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Grids, bytes and configurations: types that do not mix, and their use at compile time.

#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/dims/launch_options.hpp>
#include <warpsafe/dims/make_dims.hpp>
#include <warpsafe/dims/safe_grid.hpp>
#include <warpsafe/launch/launch_config.hpp>
#include <warpsafe/launch/validate.hpp>

#include <cstdint>
#include <type_traits>

namespace ws = warpsafe;

template <class To, class... From>
inline constexpr bool makes = std::is_constructible_v<To, From...>;

// A number of bytes is not a number of elements.
static_assert(makes<ws::Bytes, std::uint64_t> && !std::is_convertible_v<std::uint64_t, ws::Bytes>);
static_assert(!std::is_convertible_v<ws::Bytes, std::uint64_t>);
static_assert(!makes<std::uint64_t, ws::Bytes>);

// A grid is only made from a size.
using Line = std::remove_cvref_t<decltype(ws::SafeGrid<>::cover(5, ws::block<256>).value())>;
using Plane =
    std::remove_cvref_t<decltype(ws::SafeGrid<>::cover(ws::extent{ws::rows{5}, ws::cols{5}},
                                                       ws::block<16, 16>)
                                     .value())>;
static_assert(!makes<Line> && !makes<Line, int> && !makes<Line, ws::GridDim>);
static_assert(!makes<ws::GridDim, Line> && !makes<Line, Plane>);
static_assert(std::is_trivially_copyable_v<Line> && std::is_trivially_copyable_v<Plane>);

// Grids that may be empty, grid-stride grids and grids with a thread per item have different types.
// Only a kernel that is declared grid_stride_kernel accepts a grid-stride grid.
using OrEmpty =
    std::remove_cvref_t<decltype(ws::SafeGrid<>::cover_or_empty(5, ws::block<256>).value())>;
using Strided = std::remove_cvref_t<
    decltype(ws::SafeGrid<>::grid_stride(5, ws::block<256>, ws::max_blocks(2)).value())>;
static_assert(Line::policy == ws::GridPolicy::one_per_item);
static_assert(OrEmpty::policy == ws::GridPolicy::one_per_item_or_empty);
static_assert(Strided::policy == ws::GridPolicy::strided);
static_assert(!makes<Line, Strided> && !makes<Line, OrEmpty>);

// The check level is not part of a type.
template <class A, class B>
inline constexpr bool same = std::is_same_v<A, B>;
static_assert(same<decltype(ws::SafeGrid<>::cover<ws::CheckLevel::off>(5, ws::block<256>)),
                   decltype(ws::SafeGrid<>::cover<ws::CheckLevel::full>(5, ws::block<256>))>);
static_assert(same<decltype(ws::configure<ws::CheckLevel::off>(ws::grid<1>, ws::block<1>)),
                   decltype(ws::configure<ws::CheckLevel::full>(ws::grid<1>, ws::block<1>))>);

// Limits that are known at compile time are checked at compile time.
constexpr auto covered = ws::SafeGrid<>::cover<ws::CheckLevel::full>(1000, ws::block<256>);
static_assert(covered.has_value() && covered.assume_value().blocks(0) == 4);
constexpr auto refused = ws::SafeGrid<>::cover<ws::CheckLevel::full>(-1, ws::block<256>);
static_assert(!refused.has_value() && refused.assume_error().code == ws::Errc::size_negative);
constexpr auto too_high =
    ws::SafeGrid<>::cover_untrusted(ws::extent{ws::rows{70000}, ws::cols{1}}, ws::block<256>);
static_assert(too_high.assume_error().code == ws::Errc::grid_too_large &&
              too_high.assume_error().value == 70000 && too_high.assume_error().limit == 65535);
constexpr auto block_of_2048 = ws::BlockDim::create(2048);
static_assert(block_of_2048.assume_error().code == ws::Errc::block_axis_too_large);
constexpr auto config =
    ws::configure<ws::CheckLevel::full>(covered, ws::shared<float>(256), ws::cooperative);
static_assert(config.assume_value().shape().dynamic_shared == 1024 &&
              config.assume_value().shape().cooperative);
static_assert(ws::configure<ws::CheckLevel::full>(ws::grid<1>, ws::block<1>, ws::shared<float>(-1))
                  .assume_error()
                  .code == ws::Errc::shared_negative);

// A kernel's launch can be checked at compile time with any architecture's table.
constexpr bool fits_in_shared(std::uint64_t bytes, const ws::DeviceLimits& limits) {
  ws::LaunchError error;
  ws::LaunchShape shape = config.assume_value().shape();
  shape.dynamic_shared = bytes;
  return ws::detail::validate_numbers(shape, ws::KernelNeeds{}, ws::KernelLimits{}, limits, error);
}
static_assert(fits_in_shared(232448, ws::limits::sm_90) &&
              !fits_in_shared(232449, ws::limits::sm_90));
static_assert(fits_in_shared(65536, ws::limits::gfx942) &&
              !fits_in_shared(65537, ws::limits::gfx942));

// A constant configuration keeps every number, whatever empty parts it also has.
struct VendorDims {
  unsigned x, y, z;
};
constexpr VendorDims three{3, 4, 5};
constexpr ws::LaunchConfig constant{ws::GridDim::from_vendor(three), ws::block<32>, ws::cluster<1>,
                                    ws::cooperative};
static_assert(constant.shape().grid[0] == 3 && constant.shape().grid[1] == 4 &&
              constant.shape().grid[2] == 5 && constant.shape().block[0] == 32 &&
              constant.shape().has_cluster && constant.shape().cooperative);
