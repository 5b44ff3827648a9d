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

// What a checked launch asks before it calls the observers.

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

/// What observers are told of one launch (watched_launch.hpp).
struct Observation {
  // The record stays as it is: to clear it would be more code.
  Observation(const Observer* observers, const BackendCalls& backend) noexcept
      : first(observers), calls(backend) {}

  const Observer* first;  ///< nullptr: none
  const BackendCalls& calls;
  /// The launch says which kernel it is and where, and the watcher the rest. Until then, the number
  /// of a per-thread stream is that of no thread.
  LaunchRecord record;
  std::uint64_t begun = 0;  ///< 0: no observer asks for the time
};
/// A launch that an observer or an open capture watches.
struct WatchedLaunch {
  Observation observation;
  const LaunchShape& shape;
  const KernelLimits* limits;    ///< of the kernel; nullptr if unknown
  const CaptureHooks* captures;  ///< nullptr: no capture is open
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
  /// A check has refused a launch. Returns whether an observer asks to launch regardless.
  bool (*refused)(LaunchError& error) noexcept;
};
/// Set once the program has an observer or has had a capture.
[[gnu::visibility("default")]] inline const LaunchWatcher* launch_watcher = nullptr;

/// Tells the observers that a check has refused a launch. Returns whether one asks to launch
/// regardless.
[[nodiscard]] inline bool continues_after_refusal(LaunchError& error) noexcept {
  if (launch_observers() == nullptr) return false;
  const LaunchWatcher* const watcher = __atomic_load_n(&launch_watcher, __ATOMIC_ACQUIRE);
  return watcher != nullptr && watcher->refused(error);
}

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
      WatchedLaunch{{first, backend_calls<B>}, shape, limits, captures, entry, facts, arguments};
  LaunchRecord& record = launch.observation.record;
  record.kernel = name;
  record.stream = at.stream.native();
  record.stream_number = StreamAccess::given_number(at.stream);
  record.device = at.stream.device().value();
  record.vendor = B::vendor;
  record.site = at.site;
  return __atomic_load_n(&launch_watcher, __ATOMIC_ACQUIRE);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
