// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/limit_fields.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/launch/occupancy.hpp>

#include <cstddef>
#include <cstdint>

// Texts for people: what the driver reports for a kernel, and how much of a device a launch
// occupies.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// The resource that keeps further blocks of a launch from being resident on a multiprocessor.
enum class OccupancyLimit : std::uint8_t {
  nothing_fits,  ///< not even one block fits
  threads,       ///< the multiprocessor's threads
  blocks,        ///< its number of blocks
  shared,        ///< its shared memory
  registers,     ///< registers, or another resource of the device
};

/// How much of a device the blocks of one launch occupy at once.
struct Occupancy {
  Name kernel{};
  std::uint32_t threads = 0;         ///< per block
  std::uint64_t dynamic_shared = 0;  ///< bytes per block
  std::uint32_t blocks = 0;          ///< per multiprocessor, as the driver reports
  std::uint32_t warps = 0;           ///< of those blocks, per multiprocessor
  std::uint32_t most_warps = 0;      ///< that a multiprocessor holds; 0: not reported
  std::uint64_t blocks_at_once = 0;  ///< on the whole device
  std::uint64_t blocks_launched = 0;
  OccupancyLimit limit = OccupancyLimit::nothing_fits;

  /// The occupied share of a multiprocessor's warps in percent; 0 if the maximum is not reported.
  [[nodiscard]] constexpr std::uint32_t percent() const noexcept {
    return most_warps == 0 ? 0 : (100 * warps + most_warps / 2) / most_warps;
  }
  /// How many times the device is filled until all blocks have run. The last time, it may be only
  /// partly filled.
  [[nodiscard]] constexpr std::uint64_t waves() const noexcept {
    return blocks_at_once == 0 ? 0 : (blocks_launched + blocks_at_once - 1) / blocks_at_once;
  }
};

namespace detail {

[[nodiscard]] constexpr OccupancyLimit occupancy_limit(std::uint32_t blocks, std::uint32_t threads,
                                                       std::uint64_t shared,
                                                       const DeviceLimits& device) noexcept {
  if (blocks == 0) return OccupancyLimit::nothing_fits;
  // Finds the resource without room for one block more. Hardware rounds allocations up to units
  // that no runtime reports. The driver's number includes that rounding, so a resource that is
  // short only by its rounding also has no room for the next block.
  const std::uint64_t next = std::uint64_t{blocks} + 1;
  if (device.max_threads_per_multiprocessor != 0 &&
      next * threads > device.max_threads_per_multiprocessor) {
    return OccupancyLimit::threads;
  }
  if (device.max_blocks_per_multiprocessor != 0 && next > device.max_blocks_per_multiprocessor) {
    return OccupancyLimit::blocks;
  }
  const std::uint64_t each = shared + device.reserved_shared_per_block;
  if (device.shared_per_multiprocessor != 0 && shared != 0 &&
      next * each > device.shared_per_multiprocessor) {
    return OccupancyLimit::shared;
  }
  return OccupancyLimit::registers;
}

}  // namespace detail

