// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "kernel_name.hpp"
#include "parameter_types.hpp"
#include "watched_kernel.hpp"
#include "written_parameter.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace warpsafe::watch {

/// The program's kernels by native handle and device. A launch looks a kernel up without a lock;
/// new kernels are added under a lock. After an image is unloaded, the runtime may reuse its
/// handles, so the table then looks up every kernel anew. It does not grow by that.
class KernelTable {
 public:
  /// Returns the kernel with that handle, or nullptr if the handle is new or an image was unloaded
  /// since it was added.
  [[nodiscard]] Kernel* find(const void* handle, std::int32_t device) const noexcept {
    const std::uint64_t now = __atomic_load_n(&generation_, __ATOMIC_ACQUIRE);
    for (std::size_t step = 0; step < probes; ++step) {
      const Slot found = slots_[place(handle, device, step)].read();
      if (found.version == 0) return nullptr;
      if (found.is_of(handle, device, now)) return found.kernel;
    }
    return nullptr;
  }

  /// Returns the kernel that had that handle before an image was unloaded, or nullptr.
  [[nodiscard]] Kernel* find_old(const void* handle, std::int32_t device) const noexcept {
    const std::uint64_t now = __atomic_load_n(&generation_, __ATOMIC_ACQUIRE);
    for (std::size_t step = 0; step < probes; ++step) {
      const Slot found = slots_[place(handle, device, step)].read();
      if (found.version == 0) return nullptr;
      if (found.is_of(handle, device, found.generation) && found.generation != now) {
        return found.kernel;
      }
    }
    return nullptr;
  }

  /// Adds a kernel; `describe(kernel)` fills in its limits, and sets `described` if it has. Kernels
  /// with the same name, equal limits and equal parameters share one entry. May throw
  /// std::bad_alloc.
  template <class Describe>
  Kernel* add(const void* handle, std::int32_t device, const char* mangled,
              const Describe& describe) {
    // An image that is unloaded meanwhile makes the handle an old one.
    const std::uint64_t now = __atomic_load_n(&generation_, __ATOMIC_ACQUIRE);
    Kernel made;
    made.name = kernel_name(mangled);
    made.types = parameter_types(mangled);
    made.named_parameters = made.types.size();
    made.written = written_parameter(mangled);
    describe(made);
    const std::lock_guard lock(mutex_);
    Kernel* const kernel = entry(std::move(made), device);
    if (handle == nullptr) return kernel;
    Slot* chosen = &slots_[place(handle, device, 0)];
    for (std::size_t step = 0; step < probes; ++step) {
      Slot& slot = slots_[place(handle, device, step)];
      if (slot.version != 0 && slot.generation == now && !slot.is_of(handle, device, now)) continue;
      chosen = &slot;
      break;
    }
    chosen->write(handle, device, now, kernel);
    return kernel;
  }

  /// Call when an image is unloaded.
  void forget_handles() noexcept { __atomic_add_fetch(&generation_, 1, __ATOMIC_RELEASE); }

  /// Calls `report(kernel)` for each kernel, ordered by name.
  template <class Report>
  void each(const Report& report) {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, kernel] : kernels_) report(*kernel);
  }

 private:
  static constexpr std::size_t places = std::size_t{1} << 15;
  static constexpr std::size_t probes = 64;
  /// One handle. Readers take no lock, and see from the version whether they read a whole one.
  struct Slot {
    std::uint64_t version;  ///< 0: never used; odd while it is written
    const void* handle;
    std::uint64_t generation;
    Kernel* kernel;
    std::int32_t device;

    [[nodiscard]] bool is_of(const void* wanted, std::int32_t on, std::uint64_t in) const noexcept {
      return version % 2 == 0 && handle == wanted && device == on && generation == in;
    }
    [[nodiscard]] Slot read() const noexcept {
      Slot copy;
      copy.version = __atomic_load_n(&version, __ATOMIC_ACQUIRE);
      copy.handle = __atomic_load_n(&handle, __ATOMIC_ACQUIRE);
      copy.generation = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
      copy.kernel = __atomic_load_n(&kernel, __ATOMIC_ACQUIRE);
      copy.device = __atomic_load_n(&device, __ATOMIC_ACQUIRE);
      if (__atomic_load_n(&version, __ATOMIC_RELAXED) != copy.version) copy.version |= 1U;
      return copy;
    }
    /// @pre the table's lock
    void write(const void* to, std::int32_t on, std::uint64_t in, Kernel* of) noexcept {
      const std::uint64_t before = version;
      // Each store is a release: a reader that sees one of them also sees the odd version.
      __atomic_store_n(&version, before + 1, __ATOMIC_RELEASE);
      __atomic_store_n(&handle, to, __ATOMIC_RELEASE);
      __atomic_store_n(&generation, in, __ATOMIC_RELEASE);
      __atomic_store_n(&kernel, of, __ATOMIC_RELEASE);
      __atomic_store_n(&device, on, __ATOMIC_RELEASE);
      __atomic_store_n(&version, before + 2, __ATOMIC_RELEASE);
    }
  };
  [[nodiscard]] static std::size_t place(const void* handle, std::int32_t device,
                                         std::size_t step) noexcept {
    const auto bits = reinterpret_cast<std::uintptr_t>(handle) >> 4;
    const std::uint64_t mixed = (bits + static_cast<std::uint32_t>(device)) * 0x9e3779b97f4a7c15U;
    return (static_cast<std::size_t>(mixed >> 40) + step) % places;
  }
  /// Returns the entry for `made`. An entry is never removed: the journal points to its name.
  [[nodiscard]] Kernel* entry(Kernel&& made, std::int32_t device) {
    const std::pair<std::string, std::int32_t> key(made.name, device);
    const auto [first, last] = kernels_.equal_range(key);
    for (auto one = first; one != last; ++one) {
      Kernel& kept = *one->second;
      if (!made.described || (kept.described && kept.is_same_as(made))) return &kept;
      if (kept.described) continue;
      kept.describe_as(std::move(made));
      return &kept;
    }
    return kernels_.emplace(key, std::make_unique<Kernel>(std::move(made)))->second.get();
  }

  std::uint64_t generation_ = 0;
  Slot slots_[places] = {};
  std::mutex mutex_;
  std::multimap<std::pair<std::string, std::int32_t>, std::unique_ptr<Kernel>> kernels_;
};

}  // namespace warpsafe::watch
