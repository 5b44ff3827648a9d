// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/hooks.hpp>
#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/name.hpp>
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

// The calls of a checked launch (level full) into the debug tools. The tools are behind one pointer
// and are not compiled here.

[[gnu::visibility("default")]] inline bool switches_checked = false;
/// Without the tools nothing reads the switches of the environment. Warns once about each that is
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
[[nodiscard]] inline const DebugHooks* launch_hooks() noexcept {
  const DebugHooks* const hooks = debug_hooks();
  if (hooks == nullptr && !__atomic_load_n(&switches_checked, __ATOMIC_RELAXED)) [[unlikely]] {
    warn_unread_switches();
  }
  return hooks;
}

/// Whether to launch although a check has refused it (WARPSAFE_ON_ERROR=warn). The error is written
/// first.
[[nodiscard]] inline bool continues_after_refusal(LaunchError& error) noexcept {
  const DebugHooks* const hooks = launch_hooks();
  return hooks != nullptr && hooks->continues_after(error);
}

/// Who is to submit a launch; nullptr if nobody watches.
[[nodiscard]] inline LaunchWatcher watcher_of_launches() noexcept {
  return launch_hooks() == nullptr && open_captures() == nullptr
             ? nullptr
             : __atomic_load_n(&launch_watcher, __ATOMIC_ACQUIRE);
}

/// Observes one launch: construct it before the dispatch, call `end` after it.
class Observation {
 public:
  Observation(const BackendCalls& calls, const LaunchFacts& facts) noexcept
      : hooks_(launch_hooks()), calls_(calls) {
    if (hooks_ != nullptr) begun_ = hooks_->launching(record_, facts, calls_);
  }
  /// Whether a debug tool asks for the launch's data.
  [[nodiscard]] bool asks_for_data() const noexcept {
    return hooks_ != nullptr && (begun_ & detail::asks_for_data) != 0;
  }
  [[nodiscard]] Inspected inspect(const LaunchArguments& arguments,
                                  LaunchError& error) const noexcept {
    return hooks_->inspect(record_, calls_, arguments, error);
  }
  /// `launched`: the runtime accepted the launch; otherwise `error` says why not. The result is
  /// false, with the fault in `error`, if a blocking launch finds one.
  [[nodiscard]] bool end(bool launched, LaunchError& error) const noexcept {
    if (hooks_ == nullptr) return launched;
    if (launched) [[likely]]
      return !hooks_->submitted(record_, calls_, begun_, error);
    hooks_->refused(record_, calls_, begun_, error);
    return false;
  }

 private:
  const DebugHooks* hooks_;
  const BackendCalls& calls_;
  debug::LaunchRecord record_;
  std::uint64_t begun_;
};

template <class B>
[[nodiscard]] Observation observe(const Located<B>& at, const LaunchShape& shape,
                                  const Name& kernel, const KernelLimits* kernel_limits) noexcept {
  return {backend_calls<B>,
          {kernel, shape, kernel_limits, at.stream.native(), at.stream.number(),
           at.stream.device().value(), at.site}};
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
