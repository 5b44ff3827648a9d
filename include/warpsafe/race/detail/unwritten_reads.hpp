// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/host_thread.hpp>
#include <warpsafe/backend/host/detail/guarded_pages.hpp>
#include <warpsafe/backend/host/detail/memory.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/debug/detail/catch_bad_alloc.hpp>

#include <bit>
#include <cstddef>
#include <unordered_set>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// Finds work that reads device memory which nothing has written: the memory holds what the backend
/// puts into new memory. It knows of two reads for certain: a copy to the host, and an atomic
/// addition in a kernel. Through any other pointer or span, a kernel may read or not.
class UnwrittenReads final : public KernelWatch {
 public:
  UnwrittenReads() = default;
  ~UnwrittenReads() override { stop(); }

  /// Begins a run without operations.
  void clear() {
    written_.clear();
    hides_ = false;
  }
  /// Notes which memory the operation writes. @pre it has run
  void add_writes(const Operation& operation, const MemoryRegistry& registry) {
    if (operation.kind() == OperationKind::graph) {
      for (const GraphNode& node : *static_cast<const GraphOperation&>(operation).nodes) {
        add_writes(*node.operation, registry);
      }
    }
    const OperationKind kind = operation.kind();
    if (kind == OperationKind::kernel) {
      hides_ = hides_ || static_cast<const KernelOperation&>(operation).unseen != 0;
    } else if (kind != OperationKind::copy && kind != OperationKind::fill) {
      return;
    }
    for (const MemoryAccess& access : operation.accesses) {
      const Allocation* const memory =
          access.writes() ? registry.around(access.address()) : nullptr;
      if (memory == nullptr) continue;
      const auto insert = [&] { written_.insert(memory->storage.get()); };
      if (!debug::detail::has_memory_for(insert)) hides_ = true;
    }
  }
  /// Whether the operation copies such memory to the host.
  [[nodiscard]] bool in_copy(const Operation& operation, const MemoryRegistry& registry) const {
    if (operation.kind() != OperationKind::copy) return false;
    const MemoryAccess& to = operation.accesses[0];
    const MemoryAccess& from = operation.accesses[1];
    const Allocation* const target = registry.around(to.address());
    const Allocation* const memory = registry.around(from.address());
    if (memory == nullptr || memory->kind != MemoryKind::device ||
        (target != nullptr && target->kind == MemoryKind::device)) {
      return false;
    }
    // So few bytes may be a value.
    if (from.bytes * from.rows < sizeof fresh_pattern &&
        (hides_ || written_.contains(memory->storage.get()))) {
      return false;
    }
    const auto* row = static_cast<const unsigned char*>(from.address());
    for (std::size_t i = 0; i < from.rows; ++i, row += from.pitch) {
      if (!is_fresh(row, row, from.bytes, memory->storage.get())) return false;
    }
    return true;
  }
  /// Whether a kernel has read such memory since the last call.
  [[nodiscard]] bool takes_found() noexcept {
    return __atomic_exchange_n(&found_, false, __ATOMIC_RELAXED);
  }

  void begins(const KernelOperation& kernel) noexcept override {
    fresh_.clear();
    Runtime& runtime = Runtime::get();
    const Lock lock(runtime.mutex);
    for (const MemoryAccess& access : kernel.accesses) {
      const Allocation* const memory =
          access.writes() ? runtime.memory.around(access.address()) : nullptr;
      if (memory != nullptr && memory->kind == MemoryKind::device) add(access, *memory);
    }
    if (fresh_.empty()) return;
    watching = this;
    __atomic_store_n(&warpsafe::detail::atomic_read, &see, __ATOMIC_RELEASE);
  }
  void has_run(const KernelOperation&) noexcept override { stop(); }

 private:
  /// Memory of the running kernel that was not written before.
  struct Fresh {
    const unsigned char* begin;
    const unsigned char* end;
    const void* allocation;
  };

  /// Whether the `bytes` bytes that belong at `place` of an allocation are those of new memory.
  [[nodiscard]] static bool is_fresh(const void* value, const unsigned char* place,
                                     std::size_t bytes, const void* allocation) noexcept {
    const auto offset = place - static_cast<const unsigned char*>(allocation);
    return holds_pattern(value, bytes, std::rotr(fresh_pattern, 8 * static_cast<int>(offset % 4)));
  }
  /// Adds the memory behind an access if its first and its last bytes were not written. All of them
  /// would take too long, and an atomic addition is compared anyway.
  void add(const MemoryAccess& access, const Allocation& memory) noexcept {
    constexpr std::size_t looked_at = 256;
    const auto* const whole = static_cast<const unsigned char*>(memory.storage.get());
    const bool known = access.bytes != MemoryAccess::whole_allocation;
    const auto* const begin = known ? static_cast<const unsigned char*>(access.address()) : whole;
    const std::size_t rest = memory.bytes - static_cast<std::size_t>(begin - whole);
    const std::size_t given = Rows{access.bytes, access.rows}.extent(access.pitch);
    const std::size_t bytes = known && given < rest ? given : rest;
    const std::size_t some = bytes < looked_at ? bytes : looked_at;
    const unsigned char* const last = begin + (bytes - some);
    if (!is_fresh(begin, begin, some, whole) || !is_fresh(last, last, some, whole)) return;
    static_cast<void>(debug::detail::has_memory_for([&] {
      fresh_.push_back({begin, begin + bytes, whole});
    }));
  }
  /// Implements detail::atomic_read, on the kernel's thread.
  static void see(const void* address, const void* value, std::size_t bytes) noexcept {
    const auto* const place = static_cast<const unsigned char*>(address);
    for (const Fresh& memory : watching->fresh_) {
      if (place < memory.begin || place + bytes > memory.end) continue;
      if (is_fresh(value, place, bytes, memory.allocation)) {
        __atomic_store_n(&watching->found_, true, __ATOMIC_RELAXED);
      }
    }
  }
  void stop() noexcept {
    if (watching != this) return;
    __atomic_store_n(&warpsafe::detail::atomic_read, nullptr, __ATOMIC_RELEASE);
    watching = nullptr;
  }

  // One kernel runs at a time while a scheduler is active.
  [[gnu::visibility("default")]] static inline UnwrittenReads* watching = nullptr;
  bool found_ = false;
  bool hides_ = false;  ///< a kernel may have written memory that its parameters do not show
  std::unordered_set<const void*> written_;  ///< allocations that an operation has written
  std::vector<Fresh> fresh_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
