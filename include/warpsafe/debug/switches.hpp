// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/debug/detail/environment_names.hpp>
#include <warpsafe/debug/detail/launch_filter.hpp>
#include <warpsafe/debug/detail/listed_kernels.hpp>
#include <warpsafe/debug/detail/operation_trace.hpp>
#include <warpsafe/debug/environment.hpp>
#include <warpsafe/debug/log.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

// The switches of the debug tools. The environment sets them first; a program may change them
// later.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

namespace detail {

/// `unread` until the environment is read. The path of a launch compares this one byte with
/// `nothing_on` and leaves everything else to functions out of line.
enum : std::uint8_t { unread = 0, nothing_on = 1, something_on = 2 };
[[gnu::visibility("default")]] inline std::uint8_t switches = unread;
[[gnu::visibility("default")]] inline bool blocking_in_use = false;
/// In milliseconds (debug/journal/timeout.hpp).
inline constexpr std::uint64_t no_timeout = ~std::uint64_t{0};
[[gnu::visibility("default")]] inline std::uint64_t timeout_in_use = no_timeout;
[[gnu::visibility("default")]] inline bool timeout_stops_in_use = false;
/// Whether a switch asks for the data of launches.
[[gnu::visibility("default")]] inline bool data_in_use = false;

[[nodiscard, gnu::always_inline]] inline bool any_switch_on() noexcept {
  return __atomic_load_n(&switches, __ATOMIC_RELAXED) != nothing_on;
}
/// Call it after changing a switch. Finds out whether any switch is on.
inline void update_switches() noexcept {
  const Environment& environment = Environment::get();
  const bool on = log_level() != LogLevel::off ||
                  __atomic_load_n(&blocking_in_use, __ATOMIC_RELAXED) ||
                  environment.break_at != 0 || __atomic_load_n(&data_in_use, __ATOMIC_RELAXED);
  __atomic_store_n(&switches, std::uint8_t{on ? something_on : nothing_on}, __ATOMIC_RELAXED);
}

/// The launches whose data is copied: those of WARPSAFE_REFERENCE, WARPSAFE_SHADOW and
/// WARPSAFE_TRACE, until the program sets others.
struct DataFilters {
  LaunchFilter reference;
  LaunchFilter shadow;
  LaunchFilter trace;
  const char* folder = "warpsafe-trace";  ///< for dumps

  [[nodiscard, gnu::visibility("default")]] static DataFilters& get() noexcept {
    // Never destroyed: other threads may launch until the process ends.
    alignas(DataFilters) static unsigned char place[sizeof(DataFilters)];
    static DataFilters& found = *::new (static_cast<void*>(place)) DataFilters;
    return found;
  }
  /// Call it after changing a filter.
  void apply() const noexcept {
    __atomic_store_n(&data_in_use, reference.on() || shadow.on() || trace.on(), __ATOMIC_RELAXED);
  }

 private:
  [[gnu::cold]] DataFilters() noexcept;
};
/// A variable that sets a filter.
struct DataVariable {
  // nvcc writes a member of this type with parentheses, of which g++ warns.
  using Filter = LaunchFilter DataFilters::*;

