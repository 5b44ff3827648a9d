// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/dropped_error.hpp>
#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/backend/host/detail/grid.hpp>
#include <warpsafe/backend/host/detail/host_status.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/limits.hpp>

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// A modelled device: its limits, and the failure that its work left. Not thread-safe; its owner
/// locks.
class Device {
 public:
  explicit Device(int ordinal) { reset(ordinal, Name::of("CPU")); }

  /// Resets the device: the limits that every CUDA device has according to the documentation, and
  /// as much memory as the machine.
  void reset(int ordinal, Name name, std::uint32_t processors = 1) {
    limits = warpsafe::limits::cuda_floor;
    limits.vendor = Vendor::host;
    limits.device = ordinal;
    limits.name = name;
    limits.floored = false;
    limits.multiprocessors = processors;
    // Floors of the same table, "Technical Specifications per Compute Capability".
    limits.max_threads_per_multiprocessor = 1024;
    limits.max_blocks_per_multiprocessor = 16;
    limits.registers_per_block = 65536;
    limits.shared_per_multiprocessor = 65536;
    limits.cooperative_launch = true;
    limits.memory_pools = true;
    limits.concurrent_managed_access = true;
    capacity = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
               static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    kernels_.clear();
    peers = 0;
    recover();
  }

  DeviceLimits limits;
  /// Whether lost() is not 0, for work that runs without the owner's lock.
  Atomic<bool> context_lost = false;
  std::size_t capacity = 0;  ///< memory in bytes
  std::size_t used = 0;      ///< allocated bytes
  std::uint64_t peers = 0;   ///< bit n: this device can access the memory of device n

  /// Bytes that can still be allocated. A test may leave a device less memory than it has given.
  [[nodiscard]] std::size_t available() const noexcept {
    return used < capacity ? capacity - used : 0;
  }
  [[nodiscard]] bool accesses(int device) const noexcept {
    return device == limits.device || (device >= 0 && device < 64 && ((peers >> device) & 1U) != 0);
  }

  /// The attributes of a kernel on this device.
  [[nodiscard]] KernelLimits kernel(const void* function) const {
    const Known* const known = find(function);
    KernelLimits kernel = known == nullptr ? KernelLimits{} : known->limits;
    kernel.known = true;
    if (kernel.max_threads_per_block == 0) {
      kernel.max_threads_per_block = limits.max_threads_per_block;
    }
    if (known != nullptr && known->is_raised) {
      kernel.max_dynamic_shared = known->raised_shared;
    } else if (kernel.max_dynamic_shared == 0) {
      kernel.max_dynamic_shared = remaining_shared(limits.shared_per_block, kernel);
    }
    return kernel;
  }
  /// The shared memory of a block in bytes, static and dynamic, with the opt-in.
  [[nodiscard]] std::uint64_t most_shared() const noexcept {
    return limits.shared_per_block_optin > limits.shared_per_block ? limits.shared_per_block_optin
                                                                   : limits.shared_per_block;
  }
  void set_kernel(const void* function, const KernelLimits& kernel) {
    known(function).limits = kernel;
  }

  /// Sets the kernel's attribute: bytes of dynamic shared memory per block. Returns false above the
  /// opt-in limit.
  [[nodiscard]] bool raise_dynamic_shared(const void* function, std::uint64_t bytes) {
    if (bytes > remaining_shared(most_shared(), kernel(function))) return false;
    Known& its = known(function);
    its.is_raised = true;
    its.raised_shared = bytes;
    return true;
  }

  /// Records how work ended. The first failure is kept until a synchronising call takes it.
  void fail(Failure failure) {
    const bool first = failure_.status == 0;
    const bool worse = is_sticky(failure.status) && !is_sticky(failure_.status);
    if (!first && !worse) return;
    failure_ = failure;
    context_lost = lost() != 0;
    told_before_ = faults_told();
  }
  /// Whether work failed, and no error that the program was given since can be about it.
  [[nodiscard]] bool keeps_untold() const noexcept {
    const bool told = static_cast<std::int64_t>(faults_told() - told_before_) > 0;
    return failure_.status != 0 && !told;
  }
  /// The status that every call returns once the context is lost, or 0.
  [[nodiscard]] int lost() const noexcept {
    return is_sticky(failure_.status) ? failure_.status : 0;
  }
  /// Takes the failure for a synchronising call. A lost context stays lost.
  [[nodiscard]] Failure take_failure() { return lost() != 0 ? failure_ : take_value(failure_, {}); }
  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
  /// Makes a lost device work again, for tests.
  void recover() {
    failure_ = {};
    context_lost = false;
  }

 private:
  /// Errors that the program has been given and that may be about this device.
  [[nodiscard]] std::uint64_t faults_told() const noexcept {
    return warpsafe::detail::faults_told.about(limits.device);
  }
  [[nodiscard]] static std::uint64_t remaining_shared(std::uint64_t bytes,
                                                      const KernelLimits& kernel) noexcept {
    return bytes > kernel.static_shared ? bytes - kernel.static_shared : 0;
  }

  /// What is known of a kernel.
  struct Known {
    const void* function;
    KernelLimits limits;          // set by tests
    bool is_raised;               // by raise_dynamic_shared
    std::uint64_t raised_shared;  // bytes
  };
  [[nodiscard]] const Known* find(const void* function) const noexcept {
    for (const Known& known : kernels_) {
      if (known.function == function) return &known;
    }
    return nullptr;
  }
  [[nodiscard]] Known& known(const void* function) {
    for (Known& known : kernels_) {
      if (known.function == function) return known;
    }
    return kernels_.push_back({function, {}, false, 0});
  }

  Array<Known> kernels_;
  Failure failure_;
  std::uint64_t told_before_ = 0;  // faults_told() when it failed
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
