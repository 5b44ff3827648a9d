// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/environment.hpp>
#include <warpsafe/core/detail/text.hpp>

#include <cstring>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// What the first launch of the process prints; nullptr: nothing.
[[gnu::visibility("default")]] inline const char* notice = nullptr;

/// Lets the first launch of the process print `text`, which lives as long as the program.
inline bool say_at_first_launch(const char* text) noexcept {
  __atomic_store_n(&notice, text, __ATOMIC_RELAXED);
  return true;
}
/// Call it at each launch.
inline void print_notice() noexcept {
  if (__atomic_load_n(&notice, __ATOMIC_RELAXED) == nullptr) [[likely]]
    return;
  const char* const text = __atomic_exchange_n(&notice, nullptr, __ATOMIC_RELAXED);
  const char* const log = warpsafe::detail::read_environment("WARPSAFE_LOG");
  if (text == nullptr || (log != nullptr && std::strcmp(log, "off") == 0)) return;
  warpsafe::detail::write_stderr(Name::of(text));
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
