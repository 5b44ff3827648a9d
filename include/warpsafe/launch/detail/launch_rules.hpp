// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/arithmetic.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/error/error.hpp>

#include <cstdint>

// The rules of a launch over plain numbers.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The number of threads that an error suggests for a block, within all limits. 0 if the suggestion
/// would be refused too, since it is not a multiple of what the kernel requires.
[[WARPSAFE_DETAIL_RARE]] constexpr std::uint64_t suggestable_threads(
    const LaunchShape& shape, const KernelNeeds& needs, const KernelLimits& kernel,
    const DeviceLimits& device) noexcept {
  const std::uint64_t most = strictest(device.max_threads_per_block,
                                       strictest(needs.max_threads, kernel.max_threads_per_block));
  if (most == 0) return 0;
  std::uint32_t fits[3] = {};
  const std::uint64_t threads = fitting_block(shape.block, most, fits);
  return needs.block_multiple != 0 && threads % needs.block_multiple != 0 ? 0 : most;
}

/// The number of threads of a grid, saturating.
[[gnu::always_inline]] constexpr std::uint64_t total_threads(std::uint64_t blocks,
                                                             std::uint64_t per_block) noexcept {
  std::uint64_t all = 0;
  return multiply(blocks, per_block, all) ? all : ~std::uint64_t{0};
}

/// Fills in `error` with a problem of a launch and returns false.
struct Refusal {
  const LaunchShape& shape;
  const DeviceLimits& device;
  LaunchError& error;

  [[WARPSAFE_DETAIL_RARE]] constexpr bool operator()(
      Errc code, std::uint64_t value, std::uint64_t limit, Axis axis = Axis::none,
      std::uint64_t extra = 0, Subcode subcode = Subcode::none) const noexcept {
    refuse(error, code, Stage::validation, value, limit, axis, extra, subcode);
    error.with_shape(shape).with_device(device);
    error.limit_is_floor = device.floored && device.device >= 0;
    return false;
  }
  /// For a block that has too many threads.
  [[WARPSAFE_DETAIL_RARE]] constexpr bool operator()(Errc code, std::uint64_t threads,
                                                     std::uint64_t limit, const KernelNeeds& needs,
                                                     const KernelLimits& kernel) const noexcept {
    return (*this)(code, threads, limit, Axis::none,
                   suggestable_threads(shape, needs, kernel, device));
  }
  /// For a grid or block of which an axis is 0.
  [[WARPSAFE_DETAIL_RARE]] constexpr bool zero_axis() const noexcept {
    for (int i = 0;; ++i) {
      const Axis axis = static_cast<Axis>(i);
      if (shape.block[i] == 0) return (*this)(Errc::block_zero, 0, device.max_block[i], axis);
      if (shape.grid[i] == 0) return (*this)(Errc::grid_zero, 0, device.max_grid[i], axis);
    }
  }
};
/// In place of a Refusal: there is a problem, and nobody asks which. The calls and what only they
/// need disappear.
struct UnnamedRefusal {
  template <class... Reason>
  [[gnu::always_inline]] constexpr bool operator()(const Reason&...) const noexcept {
    return false;
  }
  [[gnu::always_inline]] static constexpr bool zero_axis() noexcept { return false; }
};

