// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace warpsafe::watch {

/// CU_STREAM_LEGACY (cuda.h), hipStreamLegacy (hip_runtime_api.h, from HIP 6.4 on).
inline const void* legacy_handle() noexcept { return reinterpret_cast<const void*>(1); }
/// CU_STREAM_PER_THREAD, hipStreamPerThread.
inline const void* per_thread_handle() noexcept { return reinterpret_cast<const void*>(2); }

/// The streams that the program has created and not destroyed.
///
/// A handle is no identity: the next stream gets the handle of a destroyed one, whose work may
/// still run, and the handles of the default streams stand for one of each device or thread. So
/// each stream has a number.
class KnownStreams {
 public:
  /// Returns the number of a stream that the calling thread names as in the journal: nullptr is the
  /// legacy default stream of the device. No other stream has had it or will have it.
  [[nodiscard]] std::uint64_t number_of(const void* name, std::int32_t device) noexcept {
    const std::uint64_t which = static_cast<std::uint32_t>(device) & (first_thread - 1);
    if (name == nullptr || name == legacy_handle()) return legacy_streams | which;
    if (name == per_thread_handle()) return thread_streams | number_of_thread() | which;
    struct Last {
      const KnownStreams* of;
      const void* name;
      std::uint64_t changes;
      std::uint64_t number;
    };
    thread_local Last last{};  // a launch then takes no lock
    const std::uint64_t changes = __atomic_load_n(&changes_, __ATOMIC_ACQUIRE);
    if (last.of != this || last.name != name || last.changes != changes) {
      last = {this, name, changes, look_up(name)};
    }
    return last.number;
  }
  /// May throw std::bad_alloc.
  void made(const void* stream, std::int32_t device, bool non_blocking) {
    const std::lock_guard lock(mutex_);
    strangers_.erase(stream);
    streams_[stream] = {device, non_blocking, next()};
    __atomic_add_fetch(&changes_, 1, __ATOMIC_RELEASE);
  }
  /// Call before the runtime destroys it. Waits until nobody asks about a stream. The runtime may
  /// hold a lock that a question needs, so this wait is short.
  void destroyed(const void* stream) {
    {
      const std::lock_guard lock(mutex_);
      streams_.erase(stream);
      strangers_.erase(stream);
      __atomic_add_fetch(&changes_, 1, __ATOMIC_RELEASE);
    }
    // Not the steady clock, since ThreadSanitizer of LLVM 14 does not see a lock by it.
    const std::unique_lock asked(asking_,
                                 std::chrono::system_clock::now() + std::chrono::milliseconds(100));
  }
  /// Calls `ask`, which asks the runtime about a stream, if the stream is alive. The program does
  /// not destroy it meanwhile. Returns whether it is alive.
  template <class Ask>
  [[nodiscard]] bool while_alive(const void* stream, const Ask& ask) {
    const std::lock_guard lock(asking_);
    if (device_of(stream) < 0) return false;
    ask();
    return true;
  }
  /// Returns the device of a live stream, otherwise -1.
  [[nodiscard]] std::int32_t device_of(const void* stream) {
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(stream);
    return found == streams_.end() ? -1 : found->second.device;
  }
  /// Returns whether the stream is alive and non-blocking.
  [[nodiscard]] bool is_non_blocking(const void* stream) {
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(stream);
    return found != streams_.end() && found->second.non_blocking;
  }
  /// Returns whether the device has a stream that its legacy default stream does not wait for.
  [[nodiscard]] bool any_non_blocking(std::int32_t device) {
    const std::lock_guard lock(mutex_);
    for (const auto& [stream, what] : streams_) {
      if (what.device == device && what.non_blocking) return true;
    }
    return false;
  }
  /// Calls `see(stream)` for each live stream of a device.
  template <class See>
  void each(std::int32_t device, const See& see) {
    const std::lock_guard lock(mutex_);
    for (const auto& [stream, what] : streams_) {
      if (what.device == device) see(stream);
    }
  }
  /// Returns the stream whose handle, or its low 32 bits, equals a number of bytes; nullptr: none.
  [[nodiscard]] const void* stream_passed_as_bytes(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    for (const auto& [stream, what] : streams_) {
      const auto handle = reinterpret_cast<std::uintptr_t>(stream);
      if (handle == bytes || (handle & 0xffffffffU) == bytes) return stream;
    }
    return nullptr;
  }

 private:
  struct What {
    std::int32_t device;
    bool non_blocking;
    std::uint64_t number;
  };
  static constexpr std::uint64_t legacy_streams = std::uint64_t{1} << 60U;
  static constexpr std::uint64_t thread_streams = std::uint64_t{1} << 61U;
  static constexpr std::uint64_t first_thread = 1024;  ///< more than the devices of a process

  [[nodiscard]] static std::uint64_t number_of_thread() noexcept {
    static std::uint64_t threads = 0;
    thread_local const std::uint64_t own =
        __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED) * first_thread;
    return own;
  }
  [[nodiscard]] std::uint64_t next() noexcept {
    return __atomic_add_fetch(&numbers_, 1, __ATOMIC_RELAXED);
  }
  [[nodiscard]] std::uint64_t look_up(const void* stream) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      const auto known = streams_.find(stream);
      if (known != streams_.end()) return known->second.number;
      const auto [stranger, is_new] = strangers_.try_emplace(stream);
      if (is_new) stranger->second = next();
      return stranger->second;
    } catch (...) {  // out of memory: no other work is known to be in the order of this stream
      return next();
    }
  }
  std::timed_mutex asking_;  ///< held while the runtime is asked
  std::mutex mutex_;
  std::map<const void*, What> streams_;
  /// Numbers of streams whose creation was not seen, and of handles that no stream has.
  std::map<const void*, std::uint64_t> strangers_;
  std::uint64_t numbers_ = 0;
  static inline std::uint64_t changes_ = 1;  ///< of all tables: see `number_of`
};

}  // namespace warpsafe::watch
