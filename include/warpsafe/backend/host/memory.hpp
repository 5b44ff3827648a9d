// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/host/sanitizer.hpp>
#include <warpsafe/backend/host/status.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <new>

namespace warpsafe::host {

/// What memory holds before anything was written to it, and after it was given back: a NaN as float
/// and as double, an absurd number as an integer, so that reading before a copy shows.
inline constexpr std::uint32_t fresh_pattern = 0xFFFAFAFA;
inline constexpr std::uint32_t freed_pattern = 0xFFFDFDFD;
inline constexpr std::uint32_t guard_pattern = 0xFFFCFCFC;

/// Writes `pattern` over `bytes` bytes; a last partial word gets the pattern's first bytes.
inline void fill_pattern(void* memory, std::size_t bytes, std::uint32_t pattern) noexcept {
  auto* to = static_cast<unsigned char*>(memory);
  for (; bytes >= sizeof pattern; bytes -= sizeof pattern, to += sizeof pattern) {
    std::memcpy(to, &pattern, sizeof pattern);
  }
  std::memcpy(to, &pattern, bytes);
}

/// One piece of memory that the backend handed out.
struct Allocation {
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::unregistered;
  int device = -1;
  bool freed = false;  ///< given back by the program; storage stays until its stream gets there
};

/// Every piece of memory that was handed out, by address. Not synchronised: its owner locks.
class MemoryRegistry {
 public:
  /// New memory, aligned to 256 bytes as CUDA's is, filled with `fresh_pattern`; nullptr if the
  /// system has none left. `bytes` must not be 0.
  [[nodiscard]] void* create(std::size_t bytes, MemoryKind kind, int device) {
    if (bytes > SIZE_MAX - guard_bytes) return nullptr;
    void* memory = ::operator new(bytes + guard_bytes, alignment, std::nothrow);
    if (memory == nullptr) return nullptr;
    fill_pattern(memory, bytes, fresh_pattern);
    fill_pattern(static_cast<unsigned char*>(memory) + bytes, guard_bytes, guard_pattern);
    allocations_.insert_or_assign(address(memory), Allocation{bytes, kind, device, false});
    return memory;
  }

  /// The allocation that starts at `memory`, or nullptr.
  [[nodiscard]] Allocation* at(const void* memory) {
    const auto found = allocations_.find(address(memory));
    return found == allocations_.end() ? nullptr : &found->second;
  }

  /// The allocation that holds all of [memory, memory + bytes), or nullptr.
  [[nodiscard]] const Allocation* around(const void* memory, std::size_t bytes) const {
    const auto after = allocations_.upper_bound(address(memory));
    if (after == allocations_.begin()) return nullptr;
    const auto& [begin, allocation] = *std::prev(after);
    const std::size_t offset = address(memory) - begin;
    const bool inside = offset < allocation.bytes && bytes <= allocation.bytes - offset;
    return inside ? &allocation : nullptr;
  }

  /// Gives the storage back to the system. False if something had been written past its end.
  [[nodiscard]] bool destroy(void* memory) {
    const auto found = allocations_.find(address(memory));
    const std::size_t bytes = found->second.bytes;
    allocations_.erase(found);
    unsigned char expected[guard_bytes + 1];
    fill_pattern(expected, guard_bytes, guard_pattern);
    const bool intact =
        std::memcmp(static_cast<unsigned char*>(memory) + bytes, expected, guard_bytes) == 0;
    fill_pattern(memory, bytes, freed_pattern);
    ::operator delete(memory, alignment);
    return intact;
  }

 private:
  static constexpr std::align_val_t alignment{256};
  // AddressSanitizer watches the end itself, and better: a guard of ours would be legal memory to
  // it.
  static constexpr std::size_t guard_bytes = address_sanitizer ? 0 : 64;

  [[nodiscard]] static std::uintptr_t address(const void* memory) noexcept {
    return reinterpret_cast<std::uintptr_t>(memory);
  }

  std::map<std::uintptr_t, Allocation> allocations_;
};

}  // namespace warpsafe::host
