// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/core/detail/keep_loaded.hpp>
#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/stream/detail/shared_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// What all owners of a backend's device memory share, also those of other modules: the bytes that
/// they hold on each device, and the storage of the owners whose memory was freed. It serves later
/// owners and is never given back, so that an old view can ask whose it is (OwnerRef). The thread
/// that made a stream counts that stream's memory, and keeps its storage, without a lock; otherwise
/// the lock of the streams guards both.
template <class B>
class [[gnu::visibility("default")]] Owners {
 public:
  /// Storage for an owner of that many bytes of the device, which are counted as held. `stream` is
  /// the stream whose order frees them, or nullptr. nullptr if the host's memory is exhausted. @pre
  /// `size` is the same in each call
  [[nodiscard, gnu::always_inline]] static void* add(
      std::size_t size, int device, std::size_t bytes, SharedStream<B>* stream) noexcept {
    if (stream != nullptr && stream->is_here() && stream->here.spare != nullptr) [[likely]] {
      auto* const storage = static_cast<Retired*>(stream->here.spare);
      stream->here.spare = storage->next;
      count_here(*stream, bytes);
      return storage;
    }
    return add_elsewhere(size, device, bytes);
  }
  /// The life of the owner that storage from `add` will hold.
  [[nodiscard]] static unsigned life_of(void* storage) noexcept {
    return static_cast<Retired*>(storage)->life;
  }
  /// Takes the storage of a destroyed owner, which came from `add`. `bytes` are no longer held, and
  /// the owner no longer holds `stream`, which may be nullptr.
  [[gnu::always_inline]] static void retire(void* storage, unsigned life, int device,
                                            std::size_t bytes, SharedStream<B>* stream) noexcept {
    auto* const owner = ::new (storage) Retired(life + 1);
    if (stream != nullptr && stream->is_here()) [[likely]] {
      if (stream->here.give_back == nullptr) begin_spares(*stream);
      owner->next = static_cast<Retired*>(stream->here.spare);
      stream->here.spare = owner;
      count_here(*stream, 0 - bytes);
      if (!stream->remove_holder_here()) return;
    } else if (!retire_elsewhere(owner, device, bytes, stream)) {
      return;
    }
    stream->drop_unheld();
  }
  static constexpr int devices = cached_devices;
  static inline std::uint64_t held[devices] = {};
  /// 0 of a device that has no count.
  [[nodiscard]] static std::uint64_t bytes_held(int device) noexcept {
    if (!is_counted(device)) return 0;
    const Locked locked(SharedStream<B>::list_lock);
    return held[device] + SharedStream<B>::bytes_here(device);
  }

 private:
  /// Without checks, uses of an old view are still recorded here.
  struct Retired : MemoryOwner {
    explicit Retired(unsigned its_life) noexcept
        : MemoryOwner{
              .add_use = closed_memory.add_use, .of_device = memory_was_freed, .life = its_life} {}
    Retired* next = nullptr;
  };
  static void count_here(SharedStream<B> & stream, std::size_t bytes) noexcept {
    __atomic_store_n(&stream.here.bytes, stream.here.bytes + bytes, __ATOMIC_RELAXED);
  }
  /// The stream gives back its storage at its end.
  [[gnu::noinline, gnu::cold]] static void begin_spares(SharedStream<B> & stream) noexcept {
    keep_module();
    stream.here.give_back = [](SharedStream<B>& ended) noexcept {
      count(ended.device(), ended.here.bytes);
      while (ended.here.spare != nullptr) {
        auto* const owner = static_cast<Retired*>(ended.here.spare);
        ended.here.spare = owner->next;
        push(owner);
      }
    };
  }
  /// @pre the lock is held
  static void push(Retired * owner) noexcept {
    owner->next = retired;
    __atomic_store_n(&retired, owner, __ATOMIC_RELEASE);
  }
  [[gnu::noinline]] static void* add_elsewhere(std::size_t size, int device,
                                               std::size_t bytes) noexcept {
    Retired* storage = nullptr;
    {
      const Locked locked(SharedStream<B>::list_lock);
      count(device, bytes);
      storage = retired;
      if (storage != nullptr) __atomic_store_n(&retired, storage->next, __ATOMIC_RELAXED);
    }
    return storage != nullptr ? storage : make(size, device, bytes);
  }
  /// Returns whether `stream` lost its last holder, and must be destroyed.
  [[nodiscard, gnu::noinline]] static bool retire_elsewhere(
      Retired * owner, int device, std::size_t bytes, SharedStream<B>* stream) noexcept {
    const Locked locked(SharedStream<B>::list_lock);
    count(device, 0 - bytes);
    push(owner);
    return stream != nullptr && stream->remove_holder();
  }
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
