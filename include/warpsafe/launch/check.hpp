// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/dims/make_dims.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/launch/detail/checked_launch.hpp>
#include <warpsafe/launch/launch.hpp>
#include <warpsafe/stream/detail/shared_stream.hpp>
#include <warpsafe/stream/stream.hpp>

#include <cstdint>
#include <type_traits>

// For existing code: `check` in front of an unchanged `k<<<grid, block, bytes, stream>>>(…)`. It
// takes the vendor's own types, the default stream included.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {

/// Reads a grid or block as `<<<>>>` takes it: a dim3 or a number. A number keeps all its bits
/// until it is checked; `<<<>>>` cuts it to 32 bits.
template <class Dims>
[[nodiscard]] constexpr bool raw_dims(const Dims& dims, std::uint32_t (&axes)[3], Errc too_large,
                                      std::uint64_t limit, LaunchError& error) noexcept {
  if constexpr (VendorDim3<Dims>) {
    check_vendor_dims<Dims>();
    axes[0] = static_cast<std::uint32_t>(dims.x);
    axes[1] = static_cast<std::uint32_t>(dims.y);
    axes[2] = static_cast<std::uint32_t>(dims.z);
    return true;
  } else {
    const SignedSize size = SignedSize::of(dims);
    const bool fits = !size.negative && size.magnitude <= 0xffffffffU;
    axes[0] = fits ? static_cast<std::uint32_t>(size.magnitude) : 0;  // every runtime refuses 0
    axes[1] = 1;
    axes[2] = 1;
    if (!fits) {
      error = LaunchError::make(size.negative ? Errc::dimension_negative : too_large,
                                Stage::validation, size.magnitude, limit, Axis::x);
      if (size.negative) {
        error.subcode =
            too_large == Errc::grid_too_large ? Subcode::grid_axis : Subcode::block_axis;
      }
    }
    return fits;
  }
}

/// Diagnoses the types of the first two arguments of `<<<>>>`, at every level.
template <class G, class Bk>
constexpr bool check_raw_dims() noexcept {
  constexpr bool in_order = !is_grid_dim<Bk> && !is_block_dim<G>;
  constexpr bool raw = (VendorDim3<G> || is_size<G>)&&(VendorDim3<Bk> || is_size<Bk>);
  static_assert(in_order,
                "warpsafe: the grid comes first and the block second, as in <<<grid, block>>>");
  static_assert(
      !in_order || raw,
      "warpsafe: grid and block are the vendor's dim3 or a whole number, as in <<<grid, block>>>; pass GridDim and BlockDim to launch in a LaunchConfig");
  return in_order && raw;
}

template <class B, class G, class Bk>
[[nodiscard]] constexpr bool raw_shape(const G& grid, const Bk& block, std::uint64_t bytes,
                                       LaunchShape& shape, LaunchError& error) noexcept {
  shape.dynamic_shared = bytes;
  constexpr const DeviceLimits& floor = floor_of<B>;
  const bool grid_fits = raw_dims(grid, shape.grid, Errc::grid_too_large, floor.max_grid[0], error);
  const bool block_fits =
      raw_dims(block, shape.block, Errc::block_axis_too_large, floor.max_block[0], error);
  return grid_fits && block_fits;
}

template <class B, class Calls>
[[nodiscard]] bool check_raw_launch(const Located<B>& at, const LaunchShape& shape,
                                    const LaunchedKernel<Calls>& its_kernel,
                                    const KernelNeeds& needs, bool stream_is_default,
                                    LaunchError& error) noexcept {
  DeviceLimits device_local;
  KernelLimits kernel_local;
  const DeviceLimits* device = nullptr;
  const KernelLimits* kernel = nullptr;
  const int current = at.stream.device().value();
  const int stream_device = stream_is_default ? current : device_of<B>(at.stream.native(), current);
  if (stream_device != current) {
    error = LaunchError::make(Errc::stream_wrong_device, Stage::validation,
                              static_cast<std::uint64_t>(current),
                              static_cast<std::uint64_t>(stream_device));
    return false;
  }
  if (!check_device(at, its_kernel, error) ||
      !ask_driver(at, its_kernel, device, device_local, kernel, kernel_local, error) ||
      !validate_launch(shape, needs, *kernel, *device, error)) {
    return false;
  }
  // `<<<>>>` raises no attribute: the limit is what the kernel's attribute allows now.
  if (shape.dynamic_shared + kernel->static_shared > device->shared_per_block) {
    KernelLimits now;
    if (B::attributes_of(its_kernel.entry, now) == 0 && !shared_is_opted_in(shape, now, error)) {
      return false;
    }
  }
  return true;
}

}  // namespace detail

/// Checks an unchanged `k<<<grid, block, bytes, stream>>>(…)` that follows, and launches nothing.
/// `grid` and `block` are the vendor's dim3 or the number in the launch, `bytes` its dynamic shared
/// memory, `stream` its stream, 0 included. Use it as the first step of a migration. At
/// CheckLevel::off it does nothing. Errc as `validate`, and Errc::dimension_negative,
/// ::shared_not_opted_in, ::stream_wrong_device, ::not_a_kernel, ::no_kernel_image, ::no_device.
template <class B = default_backend, CheckLevel Level = current_level, class K, class G, class Bk>
[[nodiscard]] result<void> check(K kernel, const G& grid, const Bk& block, std::uint64_t bytes = 0,
                                 typename B::native_stream stream = {},
                                 call_site site = call_site::current()) noexcept {
  static_assert(detail::is_kernel<K>, "warpsafe: check takes the kernel first, as kernel<fn>");
  static_cast<void>(kernel);
  if constexpr (detail::check_raw_dims<G, Bk>() && Level == CheckLevel::full) {
    LaunchShape shape;
    LaunchError error;
    int device = 0;
    if (const int status = B::current_device(device)) {
      return detail::runtime_error<B>(status, Name::of("current device"), site);
    }
    const detail::Located<B> at(detail::StreamAccess::make<B>(stream, device), site);
    const bool fine = detail::raw_shape<B>(grid, block, bytes, shape, error) &&
                      detail::check_raw_launch(at, shape, detail::launched_kernel<B>(kernel),
                                               K::needs, stream == nullptr, error);
    if (!fine) {
      detail::report_refusal(error, shape, at, kernel.name());
      if (!detail::continues_after_refusal(error)) return error;
    }
  }
  return success();
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
