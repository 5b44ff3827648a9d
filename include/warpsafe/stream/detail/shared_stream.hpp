// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/debug_hooks.hpp>

#include <new>
#include <utility>

namespace warpsafe::detail {

/// A stream that this library made, shared by its owner and by all that is bound to it (buffers,
/// library handles): the last of them destroys it, so that none outlives it.
///
/// All that live are on a list, so that what is bound by a StreamRef finds its stream and keeps it
/// too. Streams are made, bound and given up under its lock, never launched on.
template <class B>
class SharedStream {
 public:
  typename B::native_stream native;

  /// The runtime's call at the check level of the stream's creator.
  using Destroy = int (*)(typename B::native_stream stream) noexcept;

  /// For a stream that was made just now; one holder. nullptr without memory.
  [[nodiscard]] static SharedStream* make(typename B::native_stream stream,
                                          Destroy destroy) noexcept {
    auto* const made = new (std::nothrow) SharedStream(stream, destroy);
    if (made == nullptr) return nullptr;
    const ListLock lock;
    made->next_ = std::exchange(all_streams, made);
    return made;
  }
  /// One more holder of that stream; nullptr if it is none of this library's, or destroyed.
  [[nodiscard]] static SharedStream* find(const void* stream) noexcept {
    const ListLock lock;
    for (SharedStream* at = all_streams; at != nullptr; at = at->next_) {
      if (at->native != stream) continue;
      ++at->holders_;
      return at;
    }
    return nullptr;
  }
  void retain() noexcept {
    const ListLock lock;
    ++holders_;
  }
  /// The runtime's status if this was the last holder, else 0. The object is gone then.
  [[nodiscard]] int release() noexcept {
    {
      const ListLock lock;
      if (--holders_ != 0) return 0;
      SharedStream** at = &all_streams;
      while (*at != this) at = &(*at)->next_;
      *at = next_;
    }
    const int status = destroy_(native);
    delete this;
    return status;
  }

 private:
  class ListLock {
   public:
    ListLock() noexcept {
      while (__atomic_test_and_set(&list_locked, __ATOMIC_ACQUIRE)) {
      }
    }
    ~ListLock() { __atomic_clear(&list_locked, __ATOMIC_RELEASE); }
    ListLock(const ListLock&) = delete;
    ListLock& operator=(const ListLock&) = delete;
  };
  SharedStream(typename B::native_stream stream, Destroy destroy) noexcept
      : native(stream), destroy_(destroy) {}

  static inline SharedStream* all_streams = nullptr;
  static inline bool list_locked = false;
  Destroy destroy_;
  SharedStream* next_ = nullptr;
  int holders_ = 1;
};

/// Where the one stream of a device is kept that all Streams are (WARPSAFE_SYNC=one-stream), made
/// or not; nullptr where each is its own.
template <class B>
[[nodiscard]] SharedStream<B>** only_stream(int device) noexcept {
  constexpr int devices = 64;
  static SharedStream<B>* kept[devices];
  const DebugHooks* const hooks = debug_hooks();
  const bool one = hooks != nullptr && hooks->one_stream() && device >= 0 && device < devices;
  return one ? &kept[device] : nullptr;
}

}  // namespace warpsafe::detail
