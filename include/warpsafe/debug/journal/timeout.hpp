// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/core/detail/device_check_hooks.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/detail/without_cancel.hpp>
#include <warpsafe/debug/journal/journal_reader.hpp>
#include <warpsafe/debug/journal/launch_text.hpp>
#include <warpsafe/debug/log.hpp>
#include <warpsafe/debug/switches.hpp>
#include <warpsafe/stream/detail/waiting.hpp>

#include <cstddef>
#include <cstdint>
#include <ctime>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// Writes the work in flight, as far as it is known: the launches of checked code that are not
/// known to have ended. They are listed by stream, oldest first, at most 8 of each stream. The
/// oldest launch of a stream is running, or it waits for something that never happens. Streams are
/// in the order of their oldest launches. Returns whether the oldest launch of a stream has several
/// blocks that need not be resident at once.
[[gnu::cold]] inline bool put_in_flight(warpsafe::detail::TextBuffer& out) noexcept {
  constexpr std::size_t shown = 8;
  const JournalReader launches(&is_in_flight);
  if (launches.empty()) {
    out << "\n  in flight: no launch of checked code; look at copies, library calls, and other users "
           "of the device";
    return false;
  }
  const auto same_stream = [](const LaunchRecord& a, const LaunchRecord& b) {
    return a.stream_number == b.stream_number && a.vendor == b.vendor;
  };
  out << "\n  in flight (not known to have ended), by stream, oldest first:";
  bool may_need_cooperative = false;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const LaunchRecord& first = launches[i];
    bool listed = false;
    for (std::size_t j = 0; j < i; ++j) listed = listed || same_stream(launches[j], first);
    if (listed) continue;
    const bool has_blocks = first.grid[0] > 1 || first.grid[1] > 1 || first.grid[2] > 1;
    if (has_blocks && !first.has(LaunchOption::cooperative)) may_need_cooperative = true;
    std::uint64_t count = 0;
    for (const LaunchRecord& one : launches) count += same_stream(one, first) ? 1U : 0U;
    out << "\n  stream " << first.stream << " of device " << first.device << ": " << count
        << (count == 1 ? " launch" : " launches");
    std::size_t left = shown;
    for (const LaunchRecord& one : launches) {
      if (left == 0 || !same_stream(one, first)) continue;
      put_listed(out, one, false);
      --left;
    }
    if (count > shown) out << "\n    and " << count - shown << " later ones";
  }
  if (launches.overwritten() != 0) {
    out << "\n  the journal holds the last " << std::uint64_t{Journal::capacity}
        << " launches: " << launches.overwritten() << " older ones are not listed";
  }
  return may_need_cooperative;
}

