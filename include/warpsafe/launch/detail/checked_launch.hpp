// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/declare_launch.hpp>
#include <warpsafe/backend/detail/runtime_call.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/debug_hooks.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/launch/config.hpp>
#include <warpsafe/launch/detail/kernel_slots.hpp>
#include <warpsafe/launch/detail/launch_rules.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstdint>
#include <new>

// The checks of a launch before its dispatch.

namespace warpsafe::detail {

/// The documented floor of a backend without the limits that only a device knows: for
/// CheckLevel::cheap.
template <class B>
inline constexpr DeviceLimits cheap_limits = [] {
  DeviceLimits limits = floor_of<B>;
  limits.shared_per_block = ~std::uint64_t{0};
  limits.shared_per_block_optin = ~std::uint64_t{0};
  limits.warp_size = 0;
  limits.max_cluster_blocks = 16;
  limits.max_cluster_blocks_optin = 16;
  limits.cooperative_launch = true;
  return limits;
}();

/// Gets the limits of the device and the kernel: from the driver for the first launch, from memory
/// after that. False with the problem in `error`.
template <class B, class K>
bool ask_driver(const Located<B>& at, K kernel, const DeviceLimits*& device_limits,
                DeviceLimits& device_local, const KernelLimits*& kernel_limits,
                KernelLimits& kernel_local, LaunchError& error) noexcept {
  const int device = at.stream.device().value();
  if constexpr (requires { kernel.module_device(); }) {
    if (kernel.module_device() >= 0 && kernel.module_device() != device) {
      return refuse(error, Errc::module_wrong_device, Stage::validation,
                    static_cast<std::uint64_t>(device),
                    static_cast<std::uint64_t>(kernel.module_device()));
    }
  }
  int current = -1;
  int status = call<B, CheckLevel::full, &B::current_device>(current);
  if (status == 0 && current != device) {
    return refuse(error, Errc::stream_wrong_device, Stage::validation,
                  static_cast<std::uint64_t>(current), static_cast<std::uint64_t>(device));
  }
  if (const CheckHooks* const checks = check_hooks(); status == 0 && checks != nullptr) {
    // Kernels of the host compiler share their device checks among all CPU backends.
    status = checks->prepare(runs_host_kernels<B> ? Vendor::host : B::vendor, device);
  }
  if (status == 0) {
    device_limits = DeviceCache<B>::template find<CheckLevel::full>(device, device_local, status);
  }
  if (status == 0) {
    kernel_limits = kernel_slots<B>(kernel).template find<CheckLevel::full>(kernel.entry(), device,
                                                                            kernel_local, status);
  }
  if (status != 0) {
    // Constructed in place: a copy of a LaunchError is 400 bytes of code.
    ::new (static_cast<void*>(&error))
        LaunchError(kernel_error<B>(status, Name::of("launch"), at.site, Stage::validation));
    error.device = device;
    return false;
  }
  return true;
}

/// Checks cooperative launches and large clusters against the number of blocks that are resident at
/// once. It asks the driver every time, and only for a shape that is valid otherwise. It first opts
/// in to the shape's dynamic shared memory, since the driver answers 0 without that.
template <class B, class K>
bool check_residency(const Located<B>& at, const LaunchShape& shape, K kernel,
                     const DeviceLimits& device, LaunchError& error) noexcept {
  using Calls = typename K::template calls<B>;
  constexpr CheckLevel full = CheckLevel::full;
  const KernelEntry entry = kernel.entry();
  int fits = 0;
  int status = 0;
  if (shape.dynamic_shared != 0) {
    status = kernel_slots<B>(kernel).template allow_dynamic_shared<full>(
        entry, at.stream.device().value(), shape.dynamic_shared);
  }
  if (status == 0 && shape.cooperative) {
    status = call<Calls, full, &Calls::resident_blocks>(
        entry, static_cast<std::uint32_t>(shape.threads_per_block()), shape.dynamic_shared, fits);
  } else if (status == 0) {
    status = call<Calls, full, &Calls::max_cluster_blocks>(entry, shape, fits);
  }
  if (status != 0) {
    error = runtime_error<B>(status, Name::of("launch"), at.site, Stage::validation);
    error.device = at.stream.device().value();
    return false;
  }
  const std::uint64_t most =
      static_cast<std::uint64_t>(fits) * (shape.cooperative ? device.multiprocessors : 1U);
  const std::uint64_t blocks = shape.cooperative ? shape.blocks() : shape.blocks_per_cluster();
  if (blocks <= most) return true;
  error =
      LaunchError::make(shape.cooperative ? Errc::cooperative_too_large : Errc::cluster_too_large,
                        Stage::validation, blocks, most);
  error.with_shape(shape).with_device(device);
  return false;
}

/// The run-time checks before the dispatch. False with the problem in `error`. At level full
/// `kernel_limits` then points to the kernel's limits, which may be `kernel_local`.
template <CheckLevel Level, class B, class K, class Config>
bool check_launch(const Located<B>& at, const Config& config, const LaunchShape& shape, K kernel,
                  const KernelLimits*& kernel_limits, KernelLimits& kernel_local,
                  LaunchError& error) noexcept {
  // A Stream that was moved from or closed. To the runtime its handle is the default stream.
  if (at.stream.native() == nullptr) {
    refuse(error, Errc::stream_null, Stage::validation);
    error.subcode = Subcode::stream_closed;
    return false;
  }
  if constexpr (Config::template has<PartKind::shared> || Config::template has<PartKind::cluster>) {
    const LaunchError problem = config.problem();
    if (problem.code != Errc{}) {
      error = problem;
      return false;
    }
  }
  // Known by type: most launches have neither, and do not compile the questions.
  constexpr bool together =
      Config::template has<PartKind::cooperative> || Config::template has<PartKind::cluster>;
  if constexpr (Level == CheckLevel::full) {
    DeviceLimits device_local;
    const DeviceLimits* device_limits = nullptr;
    if (!ask_driver(at, kernel, device_limits, device_local, kernel_limits, kernel_local, error) ||
        !validate_launch<K, together>(shape, *kernel_limits, *device_limits, error) ||
        !validate_reach<K>(config, shape, error)) {
      return false;
    }
    if constexpr (together) {
      return !(shape.cooperative || shape.non_portable_cluster) ||
             check_residency(at, shape, kernel, *device_limits, error);
    } else {
      return true;
    }
  } else {
    static_cast<void>(kernel_limits);
    return validate_launch<K, together>(shape, kernel_local, cheap_limits<B>, error) &&
           validate_reach<K>(config, shape, error);
  }
}

template <CheckLevel Level, class B, class... P, class... A>
[[nodiscard, gnu::always_inline]] inline bool check_values(LaunchError& error, TypeList<P...>,
                                                           const A&... arguments) noexcept {
  constexpr bool ask_driver = Level == CheckLevel::full;
  if constexpr ((has_a_check<ask_driver, P, A> || ...)) {
    int number = 0;
    return (check_value<B, ask_driver, P>(arguments, ++number, error) && ...);
  } else {
    return true;
  }
}

}  // namespace warpsafe::detail
