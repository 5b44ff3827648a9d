// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/core/detail/environment.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/core/observer.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/launch/detail/launch_arguments.hpp>
#include <warpsafe/stream/detail/backend_calls.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

// How a checked launch calls the observers.

[[gnu::visibility("default")]] inline bool switches_checked = false;
/// Without observers nothing reads the switches of the environment. Warns once about each that is
/// set, unless it asks for nothing.
[[WARPSAFE_DETAIL_RARE]] inline void warn_unread_switches() noexcept {
  if (__atomic_exchange_n(&switches_checked, true, __ATOMIC_RELAXED)) return;
  for (const Name& name : environment_switches) {
    const char* const value = read_environment(name.data);
    if (value == nullptr || __builtin_strcmp(value, "off") == 0) continue;
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

/// Tells the observers of one launch. Fill in the record and call `begin` before the launch is
/// submitted, and `end` after it.
class Observation {
 public:
  /// `first`: the observers; nullptr: none.
  Observation(const Observer* first, const BackendCalls& calls) noexcept
      : first_(first), calls_(calls) {}
  [[nodiscard]] bool is_observed() const noexcept { return first_ != nullptr; }
  [[nodiscard]] LaunchRecord& record() noexcept { return record_; }
  [[nodiscard]] const BackendCalls& calls() const noexcept { return calls_; }
  /// Returns whether an observer asks for the launch's arguments.
  [[gnu::always_inline]] bool begin() noexcept {
    const LaunchBegin begun = tell_launching(first_, record_, calls_);
    begun_ = begun.time;
    return begun.asks_for_data;
  }
  [[nodiscard]] LaunchVerdict inspect(const LaunchArguments& arguments,
                                      LaunchError& error) const noexcept {
    return tell_arguments(first_, record_, calls_, arguments, error);
  }
  /// `launched`: the runtime accepted the launch; otherwise `error` says why not. The result is
  /// false, with the fault in `error`, if an observer waits for the launch and finds one. `told`:
  /// the observers know the error.
  [[nodiscard, gnu::always_inline]] bool end(bool launched, LaunchError& error,
                                             bool told = false) noexcept {
    if (first_ == nullptr) return launched;
    if (!launched) [[unlikely]] {
      end_refused(error, told);
      return false;
    }
    record_.state = LaunchState::submitted;
    if (begun_ != 0) [[unlikely]]
      tell_launched(first_, record_, begun_);
    return !tell_finish(first_, record_, calls_, error);
  }

 private:
  [[WARPSAFE_DETAIL_RARE]] void end_refused(LaunchError& error, bool told) noexcept {
    record_.state = LaunchState::refused;
    error.sequence = record_.sequence;
    if (begun_ != 0) tell_launched(first_, record_, begun_);
    static_cast<void>(tell_finish(first_, record_, calls_, error));
    if (!told) tell_failed(first_, error);
  }

  const Observer* first_;
  const BackendCalls& calls_;
  LaunchRecord record_;
  std::uint64_t begun_ = 0;  ///< 0: no observer asks for the time
};

/// Begins the observation of a launch that has no arguments.
template <class B>
[[nodiscard]] Observation observe(const Located<B>& at, const LaunchShape& shape,
                                  const Name& kernel) noexcept {
  Observation observation(launch_observers(), backend_calls<B>);
  if (observation.is_observed()) {
    fill_record(observation.record(),
                {kernel, shape, nullptr, at.stream.native(), at.stream.number(),
                 at.stream.device().value(), at.site},
                B::vendor);
    observation.begin();
  }
  return observation;
}

/// A launch that an observer or an open capture watches.
struct WatchedLaunch {
  Observation observation;       ///< its record is filled in
  const CaptureHooks* captures;  ///< nullptr: no capture is open
  const LaunchShape& shape;
  const KernelEntry& entry;
  const KernelFacts& kernel;
  const ArgumentWords& arguments;  ///< after `prepare`
  bool error_is_told = false;      ///< an observer has refused the launch, and all know why
};
/// What those who watch a launch do before and after it is submitted (watched_launch.hpp). A file
/// that only launches compiles none of it.
struct LaunchWatcher {
  /// If the result is not `dispatch`, the launch is not submitted; if it is `failed`, `error` says
  /// why.
  LaunchVerdict (*begin)(WatchedLaunch& launch, LaunchError& error) noexcept;
  /// False with the problem in `error`. `launched`: the launch is submitted, or an observer has
  /// produced its results; otherwise `error` says why not.
  bool (*end)(WatchedLaunch& launch, bool launched, LaunchError& error) noexcept;
};
/// Set once the program has an observer or has had a capture.
[[gnu::visibility("default")]] inline const LaunchWatcher* launch_watcher = nullptr;

/// Who watches a launch; nullptr: nobody. If somebody does, makes `launch`.
template <class B>
[[nodiscard, gnu::always_inline]] inline const LaunchWatcher* begin_to_watch(
    WatchedLaunch& launch, const Located<B>& at, const KernelFacts& facts, const LaunchShape& shape,
    const KernelEntry& entry, const Name& name, const ArgumentWords& arguments,
    const KernelLimits* limits) noexcept {
  const Observer* const first = launch_observers();
  const CaptureHooks* const captures = open_captures();
  if (first == nullptr && captures == nullptr) [[likely]]
    return nullptr;
  ::new (static_cast<void*>(&launch))
      WatchedLaunch{Observation(first, backend_calls<B>), captures, shape, entry, facts, arguments};
  fill_record(launch.observation.record(),
              {name, shape, limits, at.stream.native(), at.stream.number(),
               at.stream.device().value(), at.site},
              B::vendor);
  return __atomic_load_n(&launch_watcher, __ATOMIC_ACQUIRE);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
