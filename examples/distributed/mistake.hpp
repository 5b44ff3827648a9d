// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

/// What the last rank does wrong, to see what warpsafe-ranks says. README.md
/// describes each.
enum class Mistake {
  none,
  missing,
  early,
  count,
  type,
  reduction,
  operation,
  root,
  order,
  communicators,
  creation,
  receive,
  killed,
  straggler
};
inline constexpr std::array<std::string_view, 14> mistake_names = {
    "none", "missing", "early",         "count",    "type",    "reduction", "operation",
    "root", "order",   "communicators", "creation", "receive", "killed",    "straggler"};

[[nodiscard]] inline std::optional<Mistake> mistake_named(std::string_view name) {
  for (std::size_t i = 0; i < mistake_names.size(); ++i) {
    if (mistake_names[i] == name) return static_cast<Mistake>(i);
  }
  return std::nullopt;
}
