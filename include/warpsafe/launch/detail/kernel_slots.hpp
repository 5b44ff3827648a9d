// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/declare_launch.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/device_check_hooks.hpp>
#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/stream/detail/device_cache.hpp>
#include <warpsafe/stream/detail/on_device.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// What is kept of one kernel on one device.
struct KernelSlot {
  int device_from_1 = 0;       ///< 0: none yet
  ProcessLock lock{};          ///< of the list, in its first slot
  KernelSlot* next = nullptr;  ///< once published, a slot only gets a successor
  /// Bytes of dynamic shared memory that this program has raised the kernel's attribute to. It only
  /// grows, so no launch lowers it while another thread relies on it.
  std::uint64_t raised = 0;
  KernelLimits limits{};  ///< valid once `known`
};

/// The limits of one kernel on each device, zeros at first. Most programs use one device, whose
/// slot is here; each further device's is allocated. `B` is the backend that launches it, or the
/// part of a backend that takes functions of modules.
template <class B>
class KernelSlots {
 public:
  /// The kernel's limits. The first call asks the driver. nullptr, with the driver's status, if the
  /// kernel cannot be asked.
  [[WARPSAFE_DETAIL_RARE]] const KernelLimits* find(const KernelEntry& entry, int device,
                                                    KernelLimits& local, int& status) noexcept {
    if (const KernelLimits* const known = remembered(device)) return known;
    status = on(device, [&]() noexcept { return B::attributes_of(entry, local); });
    if (status != 0) return nullptr;
    local.known = false;
    {
      const Locked lock(first_.lock);
      KernelSlot* const slot = has_slot<B>(device) ? make_slot(device) : nullptr;
      if (slot != nullptr && !slot->limits.known) {
        slot->limits = local;
        __atomic_store_n(&slot->limits.known, true, __ATOMIC_RELEASE);
      }
    }
    local.known = true;
    return &local;
  }

  /// The cached limits, or nullptr. Does not call the driver.
  [[nodiscard, gnu::always_inline]] const KernelLimits* remembered(int device) const noexcept {
    const KernelSlot* const slot = slot_of(device);
    return slot != nullptr && __atomic_load_n(&slot->limits.known, __ATOMIC_ACQUIRE) ? &slot->limits
                                                                                     : nullptr;
  }

  /// Makes an ordinary launch of a dependent one whose code, as loaded on the device, does not wait
  /// for its predecessor: it would use data that is not written yet. The first call asks the
  /// driver. Returns the runtime's status.
  [[nodiscard]] int settle_dependence(const KernelEntry& entry, int device,
                                      LaunchShape& shape) noexcept {
    if constexpr (requires(const KernelLimits& limits) { B::waits_for_predecessor(limits); }) {
      KernelLimits local;
      int status = 0;
      const KernelLimits* const limits = find(entry, device, local, status);
      if (limits == nullptr) return status;
      shape.programmatic = B::waits_for_predecessor(*limits);
    }
    return 0;
  }

  /// Raises the kernel's limit of dynamic shared memory on `device` to `bytes` if it is lower.
  /// Returns the runtime's status.
  int allow_dynamic_shared(const KernelEntry& entry, int device, std::uint64_t bytes) noexcept {
    const KernelSlot* const slot = slot_of(device);
    if (slot != nullptr && bytes <= __atomic_load_n(&slot->raised, __ATOMIC_ACQUIRE)) return 0;
    return on(device, [&]() noexcept { return raise_dynamic_shared(entry, device, bytes); });
  }

  /// Frees the slots of further devices. @pre the kernel is not used any more
  void forget() noexcept {
    while (KernelSlot* const slot = first_.next) {
      first_.next = slot->next;
      __builtin_free(slot);
    }
  }

 private:
  [[nodiscard, gnu::always_inline]] const KernelSlot* slot_of(int device) const noexcept {
    if (!caches_limits<B>) return nullptr;
    const KernelSlot* slot = &first_;
    while (slot != nullptr && __atomic_load_n(&slot->device_from_1, __ATOMIC_ACQUIRE) != device + 1)
      slot = __atomic_load_n(&slot->next, __ATOMIC_ACQUIRE);
    return slot;
  }
  /// The slot of the device, which need not have had one. nullptr if there is no memory. @pre the
  /// list is locked
  [[WARPSAFE_DETAIL_RARE]] KernelSlot* make_slot(int device) noexcept {
    KernelSlot* slot = &first_;
    while (slot->device_from_1 != device + 1 && slot->device_from_1 != 0) {
      if (slot->next == nullptr) {
        void* const memory = __builtin_calloc(1, sizeof(KernelSlot));
        if (memory == nullptr) return nullptr;
        __atomic_store_n(&slot->next, static_cast<KernelSlot*>(memory), __ATOMIC_RELEASE);
      }
      slot = slot->next;
    }
    __atomic_store_n(&slot->device_from_1, device + 1, __ATOMIC_RELEASE);
    return slot;
  }

