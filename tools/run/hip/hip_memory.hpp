// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/call/memory_kind.hpp"
#include "../core/suspicion/live_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace warpsafe::watch {

/// All memory that HIP has allocated or pinned for the process and its libraries. The runtime is
/// not queried, because a query for an unknown address would leave an error for the program.
/// Thread-safe.
class HipMemory {
 public:
  /// `kind` is not MemoryKind::ordinary. May throw std::bad_alloc.
  void add(const void* memory, std::size_t bytes, MemoryKind kind) {
    const std::lock_guard lock(mutex_);
    of(kind).add(reinterpret_cast<std::uintptr_t>(memory), bytes, false);
  }
  void erase(const void* memory) {
    const std::lock_guard lock(mutex_);
    device_.erase(reinterpret_cast<std::uintptr_t>(memory));
    pinned_.erase(reinterpret_cast<std::uintptr_t>(memory));
  }
  [[nodiscard]] MemoryKind kind_of(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    if (device_.find(address).what != nullptr) return MemoryKind::device;
    return pinned_.find(address).what != nullptr ? MemoryKind::pinned : MemoryKind::ordinary;
  }
  [[nodiscard]] static HipMemory& get() {
    // Never freed: programs use it until their last destructor.
    static auto* const memory = new HipMemory;
    return *memory;
  }

 private:
  [[nodiscard]] LiveMemory& of(MemoryKind kind) noexcept {
    return kind == MemoryKind::device ? device_ : pinned_;
  }
  std::mutex mutex_;
  LiveMemory device_;
  LiveMemory pinned_;
};

}  // namespace warpsafe::watch
