// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/hooks.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/core/observer.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/launch/detail/launch_arguments.hpp>
#include <warpsafe/stream/detail/backend_calls.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Writes a text to standard error. Every file that launches includes this header, and <cstdio>
/// would cost it more than <unistd.h>, which Outcome includes already.
[[WARPSAFE_DETAIL_RARE]] inline void write_stderr(Name text) noexcept {
  // There is nowhere to report that standard error takes no text.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data, text.size);
}

// How a checked launch (level full) calls the observers.

[[gnu::visibility("default")]] inline bool switches_checked = false;
/// Without observers nothing reads the switches of the environment. Warns once about each that is
/// set.
[[WARPSAFE_DETAIL_RARE]] inline void warn_unread_switches() noexcept {
  if (__atomic_exchange_n(&switches_checked, true, __ATOMIC_RELAXED)) return;
  for (const Name& name : environment_switches) {
    if (read_environment(name.data) == nullptr) continue;
    write_stderr(Name::of("warpsafe: "));
    write_stderr(name);
    write_stderr(Name::of(
        " is set, and this program does not read it: #include <warpsafe/debug.hpp> in one of its "
        "files that are compiled with checks\n"));
  }
}
[[nodiscard]] inline const Observer* launch_observers() noexcept {
  const Observer* const first = observers();
  if (first == nullptr && !__atomic_load_n(&switches_checked, __ATOMIC_RELAXED)) [[unlikely]] {
    warn_unread_switches();
  }
  return first;
}

/// Tells the observers that a check has refused a launch. Returns whether one asks to launch
/// regardless.
[[nodiscard]] inline bool continues_after_refusal(LaunchError& error) noexcept {
  const Observer* const first = launch_observers();
  bool continues = false;
  for (const Observer& one : ObserversFrom{first}) {
    if (one.continues_after != nullptr && one.continues_after(one.user, error)) continues = true;
  }
  tell_failed(first, error);
  return continues;
}

/// Who is to submit a launch; nullptr if nobody watches.
[[nodiscard]] inline LaunchWatcher watcher_of_launches() noexcept {
  return launch_observers() == nullptr && open_captures() == nullptr
             ? nullptr
             : __atomic_load_n(&launch_watcher, __ATOMIC_ACQUIRE);
}

/// Observes one launch: construct it before the dispatch, call `end` after it.
class Observation {
 public:
  Observation(const BackendCalls& calls, const LaunchFacts& facts) noexcept
      : first_(launch_observers()), calls_(calls) {
    if (first_ != nullptr) begin(facts);
  }
  /// Whether an observer asks for the launch's arguments.
  [[nodiscard]] bool asks_for_data() const noexcept {
    return first_ != nullptr && begun_.asks_for_data;
  }
  [[nodiscard]] LaunchVerdict inspect(const LaunchArguments& arguments,
                                      LaunchError& error) const noexcept {
    return tell_arguments(first_, record_, calls_, arguments, error);
  }
  /// `launched`: the runtime accepted the launch; otherwise `error` says why not. The result is
  /// false, with the fault in `error`, if an observer waits for the launch and finds one.
  [[nodiscard]] bool end(bool launched, LaunchError& error) noexcept {
    if (first_ == nullptr) return launched;
    if (!launched) [[unlikely]] {
      end_refused(error, false);
      return false;
    }
    record_.state = LaunchState::submitted;
    if (begun_.time != 0) [[unlikely]]
      tell_launched(first_, record_, begun_.time);
    return !tell_finish(first_, record_, calls_, error);
  }
  /// In place of `end`, if an observer has decided in `inspect` that the launch is not submitted.
  [[WARPSAFE_DETAIL_RARE]] bool end_without_runtime(LaunchVerdict verdict,
                                                    LaunchError& error) noexcept {
    if (verdict == LaunchVerdict::done) return end(true, error);
    if (error.kernel.empty()) error.kernel = record_.kernel;
    if (error.site.file == nullptr) error.site = record_.site;
    end_refused(error, error.raw != 0);
    return false;
  }

 private:
  [[gnu::noinline]] void begin(const LaunchFacts& facts) noexcept {
    fill_record(record_, facts, calls_.vendor);
    begun_ = tell_launching(first_, record_, calls_);
  }
  /// `told`: the observers know the error.
  [[WARPSAFE_DETAIL_RARE]] void end_refused(LaunchError& error, bool told) noexcept {
    record_.state = LaunchState::refused;
    error.sequence = record_.sequence;
    if (begun_.time != 0) tell_launched(first_, record_, begun_.time);
    static_cast<void>(tell_finish(first_, record_, calls_, error));
    if (!told) tell_failed(first_, error);
  }

  const Observer* first_;
  const BackendCalls& calls_;
  LaunchRecord record_;
  LaunchBegin begun_;
};

template <class B>
[[nodiscard]] Observation observe(const Located<B>& at, const LaunchShape& shape,
                                  const Name& kernel, const KernelLimits* kernel_limits) noexcept {
  return {backend_calls<B>,
          {kernel, shape, kernel_limits, at.stream.native(), at.stream.number(),
           at.stream.device().value(), at.site}};
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
