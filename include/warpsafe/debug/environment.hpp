// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/debug_hooks.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

// The environment variables of checked builds. They are read once, at the first launch or error. A
// program with raised rights (setuid) does not read them.

namespace warpsafe::debug {

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
  bool silent = false;                ///< WARPSAFE_LOG=off: no warnings at start either
  const char* log_unknown = nullptr;  ///< the value of WARPSAFE_LOG if it is no level
  bool warn_only = false;             ///< WARPSAFE_ON_ERROR=warn
  const char* blocking = nullptr;     ///< the variable that asks for blocking launches, or nullptr
  const char* blocking_value = nullptr;
  bool one_stream = false;                    ///< WARPSAFE_SYNC=one-stream
  const char* blocking_names = nullptr;       ///< the kernels to wait for; nullptr: all
  std::uint64_t break_at = 0;                 ///< WARPSAFE_BREAK; 0: nowhere
  std::uint64_t timeout = ~std::uint64_t{0};  ///< WARPSAFE_TIMEOUT, milliseconds; all bits: none
  bool timeout_stops = false;                 ///< WARPSAFE_TIMEOUT=SECONDS,stop
  const char* timeout_unknown = nullptr;      ///< the value of WARPSAFE_TIMEOUT if it is malformed

  [[nodiscard]] static const Environment& get() noexcept {
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
  [[nodiscard]] static std::uint64_t number(const char* value) noexcept {
    return value == nullptr ? 0 : std::strtoull(value, nullptr, 10);
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
    found.warn_only = equals(warpsafe::detail::read_environment("WARPSAFE_ON_ERROR"), "warn");
    // The last one found wins: WARPSAFE_SYNC, which can name kernels, comes last.
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
    found.break_at = number(warpsafe::detail::read_environment("WARPSAFE_BREAK"));
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

/// Whether `kernel` is one of the names in a comma-separated list. A name may be written in full,
/// or without namespaces and template arguments. `all` matches every kernel.
[[nodiscard]] inline bool is_listed(const Name& kernel, const char* list) noexcept {
  // The bare name lies between the last "::" and the first '<'.
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

/// The launches that a switch selects: `name,name…[:skip[:count]]`, with names as in is_listed. The
/// filter leaves out the first `skip` launches of these kernels and selects the next `count`.
/// Without a count it selects all that follow.
class LaunchFilter {
 public:
  /// Selects nothing.
  LaunchFilter() noexcept = default;
  LaunchFilter(const LaunchFilter&) = delete;
  LaunchFilter& operator=(const LaunchFilter&) = delete;
  ~LaunchFilter() { std::free(names_); }

  /// From now on, selects what `text` says; nothing if `text` is nullptr or empty. @pre no other
  /// thread launches
  void set(const char* text) noexcept {
    std::free(names_);
    names_ = nullptr;
    skip_ = 0;
    count_ = ~std::uint64_t{0};
    __atomic_store_n(&seen_, 0, __ATOMIC_RELAXED);
    if (text == nullptr || *text == '\0') return;
    names_ = ::strdup(text);  // if there is no memory, the filter selects nothing
    if (names_ == nullptr) return;
    std::uint64_t last = 0;
    std::uint64_t before = 0;
    if (!cut_number(last)) return;
    if (cut_number(before)) {
      skip_ = before;
      count_ = last;
    } else {
      skip_ = last;
    }
  }
  [[nodiscard]] bool on() const noexcept { return names_ != nullptr; }
  /// Whether it selects this launch of `kernel`. Counts the launch: call it once for each.
  [[nodiscard]] bool selects(const Name& kernel) noexcept {
    if (names_ == nullptr || !is_listed(kernel, names_)) return false;
    const std::uint64_t place = __atomic_fetch_add(&seen_, 1, __ATOMIC_RELAXED);
    return place >= skip_ && place - skip_ < count_;
  }

 private:
  /// Cuts ":NUMBER" off the end. A namespace's "::" never precedes a number.
  [[nodiscard]] bool cut_number(std::uint64_t& number) noexcept {
    char* const colon = std::strrchr(names_, ':');
    if (colon == nullptr || colon == names_ || colon[1] < '0' || colon[1] > '9') return false;
    char* end = nullptr;
    number = std::strtoull(colon + 1, &end, 10);
    if (*end != '\0') return false;
    *colon = '\0';
    return true;
  }

  char* names_ = nullptr;
  std::uint64_t skip_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t seen_ = 0;
};

}  // namespace warpsafe::debug
