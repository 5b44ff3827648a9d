// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>

// What the environment asks of checked builds. Read once, at the first launch or error.

namespace warpsafe::debug {

/// What is written to the log, each level with those before it.
enum class LogLevel : std::uint8_t {
  off,    ///< nothing, not even the warnings at start
  error,  ///< launches that were refused or failed
  warn,   ///< what is suspicious and goes on
  debug,  ///< each launch, and each device with its limits at its first launch
  trace,  ///< the runtime's calls that a launch or a wait makes, with status and microseconds
};

/// The switches of the environment, as they were when the process first launched something.
struct Environment {
  LogLevel log = LogLevel::off;
  bool silent = false;                ///< WARPSAFE_LOG=off: no warnings at start either
  const char* log_unknown = nullptr;  ///< a value of WARPSAFE_LOG that is none
  bool warn_only = false;             ///< WARPSAFE_ON_ERROR=warn
  const char* blocking = nullptr;     ///< the variable that asks for blocking launches, or nullptr
  const char* blocking_value = nullptr;
  bool one_stream = false;                    ///< WARPSAFE_SYNC=one-stream
  const char* blocking_names = nullptr;       ///< the kernels to wait for; nullptr: all
  std::uint64_t break_at = 0;                 ///< WARPSAFE_BREAK; 0: nowhere
  std::uint64_t timeout = ~std::uint64_t{0};  ///< WARPSAFE_TIMEOUT, milliseconds; all bits: none
  bool timeout_stops = false;                 ///< WARPSAFE_TIMEOUT=SECONDS,stop
  const char* timeout_unknown = nullptr;      ///< a value of WARPSAFE_TIMEOUT that is none

  [[nodiscard]] static const Environment& get() noexcept {
    static const Environment read = ask();
    return read;
  }

 private:
  [[nodiscard]] static bool says(const char* value, const char* word) noexcept {
    return value != nullptr && std::strcmp(value, word) == 0;
  }
  [[nodiscard]] static bool is_true(const char* value) noexcept {
    return says(value, "1") || says(value, "true") || says(value, "TRUE") || says(value, "True");
  }
  [[nodiscard]] static std::uint64_t number(const char* value) noexcept {
    return value == nullptr ? 0 : std::strtoull(value, nullptr, 10);
  }
  /// SECONDS[.FRACTION][,stop], whatever the locale says of the point; false if it is not that.
  [[nodiscard]] static bool timeout_of(const char* value, std::uint64_t& milliseconds,
                                       bool& stops) noexcept {
    const char* rest = value;
    std::uint64_t whole = 0;
    std::uint64_t thousandths = 0;
    while (*rest >= '0' && *rest <= '9' && rest - value < 12) {
      whole = whole * 10 + static_cast<std::uint64_t>(*rest++ - '0');
    }
    if (rest == value) return false;
    if (*rest == '.') {
      std::uint64_t unit = 100;
      for (++rest; *rest >= '0' && *rest <= '9'; ++rest, unit /= 10) {
        thousandths += unit * static_cast<std::uint64_t>(*rest - '0');
      }
    }
    stops = says(rest, ",stop");
    milliseconds = whole * 1000 + thousandths;
    return stops || *rest == '\0';
  }

  [[gnu::cold, gnu::noinline]] static Environment ask() noexcept {
    Environment found;
    const char* const log = std::getenv("WARPSAFE_LOG");
    if (log != nullptr && *log != '\0') {
      const char* const levels[] = {"off", "error", "warn", "debug", "trace"};
      int level = 0;
      while (level < 5 && !says(log, levels[level])) ++level;
      found.silent = level == 0;
      if (level < 5) found.log = static_cast<LogLevel>(level);
      if (level == 5) found.log_unknown = log;
    }
    found.warn_only = says(std::getenv("WARPSAFE_ON_ERROR"), "warn");
    // Last the most exact one: WARPSAFE_SYNC can name kernels.
    const char* const asks[] = {"AMD_SERIALIZE_KERNEL", "CUDA_LAUNCH_BLOCKING",
                                "HIP_LAUNCH_BLOCKING", "WARPSAFE_SYNC"};
    for (const char* name : asks) {
      const char* const value = std::getenv(name);
      if (value == nullptr || *value == '\0' || says(value, "0")) continue;
      const bool ours = name[0] == 'W';
      if (ours && says(value, "one-stream")) {
        found.one_stream = true;
        continue;
      }
      // AMD's takes 1 to wait before each kernel, 2 after it, 3 for both (ROCm, "Environment
      // variables").
      const bool amd = name[0] == 'A' && (says(value, "2") || says(value, "3"));
      if (!ours && !amd && !is_true(value)) continue;
      const bool named = ours && !says(value, "all") && !is_true(value);
      found.blocking = name;
      found.blocking_value = value;
      found.blocking_names = named ? value : nullptr;
    }
    found.break_at = number(std::getenv("WARPSAFE_BREAK"));
    const char* const timeout = std::getenv("WARPSAFE_TIMEOUT");
    if (timeout != nullptr && *timeout != '\0') {
      std::uint64_t milliseconds = 0;
      if (timeout_of(timeout, milliseconds, found.timeout_stops)) {
        found.timeout = milliseconds;
      } else {
        found.timeout_unknown = timeout;
      }
    }
    return found;
  }
};

/// Whether `kernel` is one of the names in a comma-separated list: written in full, or without its
/// namespaces and template arguments. `all` is every kernel.
[[nodiscard]] inline bool is_listed(const Name& kernel, const char* list) noexcept {
  // The bare name: between the last "::" and the first '<'.
  std::size_t begin = 0;
  std::size_t end = 0;
  while (end < kernel.size && kernel.data[end] != '<') {
    if (kernel.data[end] == ':') begin = end + 1;
    ++end;
  }
  const Name bare{kernel.data + begin, end - begin};
  const Name untemplated{kernel.data, end};
  while (*list != '\0') {
    // A comma between template arguments is part of the name.
    std::size_t size = 0;
    int depth = 0;
    while (list[size] != '\0' && (list[size] != ',' || depth > 0)) {
      if (list[size] == '<') ++depth;
      if (list[size] == '>') --depth;
      ++size;
    }
    const Name one{list, size};
    if (one == kernel || one == bare || one == untemplated || one == Name::of("all")) return true;
    list += size;
    if (*list == ',') ++list;
  }
  return false;
}

}  // namespace warpsafe::debug
