// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/detail/debug_hooks.hpp>
#include <warpsafe/debug/break.hpp>
#include <warpsafe/debug/data/inspect.hpp>
#include <warpsafe/debug/journal/launch_text.hpp>
#include <warpsafe/debug/journal/timeout.hpp>
#include <warpsafe/debug/journal/told_calls.hpp>
#include <warpsafe/debug/start.hpp>
#include <warpsafe/error/format.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

// What the debug tools do around the dispatch of a checked launch: on its own way they add the
// launch to the journal, look at one byte, and note that the runtime took it. All that the switches
// ask for is out of line. Launches come here through DebugHooks (detail/observation.hpp).

namespace warpsafe::detail {

/// Writes an error's text to the log, with a line after it.
[[gnu::cold, gnu::noinline]] inline void say_error(debug::LogLevel level, const LaunchError& error,
                                                   const char* after) noexcept {
  char text[4096] = "warpsafe: ";
  constexpr std::size_t prefix = 10;
  std::size_t size = prefix + format_error(error, text + prefix, sizeof text - prefix);
  TextBuffer rest(text + size, sizeof text - size);
  rest << after;
  debug::detail::write_log(level, text, size + rest.size());
}

/// Whether a refused launch goes on (WARPSAFE_ON_ERROR=warn), after its error was written.
[[gnu::cold, gnu::noinline]] inline bool goes_on(LaunchError& error) noexcept {
  debug::detail::start_if_first();
  error.blocking_was_on = debug::blocking();
  debug::detail::tell_failed(error);
  const bool warn_only = debug::Environment::get().warn_only;
  if (warn_only) {
    say_error(debug::LogLevel::warn, error, "\n  WARPSAFE_ON_ERROR=warn: launched all the same");
  } else if (debug::logs(debug::LogLevel::error)) {
    say_error(debug::LogLevel::error, error, "");
  }
  return warn_only;
}

/// The device's limits, once per device, at its first launch.
[[gnu::cold, gnu::noinline]] inline void log_device(std::int32_t device,
                                                    const BackendCalls& calls) noexcept {
  static std::uint64_t shown = 0;
  if (device < 0 || device >= 64) return;
  const std::uint64_t bit = std::uint64_t{1} << device;
  if ((__atomic_fetch_or(&shown, bit, __ATOMIC_RELAXED) & bit) != 0) return;
  DeviceLimits limits;
  if (debug::detail::told(calls, RuntimeCall::limits_of, calls.limits_of, device, limits) != 0) {
    return;
  }
  limits.device = device;
  limits::put_floors(limits, *calls.floor);
  if (limits.name.empty()) limits.name = calls.device_name(device);
  char text[640];
  debug::detail::write_log(debug::LogLevel::debug, text,
                           debug::format_limits(limits, text, sizeof text));
}

/// What the switches ask for before a launch. Returns when it began, in nanoseconds, if
/// somebody wants the time, else 0.
[[gnu::cold, gnu::noinline]] inline std::uint64_t before_launch(
    const debug::LaunchRecord& record, const BackendCalls& calls) noexcept {
  debug::detail::start_if_first();
  if (debug::logs(debug::LogLevel::warn)) {
    // Peeked, never taken: the slot is the program's. Each code is told once.
    static int told = 0;
    const int pending =
        debug::detail::told(calls, RuntimeCall::peek_last_error, calls.peek_last_error);
    if (pending != 0 && __atomic_exchange_n(&told, pending, __ATOMIC_RELAXED) != pending) {
      debug::detail::log_line(
          debug::LogLevel::warn,
          "warpsafe: an error was pending before the launch of '%.*s': %s (%s); an earlier call of "
          "this thread failed, and this launch is not its cause",
          static_cast<int>(record.kernel.size), record.kernel.data, calls.error_text(pending).data,
          calls.error_name(pending).data);
    }
  }
  if (debug::logs(debug::LogLevel::debug)) {
    log_device(record.device, calls);
    debug::detail::log_line(
        debug::LogLevel::debug,
        "Launch: kernel=%.*s, grid=(%u,%u,%u), block=(%u,%u,%u), shared=%llu bytes",
        static_cast<int>(record.kernel.size), record.kernel.data, record.grid[0], record.grid[1],
        record.grid[2], record.block[0], record.block[1], record.block[2],
        static_cast<unsigned long long>(record.dynamic_shared));
  }
  debug::detail::stop_if_asked(record);
  debug::detail::tell_listeners([&](const debug::RunListener& one) {
    if (one.launching != nullptr) one.launching(one.user, record);
  });
  const bool timed = debug::logs(debug::LogLevel::trace) || debug::detail::listening();
  return (timed ? debug::detail::nanoseconds_now() : 0) | debug::detail::asks_for_data_of(record);
}
/// And after it, if it was timed: `status` is what the runtime said.
[[gnu::cold, gnu::noinline]] inline void after_launch(const debug::LaunchRecord& record,
                                                      const BackendCalls& calls,
                                                      std::uint64_t begun, int status) noexcept {
  const std::uint64_t ended = debug::detail::nanoseconds_now();
  if (debug::logs(debug::LogLevel::trace)) {
    const std::uint64_t took = ended - begun;
    // A graph's line has no name here: its own call has one. HIP's launches are several functions.
    const bool cuda = calls.name == Name::of("CUDA") && record.grid[0] != 0;
    constexpr auto extended = static_cast<unsigned>(
        ~unsigned{static_cast<std::uint8_t>(debug::LaunchOption::non_portable_cluster)});
    debug::detail::log_line(debug::LogLevel::trace, "  %s launch(stream %p) = %s, %llu.%llu us%s",
                            calls.name.data, record.stream, calls.error_name(status).data,
                            static_cast<unsigned long long>(took / 1000),
                            static_cast<unsigned long long>(took / 100 % 10),
                            !cuda                              ? ""
                            : (record.options & extended) != 0 ? ", by cudaLaunchKernelExC"
                                                               : ", by cudaLaunchKernel");
  }
  debug::LaunchRecord made = record;
  made.state = status == 0 ? debug::LaunchState::submitted : debug::LaunchState::refused;
  debug::detail::tell_listeners([&](const debug::RunListener& one) {
    if (one.launched != nullptr) one.launched(one.user, made, begun, ended);
  });
}

/// Waits for a kernel that was just launched, if a switch asks for it and no graph is being
/// captured. Returns the runtime's status.
[[gnu::cold, gnu::noinline]] inline int wait_for_launch(const debug::LaunchRecord& record,
                                                        const BackendCalls& calls) noexcept {
  if (!debug::blocking()) return 0;
  const char* const names = debug::Environment::get().blocking_names;
  if (names != nullptr && !debug::is_listed(record.kernel, names)) return 0;
  bool capturing = true;
  void* const stream = const_cast<void*>(record.stream);
  const int asked = debug::detail::told(calls, RuntimeCall::stream_capturing,
                                        calls.stream_capturing, stream, capturing);
  if (asked != 0) {
    // A fault of this very kernel may be there already: it is the answer to every question then.
    const LaunchError error = calls.error(asked, Name{}, record.site, Stage::launch, record.device);
    return error.severity == Severity::context_lost ? asked : 0;
  }
  if (capturing) return 0;
  const StreamPoint point = StreamPoint::of(record.stream, record.device);
  const int status =
      debug::detail::told_wait(calls, stream, {stream, record.device, record.site, true}, true);
  if (status == 0) point.reached(calls.vendor);
  return status;
}

/// Puts the launch beside the error of the wait for it. A check that failed in a kernel tells which
/// kernel, block and thread it was itself.
[[gnu::cold, gnu::noinline]] inline void complete_error(
    LaunchError& error, const debug::LaunchRecord& record) noexcept {
  if (error.code == Errc::device_check_failed) return;
  error.kernel = record.kernel;
  for (int axis = 0; axis < 3; ++axis) {
    error.grid[axis] = record.grid[axis];
    error.block[axis] = record.block[axis];
  }
  error.dynamic_shared = record.dynamic_shared;
  error.stream = record.stream;
  error.device = record.device;
}
/// Numbers the error of a launch, and writes it to the log.
[[gnu::cold, gnu::noinline]] inline void log_failure(LaunchError& error,
                                                     const debug::LaunchRecord& record) noexcept {
  error.sequence = record.sequence;
  if (debug::logs(debug::LogLevel::error)) say_error(debug::LogLevel::error, error, "");
}

/// What few launches ask for.
[[gnu::cold, gnu::noinline]] inline void fill_options(debug::LaunchRecord& record,
                                                      const LaunchShape& shape) noexcept {
  using debug::LaunchOption;
  const auto add = [&](bool asked, LaunchOption option) {
    if (asked)
      record.options = static_cast<std::uint8_t>(record.options | static_cast<int>(option));
  };
  add(shape.has_priority, LaunchOption::priority);
  add(shape.has_cluster, LaunchOption::cluster);
  add(shape.non_portable_cluster, LaunchOption::non_portable_cluster);
  add(shape.cooperative, LaunchOption::cooperative);
  add(shape.programmatic, LaunchOption::programmatic);
  if (shape.has_priority) {
    const std::int32_t asked = shape.priority;
    record.priority = static_cast<std::int8_t>(asked < -128 ? -128 : asked > 127 ? 127 : asked);
  }
  for (int axis = 0; shape.has_cluster && axis < 3; ++axis) {
    const std::uint32_t asked = shape.cluster[axis];
    record.cluster[axis] = static_cast<std::uint8_t>(asked > 255 ? 255 : asked);
  }
}

inline void fill_record(debug::LaunchRecord& record, const LaunchFacts& facts,
                        Vendor vendor) noexcept {
  record.sequence = 0;
  record.kernel = facts.kernel;
  for (int axis = 0; axis < 3; ++axis) {
    record.grid[axis] = facts.shape.grid[axis];
    record.block[axis] = facts.shape.block[axis];
  }
  record.dynamic_shared = facts.shape.dynamic_shared;
  record.stream = facts.stream;
  record.device = facts.device;
  record.vendor = vendor;
  record.state = debug::LaunchState::started;
  const bool known = facts.limits != nullptr;
  record.registers = known ? facts.limits->registers : 0;
  record.max_threads_per_block = known ? facts.limits->max_threads_per_block : 0;
  record.static_shared = known ? static_cast<std::uint32_t>(facts.limits->static_shared) : 0;
  record.options = 0;
  record.priority = 0;
  std::memset(record.cluster, 0, sizeof record.cluster);
  // As has_attributes(), in one branch.
  const LaunchShape& shape = facts.shape;
  const unsigned asked =
      static_cast<unsigned>(shape.has_priority) | static_cast<unsigned>(shape.has_cluster) |
      static_cast<unsigned>(shape.cooperative) | static_cast<unsigned>(shape.programmatic);
  if (asked != 0) [[unlikely]]
    fill_options(record, shape);
  record.site = facts.site;
}
/// The four of DebugHooks that a launch calls.
[[nodiscard]] inline std::uint64_t launching(debug::LaunchRecord& record, const LaunchFacts& facts,
                                             const BackendCalls& calls) noexcept {
  fill_record(record, facts, calls.vendor);
  record.sequence = debug::Journal::get().append(record);
  return debug::detail::anything_on() ? before_launch(record, calls) : 0;
}
[[gnu::cold, gnu::noinline]] inline bool waited_and_failed(const debug::LaunchRecord& record,
                                                           const BackendCalls& calls,
                                                           std::uint64_t begun,
                                                           LaunchError& error) noexcept {
  const std::uint64_t at = begun & ~asks_for_data;
  if (at != 0) after_launch(record, calls, at, 0);
  if (at != begun && debug::detail::inspected_and_wrong(record, calls, error)) return true;
  const int status = wait_for_launch(record, calls);
  if (status == 0) return false;
  error = calls.error(status, Name::of("stream synchronize"), record.site, Stage::completion,
                      record.device);
  complete_error(error, record);
  log_failure(error, record);
  return true;
}
[[nodiscard]] inline bool submitted(const debug::LaunchRecord& record, const BackendCalls& calls,
                                    std::uint64_t begun, LaunchError& error) noexcept {
  debug::Journal::get().submitted(record.sequence, debug::Completion::get().now());
  return debug::detail::anything_on() && waited_and_failed(record, calls, begun, error);
}
[[gnu::cold, gnu::noinline]] inline void refused(const debug::LaunchRecord& record,
                                                 const BackendCalls& calls, std::uint64_t begun,
                                                 LaunchError& error) noexcept {
  const std::uint64_t at = begun & ~asks_for_data;
  if (at != 0) after_launch(record, calls, at, error.raw);
  if (at != begun) debug::detail::inspected_and_refused(calls);
  debug::Journal::get().refused(record.sequence);
  debug::detail::noticed(error, record.device, is_of_earlier_work(error));
  log_failure(error, record);
  debug::detail::tell_failed(error);
}

inline constexpr DebugHooks all_debug_hooks{&debug::detail::begin_wait,
                                            &debug::detail::wait,
                                            &debug::detail::watches_waits,
                                            &debug::detail::waited,
                                            &debug::detail::noticed_by_call,
                                            &debug::detail::put_suspects,
                                            &launching,
                                            &submitted,
                                            &refused,
                                            &goes_on,
                                            &debug::detail::inspect,
                                            &debug::detail::one_stream};

/// Installs the tools before main, where it is included with checks.
template <CheckLevel Level>
struct DebugInstaller {};
template <>
struct DebugInstaller<CheckLevel::full> {
  DebugInstaller() noexcept {
    __atomic_store_n(&debug_hooks_in_use, &all_debug_hooks, __ATOMIC_RELEASE);
    // The others begin with the first launch or wait; calls come before that.
    const char* const log = std::getenv("WARPSAFE_LOG");
    if (log != nullptr && std::strcmp(log, "trace") == 0) debug::detail::start_if_first();
  }
};
[[maybe_unused]] static const DebugInstaller<current_level> debug_installer;

}  // namespace warpsafe::detail
