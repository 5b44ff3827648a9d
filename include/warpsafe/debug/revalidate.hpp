// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/debug/launch_record.hpp>
#include <warpsafe/result.hpp>
#include <warpsafe/validate.hpp>

namespace warpsafe::debug {

/// Whether a launch that was recorded would be accepted by a device with `limits`: those of another
/// one, or a table of an architecture (limits_table.hpp), which no device here has to have. Its
/// static shared memory is counted; what its kernel's registers allow is not known there, so the
/// threads that the kernel allowed count only where the vendor is the same. Clusters and
/// cooperative launches are not in a record. `limits` and the record's names must outlive the
/// error. Errc as `validate`.
[[nodiscard]] inline result<void> revalidate(const LaunchRecord& record,
                                             const DeviceLimits& limits) noexcept {
  LaunchShape shape;
  for (int axis = 0; axis < 3; ++axis) {
    shape.grid[axis] = record.grid[axis];
    shape.block[axis] = record.block[axis];
  }
  shape.dynamic_shared = record.dynamic_shared;
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
