// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/dims/make_dims.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/launch/launch_config.hpp>

#include <cstddef>
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
  /// WARPSAFE_GUARD, which a process reads once.
  const char* guard = nullptr;
  /// The bytes that a run keeps for good: under the race detector, the handle of a stream is no
  /// other stream's later.
  std::size_t keeps = 0;
};

/// Programs of wide_programs.cpp.
[[nodiscard]] warpsafe::result<bool> library_handles();
[[nodiscard]] warpsafe::result<bool> peers();
[[nodiscard]] warpsafe::result<bool> launch_options();
[[nodiscard]] warpsafe::result<bool> timeouts();
[[nodiscard]] warpsafe::result<bool> references();
[[nodiscard]] warpsafe::result<bool> guarded_memory();
[[nodiscard]] warpsafe::result<bool> reports();
[[nodiscard]] warpsafe::result<bool> dumps();
[[nodiscard]] warpsafe::result<bool> texts();

// What the programs of both files use: buffers of `size` numbers, and a launch for them.
inline constexpr std::size_t size = 32;
inline constexpr warpsafe::LaunchConfig small{warpsafe::grid<1>, warpsafe::block<32>};
inline constexpr int zeros[size] = {};

template <class Values>
[[nodiscard]] bool all_are(const Values& values, int wanted) {
  for (const int value : values) {
    if (value != wanted) return false;
  }
  return true;
}

/// Makes the model's devices, on which the programs run.
void prepare();
/// All programs. Each must succeed if nothing fails.
[[nodiscard]] std::span<const Program> programs() noexcept;

/// The objects of the model that the programs must release again.
struct Held {
  std::size_t streams, events, graphs, bytes;
  friend bool operator==(const Held&, const Held&) = default;
};
[[nodiscard]] Held held();

}  // namespace failures
