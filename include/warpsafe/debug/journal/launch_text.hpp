// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/core/limits.hpp>

#include <cstddef>
#include <cstdio>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// Writes a device's limits in one line, in the runtimes' own words. The text is cut to fit into
/// `buffer` of `capacity` bytes and terminated; 640 bytes hold it with a name of ordinary length.
/// Returns the bytes written without the terminator.
inline std::size_t format_limits(const DeviceLimits& limits, char* buffer,
                                 std::size_t capacity) noexcept {
  // Every limit is named, so that a new one does not compile until it is handled here.
  const auto& [vendor, device, name, max_threads_per_block, max_block, max_grid,
               max_threads_per_axis, shared_per_block, shared_per_block_optin,
               shared_per_multiprocessor, reserved_shared_per_block, warp_size, registers_per_block,
               multiprocessors, max_threads_per_multiprocessor, max_blocks_per_multiprocessor,
               max_cluster_blocks, max_cluster_blocks_optin, compute_major, compute_minor,
               max_parameter_bytes, cooperative_launch, memory_pools, concurrent_managed_access,
               floored] = limits;
  warpsafe::detail::left_out(vendor, max_threads_per_axis, shared_per_multiprocessor,
                             reserved_shared_per_block, max_blocks_per_multiprocessor,
                             max_cluster_blocks_optin, max_parameter_bytes, memory_pools,
                             concurrent_managed_access);
  // One call, because a chain of small calls takes a compiler ten times as long.
  const int size = std::snprintf(
      buffer, capacity,
      "Device %d '%.*s': compute capability %u.%u, maxThreadsPerBlock=%u, "
      "maxThreadsDim=(%u,%u,%u), maxGridSize=(%u,%u,%u), sharedMemPerBlock=%llu bytes (%llu with "
      "opt-in), warpSize=%u, multiProcessorCount=%u, maxThreadsPerMultiProcessor=%u, "
      "regsPerBlock=%u, cooperativeLaunch=%d, blocks per cluster=%u%s",
      device, static_cast<int>(name.size), name.data, compute_major, compute_minor,
      max_threads_per_block, max_block[0], max_block[1], max_block[2], max_grid[0], max_grid[1],
      max_grid[2], static_cast<unsigned long long>(shared_per_block),
      static_cast<unsigned long long>(shared_per_block_optin), warp_size, multiprocessors,
      max_threads_per_multiprocessor, registers_per_block, cooperative_launch ? 1 : 0,
      max_cluster_blocks,
      floored ? " (limits that the device does not report have their documented minimum)" : "");
  if (size < 0) return 0;
  return static_cast<std::size_t>(size) < capacity ? static_cast<std::size_t>(size) : capacity - 1;
}

/// Writes one launch of a list on a line of its own: number, kernel, dimensions and place.
/// `with_stream` also writes its stream.
inline void put_listed(warpsafe::detail::TextBuffer& out, const LaunchRecord& record,
                       bool with_stream) noexcept {
  out << "\n    #" << record.sequence << " '" << record.kernel << "', grid=" << record.grid
      << ", block=" << record.block << ", shared=" << record.dynamic_shared << " bytes";
  if (with_stream) out << ", stream " << record.stream;
  if (record.site.file != nullptr) out << ", at " << record.site;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
