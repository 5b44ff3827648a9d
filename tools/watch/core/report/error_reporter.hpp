// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/kernel_table.hpp"
#include "../stream/known_streams.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/launch/detail/observation.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::watch {

/// Prints errors: up to ten refusals of each kind and kernel, and each fault once. Thread-safe.
class ErrorReporter {
 public:
  ErrorReporter(KernelTable& kernels, KnownStreams& streams)
      : kernels_(kernels), streams_(streams) {}

  /// Reports a launch that the runtime refused, unless it refused it because of an earlier fault.
  /// `log` is the reason that the runtime's own log gives.
  void refused(Kernel& kernel, const LaunchError& error, const std::string& log) noexcept {
    const auto code = static_cast<std::uint32_t>(error.code);
    if (__atomic_exchange_n(&kernel.last_code, code, __ATOMIC_RELAXED) != code) {
      __atomic_store_n(&kernel.reported, 0, __ATOMIC_RELAXED);
    }
    const std::uint64_t reported = __atomic_add_fetch(&kernel.reported, 1, __ATOMIC_RELAXED);
    if (reported <= most_reported) say(error, reported == most_reported, log);
  }
  /// Reports a fault of running work, each fault once: after it, every later call of a lost context
  /// repeats it. Returns whether the fault is new.
  bool fault(const LaunchError& error) noexcept {
    std::uint64_t before = __atomic_load_n(&last_incident_, __ATOMIC_RELAXED);
    do {
      if (error.incident <= before) return false;
    } while (!__atomic_compare_exchange_n(&last_incident_, &before, error.incident, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    say(error, false, {});
    count_fault(error);
    return true;
  }
  /// Counts a fault that is already in the log.
  void count_fault(const LaunchError& error) noexcept {
    __atomic_add_fetch(&faults_, 1, __ATOMIC_RELAXED);
    debug::LaunchRecord suspects[16];
    const std::size_t found = debug::suspects(error, suspects, 16);
    try {
      kernels_.each([&](Kernel& one) {
        for (std::size_t i = 0; i < found && i < 16; ++i) {
          if (suspects[i].kernel.data != one.name.data()) continue;
          __atomic_add_fetch(&one.suspect, 1, __ATOMIC_RELAXED);
          return;
        }
      });
    } catch (...) {  // out of memory: the summary names no suspects
      return;
    }
  }
  /// Returns the number of faults.
  [[nodiscard]] std::uint64_t faults() const noexcept {
    return __atomic_load_n(&faults_, __ATOMIC_RELAXED);
  }

 private:
  static constexpr std::uint64_t most_reported = 10;

  /// Prints the error, with the runtime's own answer.
  void say(const LaunchError& error, bool last_of_kind, const std::string& log) noexcept {
    if (debug::Environment::get().silent) return;
    char after[1024] = "";
    warpsafe::detail::TextBuffer rest(after, sizeof after);
    if (error.stage == Stage::validation && error.raw != 0) {
      rest << "\n  the runtime's own answer: " << error.raw_name << " (" << error.raw_text << ')';
    }
    if (!log.empty()) rest << "\n  the driver's log: " << Name::of(log.c_str());
    if (error.code == Errc::shared_too_large || error.code == Errc::shared_not_opted_in) {
      try {
        if (const void* const stream = streams_.stream_passed_as_bytes(error.dynamic_shared)) {
          rest << "\n  that number is the handle of stream " << stream
               << "; in <<<grid, block, bytes, stream>>> the stream is the fourth argument";
        }
      } catch (...) {  // out of memory: without the hint
        after[0] = '\0';
      }
    }
    if (last_of_kind) rest << "\n  further refusals of this kind are only counted";
    debug::detail::log_error(debug::LogLevel::error, error, after);
  }

  KernelTable& kernels_;
  KnownStreams& streams_;
  std::uint64_t last_incident_ = 0;
  std::uint64_t faults_ = 0;
};

}  // namespace warpsafe::watch
