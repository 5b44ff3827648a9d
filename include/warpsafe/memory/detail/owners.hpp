// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/stream/detail/shared_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// What all owners of a backend's device memory share, also those of other modules: the bytes that
/// they hold on each device, and the storage of the owners whose memory was freed. It serves later
/// owners and is never given back, so that an old view can ask whose it is (OwnerRef). The lock of
/// the streams guards both, so that a free takes it once.
template <class B>
class [[gnu::visibility("default")]] Owners {
 public:
  /// Storage for an owner of that many bytes of the device, which are counted as held. nullptr if
  /// the host's memory is exhausted. @pre `size` is the same in each call
  [[nodiscard]] static void* add(std::size_t size, int device, std::size_t bytes) noexcept {
    Retired* storage = nullptr;
    {
      const Locked locked(SharedStream<B>::list_lock);
      count(device, bytes);
      storage = retired;
      if (storage != nullptr) __atomic_store_n(&retired, storage->next, __ATOMIC_RELAXED);
    }
    return storage != nullptr ? storage : make(size, device, bytes);
  }
  /// The life of the owner that storage from `add` will hold.
  [[nodiscard]] static unsigned life_of(void* storage) noexcept {
    return static_cast<Retired*>(storage)->life;
  }
  /// Takes the storage of a destroyed owner, which came from `add`. `bytes` are no longer held, and
  /// the owner no longer holds `stream`, which may be nullptr.
  static void retire(void* storage, unsigned life, int device, std::size_t bytes,
                     SharedStream<B>* stream) noexcept {
    auto* const owner = ::new (storage) Retired(life + 1);
    bool is_last = false;
    {
      const Locked locked(SharedStream<B>::list_lock);
      count(device, 0 - bytes);
      owner->next = retired;
      __atomic_store_n(&retired, owner, __ATOMIC_RELEASE);
      if (stream != nullptr) is_last = stream->remove_holder();
    }
    if (is_last) SharedStream<B>::report(stream->destroy());
  }
  static constexpr int devices = 64;
  static inline std::uint64_t held[devices] = {};
  /// 0 of a device that has no count.
  [[nodiscard]] static std::uint64_t bytes_held(int device) noexcept {
    return is_counted(device) ? __atomic_load_n(&held[device], __ATOMIC_RELAXED) : 0;
  }

 private:
  /// Without checks, uses of an old view are still recorded here.
  struct Retired : MemoryOwner {
    explicit Retired(unsigned its_life) noexcept
        : MemoryOwner{
              .add_use = closed_memory.add_use, .of_device = memory_was_freed, .life = its_life} {}
    Retired* next = nullptr;
  };
  [[gnu::noinline]] static void* make(std::size_t size, int device, std::size_t bytes) noexcept {
    void* const storage = ::operator new(size, std::nothrow);
    if (storage != nullptr) return ::new (storage) Retired(1);
    const Locked locked(SharedStream<B>::list_lock);
    count(device, 0 - bytes);
    return nullptr;
  }
  static bool is_counted(int device) noexcept { return device >= 0 && device < devices; }
  /// @pre the lock is held
  static void count(int device, std::size_t bytes) noexcept {
    if (!is_counted(device)) return;
    __atomic_store_n(&held[device], held[device] + bytes, __ATOMIC_RELAXED);
  }

  static inline Retired* retired = nullptr;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