  const char* name;
  Filter filter;
  const char* effect;  ///< on the launches that it selects
};
inline constexpr DataVariable data_variables[] = {
    {"WARPSAFE_REFERENCE", &DataFilters::reference,
     "the host's references run instead of these kernels"},
    {"WARPSAFE_SHADOW", &DataFilters::shadow,
     "the host's references run beside these kernels, and every such launch waits"},
    {"WARPSAFE_TRACE", &DataFilters::trace,
     "these launches wait for their kernels and are written to files"}};
inline DataFilters::DataFilters() noexcept {
  for (const auto& one : data_variables) {
    // log_active_switches reports what is refused here.
    static_cast<void>((this->*one.filter).set(warpsafe::detail::read_environment(one.name)));
  }
}

/// A filter's text is refused, and the filter selects nothing.
[[gnu::cold, gnu::noinline]] inline void log_bad_filter(const char* name,
                                                        const char* value) noexcept {
  log_line(LogLevel::warn,
           "warpsafe: %s=%s selects no launch: after the names come at most two numbers, "
           ":skip:count, each from 0 to 18446744073709551615",
           name, Shown(value).c_str());
}

/// The kernels that WARPSAFE_SYNC names.
[[gnu::visibility("default")]] inline ListedKernels blocking_kernels;

/// A filter of `names` selected no launch.
[[gnu::cold, gnu::noinline]] inline void print_idle(const char* name, const char* names,
                                                    const ListedKernels& listed) noexcept {
  const char* const nearest = listed.nearest();
  // Not to the log: its sink may be gone at the end of the program.
  std::fprintf(stderr, "warpsafe: %s=%s selected no launch: %s%s%s\n", name, Shown(names).c_str(),
               *nearest == '\0' ? "no kernel was launched in this process"
                                : "no kernel of that name was launched; the most similar is '",
               Shown(nearest).c_str(), *nearest == '\0' ? "" : "'");
}
/// At the end of the program: a filter that selects nothing may have a slip in a kernel's name.
[[gnu::cold, gnu::noinline]] inline void print_idle_filters() noexcept {
  const Environment& environment = Environment::get();
  if (environment.silent) return;
  if (environment.blocking_names != nullptr && !blocking_kernels.found() &&
      __atomic_load_n(&blocking_in_use, __ATOMIC_RELAXED)) {
    print_idle("WARPSAFE_SYNC", environment.blocking_names, blocking_kernels);
  }
  for (const auto& one : data_variables) {
    const LaunchFilter& filter = DataFilters::get().*one.filter;
    if (!filter.on()) continue;
    const std::uint64_t seen = filter.seen();
    if (seen == 0) {
      print_idle(one.name, filter.names(), filter.listed());
    } else if (seen <= filter.skipped()) {
      std::fprintf(stderr,
                   "warpsafe: %s=%s:%llu selected no launch: these kernels had %llu launches, and "
                   "the first %llu are left out\n",
                   one.name, Shown(filter.names()).c_str(),
                   static_cast<unsigned long long>(filter.skipped()),
                   static_cast<unsigned long long>(seen),
                   static_cast<unsigned long long>(filter.skipped()));
    }
  }
}
/// Call it after a filter has got names.
[[gnu::visibility("default")]] inline void look_at_filters_at_exit() noexcept {
  static const bool once = std::atexit([] { print_idle_filters(); }) == 0;
  static_cast<void>(once);
}

/// Writes the warnings at start. A switch that somebody left on unknowingly costs days.
[[gnu::cold, gnu::noinline]] inline void log_active_switches(
    const Environment& environment) noexcept {
  if (environment.blocking != nullptr) {
    log_line(
        LogLevel::warn,
        "warpsafe: %s=%s: %s waits for its kernel; this slows the program down, and hides "
        "missing synchronisation",
        environment.blocking, Shown(environment.blocking_value).c_str(),
        environment.blocking_names == nullptr ? "every launch" : "each launch of these kernels");
  }
  if (environment.one_stream) {
    log_line(LogLevel::warn,
             "warpsafe: WARPSAFE_SYNC=one-stream: all Streams of a device are one stream; this "
             "hides missing waits between streams");
  }
  if (environment.log_unknown != nullptr) {
    log_line(LogLevel::warn,
             "warpsafe: WARPSAFE_LOG=%s is not one of off, error, warn, debug, trace",
             Shown(environment.log_unknown).c_str());
  }
  if (environment.timeout_unknown != nullptr) {
    log_line(LogLevel::warn,
             "warpsafe: WARPSAFE_TIMEOUT=%s is not a number of seconds, optionally followed by "
             "\",stop\"",
             Shown(environment.timeout_unknown).c_str());
  }
  if (environment.break_unknown != nullptr) {
    log_line(LogLevel::warn,
             "warpsafe: WARPSAFE_BREAK=%s is not the number of a launch, from 1 to "
             "18446744073709551615; the program does not stop",
             Shown(environment.break_unknown).c_str());
  }
  if (environment.on_error_unknown != nullptr) {
    log_line(LogLevel::warn, "warpsafe: WARPSAFE_ON_ERROR=%s is not one of error, warn",
             Shown(environment.on_error_unknown).c_str());
  }
  for (const auto& [name, filter, effect] : data_variables) {
    const char* const value = warpsafe::detail::read_environment(name);
    if (value == nullptr || *value == '\0') continue;
    if (!LaunchFilter::is_valid(value)) {
      log_bad_filter(name, value);
    } else {
      log_line(LogLevel::warn, "warpsafe: %s=%s: %s", name, Shown(value).c_str(), effect);
    }
  }
}

/// Reads the environment.
[[gnu::cold, gnu::noinline, gnu::visibility("default")]] inline void start() noexcept {
  const Environment& environment = Environment::get();
  static const bool first = [&environment] {
    __atomic_store_n(&log_level_in_use, static_cast<unsigned char>(environment.log),
                     __ATOMIC_RELAXED);
    __atomic_store_n(&blocking_in_use, environment.blocking != nullptr, __ATOMIC_RELAXED);
    __atomic_store_n(&timeout_in_use, environment.timeout, __ATOMIC_RELAXED);
    __atomic_store_n(&timeout_stops_in_use, environment.timeout_stops, __ATOMIC_RELAXED);
    DataFilters::get().apply();
    update_switches();
    trace_by_level();
    if (!environment.silent) {
      log_active_switches(environment);
      log_unknown_variables();
    }
    if (environment.blocking_names != nullptr || __atomic_load_n(&data_in_use, __ATOMIC_RELAXED)) {
      look_at_filters_at_exit();
    }
    return true;
  }();
  static_cast<void>(first);
}
/// Call it before the first launch or wait of checked code, and before a switch is set.
inline void ensure_started() noexcept {
  if (__atomic_load_n(&switches, __ATOMIC_RELAXED) == unread) [[unlikely]]
    start();
}

inline void set_filter(LaunchFilter DataFilters::*which, const char* function,
                       const char* launches) noexcept {
  ensure_started();
  DataFilters& filters = DataFilters::get();
  if (!(filters.*which).set(launches)) log_bad_filter(function, launches);
  filters.apply();
  update_switches();
}

}  // namespace detail

