// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../place/host_stack.hpp"
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <deque>
#include <mutex>

namespace warpsafe::watch {

/// A stream or event that the program has destroyed.
struct DestroyedHandle {
  const void* handle = nullptr;
  const char* what = "";  ///< "stream", "event"
  Name by{};              ///< the function that destroyed it
  HostStack at;           ///< where
};

/// The streams and events that the program destroyed last. Thread-safe.
class DestroyedHandles {
 public:
  /// May throw std::bad_alloc.
  void destroyed(const DestroyedHandle& one) {
    const std::lock_guard lock(mutex_);
    if (handles_.size() == most) handles_.pop_back();
    handles_.push_front(one);
  }
  /// Call when the runtime has made a handle: it may be one that was destroyed.
  void made(const void* handle) noexcept {
    const std::lock_guard lock(mutex_);
    for (DestroyedHandle& one : handles_) {
      if (one.handle == handle) one.handle = nullptr;
    }
  }
  /// Calls `see(handle)`, last destroyed first, until it returns true.
  template <class See>
  void each(const See& see) {
    const std::lock_guard lock(mutex_);
    for (const DestroyedHandle& one : handles_) {
      if (one.handle != nullptr && see(one)) return;
    }
  }

 private:
  static constexpr std::size_t most = 64;

  std::mutex mutex_;
  std::deque<DestroyedHandle> handles_;
};

}  // namespace warpsafe::watch
