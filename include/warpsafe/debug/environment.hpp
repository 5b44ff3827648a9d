// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/environment.hpp>
#include <warpsafe/debug/detail/cut_number.hpp>

#include <cstdint>
#include <cstring>

// The environment variables of checked builds. They are read once, at the first launch or error. A
// program with raised rights (setuid) does not read them.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// What the log contains. Each level includes those before it.
enum class LogLevel : std::uint8_t {
  off,    ///< nothing, not even the warnings at start
  error,  ///< launches that were refused or failed
  warn,   ///< suspicious things that do not stop the program
  debug,  ///< each launch, and each device with its limits at its first launch
  trace,  ///< the runtime calls that a launch or a wait makes, with status and microseconds
};

/// The switches of the environment, as they were at the process's first launch.
struct Environment {
  LogLevel log = LogLevel::off;
  bool silent = false;                     ///< WARPSAFE_LOG=off: no warnings at start either
  const char* log_unknown = nullptr;       ///< the value of WARPSAFE_LOG if it is no level
  bool warn_only = false;                  ///< WARPSAFE_ON_ERROR=warn
  const char* on_error_unknown = nullptr;  ///< its value if it is another word
  const char* blocking = nullptr;  ///< the variable that asks for blocking launches, or nullptr
  const char* blocking_value = nullptr;
  bool one_stream = false;                    ///< WARPSAFE_SYNC=one-stream
  const char* blocking_names = nullptr;       ///< the kernels to wait for; nullptr: all
  std::uint64_t break_at = 0;                 ///< WARPSAFE_BREAK; 0: nowhere
  const char* break_unknown = nullptr;        ///< the value of WARPSAFE_BREAK if it is no number
  std::uint64_t timeout = ~std::uint64_t{0};  ///< WARPSAFE_TIMEOUT, milliseconds; all bits: none
  bool timeout_stops = false;                 ///< WARPSAFE_TIMEOUT=SECONDS,stop
  const char* timeout_unknown = nullptr;      ///< the value of WARPSAFE_TIMEOUT if it is malformed

  [[nodiscard, gnu::visibility("default")]] static const Environment& get() noexcept {
    static const Environment found = read();
    return found;
  }

 private:
  [[nodiscard]] static bool equals(const char* value, const char* word) noexcept {
    return value != nullptr && std::strcmp(value, word) == 0;
  }
  [[nodiscard]] static bool is_true(const char* value) noexcept {
    return equals(value, "1") || equals(value, "true") || equals(value, "TRUE") ||
           equals(value, "True");
  }
  /// Parses SECONDS[.FRACTION][,stop]; the decimal point is '.' in every locale. False for anything
  /// else. More than 10^12 seconds count as 10^12.
  [[nodiscard]] static bool parse_timeout(const char* value, std::uint64_t& milliseconds,
                                          bool& stops) noexcept {
    const char* rest = value;
    std::uint64_t whole = 0;
    std::uint64_t thousandths = 0;
    constexpr std::uint64_t most = 1'000'000'000'000;
    for (; *rest >= '0' && *rest <= '9'; ++rest) {
      whole = whole * 10 + static_cast<std::uint64_t>(*rest - '0');
      if (whole > most) whole = most;
    }
    if (rest == value) return false;
    if (*rest == '.') {
      std::uint64_t unit = 100;
      for (++rest; *rest >= '0' && *rest <= '9'; ++rest, unit /= 10) {
        thousandths += unit * static_cast<std::uint64_t>(*rest - '0');
      }
    }
    stops = equals(rest, ",stop");
    milliseconds = whole * 1000 + thousandths;
    return stops || *rest == '\0';
  }

  [[gnu::cold, gnu::noinline]] static Environment read() noexcept {
    Environment found;
    const char* const log = warpsafe::detail::read_environment("WARPSAFE_LOG");
    if (log != nullptr && *log != '\0') {
      const char* const levels[] = {"off", "error", "warn", "debug", "trace"};
      int level = 0;
      while (level < 5 && !equals(log, levels[level])) ++level;
      found.silent = level == 0;
      if (level < 5) found.log = static_cast<LogLevel>(level);
      if (level == 5) found.log_unknown = log;
    }
    const char* const on_error = warpsafe::detail::read_environment("WARPSAFE_ON_ERROR");
    found.warn_only = equals(on_error, "warn");
    if (on_error != nullptr && *on_error != '\0' && !found.warn_only &&
        !equals(on_error, "error")) {
      found.on_error_unknown = on_error;
    }
    // The last one found wins. The last can name kernels.
    const char* const variables[] = {"AMD_SERIALIZE_KERNEL", "CUDA_LAUNCH_BLOCKING",
                                     "HIP_LAUNCH_BLOCKING", "WARPSAFE_SYNC"};
    for (const char* name : variables) {
      const char* const value = warpsafe::detail::read_environment(name);
      if (value == nullptr || *value == '\0' || equals(value, "0")) continue;
      const bool ours = name[0] == 'W';
      if (ours && equals(value, "one-stream")) {
        found.one_stream = true;
        continue;
      }
      // AMD_SERIALIZE_KERNEL: 1 waits before each kernel, 2 after it, 3 does both (ROCm,
      // "Environment variables").
      const bool amd = name[0] == 'A' && (equals(value, "2") || equals(value, "3"));
      if (!ours && !amd && !is_true(value)) continue;
      const bool named = ours && !equals(value, "all") && !is_true(value);
      found.blocking = name;
      found.blocking_value = value;
      found.blocking_names = named ? value : nullptr;
    }
    // Copied, because later launches read it and the program may overwrite its environment.
    if (found.blocking_names != nullptr) found.blocking_names = ::strdup(found.blocking_names);
    const char* const stop = warpsafe::detail::read_environment("WARPSAFE_BREAK");
    if (stop != nullptr && *stop != '\0') {
      const char* rest = stop;
      if (!detail::cut_number(rest, found.break_at) || *rest != '\0') {
        found.break_at = 0;
        found.break_unknown = stop;
      }
    }
    const char* const timeout = warpsafe::detail::read_environment("WARPSAFE_TIMEOUT");
    if (timeout != nullptr && *timeout != '\0') {
      std::uint64_t milliseconds = 0;
      if (parse_timeout(timeout, milliseconds, found.timeout_stops)) {
        found.timeout = milliseconds;
      } else {
        found.timeout_unknown = timeout;
      }
    }
    return found;
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
