// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/limits.hpp>

#include <cstdint>

namespace warpsafe {

struct LaunchError;

namespace detail {

class TextBuffer;

/// What the debug tools of checked code do where something is waited for, where an error is made
/// and where its text is. They are reached through a pointer, so that these places are the same at
/// every check level, and an object without checks holds no more of the tools than a look whether
/// anybody is there. A launch does not go through here.
struct DebugHooks {
  /// A wait begins, or an event is recorded: the time of that, never 0.
  std::uint64_t (*begin_wait)() noexcept;
  /// What was submitted to the stream before that time has ended without a fault.
  void (*waited)(Vendor vendor, std::int32_t device, const void* stream,
                 std::uint64_t began) noexcept;
  /// A status of the runtime has become `error`, on a device (-1: unknown). `earlier_work` tells
  /// that the fault is that of work which was submitted before, so that suspects can be named.
  void (*noticed)(LaunchError& error, std::int32_t device, bool earlier_work) noexcept;
  /// The end of the error's text, where `noticed` has found suspects.
  void (*put_suspects)(TextBuffer& out, const LaunchError& error) noexcept;
};

inline const DebugHooks* debug_hooks_in_use = nullptr;

/// nullptr until checked code (level full) has launched something.
[[nodiscard]] inline const DebugHooks* debug_hooks() noexcept {
  return __atomic_load_n(&debug_hooks_in_use, __ATOMIC_ACQUIRE);
}

/// A point in a stream up to which its work may be known to have ended.
struct StreamPoint {
  const void* stream = nullptr;
  std::uint64_t time = 0;  ///< 0: nothing is known
  std::int32_t device = -1;

  /// What the stream has reached now. Call it before it is waited for, or an event is recorded.
  [[nodiscard]] static StreamPoint of(const void* stream, std::int32_t device) noexcept {
    const DebugHooks* const hooks = debug_hooks();
    return {stream, hooks == nullptr ? 0 : hooks->begin_wait(), device};
  }
  /// A wait for it has succeeded: what was submitted before is no suspect any more.
  void reached(Vendor vendor) const noexcept {
    const DebugHooks* const hooks = debug_hooks();
    if (hooks != nullptr && time != 0) hooks->waited(vendor, device, stream, time);
  }
};

}  // namespace detail

}  // namespace warpsafe
