// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/launch/validate.hpp>

namespace warpsafe::debug {

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
  }
  shape.dynamic_shared = record.dynamic_shared;
  shape.has_priority = record.has(LaunchOption::priority);
  shape.priority = record.priority;  // NOLINT(bugprone-signed-char-misuse,cert-str34-c): a number
  shape.has_cluster = record.has(LaunchOption::cluster);
  for (int axis = 0; shape.has_cluster && axis < 3; ++axis) {
    shape.cluster[axis] = record.cluster[axis];
  }
  shape.non_portable_cluster = record.has(LaunchOption::non_portable_cluster);
  shape.cooperative = record.has(LaunchOption::cooperative);
  shape.programmatic = record.has(LaunchOption::programmatic);
  KernelLimits kernel;
  kernel.static_shared = record.static_shared;
  if (record.vendor == limits.vendor) kernel.max_threads_per_block = record.max_threads_per_block;
  LaunchError error;
  if (warpsafe::detail::validate_numbers(shape, KernelNeeds{}, kernel, limits, error)) {
    return success();
  }
  error.kernel = record.kernel;
  error.stream = record.stream;
  error.sequence = record.sequence;
  error.site = record.site;
  return error;
}

}  // namespace warpsafe::debug
