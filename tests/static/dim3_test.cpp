// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Types that convert to a dimension, and types that do not.

#include <warpsafe/dims/dim3.hpp>
#include <warpsafe/dims/extent.hpp>
#include <warpsafe/dims/make_dims.hpp>

#include <cstdint>
#include <type_traits>

namespace ws = warpsafe;

template <class From, class To>
inline constexpr bool converts = std::is_convertible_v<From, To>;
template <class To, class... From>
inline constexpr bool makes = std::is_constructible_v<To, From...>;

struct VendorDims {
  unsigned x, y, z;
};
using Block256 = std::remove_const_t<decltype(ws::block<256>)>;
using Block16x16 = std::remove_const_t<decltype(ws::block<16, 16>)>;
using Grid4 = std::remove_const_t<decltype(ws::grid<4>)>;
using Cluster2 = std::remove_const_t<decltype(ws::cluster<2>)>;

// No number converts to a dimension: it would show neither its unit nor that it fits
// (refused_test.cpp).

// No run-time dimension without its numbers.
static_assert(!makes<ws::BlockDim> && !makes<ws::GridDim>);

// Grids, blocks and clusters do not convert to each other, because programs swap them by mistake.
static_assert(!makes<ws::BlockDim, ws::GridDim> && !makes<ws::GridDim, ws::BlockDim>);
static_assert(!makes<ws::ClusterDim, ws::GridDim> && !makes<ws::BlockDim, ws::ClusterDim>);
static_assert(!makes<ws::BlockDim, Grid4> && !makes<ws::GridDim, Block256>);
static_assert(!std::is_assignable_v<ws::BlockDim&, ws::GridDim>);

// A vendor's dim3 does not convert to a dimension: call from_vendor. Nor does a dimension convert
// to a dim3.
static_assert(!makes<ws::BlockDim, VendorDims> && !makes<ws::GridDim, VendorDims>);
static_assert(!makes<VendorDims, ws::BlockDim> && !converts<ws::GridDim, VendorDims>);

// A dimension does not convert to a number.
static_assert(!makes<int, ws::BlockDim> && !makes<std::uint32_t, Block256>);

// A compile-time dimension converts to a run-time dimension, but not the reverse.
static_assert(converts<Block256, ws::BlockDim> && converts<Grid4, ws::GridDim>);
static_assert(converts<Cluster2, ws::ClusterDim>);
static_assert(converts<Block256, ws::Dim3<ws::block_space, 256>>);
static_assert(!makes<Block256, ws::BlockDim>);
static_assert(!makes<Block256, Block16x16> && !makes<ws::Dim3<ws::block_space, 256>, Block16x16>);
static_assert(!makes<ws::Dim3<ws::block_space, 16>, Block256>);

// Small, and passed in registers.
static_assert(std::is_empty_v<Block256> && std::is_empty_v<Grid4>);
static_assert(sizeof(ws::BlockDim) == 12 && sizeof(ws::Dim3<ws::block_space, 256>) == 8);
static_assert(std::is_trivially_copyable_v<ws::BlockDim> && std::is_trivially_copyable_v<Block256>);

// Traits tell the spaces apart.
static_assert(ws::is_block_dim<Block256> && !ws::is_grid_dim<Block256>);
static_assert(ws::is_grid_dim<ws::GridDim> && ws::is_cluster_dim<Cluster2>);
static_assert(Block256::is_static && !ws::BlockDim::is_static);

// Dimensions of different spaces are not compared.
template <class A, class B>
concept Comparable = requires(const A& a, const B& b) {
  a == b;
};
static_assert(Comparable<ws::BlockDim, ws::BlockDim> && Comparable<ws::BlockDim, Block256>);
static_assert(!Comparable<ws::BlockDim, ws::GridDim>);

// A named axis needs an explicit constructor, and rows do not convert to columns.
static_assert(makes<ws::rows, int> && !converts<int, ws::rows>);
static_assert(!makes<ws::rows, ws::cols> || !converts<ws::cols, ws::rows>);
static_assert(!converts<int, ws::extent<1>> && !converts<ws::extent<2>, ws::extent<1>>);
static_assert(sizeof(ws::extent<2>) == 24 && std::is_trivially_copyable_v<ws::extent<3>>);
