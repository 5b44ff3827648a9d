// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Device memory is known by its type.

#include <warpsafe/args/device_span.hpp>

#include <cstddef>
#include <type_traits>

namespace ws = warpsafe;

template <class From, class To>
inline constexpr bool converts = std::is_convertible_v<From, To>;
template <class To, class... From>
inline constexpr bool makes = std::is_constructible_v<To, From...>;

struct Base {};
struct Derived : Base {};

// A raw pointer may be host memory (refused_test.cpp has device_ptr).
static_assert(!makes<ws::DeviceSpan<int>, int*>);
// Host code cannot read device memory.
static_assert(!converts<ws::device_ptr<int>, int*> && !makes<int*, ws::device_ptr<int>>);
static_assert(!makes<bool, ws::device_ptr<int>>);

// A conversion can only add const: another element type would read or step through memory wrongly.
static_assert(converts<ws::device_ptr<int>, ws::device_ptr<const int>>);
static_assert(!makes<ws::device_ptr<int>, ws::device_ptr<const int>>);
static_assert(!makes<ws::device_ptr<const float>, ws::device_ptr<int>>);
static_assert(!makes<ws::device_ptr<Base>, ws::device_ptr<Derived>>,
              "an array of one is none of the other");
static_assert(converts<ws::DeviceSpan<int>, ws::DeviceSpan<const int>>);
static_assert(!makes<ws::DeviceSpan<int>, ws::DeviceSpan<const int>>);
static_assert(!makes<ws::DeviceSpan<Base>, ws::DeviceSpan<Derived>>);
static_assert(!makes<ws::DeviceSpan<int>, ws::device_ptr<int>>, "a pointer does not know its size");

static_assert(converts<std::nullptr_t, ws::device_ptr<int>>);
static_assert(!makes<ws::device_ptr<int>, int>, "0 is a number");

// Kernels take them by value.
static_assert(sizeof(ws::device_ptr<int>) == 8 && sizeof(ws::DeviceSpan<int>) == 16);
static_assert(std::is_trivially_copyable_v<ws::device_ptr<int>>);
static_assert(std::is_trivially_copyable_v<ws::DeviceSpan<int>>);
