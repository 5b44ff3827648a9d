// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/detail/without_cancel.hpp>

#include <cstdio>

// What the model says of a program that runs, but hardly does what its author meant.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Gives the observers a line that starts with "warpsafe: ". Prints it to standard error if none of
/// them writes warnings.
[[gnu::cold, gnu::noinline]] inline void tell_warning(const char* text) noexcept {
  bool written = false;
  for (const Observer& one : ObserversFrom{observers()}) {
    if (one.warn == nullptr) continue;
    one.warn(one.user, text);
    written = true;
  }
  const WithoutCancel whole;
  if (!written) std::fprintf(stderr, "%s\n", text);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
