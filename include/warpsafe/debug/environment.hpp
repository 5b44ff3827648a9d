// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/environment.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/debug/detail/listed_kernels.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

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

namespace detail {

/// Cuts a whole number, written in digits alone, off the front of `text`. Returns false if there is
/// none, or none of 64 bits.
[[nodiscard]] inline bool cut_number(const char*& text, std::uint64_t& number) noexcept {
  const char* const begin = text;
  for (number = 0; *text >= '0' && *text <= '9'; ++text) {
    if (__builtin_mul_overflow(number, std::uint64_t{10}, &number) ||
        __builtin_add_overflow(number, static_cast<std::uint64_t>(*text - '0'), &number)) {
      return false;
    }
  }
  return text != begin;
}

}  // namespace detail

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

  /// From now on, selects what `text` says; nothing if `text` is nullptr or empty. Returns false if
  /// the numbers at its end are malformed; it selects nothing then. @pre no other thread launches
  [[nodiscard]] bool set(const char* text) noexcept {
    std::free(names_);
    names_ = nullptr;
    skip_ = 0;
    count_ = ~std::uint64_t{0};
    __atomic_store_n(&seen_, 0, __ATOMIC_RELAXED);
    listed_.clear();
    if (text == nullptr || *text == '\0') return true;
    const char* const end = end_of_names(text);
    if (!parse(end, skip_, count_)) return false;
    // If there is no memory, the filter selects nothing.
    names_ = ::strndup(text, static_cast<std::size_t>(end - text));
    return true;
  }
  /// Whether `set` accepts `text`.
  [[nodiscard]] static bool is_valid(const char* text) noexcept {
    std::uint64_t skip = 0;
    std::uint64_t count = 0;
    return parse(end_of_names(text), skip, count);
  }
  [[nodiscard]] bool on() const noexcept { return names_ != nullptr; }
  /// Whether it selects this launch of `kernel`. Counts the launch: call it once for each.
  [[nodiscard]] bool selects(const Name& kernel) noexcept {
    if (names_ == nullptr || !listed_.contains(kernel, names_)) return false;
    const std::uint64_t place = __atomic_fetch_add(&seen_, 1, __ATOMIC_RELAXED);
    return place >= skip_ && place - skip_ < count_;
  }
  /// The names; nullptr if it is off.
  [[nodiscard]] const char* names() const noexcept { return names_; }
  [[nodiscard]] const detail::ListedKernels& listed() const noexcept { return listed_; }
  /// The launches of these kernels so far, and how many of them the filter leaves out at first.
  [[nodiscard]] std::uint64_t seen() const noexcept {
    return __atomic_load_n(&seen_, __ATOMIC_RELAXED);
  }
  [[nodiscard]] std::uint64_t skipped() const noexcept { return skip_; }

 private:
  /// The first single ':' outside of brackets, or the end. A name may contain "::", and in brackets
  /// a file and line ("(lambda at a.cpp:3:5)").
  [[nodiscard]] static const char* end_of_names(const char* text) noexcept {
    int depth = 0;
    for (; *text != '\0'; ++text) {
      if (*text == '<' || *text == '(') ++depth;
      if (*text == '>' || *text == ')') --depth;
      if (*text != ':' || depth > 0) continue;
      if (text[1] != ':') break;
      ++text;
    }
    return text;
  }
  /// Reads "", ":SKIP" or ":SKIP:COUNT". Returns false for anything else.
  [[nodiscard]] static bool parse(const char* text, std::uint64_t& skip,
                                  std::uint64_t& count) noexcept {
    for (std::uint64_t* const number : {&skip, &count}) {
      if (*text == '\0') return true;
      if (*text != ':' || !detail::cut_number(++text, *number)) return false;
    }
    return *text == '\0';
  }

  char* names_ = nullptr;
  detail::ListedKernels listed_;
  std::uint64_t skip_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t seen_ = 0;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
