// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/error/error.hpp>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail {

/// Adds the launch to an error about it.
inline void put_launch(LaunchError& error, const LaunchRecord& record) noexcept {
  error.kernel = record.kernel;
  for (int axis = 0; axis < 3; ++axis) {
    error.grid[axis] = record.grid[axis];
    error.block[axis] = record.block[axis];
  }
  error.dynamic_shared = record.dynamic_shared;
  error.stream = record.stream;
  error.device = record.device;
  error.sequence = record.sequence;
  error.site = record.site;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail
