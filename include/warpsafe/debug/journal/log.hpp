// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/debug/environment.hpp>
#include <warpsafe/debug/journal/run_listener.hpp>

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace warpsafe::debug {

/// Where the log goes instead of standard error. `write` gets one message without a final newline
/// (an error's text has several lines), terminated by a '\0' that `size` does not count, which is
/// gone when it returns. It is called from any thread, from several at once, and must not launch.
struct LogSink {
  void (*write)(void* user, LogLevel level, const char* text, std::size_t size) noexcept;
  void* user;
};

namespace detail {

inline const LogSink* sink_in_use = nullptr;

/// What is switched on. `unread` until the environment was read; the path of a launch compares this
/// one byte with `nothing_on`, and leaves everything else to functions out of line.
enum : std::uint8_t { unread = 0, nothing_on = 1, something_on = 2 };
inline std::uint8_t switches = unread;
// Not a LogLevel: nvcc knows no atomic access to an enumeration.
inline unsigned char log_level_in_use = static_cast<unsigned char>(LogLevel::off);
inline bool blocking_in_use = false;
/// Milliseconds (debug/timeout.hpp).
inline constexpr std::uint64_t no_timeout = ~std::uint64_t{0};
inline std::uint64_t timeout_in_use = no_timeout;
inline bool timeout_stops_in_use = false;
/// Whether a switch asks for the data of launches (data_switches.hpp).
inline bool looks_at_data = false;

[[nodiscard, gnu::always_inline]] inline bool anything_on() noexcept {
  return __atomic_load_n(&switches, __ATOMIC_RELAXED) != nothing_on;
}
/// After a switch was turned: whether anything is left on.
inline void note_switches() noexcept {
  const Environment& asked = Environment::get();
  const bool on = __atomic_load_n(&log_level_in_use, __ATOMIC_RELAXED) !=
                      static_cast<unsigned char>(LogLevel::off) ||
                  __atomic_load_n(&blocking_in_use, __ATOMIC_RELAXED) || asked.break_at != 0 ||
                  __atomic_load_n(&looks_at_data, __ATOMIC_RELAXED) || listening();
  __atomic_store_n(&switches, std::uint8_t{on ? something_on : nothing_on}, __ATOMIC_RELAXED);
}

[[gnu::cold]] inline void write_log(LogLevel level, const char* text, std::size_t size) noexcept {
  const LogSink* const sink = __atomic_load_n(&sink_in_use, __ATOMIC_ACQUIRE);
  if (sink != nullptr) {
    sink->write(sink->user, level, text, size);
  } else {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(size), text);  // one call: lines stay whole
  }
}

/// One message in the format of printf, at most 1023 bytes. The compiler checks the values.
// NOLINTNEXTLINE(cert-dcl50-cpp)
[[gnu::cold, gnu::noinline, gnu::format(printf, 2, 3)]] inline void log_line(LogLevel level,
                                                                             const char* format,
                                                                             ...) noexcept {
  char text[1024];
  std::va_list values;
  va_start(values, format);
  const int size = std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  const bool fits = size >= 0 && static_cast<std::size_t>(size) < sizeof text;
  write_log(level, text, fits ? static_cast<std::size_t>(size) : sizeof text - 1);
}

}  // namespace detail

/// Sends the log to `sink`, which must outlive all launches; nullptr: to standard error again.
inline void set_log_sink(const LogSink* sink) noexcept {
  __atomic_store_n(&detail::sink_in_use, sink, __ATOMIC_RELEASE);
}
[[nodiscard]] inline LogLevel log_level() noexcept {
  return static_cast<LogLevel>(__atomic_load_n(&detail::log_level_in_use, __ATOMIC_RELAXED));
}
[[nodiscard]] inline bool logs(LogLevel level) noexcept { return level <= log_level(); }

}  // namespace warpsafe::debug