/// The rules of a launch, except for clusters and cooperative launches. `fail` is called for the
/// first problem, and its answer, false, is returned. The rules accept exactly what the vendor
/// accepts, with two stricter ones: the needs that the kernel declares, and at most 2^31 threads
/// for a kernel that declares no index type.
template <class Fail>
[[gnu::always_inline]] constexpr bool plain_rules(const LaunchShape& shape,
                                                  const KernelNeeds& needs,
                                                  const KernelLimits& kernel,
                                                  const DeviceLimits& device,
                                                  const Fail& fail) noexcept {
  const std::uint64_t threads = shape.threads_per_block();
  const std::uint64_t blocks = shape.blocks();
  if (threads == 0 || blocks == 0) return fail.zero_axis();
  if (threads > device.max_threads_per_block) {
    return fail(Errc::block_too_large, threads, device.max_threads_per_block, needs, kernel);
  }
  for (int i = 0; i < 3; ++i) {
    const Axis axis = static_cast<Axis>(i);
    if (shape.block[i] > device.max_block[i]) {
      return fail(Errc::block_axis_too_large, shape.block[i], device.max_block[i], axis);
    }
    if (shape.grid[i] > device.max_grid[i]) {
      return fail(Errc::grid_too_large, shape.grid[i], device.max_grid[i], axis);
    }
  }
  for (int i = 0; device.max_threads_per_axis != 0 && i < 3; ++i) {
    const std::uint64_t along = static_cast<std::uint64_t>(shape.grid[i]) * shape.block[i];
    if (along > device.max_threads_per_axis) {
      return fail(Errc::axis_threads_too_many, along, device.max_threads_per_axis,
                  static_cast<Axis>(i));
    }
  }

  if (needs.max_threads != 0 && threads > needs.max_threads) {
    return fail(Errc::kernel_threads_exceeded, threads, needs.max_threads, needs, kernel);
  }
  if (kernel.max_threads_per_block != 0 && threads > kernel.max_threads_per_block) {
    return fail(Errc::kernel_threads_exceeded, threads, kernel.max_threads_per_block, needs,
                kernel);
  }
  if (needs.block_multiple != 0 && threads % needs.block_multiple != 0) {
    return fail(Errc::block_not_multiple, threads, needs.block_multiple);
  }
  if (needs.warp_size != 0 && device.warp_size != 0 && needs.warp_size != device.warp_size) {
    return fail(Errc::warp_size_mismatch, device.warp_size, needs.warp_size);
  }
  // Indices start at 0, so index_max + 1 threads are valid.
  const std::uint64_t all = total_threads(blocks, threads);
  if (needs.index_max != 0 && all - 1 > needs.index_max) {
    return fail(Errc::index_overflow, all, needs.index_max + 1, Axis::none, 0,
                needs.index_assumed ? Subcode::threads_assumed_int : Subcode::none);
  }

  if (shape.dynamic_shared < needs.min_dynamic_shared) {
    return fail(Errc::shared_missing, shape.dynamic_shared, needs.min_dynamic_shared);
  }
  // Static and dynamic shared memory count together. AMD's runtime 6.4 checks each alone and
  // launches the sum (seen on 6.4.3; 5.2.3 and 5.7.1 refuse it as "out of memory").
  const std::uint64_t shared_limit = device.shared_per_block_optin;
  if (shape.dynamic_shared > shared_limit ||
      kernel.static_shared > shared_limit - shape.dynamic_shared) {
    const std::uint64_t sum = shape.dynamic_shared + kernel.static_shared;
    return fail(Errc::shared_too_large, sum < shape.dynamic_shared ? ~std::uint64_t{0} : sum,
                shared_limit, Axis::none, kernel.static_shared,
                shared_limit > device.shared_per_block ? Subcode::opt_in_included : Subcode::none);
  }
  return true;
}
/// Whether a launch obeys plain_rules.
[[nodiscard, gnu::noinline]] constexpr bool obeys_plain_rules(const LaunchShape& shape,
                                                              const KernelNeeds& needs,
                                                              const KernelLimits& kernel,
                                                              const DeviceLimits& device) noexcept {
  return plain_rules(shape, needs, kernel, device, UnnamedRefusal{});
}
/// Fills in `error` with the first of plain_rules that a launch breaks, and returns false.
[[WARPSAFE_DETAIL_RARE]] constexpr bool name_broken_rule(const LaunchShape& shape,
                                                         const KernelNeeds& needs,
                                                         const KernelLimits& kernel,
                                                         const DeviceLimits& device,
                                                         LaunchError& error) noexcept {
  return plain_rules(shape, needs, kernel, device, Refusal{shape, device, error});
}
/// Validates plain numbers. False with the first problem in `error`.
[[gnu::always_inline]] constexpr bool validate_plain(const LaunchShape& shape,
                                                     const KernelNeeds& needs,
                                                     const KernelLimits& kernel,
                                                     const DeviceLimits& device,
                                                     LaunchError& error) noexcept {
  // Most launches are valid, and the first question takes a tenth of what the second does.
  return obeys_plain_rules(shape, needs, kernel, device) ||
         name_broken_rule(shape, needs, kernel, device, error);
}

