// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/debug_hooks.hpp>
#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/launch/detail/launch_arguments.hpp>
#include <warpsafe/stream/detail/waiting.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstdint>
#include <cstdlib>

#if defined(__unix__)
#include <unistd.h>
#else
#include <cstdio>
#endif

namespace warpsafe::detail {

/// Writes a text to standard error. It is for what a file that launches includes: <cstdio> would
/// cost it more, and Outcome has <unistd.h> already.
inline void say(Name text) noexcept {
#if defined(__unix__)
  // Nobody is left to tell of a standard error that takes no text.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data, text.size);
#else
  std::fwrite(text.data, 1, text.size, stderr);
#endif
}

}  // namespace warpsafe::detail

// What a checked launch (level full) tells the debug tools. All that they do is behind one pointer,
// and is not compiled here.

namespace warpsafe::detail {

inline bool switches_checked = false;
/// Without the tools, a switch of the environment that is set has no reader: that is said once.
[[gnu::cold, gnu::noinline]] inline void warn_unread_switches() noexcept {
  if (__atomic_exchange_n(&switches_checked, true, __ATOMIC_RELAXED)) return;
  static constexpr Name switches[] = {
      Name::of("WARPSAFE_LOG"),     Name::of("WARPSAFE_SYNC"),      Name::of("WARPSAFE_BREAK"),
      Name::of("WARPSAFE_TRACE"),   Name::of("WARPSAFE_REFERENCE"), Name::of("WARPSAFE_SHADOW"),
      Name::of("WARPSAFE_TIMEOUT"), Name::of("WARPSAFE_ON_ERROR")};
  for (const Name& name : switches) {
    if (std::getenv(name.data) == nullptr) continue;
    say(Name::of("warpsafe: "));
    say(name);
    say(Name::of(
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

/// Whether a refused launch goes on (WARPSAFE_ON_ERROR=warn), after its error was written.
[[nodiscard]] inline bool continues_after_refusal(LaunchError& error) noexcept {
  const DebugHooks* const hooks = launch_hooks();
  return hooks != nullptr && hooks->continues_after(error);
}

/// One launch while it is dispatched. Made before, ended after.
class Observation {
 public:
  Observation(const BackendCalls& calls, const LaunchFacts& facts) noexcept
      : hooks_(launch_hooks()), calls_(calls) {
    if (hooks_ != nullptr) begun_ = hooks_->launching(record_, facts, calls_);
  }
  /// Whether a tool wants to look at the launch's data.
  [[nodiscard]] bool asks_for_data() const noexcept {
    return hooks_ != nullptr && (begun_ & detail::asks_for_data) != 0;
  }
  [[nodiscard]] Inspected inspect(const LaunchArguments& arguments,
                                  LaunchError& error) const noexcept {
    return hooks_->inspect(record_, calls_, arguments, error);
  }
  /// `launched` is what the dispatch said; a fault that a blocking launch finds takes its place.
  void end(result<void>& launched) const noexcept {
    if (hooks_ == nullptr) return;
    if (launched.has_value()) [[likely]] {
      LaunchError fault;
      if (hooks_->submitted(record_, calls_, begun_, fault)) {
        ::new (static_cast<void*>(&launched)) result<void>(failure<void>(fault));
      }
    } else {
      hooks_->refused(record_, calls_, begun_, ResultPolicy::error_in(launched));
    }
  }

 private:
  const DebugHooks* hooks_;
  const BackendCalls& calls_;
  debug::LaunchRecord record_;
  std::uint64_t begun_;
};

template <class B>
[[nodiscard, gnu::always_inline]] inline Observation observe(
    const Located<B>& at, const LaunchShape& shape, const Name& kernel,
    const KernelLimits* kernel_limits) noexcept {
  return {backend_calls<B>,
          {kernel, shape, kernel_limits, at.stream.native(), at.stream.device().value(), at.site}};
}

}  // namespace warpsafe::detail
