// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A constructor or conversion that exists only for its message does not exist for traits and
// concepts, with every compiler. tests/misuse checks the messages.

#include <warpsafe/args/aligned_ptr.hpp>
#include <warpsafe/args/device_span.hpp>
#include <warpsafe/args/device_view.hpp>
#include <warpsafe/args/trust.hpp>
#include <warpsafe/dims/bytes.hpp>
#include <warpsafe/dims/dim3.hpp>
#include <warpsafe/dims/extent.hpp>
#include <warpsafe/dims/launch_options.hpp>
#include <warpsafe/dims/safe_grid.hpp>
#include <warpsafe/memory/pitched_view.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/warpsafe.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace ws = warpsafe;

/// Whether no trait finds a conversion from A... to T.
template <class T, class... A>
constexpr bool is_refused() {
  bool found = std::is_constructible_v<T, A...> || requires(A... a) { T(a...); };
  if constexpr (sizeof...(A) == 1) {
    found = found || (std::is_convertible_v<A, T> || ...) || (std::convertible_to<A, T> || ...) ||
            (std::is_assignable_v<T&, A> || ...) || requires(void (*take)(T), A... a) {
      take(a...);
    };
  }
  return !found;
}

// Dimensions from numbers.
static_assert(is_refused<ws::BlockDim, int>() && is_refused<ws::GridDim, std::size_t>());
static_assert(is_refused<ws::ClusterDim, unsigned>() && is_refused<ws::BlockDim, double>());
static_assert(is_refused<ws::BlockDim, int, int>() && is_refused<ws::GridDim, int, int, long>());
static_assert(is_refused<std::remove_const_t<decltype(ws::block<256>)>, int>());
static_assert(is_refused<ws::SafeGrid<>, int, ws::BlockDim>());
static_assert(is_refused<ws::SafeGrid<>, ws::GridDim, ws::BlockDim>());

// Sizes from numbers that are not sizes.
static_assert(is_refused<ws::Bytes, double>() && is_refused<ws::Bytes, bool>());
static_assert(is_refused<ws::rows, double>() && is_refused<ws::cols, bool>());
static_assert(is_refused<ws::x, int*>() && is_refused<ws::rows, ws::cols>());
static_assert(is_refused<ws::max_blocks, float>() && is_refused<ws::max_blocks, bool>());
static_assert(is_refused<ws::priority, double>() && is_refused<ws::priority, long long>());
static_assert(is_refused<ws::priority, long>());
static_assert(is_refused<ws::extent<1>, int>() && is_refused<ws::extent<2>, int, int>());
static_assert(is_refused<ws::extent<2>, ws::rows, ws::y>(), "both are the rows");
static_assert(is_refused<ws::extent<2>, ws::rows>() && is_refused<ws::extent<1>, ws::rows>());

// Device memory from a pointer that may be the host's.
static_assert(is_refused<ws::device_ptr<int>, int*>());
static_assert(is_refused<ws::device_ptr<const float>, const float*>());
static_assert(is_refused<ws::DeviceSpan<float>, std::vector<float>>());
static_assert(is_refused<ws::DeviceSpan<const float>, const std::vector<float>&>());
static_assert(is_refused<ws::aligned_ptr<float, 16>, float*>());
static_assert(is_refused<ws::aligned_ptr<float, 16>, ws::device_ptr<float>>());
static_assert(is_refused<ws::trusted_ptr<float>, float*>());
static_assert(is_refused<ws::trusted_span<float>, float*, int>());

// A kernel's form of a view, without span().
static_assert(is_refused<ws::DeviceSpan<float>, ws::DeviceView<float>>());
static_assert(is_refused<ws::PitchedSpan<float>, ws::PitchedView<float>>());

// Streams from the default stream.
static_assert(is_refused<ws::StreamRef, int>() && is_refused<ws::StreamRef, std::nullptr_t>());
static_assert(is_refused<ws::StreamRef, bool>() && is_refused<ws::Stream, int>());

// Correct conversions still exist.
template <class T, class... A>
inline constexpr bool makes = std::is_constructible_v<T, A...>;
static_assert(makes<ws::Bytes, int> && makes<ws::Bytes, std::size_t> && makes<ws::priority, int>);
static_assert(makes<ws::rows, std::size_t> && makes<ws::max_blocks, long long>);
static_assert(makes<ws::extent<1>, ws::cols> && makes<ws::extent<2>, ws::rows, ws::cols>);
static_assert(makes<ws::extent<3>, ws::z, ws::x, ws::y>);
static_assert(std::is_convertible_v<ws::device_ptr<int>, ws::device_ptr<const int>>);
static_assert(std::is_convertible_v<std::nullptr_t, ws::device_ptr<int>>);
static_assert(std::is_convertible_v<decltype(ws::block<256>), ws::BlockDim>);
static_assert(std::is_convertible_v<const ws::Stream&, ws::StreamRef>);
