// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/debug/data/detail/inspect.hpp>
#include <warpsafe/debug/detail/launch_of_error.hpp>
#include <warpsafe/debug/detail/operation_trace.hpp>
#include <warpsafe/debug/detail/outside_captures.hpp>
#include <warpsafe/debug/hooks/detail/collectives.hpp>
#include <warpsafe/debug/hooks/detail/error_hooks.hpp>
#include <warpsafe/debug/hooks/detail/launch_break.hpp>
#include <warpsafe/debug/journal/journal.hpp>
#include <warpsafe/debug/journal/launch_text.hpp>
#include <warpsafe/debug/journal/timeout.hpp>
#include <warpsafe/debug/switches.hpp>
#include <warpsafe/stream/detail/waiting.hpp>

#include <cstdint>
#include <utility>

// What the debug tools do around the dispatch of a checked launch. The launch path adds the launch
// to the journal, reads one byte, and records that the runtime accepted the launch. Everything that
// a switch asks for is out of line.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail {

/// Writes the device's limits to the log at its first launch.
[[gnu::cold, gnu::noinline, gnu::visibility("default")]] inline void log_device(
    std::int32_t device, const BackendCalls& calls) noexcept {
  static std::uint64_t shown = 0;
  if (device < 0 || device >= warpsafe::detail::cached_devices) return;
  const std::uint64_t bit = std::uint64_t{1} << device;
  if ((__atomic_fetch_or(&shown, bit, __ATOMIC_RELAXED) & bit) != 0) return;
  DeviceLimits limits;
  if (calls.limits_of(device, limits) != 0) return;
  limits.device = device;
  limits::put_floors(limits, *calls.floor);
  if (limits.name.empty()) limits.name = calls.device_name(device);
  char text[1024];
  write_log(LogLevel::debug, text, format_limits(limits, text, sizeof text));
}

/// Warns of an error that an earlier call of this thread left pending, once per status.
[[gnu::cold, gnu::noinline, gnu::visibility("default")]] inline void log_pending_error(
    const LaunchRecord& record, const BackendCalls& calls) noexcept {
  static int last = 0;
  // Peek at the error without clearing it: it belongs to the program.
  const int pending = calls.peek_last_error();
  if (pending == 0 || __atomic_exchange_n(&last, pending, __ATOMIC_RELAXED) == pending) return;
  log_line(
      LogLevel::warn,
      "warpsafe: an error was pending before the launch of '%.*s': %s (%s); an earlier call of "
      "this thread failed, and this launch is not its cause",
      static_cast<int>(record.kernel.size), record.kernel.data, calls.error_text(pending).data,
      calls.error_name(pending).data);
}

/// Warns of dynamic shared memory of just the size of the kernel's static shared memory, once per
/// kernel. A kernel may have both, so this is no error.
[[gnu::cold, gnu::noinline, gnu::visibility("default")]] inline void warn_repeated_shared(
    const LaunchRecord& record) noexcept {
  static const char* last = nullptr;
  if (record.static_shared == 0 || record.dynamic_shared != record.static_shared ||
      __atomic_exchange_n(&last, record.kernel.data, __ATOMIC_RELAXED) == record.kernel.data) {
    return;
  }
  log_line(LogLevel::warn,
           "warpsafe: the launch of '%.*s' gives %u bytes of dynamic shared memory, the size "
           "of the kernel's static shared memory, which needs none; give only the bytes of its "
           "extern __shared__ array",
           static_cast<int>(record.kernel.size), record.kernel.data, record.static_shared);
}

/// Observer::warn.
[[gnu::cold, gnu::noinline, gnu::visibility("default")]] inline void warn(
    const char* text) noexcept {
  ensure_started();
  if (!Environment::get().silent) log_line(LogLevel::warn, "%s", text);
}

/// Whether the race detector's schedule runs the work: for the detector a wait of a tool would be
/// an order of the program's.
[[nodiscard]] inline bool is_scheduled(const BackendCalls& calls) noexcept {
  return calls.is_scheduled != nullptr && calls.is_scheduled();
}

/// When this thread's launch began, in nanoseconds; 0 unless the launch is in the trace.
[[gnu::visibility("default")]] inline thread_local std::uint64_t launch_begun = 0;

/// Does what the switches ask for before a launch. Returns whether its data is copied.
[[gnu::cold, gnu::noinline]] inline bool before_launch(const LaunchRecord& record,
                                                       const BackendCalls& calls) noexcept {
  ensure_started();
  if (is_logged(LogLevel::warn)) {
    log_pending_error(record, calls);
    warn_repeated_shared(record);
  }
  if (is_logged(LogLevel::debug)) {
    log_device(record.device, calls);
    log_line(LogLevel::debug,
             "Launch: kernel=%.*s, grid=(%u,%u,%u), block=(%u,%u,%u), shared=%llu bytes",
             static_cast<int>(record.kernel.size), record.kernel.data, record.grid[0],
             record.grid[1], record.grid[2], record.block[0], record.block[1], record.block[2],
             static_cast<unsigned long long>(record.dynamic_shared));
  }
  break_at_launch(record);
  launch_begun = is_logged(LogLevel::trace) ? nanoseconds_now() : 0;
  return requests_data(record) && !is_scheduled(calls);
}
/// Writes the launch's line in the trace; `status` is the runtime's.
[[gnu::cold, gnu::noinline]] inline void trace_launch(const LaunchRecord& record,
                                                      const BackendCalls& calls,
                                                      int status) noexcept {
  const std::uint64_t begun = std::exchange(launch_begun, 0);
  if (begun == 0) return;
  const std::uint64_t took = nanoseconds_now() - begun;
  if (!is_logged(LogLevel::trace)) return;
  char text[512];
  warpsafe::detail::TextBuffer out(text, sizeof text);
  out << "  " << calls.name << " launch(stream " << record.stream
      << ") = " << calls.error_name(status);
  put_took(out, took);
  put_place(out, record.site);
  write_log(LogLevel::trace, text, out.size());
}

/// Waits for a kernel that was just launched, if a switch asks for it and no graph is being
/// captured. Returns the runtime's status.
[[gnu::cold, gnu::noinline]] inline int wait_for_launch(const LaunchRecord& record,
                                                        const BackendCalls& calls) noexcept {
  if (!blocking()) return 0;
  const char* const names = Environment::get().blocking_names;
  if (names != nullptr && !blocking_kernels.contains(record.kernel, names)) return 0;
  bool capturing = true;
  void* const stream = const_cast<void*>(record.stream);
  const int queried = calls.stream_capturing(stream, capturing);
  if (queried != 0) {
    // The kernel's fault may already be the answer, because every query then returns it.
    const LaunchError error =
        calls.error(queried, Name{}, record.site, Stage::launch, record.device);
    return error.severity == Severity::context_lost ? queried : 0;
  }
  if (capturing || is_scheduled(calls)) return 0;
  const OutsideCaptures outside(calls);
  if (gives_up_launch(calls, stream, record)) return 0;
  const auto point =
      warpsafe::detail::StreamPoint::of(record.stream, record.stream_number, record.device);
  const int status = warpsafe::detail::observed_wait(
      warpsafe::detail::observers(), *calls.stream_wait, stream,
      {stream, record.device, record.site, true, record.stream_number});
  if (status == 0) point.reached(calls.vendor);
  return status;
}

/// Writes the error of a launch to the log, under the launch's number.
[[gnu::cold, gnu::noinline]] inline void log_launch_error(LaunchError& error,
                                                          const LaunchRecord& record) noexcept {
  error.sequence = record.sequence;
  if (is_logged(LogLevel::error)) log_error(LogLevel::error, error, "");
}

/// Observer::launching.
[[nodiscard]] inline bool launching(LaunchRecord& record, const BackendCalls& calls) noexcept {
  record.sequence = Journal::get().append(record);
  return any_switch_on() && before_launch(record, calls);
}
/// What the switches ask for after a launch that the runtime accepted.
[[gnu::cold, gnu::noinline]] inline bool finish_launch(const LaunchRecord& record,
                                                       const BackendCalls& calls,
                                                       LaunchError& error) noexcept {
  trace_launch(record, calls, 0);
  if (finish_inspection(record, calls, error)) return true;
  const int status = wait_for_launch(record, calls);
  if (status == 0) return false;
  error = calls.error(status, Name::of("stream synchronize"), record.site, Stage::completion,
                      record.device);
  // A failed check has named its kernel, block and thread itself.
  if (error.code != Errc::device_check_failed) put_launch(error, record);
  log_launch_error(error, record);
  return true;
}
/// The launch was refused.
[[gnu::cold, gnu::noinline]] inline void finish_refused(const LaunchRecord& record,
                                                        const BackendCalls& calls,
                                                        LaunchError& error) noexcept {
  trace_launch(record, calls, error.raw);
  cancel_inspection(calls);
  Journal::get().refused(record.sequence);
  if (error.incident == 0) {
    record_error(error, record.device, warpsafe::detail::reports_earlier_fault(error));
  }
  log_launch_error(error, record);
}
/// Observer::finish.
[[nodiscard]] inline bool finish(const LaunchRecord& record, const BackendCalls& calls,
                                 LaunchError& error) noexcept {
  if (record.state == LaunchState::refused) [[unlikely]] {
    finish_refused(record, calls, error);
    return false;
  }
  Journal::get().submitted(record.sequence, Completion::get().now());
  return any_switch_on() && finish_launch(record, calls, error);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail
