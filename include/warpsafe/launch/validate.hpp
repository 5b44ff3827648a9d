// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/launch/detail/launch_rules.hpp>
#include <warpsafe/launch/launch_config.hpp>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// Whether `kernel` may be launched with `config` on a device with `limits`. It asks no device:
/// `limits` may be any GPU's row of limits_table.hpp. `kernel_limits` is what a driver reports for
/// the kernel, if known. `limits` must outlive the error, which points to its name.
/// Errc: of each rule in detail/launch_rules.hpp, such as ::block_too_large; and the error in
/// `config`.
template <class Config, class K>
[[nodiscard]] constexpr result<void> validate(const Config& config, K kernel,
                                              const DeviceLimits& limits,
                                              const KernelLimits& kernel_limits = {},
                                              call_site site = call_site::current()) noexcept {
  static_assert(is_launch_config<Config>, "warpsafe: validate takes a LaunchConfig");
  static_assert(detail::is_kernel<K>, "warpsafe: validate takes kernel<fn>");
  if (config.empty()) return success();
  LaunchError error = config.problem();
  const LaunchShape shape = config.shape();
  if (error.code != Errc{} ||
      !detail::validate_launch(shape, K::needs, kernel_limits, limits, error) ||
      !detail::validate_reach(detail::covered_elements(config), shape, K::needs, error)) {
    error.kernel = kernel.name();
    error.site = site;
    return error;
  }
  return success();
}

/// Whether a device with `limits` would accept a recorded launch. The limits may be those of
/// another device or of an architecture's table (limits_table.hpp); no such device has to be
/// present. The check includes the kernel's static shared memory. It includes the number of threads
/// that the kernel allows only for the same vendor, because the registers that another vendor's
/// code needs are not known. It does not check how many blocks of a cooperative launch, or
/// clusters, fit at once. `limits` and the record's names must outlive the error. Errc as
/// `validate`.
[[nodiscard]] inline result<void> revalidate(const LaunchRecord& record,
                                             const DeviceLimits& limits) noexcept {
  LaunchShape shape;
  for (int axis = 0; axis < 3; ++axis) {
    shape.grid[axis] = record.grid[axis];
    shape.block[axis] = record.block[axis];
    shape.cluster[axis] = record.cluster[axis];
  }
  shape.dynamic_shared = record.dynamic_shared;
  shape.has_cluster = record.has(LaunchOption::cluster);
  shape.non_portable_cluster = record.has(LaunchOption::non_portable_cluster);
  shape.cooperative = record.has(LaunchOption::cooperative);
  KernelLimits kernel;
  kernel.static_shared = record.static_shared;
  if (record.vendor == limits.vendor) kernel.max_threads_per_block = record.max_threads_per_block;
  LaunchError error;
  if (detail::validate_numbers(shape, KernelNeeds{}, kernel, limits, error)) {
    return success();
  }
  error.kernel = record.kernel;
  error.stream = record.stream;
  error.sequence = record.sequence;
  error.site = record.site;
  return error;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
