// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>

#if defined(__unix__)
#include <unistd.h>
#else
#include <cstdio>
#endif

namespace warpsafe::detail {

/// Writes a text to standard error. It is for what a file that launches includes: <cstdio> would
/// cost it more, and Outcome has <unistd.h> already.
inline void say(Name text) noexcept {
#if defined(__unix__)
  // Nobody is left to tell of a standard error that takes no text.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data, text.size);
#else
  std::fwrite(text.data, 1, text.size, stderr);
#endif
}

}  // namespace warpsafe::detail
