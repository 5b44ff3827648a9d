// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/stream/detail/shared_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// What all owners of a backend's device memory share, also those of other modules: the bytes that
/// they hold on each device, and the storage of the owners whose memory was freed last. A view that
/// outlives its buffer still finds its owner there, and a checked launch refuses it. The lock of
/// the streams guards both, so that a free takes it once.
template <class B>
class [[gnu::visibility("default")]] Owners {
 public:
  /// Storage for an owner of that many bytes of the device, which are counted as held. nullptr if
  /// the host's memory is exhausted. @pre `size` is the same in each call
  [[nodiscard]] static void* add(std::size_t size, int device, std::size_t bytes) noexcept {
    void* storage = nullptr;
    {
      const Locked locked(SharedStream<B>::list_lock);
      count(device, bytes);
      // The place has an owner only if all others have one, and it is the oldest.
      storage = retired[next];
      __atomic_store_n(&retired[next], nullptr, __ATOMIC_RELAXED);
    }
    return storage != nullptr ? storage : make(size, device, bytes);
  }
  /// Makes the storage of a destroyed owner, which came from `add`, an owner that is marked as
  /// freed. `bytes` are no longer held, and the owner no longer holds `stream`, which may be
  /// nullptr.
  static void retire(void* storage, int device, std::size_t bytes,
                     SharedStream<B>* stream) noexcept {
    auto* const owner = ::new (storage) MemoryOwner;
    owner->add_use = [](MemoryOwner&, void*, int, unsigned long) noexcept { return 0; };
    owner->of_device = memory_was_freed;
    void* oldest = nullptr;
    bool is_last = false;
    {
      const Locked locked(SharedStream<B>::list_lock);
      count(device, 0 - bytes);
      oldest = std::exchange(retired[next], storage);
      next = (next + 1) % room;
      if (stream != nullptr) is_last = stream->remove_holder();
    }
    if (oldest != nullptr) [[unlikely]]
      ::operator delete(oldest);
    if (is_last) SharedStream<B>::report(stream->destroy());
  }
  static constexpr int devices = 64;
  static inline std::uint64_t held[devices] = {};
  /// 0 of a device that has no count.
  [[nodiscard]] static std::uint64_t bytes_held(int device) noexcept {
    return is_counted(device) ? __atomic_load_n(&held[device], __ATOMIC_RELAXED) : 0;
  }

 private:
  static constexpr unsigned room = 256;
  [[gnu::noinline]] static void* make(std::size_t size, int device, std::size_t bytes) noexcept {
    void* const storage = ::operator new(size, std::nothrow);
    if (storage == nullptr) {
      const Locked locked(SharedStream<B>::list_lock);
      count(device, 0 - bytes);
    }
    return storage;
  }
  static bool is_counted(int device) noexcept { return device >= 0 && device < devices; }
  /// @pre the lock is held
  static void count(int device, std::size_t bytes) noexcept {
    if (!is_counted(device)) return;
    __atomic_store_n(&held[device], held[device] + bytes, __ATOMIC_RELAXED);
  }

  static inline unsigned next = 0;
  static inline void* retired[room] = {};
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
