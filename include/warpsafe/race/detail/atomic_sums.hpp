// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/host_thread.hpp>
#include <warpsafe/backend/host/detail/memory.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/debug/log.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// Finds the memory that a kernel changes by atomic_add alone: two kernels that only add to an
/// element do not race. What a kernel does is known once it has run, so a run with a race is
/// repeated: then its kernels that call atomic_add are watched, and taken to do nothing else to
/// memory until one is seen to.
class AtomicSums final : public KernelWatch {
 public:
  AtomicSums() = default;
  ~AtomicSums() override { stop(); }

  /// Whether the kernel does nothing else to the memory of that access, as far as is known.
  [[nodiscard]] bool only_adds(const KernelOperation& kernel, std::size_t access) const noexcept {
    return has(watched_, kernel.grid.function()) &&
           std::find(others_.begin(), others_.end(), one(kernel, access)) == others_.end();
  }
  /// Whether the run has to be repeated. `raced`: it has shown a race.
  [[nodiscard]] bool takes_new(bool raced) {
    bool again = std::exchange(has_changed_, false);
    if (raced) {
      again = again || !adders_.empty();
      watched_.insert(watched_.end(), adders_.begin(), adders_.end());
      adders_.clear();
    }
    return again;
  }
  /// The kernel runs without being watched.
  void miss(const KernelOperation& kernel) noexcept {
    if (!has(watched_, kernel.grid.function())) return;
    for (std::size_t i = 0; i < kernel.accesses.size(); ++i) add_other(kernel, i);
  }

  void begins(const KernelOperation& kernel) noexcept override {
    memory_.clear();
    if (!has(watched_, kernel.grid.function())) return;
    const bool kept = debug::detail::catch_bad_alloc(
        [&] {
          Runtime& runtime = Runtime::get();
          const Lock lock(runtime.mutex);
          for (std::size_t i = 0; i < kernel.accesses.size(); ++i) {
            if (kernel.accesses[i].writes && only_adds(kernel, i)) {
              keep(runtime.memory.around(kernel.accesses[i].address, 1));
            }
          }
          return true;
        },
        false);
    if (!kept) {
      memory_.clear();
      return miss(kernel);
    }
    if (memory_.empty()) return;
    watching = this;
    next_ = __atomic_exchange_n(&warpsafe::detail::atomic_read, &see, __ATOMIC_ACQ_REL);
  }
  void has_run(const KernelOperation& kernel) noexcept override {
    const void* const function = kernel.grid.function();
    if (!has(watched_, function)) {
      if (!kernel.grid.adds() || has(adders_, function)) return;
      static_cast<void>(debug::detail::catch_bad_alloc(
          [&] {
            adders_.push_back(function);
            return true;
          },
          false));
      return;
    }
    stop();
    for (std::size_t i = 0; i < kernel.accesses.size(); ++i) {
      const Access& access = kernel.accesses[i];
      if (access.writes && only_adds(kernel, i) && !shows_only_sums(access)) add_other(kernel, i);
    }
    memory_.clear();
  }

 private:
  using One = std::pair<const void*, std::size_t>;
  static constexpr unsigned char added = 1;
  static constexpr unsigned char added_first = 2;  ///< to what was there before the kernel
  /// An allocation, as it was before the kernel.
  struct Contents {
    const unsigned char* begin;
    std::vector<unsigned char> before;
    std::vector<unsigned char> marks;  ///< of each byte: what atomic_add did
  };

  [[nodiscard]] static bool has(const std::vector<const void*>& list, const void* wanted) noexcept {
    return std::find(list.begin(), list.end(), wanted) != list.end();
  }
  [[nodiscard]] static One one(const KernelOperation& kernel, std::size_t access) noexcept {
    return {kernel.grid.function(), access};
  }
  void add_other(const KernelOperation& kernel, std::size_t access) noexcept {
    if (!only_adds(kernel, access)) return;
    has_changed_ = true;
    const bool noted = debug::detail::catch_bad_alloc(
        [&] {
          others_.push_back(one(kernel, access));
          return true;
        },
        false);
    if (!noted) watched_.clear();  // all kernels may do anything
  }
  void keep(const Allocation* allocation) {
    if (allocation == nullptr || of(allocation->storage.get()) != nullptr) return;
    const auto* const begin = static_cast<const unsigned char*>(allocation->storage.get());
    memory_.push_back(
        {begin, {begin, begin + allocation->bytes}, std::vector<unsigned char>(allocation->bytes)});
  }
  /// The allocation that holds the address, or nullptr.
  [[nodiscard]] Contents* of(const void* address) noexcept {
    const auto* const place = static_cast<const unsigned char*>(address);
    for (Contents& kept : memory_) {
      if (place >= kept.begin && place < kept.begin + kept.before.size()) return &kept;
    }
    return nullptr;
  }
  [[nodiscard]] bool shows_only_sums(const Access& access) noexcept {
    const Contents* const kept = of(access.address);
    if (kept == nullptr) return false;
    const std::size_t bytes = kept->before.size();
    const bool whole = access.window == warpsafe::detail::unknown_extent;
    const auto* const place = static_cast<const unsigned char*>(access.address);
    bool any = false;
    for (std::size_t row = 0; row < access.rows; ++row) {
      std::size_t at =
          whole ? 0 : static_cast<std::size_t>(place - kept->begin) + row * access.pitch;
      if (at >= bytes) break;
      const std::size_t rest = bytes - at;
      const std::size_t end =
          at + (access.window < rest ? static_cast<std::size_t>(access.window) : rest);
      for (; at < end; ++at) {
        const unsigned char mark = kept->marks[at];
        any = any || mark != 0;
        // Who adds first finds what was there before, unless the kernel has written the element.
        const bool other =
            mark == 0 ? kept->begin[at] != kept->before[at] : (mark & added_first) == 0;
        if (other) return false;
      }
    }
    return any;
  }
  /// Implements detail::atomic_read, on the kernel's threads.
  static void see(const void* address, const void* value, std::size_t bytes) noexcept {
    AtomicSums& self = *watching;
    if (self.next_ != nullptr) self.next_(address, value, bytes);
    Contents* const kept = self.of(address);
    if (kept == nullptr) return;
    const auto at =
        static_cast<std::size_t>(static_cast<const unsigned char*>(address) - kept->begin);
    if (bytes > kept->before.size() - at) return;
    const bool first = std::memcmp(value, &kept->before[at], bytes) == 0;
    const unsigned char mark = first ? added | added_first : added;
    for (std::size_t i = 0; i < bytes; ++i) {
      __atomic_or_fetch(&kept->marks[at + i], mark, __ATOMIC_RELAXED);
    }
  }
  void stop() noexcept {
    if (watching != this) return;
    __atomic_store_n(&warpsafe::detail::atomic_read, next_, __ATOMIC_RELEASE);
    watching = nullptr;
  }

  // One kernel runs at a time while a scheduler is active.
  [[gnu::visibility("default")]] static inline AtomicSums* watching = nullptr;
  void (*next_)(const void* address, const void* value, std::size_t bytes) noexcept = nullptr;
  std::vector<const void*> adders_;   // kernels that call atomic_add, and are not watched
  std::vector<const void*> watched_;  // kernels
  std::vector<One> others_;           // accesses of watched kernels that do not only add
  bool has_changed_ = false;
  std::vector<Contents> memory_;  // of the kernel that runs
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
