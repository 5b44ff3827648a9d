// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/dims/safe_grid.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/launch/detail/kernel_slots.hpp>
#include <warpsafe/launch/detail/launch_rules.hpp>
#include <warpsafe/launch/launch_config.hpp>
#include <warpsafe/stream/detail/on_device.hpp>
#include <warpsafe/stream/device.hpp>
#include <warpsafe/stream/stream.hpp>

#include <cstdint>

// The driver's limits of a kernel, and how many of its blocks are resident at once.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {

template <class B, class K>
[[nodiscard]] result<later<B, KernelLimits>> find_kernel_limits(basic_stream_ref<B> stream,
                                                                K kernel, call_site site) noexcept {
  KernelLimits local;
  int status = 0;
  const KernelLimits* known =
      kernel_slots<B>(kernel).find(kernel.entry(), stream.device().value(), local, status);
  if (known != nullptr) return *known;
  LaunchError error = kernel_error<B>(status, Name::of("kernel attributes"), site);
  error.kernel = kernel.name();
  error.device = stream.device().value();
  return error;
}

/// The number of blocks of `threads` threads and `bytes` of dynamic shared memory each that a
/// multiprocessor of the stream's device holds at once. @pre the kernel's attributes have been
/// queried
template <class B, class K>
[[nodiscard]] result<later<B, int>> resident_per_multiprocessor(basic_stream_ref<B> stream,
                                                                K kernel, std::uint32_t threads,
                                                                std::uint64_t bytes,
                                                                call_site site) noexcept {
  // Without the opt-in to the kernel's shared memory, the driver answers 0.
  using Calls = typename K::template calls<B>;
  if (const int status = kernel_slots<B>(kernel).allow_dynamic_shared(
          kernel.entry(), stream.device().value(), bytes)) {
    return runtime_error<B>(status, Name::of("opt-in to shared memory"), site);
  }
  int each = 0;
  if (const int status = on_device<B>(stream.device().value(), [&]() noexcept {
        return Calls::resident_blocks(kernel.entry(), threads, bytes, each);
      })) {
    return runtime_error<B>(status, Name::of("occupancy"), site);
  }
  return each;
}

}  // namespace detail

/// What the driver reports for a kernel on the stream's device: registers, shared memory, the most
/// threads per block. The first call loads the kernel's code. An early call keeps the loading out
/// of a launch, out of a capture, and out of the time in which a persistent kernel holds the
/// device. Errc::not_a_kernel, ::no_kernel_image, ::no_device.
template <class S, class K>
[[nodiscard]] result<detail::later<S, KernelLimits>> kernel_limits(
    const S& stream, K kernel, call_site site = call_site::current()) noexcept {
  static_assert(detail::is_stream<S>, "warpsafe: kernel_limits takes a Stream or StreamRef first");
  static_assert(detail::is_kernel<K>, "warpsafe: kernel_limits takes kernel<fn> second");
  return detail::find_kernel_limits(basic_stream_ref<typename S::backend>(stream), kernel, site);
}

/// The number of blocks of `block` threads with `dynamic_shared` bytes each that are resident at
/// once on the stream's device. It is the cap for `SafeGrid<>::grid_stride` and the maximum of a
/// cooperative launch. If not one block fits, the error is that of a launch and names the resource:
/// Errc::block_too_large, ::kernel_threads_exceeded, ::shared_too_large and the others of
/// `validate`; 0 if no known limit is exceeded, and `grid_stride` then returns an error. A grid
/// capped by it is for launches of this kernel and block, with these bytes, on this device:
/// Errc::occupancy_mismatch otherwise, in checked builds. Errc as `kernel_limits`.
template <class S, class K, class Block>
[[nodiscard]] result<detail::later<S, max_blocks>> max_resident_blocks(
    const S& stream, K kernel, Block block, Bytes dynamic_shared = Bytes{},
    call_site site = call_site::current()) noexcept {
  static_assert(is_block_dim<Block>,
                "warpsafe: max_resident_blocks takes the block third: block<256>");
  using B = typename S::backend;
  const auto limits = kernel_limits(stream, kernel, site);
  if (!limits.has_value()) return limits.assume_error();
  const auto device = device_limits<B>(stream.device(), site);
  if (!device.has_value()) return device.assume_error();
  // No device has blocks of more threads: the driver refuses the largest number of 32 bits.
  const std::uint32_t threads =
      block.count() > 0xffffffffU ? 0xffffffffU : static_cast<std::uint32_t>(block.count());
  const auto each =
      detail::resident_per_multiprocessor<B>(stream, kernel, threads, dynamic_shared.value(), site);
  if (!each.has_value() || each.assume_value() == 0) {
    LaunchShape shape;
    for (auto& blocks : shape.grid) blocks = 1;
    shape.block[0] = block.x();
    shape.block[1] = block.y();
    shape.block[2] = block.z();
    shape.dynamic_shared = dynamic_shared.value();
    LaunchError error;
    if (!detail::validate_plain(shape, K::needs, limits.assume_value(), device.assume_value(),
                                error)) {
      error.kernel = kernel.name();
      error.stream = stream.native();
      error.site = site;
      return error;
    }
    if (!each.has_value()) return each.assume_error();
  }
  max_blocks most(static_cast<std::uint64_t>(each.assume_value()) *
                  device.assume_value().multiprocessors);
  most.of = {detail::hash_of(kernel.name()), dynamic_shared.value(), threads,
             stream.device().value()};
  return most;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