/// Validates clusters and cooperative launches.
constexpr bool validate_residency(const LaunchShape& shape, const KernelLimits& kernel,
                                  const DeviceLimits& device, LaunchError& error) noexcept {
  const Refusal fail{shape, device, error};
  if (shape.has_cluster) {
    const std::uint64_t blocks = shape.blocks_per_cluster();
    if (device.max_cluster_blocks == 0) return fail(Errc::cluster_unsupported, blocks, 0);
    for (int i = 0; i < 3; ++i) {
      if (shape.cluster[i] == 0 || shape.grid[i] % shape.cluster[i] != 0) {
        return fail(Errc::cluster_not_divisor, shape.grid[i], shape.cluster[i],
                    static_cast<Axis>(i));
      }
    }
    const std::uint64_t most =
        shape.non_portable_cluster && device.max_cluster_blocks_optin > device.max_cluster_blocks
            ? device.max_cluster_blocks_optin
            : device.max_cluster_blocks;
    if (blocks > most) return fail(Errc::cluster_too_large, blocks, most);
    if (kernel.max_cluster_blocks != 0 && blocks > kernel.max_cluster_blocks) {
      return fail(Errc::cluster_too_large, blocks, kernel.max_cluster_blocks);
    }
  }
  if (shape.cooperative) {
    const std::uint64_t threads = shape.threads_per_block();
    if (!device.cooperative_launch) {
      return fail(Errc::cooperative_unsupported, shape.blocks(), 0);
    }
    // AMD's runtime multiplies the total in 32 bits. It accepts a wrapped total, whose grid-wide
    // barrier never ends (accepted by 5.2.3, 5.7.1 and 6.4.3).
    std::uint64_t all = 0;
    if (device.vendor == Vendor::amd &&
        (!multiply(shape.blocks(), threads, all) || all > 0xffffffffU)) {
      return fail(Errc::cooperative_too_large, shape.blocks(), 0xffffffffU / threads);
    }
    if (kernel.resident_blocks != 0 && shape.blocks() > kernel.resident_blocks) {
      return fail(Errc::cooperative_too_large, shape.blocks(), kernel.resident_blocks);
    }
  }
  return true;
}

/// The validation that asks no device, so that `check`, `validate` and tests use it with the limits
/// of any GPU. `launch` leaves out what the types of its configuration rule out (check_numbers).
constexpr bool validate_numbers(const LaunchShape& shape, const KernelNeeds& needs,
                                const KernelLimits& kernel, const DeviceLimits& device,
                                LaunchError& error) noexcept {
  return validate_plain(shape, needs, kernel, device, error) &&
         validate_residency(shape, kernel, device, error);
}

/// For kernels declared portable: the configuration must be valid under each vendor's documented
/// floor.
constexpr bool validate_portable(const LaunchShape& shape, const KernelLimits& kernel,
                                 LaunchError& error) noexcept {
  KernelLimits anywhere = kernel;
  anywhere.max_threads_per_block = 0;
  // Only a device's own limits apply to clusters and cooperative launches.
  return validate_plain(shape, KernelNeeds{}, anywhere, limits::cuda_floor, error) &&
         validate_plain(shape, KernelNeeds{}, anywhere, limits::amd_floor, error);
}

/// All of the validation of a launch on a device.
constexpr bool validate_launch(const LaunchShape& shape, const KernelNeeds& needs,
                               const KernelLimits& kernel, const DeviceLimits& device,
                               LaunchError& error) noexcept {
  return validate_numbers(shape, needs, kernel, device, error) &&
         (!needs.portable || validate_portable(shape, kernel, error));
}

/// Whether the kernel's index type reaches every element of the grid. There are more elements than
/// threads if each thread has several, or if the kernel strides over the grid. Each checked launch
/// runs this and validate_plain.
constexpr bool validate_reach(std::uint64_t elements, const LaunchShape& shape,
                              const KernelNeeds& needs, LaunchError& error) noexcept {
  if (elements <= needs.index_max || elements - 1 <= needs.index_max) return true;
  refuse(error, Errc::index_overflow, Stage::validation, elements, needs.index_max + 1, Axis::none,
         0, needs.index_assumed ? Subcode::elements_assumed_int : Subcode::elements);
  error.with_shape(shape);
  return false;
}

/// Whether a launch that raises no attribute, such as `<<<>>>`, has no more dynamic shared memory
/// than the kernel's attribute allows now. Otherwise puts Errc::shared_not_opted_in into `error`.
/// `now` holds the current attributes, not cached ones; a maximum of 0 means unknown.
[[nodiscard]] constexpr bool shared_is_opted_in(const LaunchShape& shape, const KernelLimits& now,
                                                LaunchError& error) noexcept {
  if (now.max_dynamic_shared == 0 || shape.dynamic_shared <= now.max_dynamic_shared) return true;
  return refuse(error, Errc::shared_not_opted_in, Stage::validation, shape.dynamic_shared,
                now.max_dynamic_shared);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