  /// Runs `body()` with `device` current, because the runtimes answer for the current device and
  /// the answer is remembered for `device`. A backend without this call has functions that belong
  /// to one device.
  template <class Body>
  [[WARPSAFE_DETAIL_RARE]] static int on(int device, const Body& body) noexcept {
    if constexpr (requires { &B::set_device; }) {
      if (device >= 0) return on_device<B>(device, body);
    }
    return body();
  }
  /// Raises the attribute, and never lowers it. A thread that needs less must not lower it between
  /// another thread's raise and its launch, so a lock guards it. The lock is taken only when a
  /// kernel needs more than ever before.
  [[WARPSAFE_DETAIL_RARE]] int raise_dynamic_shared(const KernelEntry& entry, int device,
                                                    std::uint64_t bytes) noexcept {
    const Locked lock(first_.lock);
    KernelLimits now;
    int status = B::attributes_of(entry, now);
    if (status == 0) {
      std::uint64_t allowed = now.max_dynamic_shared;
      // The runtimes take an int. No device has more, and the launch returns the error.
      constexpr std::uint64_t most = 0x7fffffff;
      if (bytes > allowed && bytes <= most) {
        status = B::raise_dynamic_shared(entry, bytes);
        allowed = bytes;
      }
      KernelSlot* const slot = has_slot<B>(device) ? make_slot(device) : nullptr;
      if (status == 0 && slot != nullptr)
        __atomic_store_n(&slot->raised, allowed, __ATOMIC_RELEASE);
    }
    return status;
  }

  KernelSlot first_;
};

/// Hidden, since its key is the kernel's own entry.
template <class B, class Entry>
struct [[gnu::visibility("hidden")]] KernelCache {
  static_assert(sizeof(KernelSlots<B>) != 0);  // nvcc completes no type of a constinit member
  // constinit, because code that fills it in at the program's start could come after a launch.
  static inline constinit KernelSlots<B> slots{};
};

/// The cached limits of a kernel. A kernel loaded by name has its own.
template <class B, class K>
[[nodiscard, gnu::always_inline]] inline auto& kernel_slots([[maybe_unused]] K kernel) noexcept {
  if constexpr (requires { kernel.slots(); }) {
    return kernel.slots();
  } else {
    return KernelCache<B, typename K::entry_type>::slots;
  }
}

/// A kernel as data. `Calls` are the backend's calls that take it.
template <class Calls>
struct LaunchedKernel {
  const KernelEntry& entry;
  Name name;
  KernelSlots<Calls>& slots;
  int module_device;  ///< the device of its module, or -1
};

/// A kernel that is not loaded by name, as constant data. Hidden, as its EntryOf.
template <class B, class K>
struct [[gnu::visibility("hidden")]] KnownKernel {
  static_assert(sizeof(LaunchedKernel<B>) != 0);  // nvcc does not complete the type by itself
  static inline const LaunchedKernel<B> data{K::entry(), K::name(),
                                             KernelCache<B, typename K::entry_type>::slots, -1};
};
/// The kernel as data: a constant, unless it was loaded by name.
template <class B, class K>
[[nodiscard, gnu::always_inline]] inline const LaunchedKernel<B>& launched_kernel(
    const K&) noexcept {
  return KnownKernel<B, K>::data;
}
template <class B, class K>
requires requires(const K& kernel) { kernel.launched(); }
[[nodiscard, gnu::always_inline]] inline auto launched_kernel(const K& kernel) noexcept {
  return kernel.launched();
}

/// Makes the error of a query that failed, without the device, which report_refusal adds.
template <class B>
[[WARPSAFE_DETAIL_RARE]] bool query_failed(int status, const Located<B>& at,
                                           LaunchError& error) noexcept {
  error = kernel_error<B>(status, Name::of("launch"), at.site, Stage::validation);
  return false;
}

/// Checks that the launch's device is current, and prepares it for checks in kernels. False with
/// the problem in `error`.
template <class B, class Calls>
[[gnu::always_inline]] inline bool check_device(const Located<B>& at,
                                                const LaunchedKernel<Calls>& kernel,
                                                LaunchError& error) noexcept {
  const int device = at.stream.device().value();
  if (kernel.module_device >= 0 && kernel.module_device != device) {
    return refuse(error, Errc::module_wrong_device, Stage::validation,
                  static_cast<std::uint64_t>(device),
                  static_cast<std::uint64_t>(kernel.module_device));
  }
  int current = -1;
  int status = B::current_device(current);
  if (status == 0 && current != device) {
    return refuse(error, Errc::stream_wrong_device, Stage::validation,
                  static_cast<std::uint64_t>(current), static_cast<std::uint64_t>(device));
  }
  if (const CheckHooks* const checks = check_hooks(); status == 0 && checks != nullptr) {
    // Kernels of the host compiler share their device checks among all CPU backends.
    status = checks->prepare(runs_host_kernels<B> ? Vendor::host : B::vendor, device);
  }
  return status == 0 || query_failed(status, at, error);
}

/// Gets the limits of the device and the kernel: from the driver for the first launch, from memory
/// after that. `device_local` and `kernel_local`, which need no value, hold what cannot be kept.
/// False with the problem in `error`.
template <class B, class Calls>
[[WARPSAFE_DETAIL_RARE]] bool ask_driver(const Located<B>& at, const LaunchedKernel<Calls>& kernel,
                                         const DeviceLimits*& device_limits,
                                         DeviceLimits& device_local,
                                         const KernelLimits*& kernel_limits,
                                         KernelLimits& kernel_local, LaunchError& error) noexcept {
  const int device = at.stream.device().value();
  int status = 0;
  device_local = {};
  kernel_local = {};
  device_limits = DeviceCache<B>::find(device, device_local, status);
  if (status == 0) {
    kernel_limits = kernel.slots.find(kernel.entry, device, kernel_local, status);
  }
  return status == 0 || query_failed(status, at, error);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
