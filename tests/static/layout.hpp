// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/warpsafe.hpp>

#include <type_traits>

// The layout of types that cross from one translation unit to another, as numbers: this
// compiles at each check level, so the level changes none of them.

namespace layout {

namespace ws = warpsafe;

template <class T, unsigned Size, unsigned Alignment = 8>
inline constexpr bool is = sizeof(T) == Size && alignof(T) == Alignment;
template <class T>
using plain = std::remove_cvref_t<T>;

using Line = plain<decltype(ws::SafeGrid<>::cover(5, ws::block<256>).value())>;
using RunTimeLine =
    plain<decltype(ws::SafeGrid<>::cover(5, ws::BlockDim::create(5).value()).value())>;

static_assert(is<ws::LaunchError, 208>);
static_assert(is<ws::result<void>, 216>);
static_assert(is<ws::result<int>, 216>);
static_assert(is<ws::LaunchShape, 56>);
static_assert(is<ws::DeviceLimits, 144>);
static_assert(is<ws::KernelLimits, 64>);
static_assert(is<ws::KernelNeeds, 40>);
static_assert(is<ws::StreamRef, 24>);
static_assert(is<ws::Event, 56>);
static_assert(is<ws::Bytes, 8>);
static_assert(is<ws::extent<1>, 16> && is<ws::extent<3>, 32>);
static_assert(is<Line, 16>);
static_assert(is<RunTimeLine, 24>);

}  // namespace layout
