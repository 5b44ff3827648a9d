// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/device.hpp>
#include <warpsafe/backend/host/detail/exceptions.hpp>
#include <warpsafe/backend/host/detail/status.hpp>
#include <warpsafe/backend/kernel_entry.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace warpsafe::host {

/// The contents of memory that was never written. It is a NaN as float and as double, and an absurd
/// number as an integer, so that reading before a copy is noticed.
inline constexpr std::uint32_t fresh_pattern = 0xFFFAFAFA;
inline constexpr std::uint32_t freed_pattern = 0xFFFDFDFD;
inline constexpr std::uint32_t guard_pattern = 0xFFFCFCFC;

/// Fills `bytes` bytes with `pattern`; a last partial word gets the pattern's first bytes.
inline void fill_pattern(void* memory, std::size_t bytes, std::uint32_t pattern) noexcept {
  auto* to = static_cast<unsigned char*>(memory);
  for (; bytes >= sizeof pattern; bytes -= sizeof pattern, to += sizeof pattern) {
    std::memcpy(to, &pattern, sizeof pattern);
  }
  if (bytes != 0) std::memcpy(to, &pattern, bytes);
}

/// Memory of a device: aligned to 256 bytes like CUDA's, with a guard behind it.
class Storage {
 public:
  Storage() = default;
  /// Holds nothing if the system has no memory left.
  explicit Storage(std::size_t bytes) noexcept : bytes_(bytes) {
    if (bytes > SIZE_MAX - guard_bytes) return;
    memory_.reset(
        static_cast<unsigned char*>(::operator new(bytes + guard_bytes, alignment, std::nothrow)));
    if (memory_ == nullptr) return;
    fill_pattern(memory_.get(), bytes, fresh_pattern);
    fill_pattern(memory_.get() + bytes, guard_bytes, guard_pattern);
  }
  [[nodiscard]] void* get() const noexcept { return memory_.get(); }

  /// Ends the memory's use: later reads find `freed_pattern` while the storage still exists.
  /// Returns false if the guard behind it was overwritten.
  [[nodiscard]] bool retire() noexcept {
    unsigned char expected[guard_bytes + 1];
    fill_pattern(expected, guard_bytes, guard_pattern);
    const bool intact = std::memcmp(memory_.get() + bytes_, expected, guard_bytes) == 0;
    fill_pattern(memory_.get(), bytes_, freed_pattern);
    return intact;
  }

 private:
  static constexpr std::align_val_t alignment{256};
  // AddressSanitizer checks the end itself, and would take a guard for valid memory.
  static constexpr std::size_t guard_bytes = address_sanitizer ? 0 : 64;
  struct Delete {
    void operator()(unsigned char* memory) const noexcept { ::operator delete(memory, alignment); }
  };
  std::unique_ptr<unsigned char, Delete> memory_;
  std::size_t bytes_ = 0;
};

/// One allocation of the backend.
struct Allocation {
  Storage storage{};
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::unregistered;
  int device = -1;
  bool freed = false;    ///< freed by the program; the storage stays until its stream gets there
  bool ordered = false;  ///< allocated and freed in the order of a stream

  /// Whether a device may access the memory by its address.
  [[nodiscard]] bool is_accessible(const Device& from) const {
    return kind != MemoryKind::device || from.accesses(device);
  }
};

/// All allocations by address. Not thread-safe; its owner locks. A sorted vector, because clang 15
/// crashes on std::map's nodes when it compiles for an AMD device.
class MemoryRegistry {
 public:
  void add(Allocation allocation) {
    auto made = std::make_unique<Allocation>(std::move(allocation));
    allocations_.insert(after(made->storage.get()), std::move(made));
  }
  /// The allocation that starts at `memory`, or nullptr.
  [[nodiscard]] Allocation* at(const void* memory) {
    const auto next = after(memory);
    if (next == allocations_.begin()) return nullptr;
    Allocation* const found = std::prev(next)->get();
    return found->storage.get() == memory ? found : nullptr;
  }
  /// The allocation that contains all of [memory, memory + bytes), or nullptr.
  [[nodiscard]] const Allocation* around(const void* memory, std::size_t bytes) const {
    const auto next = after(memory);
    if (next == allocations_.begin()) return nullptr;
    const Allocation* const found = std::prev(next)->get();
    const std::size_t offset = address(memory) - address(found->storage.get());
    const bool inside = offset < found->bytes && bytes <= found->bytes - offset;
    return inside ? found : nullptr;
  }
  /// Removes the allocation that starts at `memory`. @pre there is one
  [[nodiscard]] Storage remove(const void* memory) {
    const auto found = std::prev(after(memory));
    Storage storage = std::move((*found)->storage);
    allocations_.erase(found);
    return storage;
  }

 private:
  using Allocations = std::vector<std::unique_ptr<Allocation>>;

  [[nodiscard]] static std::uintptr_t address(const void* memory) noexcept {
    return reinterpret_cast<std::uintptr_t>(memory);
  }
  /// The first allocation that begins above `memory`.
  [[nodiscard]] Allocations::const_iterator after(const void* memory) const {
    return std::upper_bound(allocations_.begin(), allocations_.end(), address(memory),
                            [](std::uintptr_t wanted, const auto& allocation) {
                              return wanted < address(allocation->storage.get());
                            });
  }
  Allocations allocations_;
};

}  // namespace warpsafe::host
