// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/detail/text.hpp>
#include <warpsafe/limits.hpp>

namespace warpsafe::detail {

/// A device's limits in one line, in the runtimes' own words.
inline void put_limits(TextBuffer& out, const DeviceLimits& limits) noexcept {
  out << "Device " << limits.device << " '" << limits.name << "': ";
  if (limits.vendor == Vendor::nvidia) {
    out << "compute capability " << limits.compute_major << '.' << limits.compute_minor << ", ";
  }
  out << "maxThreadsPerBlock=" << limits.max_threads_per_block
      << ", maxThreadsDim=" << limits.max_block << ", maxGridSize=" << limits.max_grid
      << ", sharedMemPerBlock=" << limits.shared_per_block << " bytes";
  if (limits.shared_per_block_optin > limits.shared_per_block) {
    out << " (" << limits.shared_per_block_optin << " with opt-in)";
  }
  out << ", warpSize=" << limits.warp_size << ", multiProcessorCount=" << limits.multiprocessors
      << ", maxThreadsPerMultiProcessor=" << limits.max_threads_per_multiprocessor
      << ", regsPerBlock=" << limits.registers_per_block
      << ", cooperativeLaunch=" << (limits.cooperative_launch ? '1' : '0')
      << ", cluster=" << limits.max_cluster_blocks << " blocks";
  if (limits.floored) {
    out << " (at least one of these the device does not report: the documented floor)";
  }
}

}  // namespace warpsafe::detail