namespace detail {

using warpsafe::detail::nanoseconds_now;

/// Writes milliseconds as "0.5 s".
inline void put_seconds(warpsafe::detail::TextBuffer& out, std::uint64_t milliseconds) noexcept {
  out << milliseconds / 1000;
  if (milliseconds % 1000 != 0) out << '.' << milliseconds % 1000 / 100;
  if (milliseconds % 100 != 0) out << milliseconds % 100 / 10;
  if (milliseconds % 10 != 0) out << milliseconds % 10;
  out << " s";
}

/// Reports a wait that has lasted too long: what is waited for, the work in flight, and what
/// happens next. `knows_options`: the launches in flight have noted their options.
[[gnu::cold, gnu::noinline]] inline void log_long_wait(const warpsafe::detail::WaitTarget& place,
                                                       Name what, std::uint64_t milliseconds,
                                                       const char* and_now,
                                                       bool knows_options = false) noexcept {
  char text[8192];
  warpsafe::detail::TextBuffer out(text, sizeof text);
  out << "warpsafe: a wait has lasted ";
  put_seconds(out, milliseconds);
  out << " (WARPSAFE_TIMEOUT): " << what;
  if (place.stream != nullptr) out << " of stream " << place.stream;
  if (place.device >= 0) out << " of device " << place.device;
  put_place(out, place.site);
  if (const auto* const checks = warpsafe::detail::check_hooks(); checks != nullptr) {
    checks->put(out);
  }
  if (put_in_flight(out) && knows_options) {
    out << "\n  if blocks of a kernel wait for each other, launch it with cooperative";
  }
  out << "\n  " << and_now;
  write_log(LogLevel::warn, text, out.size());
}
[[gnu::cold]] inline void log_overdue_wait(const warpsafe::detail::WaitTarget& place, Name what,
                                           std::uint64_t milliseconds, bool stops) noexcept {
  log_long_wait(place, what, milliseconds,
                stops ? "the wait is abandoned: its caller receives an error"
                : place.may_stop
                    ? "the wait goes on; WARPSAFE_TIMEOUT=SECONDS,stop ends such waits "
                      "with an error"
                    : "the wait goes on: memory in use depends on it",
                true);
}
/// Reports a long wait that the program makes itself, which cannot be stopped.
[[gnu::cold]] inline void log_overdue_wait_elsewhere(const warpsafe::detail::WaitTarget& place,
                                                     Name what,
                                                     std::uint64_t milliseconds) noexcept {
  log_long_wait(place, what, milliseconds, "the wait goes on");
}
[[gnu::cold]] inline void log_wait_end(std::uint64_t milliseconds) noexcept {
  log_line(LogLevel::warn, "warpsafe: that wait has ended after %llu ms",
           static_cast<unsigned long long>(milliseconds));
}

/// A limit in nanoseconds, at most `longest_limit`. The time since the start of the machine, plus
/// this limit, fits into 64 bits.
inline constexpr std::uint64_t longest_limit = ~std::uint64_t{0} / 2;  // 292 years
[[nodiscard]] constexpr std::uint64_t limit_in_nanoseconds(std::uint64_t milliseconds) noexcept {
  return milliseconds < longest_limit / 1'000'000 ? milliseconds * 1'000'000 : longest_limit;
}

/// Queries repeatedly, with pauses that grow to a millisecond, until the work has ended or the
/// deadline has passed. Returns the runtime's status; `not_ready`: the deadline has passed.
[[gnu::cold, gnu::noinline]] inline int poll(const warpsafe::detail::WaitCalls& calls, void* handle,
                                             std::uint64_t deadline) noexcept {
  constexpr long longest = 1'000'000;
  const warpsafe::detail::WithoutCancel whole;
  timespec pause{0, 1000};
  for (;;) {
    const int status = calls.query(handle);
    if (status != calls.not_ready || nanoseconds_now() >= deadline) return status;
    nanosleep(&pause, nullptr);
    if (pause.tv_nsec < longest) pause.tv_nsec *= 2;
  }
}

/// Waits under the watch of WARPSAFE_TIMEOUT.
[[gnu::cold, gnu::noinline]] inline int watched_wait(
    const warpsafe::detail::WaitCalls& calls, void* handle,
    const warpsafe::detail::WaitTarget& place) noexcept {
  const std::uint64_t limit = __atomic_load_n(&timeout_in_use, __ATOMIC_RELAXED);
  // A query about a capturing stream would break the capture.
  if (warpsafe::detail::open_captures() != nullptr || !calls.may_query(handle)) {
    return calls.wait(handle);
  }
  const std::uint64_t begun = nanoseconds_now();
  const int status = poll(calls, handle, begun + limit_in_nanoseconds(limit));
  // Some runtimes report an error only once, so this status counts. Success comes from the wait
  // itself.
  if (status != calls.not_ready) return status != 0 ? status : calls.wait(handle);
  const bool stops = place.may_stop && __atomic_load_n(&timeout_stops_in_use, __ATOMIC_RELAXED);
  log_overdue_wait(place, calls.what, limit, stops);
  if (stops) return calls.not_ready;
  const int late = calls.wait(handle);
  log_wait_end((nanoseconds_now() - begun) / 1'000'000);
  return late;
}

/// Observer::watches_waits.
[[nodiscard]] inline bool watches_waits() noexcept {
  ensure_started();
  return __atomic_load_n(&timeout_in_use, __ATOMIC_RELAXED) != no_timeout;
}
/// Observer::wait. Also waits on behalf of a tool: such a wait is watched like any other, but no
/// observer is told of it.
[[nodiscard]] inline int wait_as_tool(const warpsafe::detail::WaitCalls& calls, void* handle,
                                      const warpsafe::detail::WaitTarget& place) noexcept {
  return watches_waits() ? watched_wait(calls, handle, place) : calls.wait(handle);
}

}  // namespace detail

/// Reports each wait that lasts longer than this many milliseconds: writes the work in flight to
/// the log, at any log level. Overrides WARPSAFE_TIMEOUT. With `stop` the wait then ends with
/// Errc::wait_timed_out while the work may still run; without it, the wait goes on. A watched wait
/// polls the runtime and returns at most a millisecond late. A limit above 292 years counts as 292
/// years.
inline void set_timeout(std::uint64_t milliseconds, bool stop = false) noexcept {
  detail::ensure_started();
  __atomic_store_n(&detail::timeout_stops_in_use, stop, __ATOMIC_RELAXED);
  __atomic_store_n(&detail::timeout_in_use, milliseconds, __ATOMIC_RELAXED);
}
/// Stops watching waits.
inline void clear_timeout() noexcept { set_timeout(detail::no_timeout); }

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
