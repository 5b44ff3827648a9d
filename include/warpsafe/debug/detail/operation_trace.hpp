// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/keep_loaded.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/observer.hpp>
#include <warpsafe/debug/log.hpp>

#include <cstdint>

// WARPSAFE_LOG=trace: one line for each operation and each wait that an observer sees, with its
// place.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail {

inline void put_stream(warpsafe::detail::TextBuffer& out, const void* stream,
                       std::uint64_t number) noexcept {
  if (stream != nullptr || number != 0) out << ", stream " << stream;
}
/// Writes a time after a comma, in microseconds.
inline void put_took(warpsafe::detail::TextBuffer& out, std::uint64_t nanoseconds) noexcept {
  out << ", " << nanoseconds / 1000 << '.' << nanoseconds / 100 % 10 << " us";
}

/// Observer::called.
[[gnu::cold]] inline void trace_operation(const CallRecord& call) noexcept {
  if (!is_logged(LogLevel::trace)) return;
  char text[512];
  warpsafe::detail::TextBuffer out(text, sizeof text);
  out << "  " << call.what;
  put_stream(out, call.stream, call.stream_number);
  if (call.memory != nullptr) out << ", " << call.bytes << " bytes at " << call.memory;
  put_place(out, call.site);
  write_log(LogLevel::trace, text, out.size());
}
/// Observer::waited.
[[gnu::cold]] inline void trace_wait(const WaitRecord& wait) noexcept {
  if (!is_logged(LogLevel::trace)) return;
  char text[512];
  warpsafe::detail::TextBuffer out(text, sizeof text);
  out << "  " << wait.what;
  put_stream(out, wait.stream, wait.stream_number);
  if (wait.status != 0) out << ", status " << wait.status;
  put_took(out, wait.ended - wait.begun);
  put_place(out, wait.site);
  write_log(LogLevel::trace, text, out.size());
}

/// An observer of its own, because calls and waits cost more while one is there. One object for the
/// whole program.
[[gnu::visibility("default")]] inline Observer tracing_observer{
    .called = [](void*, const CallRecord& call) noexcept { trace_operation(call); },
    .waited = [](void*, const WaitRecord& wait) noexcept { trace_wait(wait); }};

/// Begins the trace if the log's level requires it. Afterwards the level alone decides, because
/// other threads may be calling the observer.
[[gnu::visibility("default")]] inline void trace_by_level() noexcept {
  if (!is_logged(LogLevel::trace)) return;
  Observer** const link = warpsafe::detail::link_to(tracing_observer);
  if (*link != nullptr) return;
  warpsafe::detail::keep_loaded(&tracing_observer);
  __atomic_store_n(link, &tracing_observer, __ATOMIC_RELEASE);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail
