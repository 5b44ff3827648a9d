// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/debug_hooks.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/debug/data/data_filters.hpp>
#include <warpsafe/debug/journal/call_trace.hpp>
#include <warpsafe/debug/journal/log.hpp>
#include <warpsafe/debug/journal/suspects.hpp>
#include <warpsafe/error/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace warpsafe::debug {

namespace detail {

inline std::uint64_t begin_wait() noexcept { return Completion::get().begin_wait(); }
inline void waited(Vendor vendor, std::int32_t device, const void* stream,
                   std::uint64_t began) noexcept {
  Completion::get().stream_waited(vendor, device, stream, began);
}
[[gnu::cold]] inline void tell_failed(const LaunchError& error) noexcept {
  tell_listeners([&](const RunListener& one) {
    if (one.failed != nullptr) one.failed(one.user, error);
  });
}
[[gnu::cold]] inline void noticed(LaunchError& error, std::int32_t device,
                                  bool earlier_work) noexcept {
  error.blocking_was_on = __atomic_load_n(&blocking_in_use, __ATOMIC_RELAXED);
  if (error.code == Errc::wait_timed_out) {
    error.value = __atomic_load_n(&timeout_in_use, __ATOMIC_RELAXED);
  }
  if (earlier_work) error.incident = Incidents::get().note(error, device);
}
/// DebugHooks::noticed. A launch that was refused is told where its kernel is known
/// (debug/observer.hpp).
[[gnu::cold]] inline void noticed_by_call(LaunchError& error, std::int32_t device,
                                          bool earlier_work) noexcept {
  noticed(error, device, earlier_work);
  if (!listening()) return;
  LaunchError told = error;
  if (told.device < 0) told.device = device;
  tell_failed(told);
}
[[gnu::cold]] inline void put_suspects(warpsafe::detail::TextBuffer& out,
                                       const LaunchError& error) noexcept {
  Incidents::get().put(out, error);
}

/// The warnings at start, each once: a switch that is on without anybody's knowing costs days.
[[gnu::cold, gnu::noinline]] inline void say_what_is_on(const Environment& asked) noexcept {
  if (asked.blocking != nullptr) {
    log_line(
        LogLevel::warn,
        "warpsafe: %s=%s: %s waits for its kernel; it is slower, and a synchronisation that is "
        "missing in the program does not show",
        asked.blocking, asked.blocking_value,
        asked.blocking_names == nullptr ? "every launch" : "a launch of these kernels");
  }
  if (asked.one_stream) {
    log_line(LogLevel::warn,
             "warpsafe: WARPSAFE_SYNC=one-stream: every Stream of a device is one and the same; a "
             "wait between streams that is missing in the program does not show");
  }
  if (asked.log_unknown != nullptr) {
    log_line(LogLevel::warn, "warpsafe: WARPSAFE_LOG=%s is none of off, error, warn, debug, trace",
             asked.log_unknown);
  }
  if (asked.timeout_unknown != nullptr) {
    log_line(LogLevel::warn,
             "warpsafe: WARPSAFE_TIMEOUT=%s is no number of seconds, with or without \",stop\" "
             "after it",
             asked.timeout_unknown);
  }
  const char* const data[][2] = {
      {"WARPSAFE_REFERENCE", "the host's references run instead of these kernels"},
      {"WARPSAFE_SHADOW", "the host's references run beside these kernels, which are waited for"},
      {"WARPSAFE_TRACE", "these launches are waited for and written to files"}};
  for (const auto& [name, effect] : data) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') {
      log_line(LogLevel::warn, "warpsafe: %s=%s: %s", name, value, effect);
    }
  }
}

/// Before the first launch or wait of checked code: reads the environment.
[[gnu::cold, gnu::noinline]] inline void start() noexcept {
  const Environment& asked = Environment::get();
  static const bool first = [&asked] {
    __atomic_store_n(&log_level_in_use, static_cast<unsigned char>(asked.log), __ATOMIC_RELAXED);
    __atomic_store_n(&blocking_in_use, asked.blocking != nullptr, __ATOMIC_RELAXED);
    __atomic_store_n(&timeout_in_use, asked.timeout, __ATOMIC_RELAXED);
    __atomic_store_n(&timeout_stops_in_use, asked.timeout_stops, __ATOMIC_RELAXED);
    DataFilters::get().apply();
    note_switches();
    trace_calls_by_level();
    if (!asked.silent) say_what_is_on(asked);
    return true;
  }();
  static_cast<void>(first);
}
inline void start_if_first() noexcept {
  if (__atomic_load_n(&switches, __ATOMIC_RELAXED) == unread) [[unlikely]]
    start();
}

inline bool one_stream() noexcept {
  start_if_first();
  return Environment::get().one_stream;
}

}  // namespace detail

/// Tells `listener` of what happens from now on; it must outlive that, or be removed first. Once.
/// Not while other threads add or remove one.
inline void add_listener(RunListener& listener) noexcept {
  detail::start_if_first();
  listener.next = __atomic_load_n(&detail::listeners_in_use, __ATOMIC_RELAXED);
  __atomic_store_n(&detail::listeners_in_use, &listener, __ATOMIC_RELEASE);
  detail::note_switches();
}
/// Tells it no more. Nothing happens to one that was not added. @pre no thread launches, waits,
/// adds or removes just now
inline void remove_listener(RunListener& listener) noexcept {
  RunListener** link = &detail::listeners_in_use;
  while (*link != nullptr && *link != &listener) link = &(*link)->next;
  if (*link == nullptr) return;
  __atomic_store_n(link, listener.next, __ATOMIC_RELEASE);
  detail::note_switches();
}

/// Sets what is written to the log, over what WARPSAFE_LOG asked for.
inline void set_log_level(LogLevel level) noexcept {
  detail::start_if_first();
  __atomic_store_n(&detail::log_level_in_use, static_cast<unsigned char>(level), __ATOMIC_RELAXED);
  detail::note_switches();
  detail::trace_calls_by_level();
}
/// Whether launches wait for their kernels: all of them, or those that WARPSAFE_SYNC names.
inline void set_blocking(bool on) noexcept {
  detail::start_if_first();
  __atomic_store_n(&detail::blocking_in_use, on, __ATOMIC_RELAXED);
  detail::note_switches();
}
[[nodiscard]] inline bool blocking() noexcept {
  detail::start_if_first();
  return __atomic_load_n(&detail::blocking_in_use, __ATOMIC_RELAXED);
}

}  // namespace warpsafe::debug
