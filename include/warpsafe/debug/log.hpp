// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/detail/without_cancel.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/debug/environment.hpp>

#include <cstdarg>
#include <cstddef>
#include <cstdio>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// A destination for the log, in place of standard error. `write` receives one message at a time,
/// without a final newline; the text of an error has several lines. A '\0', which `size` does not
/// count, ends the text. The text is valid only during the call. Any thread may call `write`, also
/// several at once. It must not launch.
struct LogSink {
  void (*write)(void* user, LogLevel level, const char* text, std::size_t size) noexcept;
  void* user;
};

namespace detail {

[[gnu::visibility("default")]] inline const LogSink* sink_in_use = nullptr;
// Not a LogLevel: nvcc has no atomic access to an enumeration.
[[gnu::visibility("default")]] inline unsigned char log_level_in_use =
    static_cast<unsigned char>(LogLevel::off);

/// A value from outside of the program, as one line shows it (TextBuffer::one_line). Cuts it after
/// 255 bytes.
class Shown {
 public:
  explicit Shown(const char* value) noexcept {
    warpsafe::detail::TextBuffer(text_, sizeof text_).one_line(Name::of(value));
  }
  [[nodiscard]] const char* c_str() const noexcept { return text_; }

 private:
  char text_[256];
};

/// Writes one message as it is.
inline void write_shown(LogLevel level, const char* text, std::size_t size) noexcept {
  const warpsafe::detail::WithoutCancel whole;
  const LogSink* const sink = __atomic_load_n(&sink_in_use, __ATOMIC_ACQUIRE);
  if (sink != nullptr) {
    sink->write(sink->user, level, text, size);
  } else {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(size), text);  // one call: lines stay whole
  }
}
/// Kept separate, because few messages need this much of the stack.
[[gnu::cold, gnu::noinline]] inline void write_escaped(LogLevel level, const char* text,
                                                       std::size_t size) noexcept {
  char shown[8192];
  warpsafe::detail::TextBuffer out(shown, sizeof shown);
  out << Name{text, size};
  write_shown(level, shown, out.size());
}
/// Writes one message. Control characters in it are escaped, except ends of lines and tabs.
[[gnu::cold, gnu::noinline]] inline void write_log(LogLevel level, const char* text,
                                                   std::size_t size) noexcept {
  char previous = '\0';
  for (std::size_t i = 0; i < size; previous = text[i++]) {
    if (warpsafe::detail::TextBuffer::is_control(previous, text[i])) {
      return write_escaped(level, text, size);
    }
  }
  write_shown(level, text, size);
}

/// Writes one message in the format of printf, at most 1023 bytes. The compiler checks the values.
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

/// Writes a place after a comma, if it is known.
inline void put_place(warpsafe::detail::TextBuffer& out, const call_site& site) noexcept {
  if (site.file != nullptr) out << ", at " << site;
}

}  // namespace detail

/// Sends the log to `sink`, which must outlive all launches; nullptr selects standard error again.
inline void set_log_sink(const LogSink* sink) noexcept {
  __atomic_store_n(&detail::sink_in_use, sink, __ATOMIC_RELEASE);
}
[[nodiscard]] inline LogLevel log_level() noexcept {
  return static_cast<LogLevel>(__atomic_load_n(&detail::log_level_in_use, __ATOMIC_RELAXED));
}
/// Whether the log contains messages of that level.
[[nodiscard]] inline bool is_logged(LogLevel level) noexcept { return level <= log_level(); }

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
