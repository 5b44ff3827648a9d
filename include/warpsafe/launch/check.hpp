// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/calls_at.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/launch/detail/launch_path.hpp>
#include <warpsafe/launch/launch.hpp>

#include <cstdint>
#include <type_traits>

namespace warpsafe::detail {

/// Whether a launch that raises nothing, as `<<<>>>`, has no more dynamic shared memory than the
/// kernel's attribute allows now; else Errc::shared_not_opted_in in `error`. `now`: the attributes
/// as they are, of no cache; a maximum of 0 is not known.
[[nodiscard]] constexpr bool shared_is_opted_in(const LaunchShape& shape, const KernelLimits& now,
                                                LaunchError& error) noexcept {
  if (now.max_dynamic_shared == 0 || shape.dynamic_shared <= now.max_dynamic_shared) return true;
  return refuse(error, Errc::shared_not_opted_in, Stage::validation, shape.dynamic_shared,
                now.max_dynamic_shared);
}

}  // namespace warpsafe::detail

// For code that exists: `check` above an untouched `k<<<grid, block, bytes, stream>>>(…)`, and
// `launch_as_written` in the slot order of `<<<>>>`. Both take the vendor's own types, default
// stream included; both are named escapes from the typed interface, and keep its run-time checks.

namespace warpsafe {

namespace detail {

/// Grid or block as `<<<>>>` takes them: a dim3, or a number. A number keeps all its bits until it
/// is checked, where `<<<>>>` would have cut it to 32.
template <class Dims>
[[nodiscard]] constexpr bool raw_dims(const Dims& dims, std::uint32_t (&axes)[3], Errc too_large,
                                      std::uint64_t limit, LaunchError& error) noexcept {
  if constexpr (VendorDim3<Dims>) {
    static_cast<void>(check_vendor_dims<Dims>());
    axes[0] = static_cast<std::uint32_t>(dims.x);
    axes[1] = static_cast<std::uint32_t>(dims.y);
    axes[2] = static_cast<std::uint32_t>(dims.z);
    return true;
  } else {
    const SignedSize size = SignedSize::of(dims);
    const bool fits = !size.negative && size.magnitude <= 0xffffffffU;
    axes[0] =
        fits ? static_cast<std::uint32_t>(size.magnitude) : 0;  // 0 is refused by every runtime
    axes[1] = 1;
    axes[2] = 1;
    if (!fits) {
      error = LaunchError::make(size.negative ? Errc::dimension_negative : too_large,
                                Stage::validation, size.magnitude, limit, Axis::x);
      if (size.negative) error.extra = too_large == Errc::grid_too_large ? 0 : 1;
    }
    return fits;
  }
}

/// The sentences about what stands in the first two slots of `<<<>>>`, at every level.
template <class G, class Bk>
constexpr bool check_raw_dims() noexcept {
  static_assert(!is_grid_dim<Bk> && !is_block_dim<G>,
                "warpsafe: the grid comes first and the block second, as in <<<grid, block>>>");
  static_assert(is_grid_dim<Bk> || is_block_dim<G> ||
                    ((VendorDim3<G> || is_size<G>)&&(VendorDim3<Bk> || is_size<Bk>)),
                "warpsafe: grid and block are the vendor's dim3 or a whole number, as in "
                "<<<grid, block>>>; GridDim and BlockDim go to launch, in a LaunchConfig");
  return true;
}

template <class G, class Bk>
[[nodiscard]] constexpr bool raw_shape(const G& grid, const Bk& block, std::uint64_t bytes,
                                       LaunchShape& shape, LaunchError& error) noexcept {
  shape.dynamic_shared = bytes;
  const bool grid_fits = raw_dims(grid, shape.grid, Errc::grid_too_large, 2147483647, error);
  const bool block_fits = raw_dims(block, shape.block, Errc::block_axis_too_large, 1024, error);
  return grid_fits && block_fits;
}

/// A count of bytes with the place it was written at.
struct LocatedBytes {
  template <class T>
  requires is_size<T>
  constexpr LocatedBytes(T count,  // NOLINT(google-explicit-constructor): a slot of <<<>>>
                         call_site its_site = call_site::current()) noexcept
      : bytes(SignedSize::of(count)), site(its_site) {}
  SignedSize bytes;
  call_site site;
};

/// What a launch as written may pass: raw pointers are taken as device memory, and verified.
template <class A>
[[nodiscard]] constexpr const A& trust_pointer(const A& argument) noexcept {
  return argument;
}
template <class T>
[[nodiscard]] constexpr trusted_ptr<T> trust_pointer(T* const& pointer) noexcept {
  return trust(pointer);
}

template <CheckLevel Level, class B, class K>
[[nodiscard]] bool check_raw_launch(const Located<B>& at, const LaunchShape& shape, K its_kernel,
                                    bool stream_is_default, LaunchError& error) noexcept {
  if constexpr (Level == CheckLevel::full) {
    using Calls = CallsAt<B, Level>;
    DeviceLimits device_local;
    KernelLimits kernel_local;
    const DeviceLimits* device = nullptr;
    const KernelLimits* kernel = nullptr;
    const KernelEntry entry = its_kernel.entry();
    // A capturing stream must not be asked for its device: that breaks the capture (seen on CUDA
    // 13).
    bool capturing = true;
    int stream_device = -1;
    if (!stream_is_default && Calls::stream_capturing(at.stream.native(), capturing) == 0 &&
        !capturing && Calls::stream_device(at.stream.native(), stream_device) == 0 &&
        stream_device != at.stream.device().value()) {
      error = LaunchError::make(Errc::stream_wrong_device, Stage::validation,
                                static_cast<std::uint64_t>(at.stream.device().value()),
                                static_cast<std::uint64_t>(stream_device));
      return false;
    }
    if (!ask_driver(at, its_kernel, device, device_local, kernel, kernel_local, error) ||
        !validate_launch<K>(shape, *kernel, *device, error)) {
      return false;
    }
    // `<<<>>>` raises nothing: what the kernel's attribute allows now is the limit.
    if (shape.dynamic_shared + kernel->static_shared > device->shared_per_block) {
      KernelLimits now;
      if (CallsAt<B, Level>::attributes_of(entry, now) == 0 &&
          !shared_is_opted_in(shape, now, error)) {
        return false;
      }
    }
    return true;
  } else {
    return validate_launch<K>(shape, KernelLimits{}, cheap_limits<B>, error);
  }
}

}  // namespace detail

/// Above an untouched `k<<<grid, block, bytes, stream>>>(…)`: says what that launch would do wrong,
/// and launches nothing. `grid` and `block` are the vendor's dim3 or the number that stands in the
/// launch, `bytes` its dynamic shared memory, `stream` its stream, 0 included. The first step of a
/// migration. Nothing, at CheckLevel::off. Errc as `validate`, and Errc::dimension_negative,
/// ::shared_not_opted_in,
/// ::stream_wrong_device, ::not_a_kernel, ::no_kernel_image, ::no_device.
template <class B = default_backend, CheckLevel Level = current_level, class K, class G, class Bk>
[[nodiscard]] result<void> check(K kernel, const G& grid, const Bk& block, std::uint64_t bytes = 0,
                                 typename B::native_stream stream = {},
                                 call_site site = call_site::current()) noexcept {
  static_assert(detail::is_kernel<K>, "warpsafe: check takes the kernel first, as kernel<fn>");
  static_assert(detail::check_raw_dims<G, Bk>());
  static_cast<void>(kernel);
  if constexpr (Level != CheckLevel::off) {
    LaunchShape shape;
    LaunchError error;
    int device = 0;
    bool fine = detail::raw_shape(grid, block, bytes, shape, error);
    if (fine) {
      const int status =
          Level == CheckLevel::full ? detail::CallsAt<B, Level>::current_device(device) : 0;
      if (status != 0) return detail::runtime_error<B>(status, Name::of("current device"), site);
    }
    const detail::Located<B> at(detail::raw_stream<B>(stream, device), site);
    fine = fine && detail::check_raw_launch<Level>(at, shape, kernel, stream == nullptr, error);
    if (!fine) {
      detail::report_refusal(error, shape, at, kernel);
      if (!detail::continues_after_refusal(error)) return error;
    }
  }
  return success();
}

/// `k<<<grid, block, bytes, stream>>>(args…)` in the same order, checked:
/// `launch_as_written(kernel<k>, grid, block, bytes, stream, args…)`. Raw pointers are taken as
/// device memory and verified in checked builds; numbers keep the rules of `launch`. The dynamic
/// shared memory is what the kernel's attribute allows, as with `<<<>>>`. Errc as `check` and
/// `launch`.
template <class B = default_backend, CheckLevel Level = current_level, class K, class G, class Bk,
          class... A>
[[nodiscard]] result<void> launch_as_written(K kernel, const G& grid, const Bk& block,
                                             detail::LocatedBytes bytes,
                                             typename B::native_stream stream,
                                             const A&... arguments) noexcept {
  constexpr bool fine = detail::check_kernel_types<
      B, K, std::remove_cvref_t<decltype(detail::trust_pointer(arguments))>...>();
  if constexpr (fine) {
    // A count of bytes below zero is more than any device has.
    const std::uint64_t dynamic = bytes.bytes.negative ? ~std::uint64_t{0} : bytes.bytes.magnitude;
    const auto checked = check<B, Level>(kernel, grid, block, dynamic, stream, bytes.site);
    if (!checked.has_value()) return checked;
    LaunchShape shape;
    LaunchError
        unused;  // what did not fit is 0 now, and where nobody checked it the runtime refuses it
    static_cast<void>(detail::raw_shape(grid, block, dynamic, shape, unused));
    int device = 0;
    if (const int status = detail::CallsAt<B, Level>::current_device(device)) {
      return detail::runtime_error<B>(status, Name::of("current device"), bytes.site);
    }
    const detail::Located<B> at(detail::raw_stream<B>(stream, device), bytes.site);
    if constexpr (Level != CheckLevel::off) {
      LaunchError error;
      if (!detail::check_values<Level, B>(error, typename K::parameters{},
                                          detail::trust_pointer(arguments)...) &&
          !detail::continues_after_refusal(detail::report_refusal(error, shape, at, kernel))) {
        return error;
      }
    }
    if constexpr (Level == CheckLevel::full) {
      const detail::Observation seen = detail::observe(
          at, shape, kernel.name(), detail::kernel_slots<B>(kernel).remembered(device));
      result<void> launched = detail::dispatch<Level, false, false>(
          at, shape, kernel, typename K::parameters{}, detail::trust_pointer(arguments)...);
      seen.end(launched);
      return launched;
    } else {
      return detail::dispatch<Level, false, false>(at, shape, kernel, typename K::parameters{},
                                                   detail::trust_pointer(arguments)...);
    }
  } else {
    return success();
  }
}

}  // namespace warpsafe
