// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// An error is plain data. A result is a value or an error.

#include <warpsafe/error/message.hpp>
#include <warpsafe/error/result.hpp>

#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

namespace ws = warpsafe;

// It is copied like bytes, and holds nothing that must be destroyed.
static_assert(std::is_trivially_copyable_v<ws::LaunchError>);
static_assert(std::is_trivially_destructible_v<ws::LaunchError>);
static_assert(std::is_standard_layout_v<ws::LaunchError>);
static_assert(std::is_nothrow_default_constructible_v<ws::LaunchError>);

// It is a literal type, even if it is default-constructed.
constexpr ws::LaunchError unknown{};
static_assert(unknown.code == ws::Errc{} && unknown.kernel.empty() && unknown.device == -1);
constexpr ws::LaunchError made = ws::LaunchError::make(
    ws::Errc::grid_too_large, ws::Stage::construction, 70000, 65535, ws::Axis::y);
static_assert(made.value == 70000 && made.limit == 65535 && made.axis == ws::Axis::y);

// An error is neither a number nor a truth value.
static_assert(!std::is_convertible_v<ws::LaunchError, bool>);
static_assert(!std::is_constructible_v<bool, ws::LaunchError>);
static_assert(!std::is_convertible_v<ws::Errc, int>);
static_assert(!std::is_convertible_v<int, ws::Errc>);

// No code is 0, which stands for "none": std::error_code takes 0 for success.
static_assert(static_cast<int>(ws::Errc::size_zero) == 1);
static_assert(std::is_error_code_enum_v<ws::Errc>);

// A result is made from a value or an error, and from nothing else.
static_assert(std::is_convertible_v<int, ws::result<int>>);
static_assert(std::is_convertible_v<ws::LaunchError, ws::result<int>>);
static_assert(std::is_convertible_v<ws::LaunchError, ws::result<void>>);
static_assert(!std::is_convertible_v<ws::result<int>, int>, "its value is asked for by name");
static_assert(!std::is_convertible_v<ws::result<void>, bool>);
static_assert(!std::is_convertible_v<ws::result<void>, int>, "nor taken for a vendor's status");
static_assert(!std::is_default_constructible_v<ws::result<int>>);

// It is no larger than its parts, and is trivially copyable if the value is.
static_assert(std::is_trivially_copyable_v<ws::result<void>>);
static_assert(std::is_trivially_copyable_v<ws::result<int>>);
static_assert(sizeof(ws::result<void>) <= sizeof(ws::LaunchError) + 16);
static_assert(std::is_nothrow_move_constructible_v<ws::result<std::unique_ptr<int>>>);
static_assert(!std::is_copy_constructible_v<ws::result<std::unique_ptr<int>>>);

static_assert(ws::is_result<ws::result<int>> && ws::is_result<ws::result<void>>);
static_assert(!ws::is_result<int> && !ws::is_result<ws::LaunchError>);

// Results work at compile time.
constexpr ws::result<int> half(int number) {
  if (number % 2 != 0)
    return ws::LaunchError::make(ws::Errc::size_not_multiple, ws::Stage::construction);
  return number / 2;
}
static_assert(half(4).has_value() && half(4).assume_value() == 2);
static_assert(half(3).has_error() && half(3).assume_error().code == ws::Errc::size_not_multiple);
