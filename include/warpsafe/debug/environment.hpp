// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/format.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>

// What the environment asks of checked builds. Read where it is first needed: on the way of an
// error, never on a launch's own way.

namespace warpsafe::detail {

/// WARPSAFE_ON_ERROR=warn: say what is wrong with a launch, and launch all the same. Only in
/// checked builds, which alone find anything; read once.
inline bool warn_only() noexcept {
  static const bool asked = [] {
    const char* value = std::getenv("WARPSAFE_ON_ERROR");
    return value != nullptr && std::strcmp(value, "warn") == 0;
  }();
  return asked;
}

/// Whether a refused launch goes on, after its error was written to standard error.
[[gnu::cold]] inline bool launches_all_the_same(const LaunchError& error) noexcept {
  if (!warn_only()) return false;
  char text[1024];
  format_error(error, text, sizeof text);
  std::fprintf(stderr, "warpsafe: %s\n  WARPSAFE_ON_ERROR=warn: launched all the same\n", text);
  return true;
}

}  // namespace warpsafe::detail