/// The occupancy of a launch of `config` on the stream's device. Launches nothing. Errc as
/// `kernel_limits`, and the error in `config`.
template <class S, class C, class K>
[[nodiscard]] result<detail::later<S, Occupancy>> occupancy(
    const S& stream, const C& config, const K& kernel,
    call_site site = call_site::current()) noexcept {
  if constexpr (is_result<C>) {
    if (!config.has_value()) return config.assume_error();
    return occupancy(stream, config.assume_value(), kernel, site);
  } else {
    static_assert(is_launch_config<C>, "warpsafe: occupancy takes a LaunchConfig second");
    static_assert(detail::is_kernel<K>, "warpsafe: occupancy takes kernel<fn> third");
    using B = typename S::backend;
    const LaunchShape shape = config.shape();
    const auto known = kernel_limits(stream, kernel, site);
    if (!known.has_value()) return known.assume_error();
    const auto device = device_limits<B>(stream.device(), site);
    if (!device.has_value()) return device.assume_error();
    Occupancy found;
    found.kernel = kernel.name();
    found.threads = static_cast<std::uint32_t>(shape.threads_per_block());
    found.dynamic_shared = shape.dynamic_shared;
    found.blocks_launched = shape.blocks();
    const auto each = detail::resident_per_multiprocessor<B>(stream, kernel, found.threads,
                                                             shape.dynamic_shared, site);
    if (!each.has_value()) return each.assume_error();
    const DeviceLimits& limits = device.assume_value();
    const std::uint32_t warp = limits.warp_size != 0 ? limits.warp_size : 1;
    const std::uint32_t warps_per_block = (found.threads + warp - 1) / warp;
    found.blocks = static_cast<std::uint32_t>(each.assume_value());
    found.warps = found.blocks * warps_per_block;
    found.most_warps = limits.max_threads_per_multiprocessor / warp;
    found.blocks_at_once = std::uint64_t{found.blocks} * limits.multiprocessors;
    found.limit =
        detail::occupancy_limit(found.blocks, warps_per_block * warp,
                                known.assume_value().static_shared + shape.dynamic_shared, limits);
    return found;
  }
}

/// Writes an occupancy in two lines into `buffer` of `capacity` bytes, cut to fit and terminated.
/// 512 bytes hold every report with a name of ordinary length. Returns the bytes written without
/// the terminator.
inline std::size_t format_occupancy(const Occupancy& occupancy, char* buffer,
                                    std::size_t capacity) noexcept {
  detail::TextBuffer out(buffer, capacity);
  out << "Occupancy of '" << occupancy.kernel << "' with blocks of " << occupancy.threads
      << " threads and " << occupancy.dynamic_shared
      << " bytes of dynamic shared memory: " << occupancy.blocks << " per multiprocessor";
  if (occupancy.most_warps != 0) {
    out << ", " << occupancy.warps << " of " << occupancy.most_warps << " warps ("
        << occupancy.percent() << "%)";
  }
  switch (occupancy.limit) {
    case OccupancyLimit::nothing_fits:
      return (out << "; not a single block fits").size();
    case OccupancyLimit::threads:
      out << "; no more threads fit";
      break;
    case OccupancyLimit::blocks:
      out << "; no more blocks fit";
      break;
    case OccupancyLimit::shared:
      out << "; no more shared memory is left";
      break;
    case OccupancyLimit::registers:
      out << "; registers, or another resource, are the limit";
      break;
  }
  out << "\n  " << occupancy.blocks_launched
      << (occupancy.blocks_launched == 1 ? " block, " : " blocks, ") << occupancy.blocks_at_once
      << " at once on the device: " << occupancy.waves()
      << (occupancy.waves() == 1 ? " wave" : " waves");
  return out.size();
}

/// Writes what the driver reports for a kernel in one line: what is not 0, under the names of
/// KernelLimits, into `buffer` of `capacity` bytes, cut to fit and terminated. 512 bytes hold every
/// report with a name of ordinary length. Returns the bytes written without the terminator.
inline std::size_t format_kernel(Name kernel, const KernelLimits& limits, char* buffer,
                                 std::size_t capacity) noexcept {
  detail::TextBuffer out(buffer, capacity);
  out << "Kernel '" << kernel << "': ";
  detail::put_numbers(out, &limits, detail::kernel_limit_fields);
  if (limits.local_bytes != 0) {
    out << "\n  " << limits.local_bytes << " bytes per thread lie in local memory: registers that "
        << "were spilled, or arrays that are indexed at run time";
  }
  return out.size();
}

/// Asks the stream's device about the kernel and writes the report as above. Errc as
/// `kernel_limits`.
template <class S, class K>
[[nodiscard]] result<detail::later<S, std::size_t>> format_kernel(
    const S& stream, const K& kernel, char* buffer, std::size_t capacity,
    call_site site = call_site::current()) noexcept {
  const auto known = kernel_limits(stream, kernel, site);
  if (!known.has_value()) return known.assume_error();
  return format_kernel(kernel.name(), known.assume_value(), buffer, capacity);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
