// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_call.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/launch/detail/kernel_slots.hpp>
#include <warpsafe/launch/launch_config.hpp>
#include <warpsafe/stream/device.hpp>
#include <warpsafe/stream/stream.hpp>

#include <cstdint>

// What the driver knows of a kernel, and how much of it fits on a device at once.

namespace warpsafe {

namespace detail {

template <CheckLevel Level, class B, class K>
[[nodiscard]] result<later<B, KernelLimits>> find_kernel_limits(basic_stream_ref<B> stream,
                                                                K kernel, call_site site) noexcept {
  auto guard = basic_device_guard<B>::template create<Level>(stream.device(), site);
  if (!guard.has_value()) return guard.assume_error();
  KernelLimits local;
  int status = 0;
  const KernelLimits* known = kernel_slots<B>(kernel).template find<Level>(
      kernel.entry(), stream.device().value(), local, status);
  if (known != nullptr) return *known;
  LaunchError error = kernel_error<B>(status, Name::of("kernel attributes"), site);
  error.kernel = kernel.name();
  error.device = stream.device().value();
  return error;
}

/// How many blocks of `threads` threads and `bytes` of dynamic shared memory each a multiprocessor
/// of the stream's device holds at once. The kernel's attributes were asked before.
template <CheckLevel Level, class B, class K>
[[nodiscard]] result<later<B, int>> resident_per_multiprocessor(basic_stream_ref<B> stream,
                                                                K kernel, std::uint32_t threads,
                                                                std::uint64_t bytes,
                                                                call_site site) noexcept {
  auto guard = basic_device_guard<B>::template create<Level>(stream.device(), site);
  if (!guard.has_value()) return guard.assume_error();
  // The driver answers 0 for shared memory that needs an opt-in it has not had.
  using Calls = typename K::template calls<B>;
  if (const int status = kernel_slots<B>(kernel).template allow_dynamic_shared<Level>(
          kernel.entry(), stream.device().value(), bytes)) {
    return runtime_error<B>(status, Name::of("opt-in to shared memory"), site);
  }
  int each = 0;
  if (const int status =
          call<Calls, Level, &Calls::resident_blocks>(kernel.entry(), threads, bytes, each)) {
    return runtime_error<B>(status, Name::of("occupancy"), site);
  }
  return each;
}

}  // namespace detail

/// What the driver knows of a kernel on the stream's device: registers, shared memory, the most
/// threads per block. The first question loads the kernel's code, so asking ahead keeps that out of
/// a launch (and out of a capture, or of a moment when a persistent kernel holds the device).
/// Errc::not_a_kernel, ::no_kernel_image, ::no_device.
template <CheckLevel Level = current_level, class S, class K>
[[nodiscard]] result<detail::later<S, KernelLimits>> kernel_limits(
    const S& stream, K kernel, call_site site = call_site::current()) noexcept {
  static_assert(detail::is_stream<S>, "warpsafe: kernel_limits takes a Stream or StreamRef first");
  static_assert(detail::is_kernel<K>, "warpsafe: kernel_limits takes kernel<fn> second");
  return detail::find_kernel_limits<Level>(basic_stream_ref<typename S::backend>(stream), kernel,
                                           site);
}

/// How many blocks of `block` threads with `dynamic_shared` bytes each are resident at once on the
/// stream's device: the cap for `SafeGrid<>::grid_stride`, and the most that a cooperative launch
/// may have. 0 where not a single block fits, which `grid_stride` and a cooperative launch then
/// refuse. Errc as `kernel_limits`.
template <CheckLevel Level = current_level, class S, class K, class Block>
[[nodiscard]] result<detail::later<S, max_blocks>> max_resident_blocks(
    const S& stream, K kernel, Block block, Bytes dynamic_shared = Bytes{},
    call_site site = call_site::current()) noexcept {
  static_assert(is_block_dim<Block>,
                "warpsafe: max_resident_blocks takes the block third: block<256>");
  using B = typename S::backend;
  const auto limits = kernel_limits<Level>(stream, kernel, site);
  if (!limits.has_value()) return limits.assume_error();
  const auto device = device_limits<B, Level>(stream.device(), site);
  if (!device.has_value()) return device.assume_error();
  const auto each = detail::resident_per_multiprocessor<Level, B>(
      stream, kernel, static_cast<std::uint32_t>(block.count()), dynamic_shared.value(), site);
  if (!each.has_value()) return each.assume_error();
  return max_blocks(static_cast<std::uint64_t>(each.assume_value()) *
                    device.assume_value().multiprocessors);
}

}  // namespace warpsafe
