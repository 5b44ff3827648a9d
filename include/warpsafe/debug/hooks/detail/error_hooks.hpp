// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/debug/journal/suspects.hpp>
#include <warpsafe/debug/log.hpp>
#include <warpsafe/debug/switches.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/format.hpp>

#include <cstddef>
#include <cstdint>

// What the debug tools do when an error occurs.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail {

/// Writes an error's text to the log, followed by `after`.
[[gnu::cold, gnu::noinline]] inline void log_error(LogLevel level, const LaunchError& error,
                                                   const char* after) noexcept {
  char text[4096] = "warpsafe: ";
  constexpr std::size_t prefix = 10;
  std::size_t size = prefix + format_error(error, text + prefix, sizeof text - prefix);
  warpsafe::detail::TextBuffer rest(text + size, sizeof text - size);
  rest << after;
  write_log(level, text, size + rest.size());
}

/// Observer::complete: completes an error that was made from a runtime status, and finds its
/// suspects.
[[gnu::cold]] inline void record_error(LaunchError& error, std::int32_t device,
                                       bool earlier_work) noexcept {
  error.blocking_was_on = __atomic_load_n(&blocking_in_use, __ATOMIC_RELAXED);
  if (error.code == Errc::wait_timed_out) {
    error.value = __atomic_load_n(&timeout_in_use, __ATOMIC_RELAXED);
  }
  if (earlier_work) error.incident = Incidents::get().add(error, device);
}
/// Observer::explain.
[[gnu::cold]] inline void put_suspects(warpsafe::detail::TextBuffer& out,
                                       const LaunchError& error) noexcept {
  Incidents::get().put(out, error);
}
/// Observer::continues_after. Writes the error first.
[[gnu::cold, gnu::noinline]] inline bool continues_after(LaunchError& error) noexcept {
  error.blocking_was_on = blocking();
  // Without a stream, the runtime would take the default stream or another one.
  const bool warn_only = Environment::get().warn_only && error.code != Errc::stream_null;
  if (warn_only) {
    log_error(LogLevel::warn, error, "\n  WARPSAFE_ON_ERROR=warn: launched anyway");
  } else if (is_logged(LogLevel::error)) {
    log_error(LogLevel::error, error, "");
  }
  return warn_only;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail
