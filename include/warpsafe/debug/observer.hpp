// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/debug/break.hpp>
#include <warpsafe/debug/limits_text.hpp>
#include <warpsafe/debug/start.hpp>
#include <warpsafe/detail/caches.hpp>
#include <warpsafe/detail/runtime_error.hpp>
#include <warpsafe/format.hpp>
#include <warpsafe/launch_shape.hpp>
#include <warpsafe/result.hpp>
#include <warpsafe/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>

// What checked code (level full) does around the dispatch of a launch: on its own way it adds the
// launch to the journal, looks at one byte, and notes that the runtime took it. All that the
// switches ask for is out of line.

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
[[gnu::cold, gnu::noinline]] inline bool launches_all_the_same(const LaunchError& error) noexcept {
  debug::detail::start_if_first();
  const bool goes_on = debug::Environment::get().warn_only;
  if (goes_on) {
    say_error(debug::LogLevel::warn, error, "\n  WARPSAFE_ON_ERROR=warn: launched all the same");
  } else if (debug::logs(debug::LogLevel::error)) {
    say_error(debug::LogLevel::error, error, "");
  }
  return goes_on;
}

[[nodiscard]] inline std::uint64_t nanoseconds_now() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// The device's limits, once per device, at its first launch.
template <class B>
[[gnu::cold, gnu::noinline]] void log_device(std::int32_t device) noexcept {
  static std::uint64_t shown = 0;
  if (device < 0 || device >= remembered_devices) return;
  const std::uint64_t bit = std::uint64_t{1} << device;
  if ((__atomic_fetch_or(&shown, bit, __ATOMIC_RELAXED) & bit) != 0) return;
  DeviceLimits local;
  int status = 0;
  const DeviceLimits* known = DeviceCache<B>::find(device, local, status);
  if (known == nullptr) return;
  local = *known;
  if (local.name.empty()) local.name = device_name<B>(device);
  char text[640];
  debug::detail::write_log(debug::LogLevel::debug, text,
                           debug::format_limits(local, text, sizeof text));
}

/// What the switches ask for before a launch. Returns when it began, in nanoseconds, if the
/// runtime's calls are logged, else 0.
template <class B>
[[gnu::cold, gnu::noinline]] std::uint64_t before_launch(
    const debug::LaunchRecord& record) noexcept {
  debug::detail::start_if_first();
  if (debug::logs(debug::LogLevel::warn)) {
    // Peeked, never taken: the slot is the program's. Each code is told once.
    static int told = 0;
    const int pending = B::peek_last_error();
    if (pending != 0 && __atomic_exchange_n(&told, pending, __ATOMIC_RELAXED) != pending) {
      debug::detail::log_line(
          debug::LogLevel::warn,
          "warpsafe: an error was pending before the launch of '%.*s': %s (%s); an earlier call of "
          "this thread failed, and this launch is not its cause",
          static_cast<int>(record.kernel.size), record.kernel.data, B::error_text(pending).data,
          B::error_name(pending).data);
    }
  }
  if (debug::logs(debug::LogLevel::debug)) {
    log_device<B>(record.device);
    debug::detail::log_line(
        debug::LogLevel::debug,
        "Launch: kernel=%.*s, grid=(%u,%u,%u), block=(%u,%u,%u), shared=%llu bytes",
        static_cast<int>(record.kernel.size), record.kernel.data, record.grid[0], record.grid[1],
        record.grid[2], record.block[0], record.block[1], record.block[2],
        static_cast<unsigned long long>(record.dynamic_shared));
  }
  debug::detail::stop_if_asked(record);
  return debug::logs(debug::LogLevel::trace) ? nanoseconds_now() : 0;
}

/// One line of the trace: a call of the runtime, what it said, and how long it took.
template <class B>
[[gnu::cold, gnu::noinline]] void log_call(const char* call, const void* stream, int status,
                                           std::uint64_t begun) noexcept {
  const std::uint64_t took = nanoseconds_now() - begun;
  debug::detail::log_line(debug::LogLevel::trace, "  %s %s(stream %p) = %s, %llu.%llu us",
                          B::name.data, call, stream, B::error_name(status).data,
                          static_cast<unsigned long long>(took / 1000),
                          static_cast<unsigned long long>(took / 100 % 10));
}

/// Waits for a kernel that was just launched, if a switch asks for it and no graph is being
/// captured. Returns the runtime's status.
template <class B>
[[gnu::cold, gnu::noinline]] int wait_for_launch(const Located<B>& at,
                                                 const debug::LaunchRecord& record) noexcept {
  if (!debug::blocking()) return 0;
  const char* const names = debug::Environment::get().blocking_names;
  if (names != nullptr && !debug::is_listed(record.kernel, names)) return 0;
  bool capturing = true;
  if (B::stream_capturing(at.stream.native(), capturing) != 0 || capturing) return 0;
  const StreamPoint point = StreamPoint::of(record.stream, record.device);
  const std::uint64_t begun = nanoseconds_now();
  const int status = B::stream_synchronize(at.stream.native());
  if (debug::logs(debug::LogLevel::trace)) {
    log_call<B>("stream_synchronize", at.stream.native(), status, begun);
  }
  if (status == 0) point.reached(B::vendor);
  return status;
}

/// Puts the launch beside its error, and the error into the log.
[[gnu::cold, gnu::noinline]] inline void complete_error(
    LaunchError& error, const debug::LaunchRecord& record) noexcept {
  error.kernel = record.kernel;
  for (int axis = 0; axis < 3; ++axis) {
    error.grid[axis] = record.grid[axis];
    error.block[axis] = record.block[axis];
  }
  error.dynamic_shared = record.dynamic_shared;
  error.stream = record.stream;
  error.device = record.device;
  error.sequence = record.sequence;
  if (!debug::logs(debug::LogLevel::error)) return;
  say_error(debug::LogLevel::error, error, "");
}

/// After a launch that failed, or with something switched on. `begun` is what before_launch said.
template <class B>
[[gnu::cold, gnu::noinline]] void after_launch(const Located<B>& at,
                                               const debug::LaunchRecord& record,
                                               std::uint64_t begun,
                                               result<void>& launched) noexcept {
  if (begun != 0) {
    log_call<B>("launch", record.stream, launched.has_value() ? 0 : launched.assume_error().raw,
                begun);
  }
  if (launched.has_value()) {
    const int status = wait_for_launch(at, record);
    if (status == 0) return;
    launched = runtime_error<B>(status, Name::of("stream synchronize"), record.site,
                                Stage::completion, record.device);
  } else {
    debug::Journal::get().refused(record.sequence);
    LaunchError& error = launched.assume_error();
    debug::detail::noticed(error, record.device, is_of_earlier_work(error));
  }
  complete_error(launched.assume_error(), record);
}

/// One launch while it is dispatched. Made before, ended after.
template <class B>
class Observation {
 public:
  /// `kernel_limits` may be nullptr.
  [[gnu::always_inline]] Observation(const Located<B>& at, const LaunchShape& shape,
                                     const Name& kernel, const KernelLimits* kernel_limits) noexcept
      : at_(at) {
    record_.sequence = 0;
    record_.kernel = kernel;
    for (int axis = 0; axis < 3; ++axis) {
      record_.grid[axis] = shape.grid[axis];
      record_.block[axis] = shape.block[axis];
    }
    record_.dynamic_shared = shape.dynamic_shared;
    record_.stream = at.stream.native();
    record_.device = at.stream.device().value();
    record_.vendor = B::vendor;
    record_.state = debug::LaunchState::started;
    const bool known = kernel_limits != nullptr;
    record_.registers = known ? kernel_limits->registers : 0;
    record_.max_threads_per_block = known ? kernel_limits->max_threads_per_block : 0;
    record_.static_shared = known ? kernel_limits->static_shared : 0;
    record_.site = at.site;
    record_.sequence = debug::Journal::get().append(record_);
    switched_on_ = debug::detail::anything_on();
    if (switched_on_) [[unlikely]]
      begun_ = before_launch<B>(record_);
  }
  /// `launched` is what the dispatch said; a fault that a blocking launch finds takes its place.
  [[gnu::always_inline]] void end(result<void>& launched) const noexcept {
    if (launched.has_value()) [[likely]] {
      debug::Journal::get().submitted(record_.sequence, debug::Completion::get().now());
    }
    if (switched_on_ || !launched.has_value()) [[unlikely]] {
      after_launch<B>(at_, record_, begun_, launched);
    }
  }

 private:
  const Located<B>& at_;
  debug::LaunchRecord record_;
  std::uint64_t begun_ = 0;
  bool switched_on_;
};

}  // namespace warpsafe::detail
