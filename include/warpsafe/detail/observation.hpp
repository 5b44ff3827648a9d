// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/debug/launch_record.hpp>
#include <warpsafe/detail/caches.hpp>
#include <warpsafe/detail/calls_at.hpp>
#include <warpsafe/detail/debug_hooks.hpp>
#include <warpsafe/detail/launch_arguments.hpp>
#include <warpsafe/detail/runtime_error.hpp>
#include <warpsafe/detail/say.hpp>
#include <warpsafe/detail/waiting.hpp>
#include <warpsafe/launch_shape.hpp>
#include <warpsafe/result.hpp>
#include <warpsafe/stream.hpp>

#include <cstdint>
#include <cstdlib>

// What a checked launch (level full) tells the debug tools. All that they do is behind one pointer,
// and is not compiled here.

namespace warpsafe::detail {

inline bool switches_looked_for = false;
/// Without the tools, a switch of the environment that is set has no reader: that is said once.
[[gnu::cold, gnu::noinline]] inline void say_unread_switches() noexcept {
  if (__atomic_exchange_n(&switches_looked_for, true, __ATOMIC_RELAXED)) return;
  constexpr Name switches[] = {Name::of("WARPSAFE_LOG"),       Name::of("WARPSAFE_SYNC"),
                               Name::of("WARPSAFE_BREAK"),     Name::of("WARPSAFE_TRACE"),
                               Name::of("WARPSAFE_REFERENCE"), Name::of("WARPSAFE_SHADOW"),
                               Name::of("WARPSAFE_TIMEOUT"),   Name::of("WARPSAFE_ON_ERROR")};
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
  if (hooks == nullptr && !__atomic_load_n(&switches_looked_for, __ATOMIC_RELAXED)) [[unlikely]] {
    say_unread_switches();
  }
  return hooks;
}

/// Whether a refused launch goes on (WARPSAFE_ON_ERROR=warn), after its error was written.
[[nodiscard]] inline bool launches_all_the_same(LaunchError& error) noexcept {
  const DebugHooks* const hooks = launch_hooks();
  return hooks != nullptr && hooks->goes_on(error);
}

template <class B>
LaunchError wait_error(int status, int device, call_site site) noexcept {
  return runtime_error<B>(status, Name::of("stream synchronize"), site, Stage::completion, device);
}
template <class B>
bool named_limits(int device, DeviceLimits& limits) noexcept {
  int status = 0;
  const DeviceLimits* const known =
      DeviceCache<B>::template find<CallsAt<B, CheckLevel::full>>(device, limits, status);
  if (known == nullptr) return false;
  limits = *known;
  if (limits.name.empty()) limits.name = device_name<B>(device);
  return true;
}
template <class B>
inline constexpr BackendCalls backend_calls{B::name,
                                            B::vendor,
                                            &B::peek_last_error,
                                            &B::error_name,
                                            &B::error_text,
                                            &StreamCalls<CallsAt<B, CheckLevel::full>>::capturing,
                                            &stream_wait_calls<CallsAt<B, CheckLevel::full>>,
                                            &wait_error<B>,
                                            &named_limits<B>};

/// One launch while it is dispatched. Made before, ended after.
class Observation {
 public:
  /// `kernel_limits` may be nullptr.
  Observation(const BackendCalls& calls, const void* stream, DeviceId device, call_site site,
              const LaunchShape& shape, const Name& kernel,
              const KernelLimits* kernel_limits) noexcept
      : hooks_(launch_hooks()), calls_(calls) {
    if (hooks_ == nullptr) return;
    record_.sequence = 0;
    record_.kernel = kernel;
    for (int axis = 0; axis < 3; ++axis) {
      record_.grid[axis] = shape.grid[axis];
      record_.block[axis] = shape.block[axis];
    }
    record_.dynamic_shared = shape.dynamic_shared;
    record_.stream = stream;
    record_.device = device.value();
    record_.vendor = calls.vendor;
    record_.state = debug::LaunchState::started;
    const bool known = kernel_limits != nullptr;
    record_.registers = known ? kernel_limits->registers : 0;
    record_.max_threads_per_block = known ? kernel_limits->max_threads_per_block : 0;
    record_.static_shared = known ? kernel_limits->static_shared : 0;
    record_.site = site;
    begun_ = hooks_->launching(record_, calls_);
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
      if (hooks_->submitted(record_, calls_, begun_, fault)) launched = failure<void>(fault);
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

/// Shows a launch's data to the tools that asked for it, and keeps what they say.
class Inspection {
 public:
  explicit Inspection(const Observation& seen) noexcept : seen_(seen) {}
  [[nodiscard]] ArgumentReader reader() noexcept {
    return {[](void* self, const LaunchArguments& arguments) noexcept {
              auto& inspection = *static_cast<Inspection*>(self);
              inspection.verdict_ = inspection.seen_.inspect(arguments, inspection.error_);
            },
            this};
  }
  /// Whether there is nothing left to dispatch: `answer` is the launch's result then.
  [[nodiscard]] bool takes_its_place(result<void>& answer) const noexcept {
    if (verdict_ == Inspected::failed) answer = failure<void>(error_);
    return verdict_ != Inspected::dispatch;
  }

 private:
  const Observation& seen_;
  LaunchError error_;
  Inspected verdict_ = Inspected::dispatch;
};

template <class B>
[[nodiscard]] Observation observe(const Located<B>& at, const LaunchShape& shape,
                                  const Name& kernel, const KernelLimits* kernel_limits) noexcept {
  return {backend_calls<B>, at.stream.native(), at.stream.device(), at.site, shape,
          kernel,           kernel_limits};
}

}  // namespace warpsafe::detail
