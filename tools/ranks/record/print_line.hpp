// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../common/guarded_file.hpp"

#include <unistd.h>

#include <string_view>

namespace warpsafe::ranks {

namespace detail {

[[nodiscard]] inline watch::GuardedFile& standard_error() noexcept {
  static watch::GuardedFile file = [] {
    watch::GuardedFile made;
    made.use(STDERR_FILENO);
    return made;
  }();
  return file;
}
inline const bool knows_standard_error = (static_cast<void>(standard_error()), true);

}  // namespace detail

/// Prints a line to standard error as it was when the process began. If the program has put another
/// file in its place, which may be its data, this prints nothing.
inline void print_line(std::string_view text) noexcept {
  static_cast<void>(detail::standard_error().line(text));
}

}  // namespace warpsafe::ranks
