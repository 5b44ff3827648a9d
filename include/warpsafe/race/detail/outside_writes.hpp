// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/memory.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/debug/detail/catch_bad_alloc.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// Finds kernels that write around the views that they got, in the same allocation. The race
/// detector takes a kernel's `T*` for its view as long as the kernel keeps to it. Once a kernel
/// does not, the run is repeated, and counts the whole allocation. A write that changes nothing is
/// not seen.
class OutsideWrites final : public KernelWatch {
 public:
  /// Whether the kernel has written around a view.
  [[nodiscard]] bool is_known(const KernelOperation& kernel) const noexcept {
    return std::find(known_.begin(), known_.end(), kernel.grid.function()) != known_.end();
  }
  /// Whether a kernel was found since the last call. Throws std::bad_alloc, and can then be
  /// repeated.
  [[nodiscard]] bool takes_new() {
    const bool any = found_ != nullptr;
    if (any) known_.push_back(found_);
    found_ = nullptr;
    return any;
  }

  void begins(const KernelOperation& kernel) noexcept override {
    before_.clear();
    if (is_known(kernel) || found_ != nullptr) return;
    Runtime& runtime = Runtime::get();
    const Lock lock(runtime.mutex);
    for (const MemoryAccess& access : kernel.accesses) {
      if (!access.writes() || access.bytes == MemoryAccess::whole_allocation) continue;
      const Allocation* const memory = runtime.memory.around(access.address());
      if (memory == nullptr || covers(access, *memory) || has(memory->storage.get())) continue;
      auto* const begin = static_cast<unsigned char*>(memory->storage.get());
      const auto keep = [&] { before_.push_back({begin, {begin, begin + memory->bytes}}); };
      if (!debug::detail::has_memory_for(keep)) {
        found_ = kernel.grid.function();  // cannot watch it
        return;
      }
    }
  }
  void has_run(const KernelOperation& kernel) noexcept override {
    for (Contents& kept : before_) {
      for (const MemoryAccess& access : kernel.accesses) {
        if (access.writes()) forget(kept, access);
      }
      if (std::memcmp(kept.begin, kept.copy.data(), kept.copy.size()) != 0) {
        found_ = kernel.grid.function();
      }
    }
    before_.clear();
  }

 private:
  /// What an allocation held before the kernel.
  struct Contents {
    unsigned char* begin;
    std::vector<unsigned char> copy;
  };

  [[nodiscard]] static bool covers(const MemoryAccess& access, const Allocation& memory) noexcept {
    return access.address() == memory.storage.get() && access.rows == 1 &&
           access.bytes >= memory.bytes;
  }
  [[nodiscard]] bool has(const void* begin) const noexcept {
    return std::any_of(before_.begin(), before_.end(),
                       [begin](const Contents& kept) { return kept.begin == begin; });
  }
  /// Overwrites what the kernel may write with what is there now.
  static void forget(Contents& kept, const MemoryAccess& access) noexcept {
    const auto* const from = static_cast<const unsigned char*>(access.address());
    const std::size_t bytes = kept.copy.size();
    if (from < kept.begin || from >= kept.begin + bytes) return;
    const auto offset = static_cast<std::size_t>(from - kept.begin);
    const bool whole = access.bytes == MemoryAccess::whole_allocation;
    std::size_t first = whole ? 0 : offset;
    for (std::size_t row = 0; row < access.rows && first < bytes; ++row) {
      const std::size_t rest = bytes - first;
      std::memcpy(kept.copy.data() + first, kept.begin + first,
                  access.bytes < rest ? access.bytes : rest);
      first += access.pitch;
    }
  }

  std::vector<const void*> known_;
  const void* found_ = nullptr;
  std::vector<Contents> before_;  // of the kernel that runs; one runs at a time
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
