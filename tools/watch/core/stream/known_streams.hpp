// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace warpsafe::watch {

/// The streams that the program has created and not destroyed.
class KnownStreams {
 public:
  /// May throw std::bad_alloc.
  void made(const void* stream, std::int32_t device, bool non_blocking) {
    const std::lock_guard lock(mutex_);
    streams_[stream] = {device, non_blocking};
  }
  /// Call before the runtime destroys it. Waits until nobody asks about a stream. The runtime may
  /// hold a lock that a question needs, so this wait is short.
  void destroyed(const void* stream) {
    {
      const std::lock_guard lock(mutex_);
      streams_.erase(stream);
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
  };
  std::timed_mutex asking_;  ///< held while the runtime is asked
  std::mutex mutex_;
  std::map<const void*, What> streams_;
};

}  // namespace warpsafe::watch
