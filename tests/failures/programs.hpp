// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/error/error.hpp>
#include <warpsafe/error/result.hpp>

#include <span>

namespace failures {

/// A small program that uses a part of the library. It returns an error, or whether its results are
/// right. It creates its objects itself.
struct Program {
  const char* name;
  warpsafe::result<bool> (*run)();
  /// It uses functions that return lists and texts, whose comment says that they throw
  /// std::bad_alloc.
  bool may_throw = false;
  /// It returns an error for each file that fails; others tell it in the log.
  bool tells_files = false;
};

/// All programs. Each must succeed if nothing fails.
[[nodiscard]] std::span<const Program> programs() noexcept;

/// The objects of the model that the programs must release again.
struct Held {
  std::size_t streams, events, graphs, bytes;
  friend bool operator==(const Held&, const Held&) = default;
};
[[nodiscard]] Held held();

}  // namespace failures
