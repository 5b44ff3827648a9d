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
/// handles, so the table then looks up every kernel anew.
class KernelTable {
 public:
  /// Returns the kernel with that handle, or nullptr if the handle is new or an image was unloaded
  /// since it was added.
  [[nodiscard]] Kernel* find(const void* handle, std::int32_t device) const noexcept {
    const std::uint64_t now = __atomic_load_n(&generation_, __ATOMIC_ACQUIRE);
    for (std::size_t step = 0; step < probes; ++step) {
      const Slot& slot = slots_[place(handle, device, step)];
      Kernel* const kernel = __atomic_load_n(&slot.kernel, __ATOMIC_ACQUIRE);
      if (kernel == nullptr) return nullptr;
      if (slot.handle == handle && slot.device == device && slot.generation == now) return kernel;
    }
    return nullptr;
  }

  /// Adds a kernel; `describe(kernel)` fills in its limits, and sets `described` if it has. Kernels
  /// with the same name and equal limits share one entry. May throw std::bad_alloc.
  template <class Describe>
  Kernel* add(const void* handle, std::int32_t device, const char* mangled,
              const Describe& describe) {
    Kernel made;
    made.name = kernel_name(mangled);
    made.named_parameters = parameter_types(mangled).size();
    made.written = written_parameter(mangled);
    describe(made);
    const std::lock_guard lock(mutex_);
    auto& kept = kernels_[{made.name, device}];
    const bool other = kept != nullptr && made.limits.known && kept->limits.known &&
                       (kept->limits.max_threads_per_block != made.limits.max_threads_per_block ||
                        kept->limits.static_shared != made.limits.static_shared);
    if (kept != nullptr && !kept->described && made.described) {
      kept->describe_as(std::move(made));
    } else if (kept == nullptr || other) {
      // The older entry must stay alive: the journal points to it.
      if (kept != nullptr) replaced_.emplace(kept->name, std::move(kept));
      kept = std::make_unique<Kernel>(std::move(made));
    }
    Kernel* const kernel = kept.get();
    if (handle == nullptr) return kernel;
    const std::uint64_t now = __atomic_load_n(&generation_, __ATOMIC_ACQUIRE);
    for (std::size_t step = 0; step < probes; ++step) {
      Slot& slot = slots_[place(handle, device, step)];
      if (slot.kernel != nullptr) continue;  // never overwritten: readers take no lock
      slot.handle = handle;
      slot.device = device;
      slot.generation = now;
      __atomic_store_n(&slot.kernel, kernel, __ATOMIC_RELEASE);
      break;
    }
    return kernel;  // without a free slot, its next launch describes it again
  }

  /// Call when an image is unloaded.
  void forget_handles() noexcept { __atomic_add_fetch(&generation_, 1, __ATOMIC_RELEASE); }

  /// Calls `report(kernel)` for each kernel, ordered by name.
  template <class Report>
  void each(const Report& report) {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, kernel] : kernels_) report(*kernel);
    for (const auto& [key, kernel] : replaced_) report(*kernel);
  }

 private:
  static constexpr std::size_t places = std::size_t{1} << 15;
  static constexpr std::size_t probes = 64;
  struct Slot {
    const void* handle;
    std::uint64_t generation;
    Kernel* kernel;
    std::int32_t device;
  };
  [[nodiscard]] static std::size_t place(const void* handle, std::int32_t device,
                                         std::size_t step) noexcept {
    const auto bits = reinterpret_cast<std::uintptr_t>(handle) >> 4;
    const std::uint64_t mixed = (bits + static_cast<std::uint32_t>(device)) * 0x9e3779b97f4a7c15U;
    return (static_cast<std::size_t>(mixed >> 40) + step) % places;
  }

  std::uint64_t generation_ = 0;
  Slot slots_[places] = {};
  std::mutex mutex_;
  std::map<std::pair<std::string, std::int32_t>, std::unique_ptr<Kernel>> kernels_;
  std::multimap<std::string, std::unique_ptr<Kernel>> replaced_;
};

}  // namespace warpsafe::watch