/// Sets the log's level. Overrides WARPSAFE_LOG.
inline void set_log_level(LogLevel level) noexcept {
  detail::ensure_started();
  __atomic_store_n(&detail::log_level_in_use, static_cast<unsigned char>(level), __ATOMIC_RELAXED);
  detail::update_switches();
  detail::trace_by_level();
}
/// Sets whether launches wait for their kernels: all launches, or those that WARPSAFE_SYNC names.
inline void set_blocking(bool on) noexcept {
  detail::ensure_started();
  __atomic_store_n(&detail::blocking_in_use, on, __ATOMIC_RELAXED);
  detail::update_switches();
}
[[nodiscard]] inline bool blocking() noexcept {
  detail::ensure_started();
  return __atomic_load_n(&detail::blocking_in_use, __ATOMIC_RELAXED);
}

/// Runs the host's reference (kernel/reference.hpp) instead of the kernels of `launches`:
/// "axpy,softmax:skip:count", "all"; nullptr: none. Overrides WARPSAFE_REFERENCE. A text of another
/// form selects nothing, and a warning says so. @pre no other thread launches
inline void set_reference(const char* launches) noexcept {
  detail::set_filter(&detail::DataFilters::reference, "set_reference", launches);
}
/// Runs the host's reference as well and compares the results. Overrides WARPSAFE_SHADOW. @pre no
/// other thread launches
inline void set_shadow(const char* launches) noexcept {
  detail::set_filter(&detail::DataFilters::shadow, "set_shadow", launches);
}
/// Writes inputs and outputs of `launches` into folders inside `folder`. Overrides WARPSAFE_TRACE,
/// which writes into "warpsafe-trace". `folder` must outlive all launches. @pre no other thread
/// launches
inline void set_trace(const char* launches, const char* folder = "warpsafe-trace") noexcept {
  detail::DataFilters::get().folder = folder;
  detail::set_filter(&detail::DataFilters::trace, "set_trace", launches);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
