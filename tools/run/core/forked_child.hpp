// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "call/call.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/tool_api.hpp>

#include <pthread.h>

namespace warpsafe::watch {

/// A child that was forked after its parent used the GPU. It cannot use the GPU, and another thread
/// of the parent may have held any lock of the watch at the fork. So the watch does nothing in this
/// child, except to say why, once.
class ForkedChild {
 public:
  /// Call once, when the watch of this process begins.
  static void expect() noexcept {
    static_cast<void>(debug::Environment::get());  // the child must not wait for its first reader
    ::pthread_atfork(nullptr, nullptr, [] { here_ = true; });
  }
  /// Returns whether this process is that child.
  [[nodiscard]] static bool here() noexcept { return __atomic_load_n(&here_, __ATOMIC_RELAXED); }
  /// Call in that child when a call has returned. `failed`: with an error.
  static void called(Call call, bool failed) noexcept {
    if (!failed || !is_device_call(call) || debug::Environment::get().silent ||
        __atomic_exchange_n(&told_, true, __ATOMIC_RELAXED)) {
      return;
    }
    tool::log_line(
        debug::LogLevel::error,
        "warpsafe: this process was forked after its parent used the GPU, so it cannot use the GPU "
        "and is not watched; start workers by exec (Python: "
        "multiprocessing.set_start_method('spawn'))");
  }

 private:
  static inline bool here_ = false;
  static inline bool told_ = false;
};

}  // namespace warpsafe::watch
