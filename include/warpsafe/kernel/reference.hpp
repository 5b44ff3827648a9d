// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_span.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/tolerance.hpp>
#include <warpsafe/kernel/kernel.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

// Kernels with a reference: `kernel<axpy, reference<axpy_host>>` names a host function that
// computes the same results. WARPSAFE_REFERENCE runs that function instead of the kernel;
// WARPSAFE_SHADOW runs both.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {

/// The reference's results may differ by the rounding of their type.
struct OwnTolerance {
  static constexpr Tolerance tolerance{};
};

/// A kernel's reference function on the host, without its types.
struct HostReference {
  /// Calls the function. `values` are the kernel's parameters. For each parameter that points to
  /// memory, `memory` and `bytes` are the host's copy and its size.
  void (*run)(const LaunchShape& shape, void* const* values, void* const* memory,
              const std::uint64_t* bytes);
  Tolerance tolerance;
  bool has_tolerance;  ///< if false, each type has its own
};

/// The host function's parameter for a kernel parameter of type P.
template <class P>
struct HostParameter {
  using type = P;
  static type from(void* value, void*, std::uint64_t) noexcept { return *static_cast<P*>(value); }
};
template <class T>
struct HostParameter<T*> {
  using type = T*;
  static type from(void*, void* memory, std::uint64_t) noexcept { return static_cast<T*>(memory); }
};
template <class T>
struct HostParameter<device_ptr<T>> : HostParameter<T*> {};
template <class T>
struct HostParameter<DeviceSpan<T>> {
  using type = std::span<T>;
  static type from(void*, void* memory, std::uint64_t bytes) noexcept {
    return {static_cast<T*>(memory), bytes / sizeof(T)};
  }
};

template <auto HostFn, class... P>
inline constexpr bool takes_shape =
    std::is_invocable_v<decltype(HostFn), const LaunchShape&, typename HostParameter<P>::type...>;
template <auto HostFn, class... P>
inline constexpr bool takes_arguments =
    std::is_invocable_v<decltype(HostFn), typename HostParameter<P>::type...>;

template <auto HostFn, class Within, class Parameters>
struct ReferenceOf;
template <auto HostFn, class Within, class... P>
struct ReferenceOf<HostFn, Within, TypeList<P...>> {
  static constexpr bool fits() noexcept {
    static_assert(
        takes_shape<HostFn, P...> || takes_arguments<HostFn, P...>,
        "warpsafe: the reference must take the kernel's parameters: T* for a pointer, std::span<T> for a DeviceSpan<T>, all others unchanged; before them a const LaunchShape& if it needs the grid");
    return true;
  }
  static void run(const LaunchShape& shape, void* const* values, void* const* memory,
                  const std::uint64_t* bytes) {
    call(shape, values, memory, bytes, std::index_sequence_for<P...>{});
  }
  static constexpr HostReference value{&run, Within::tolerance,
                                       !std::is_same_v<Within, OwnTolerance>};

 private:
  template <std::size_t... Place>
  static void call([[maybe_unused]] const LaunchShape& shape, [[maybe_unused]] void* const* values,
                   [[maybe_unused]] void* const* memory,
                   [[maybe_unused]] const std::uint64_t* bytes, std::index_sequence<Place...>) {
    if constexpr (takes_shape<HostFn, P...>) {
      HostFn(shape, HostParameter<P>::from(values[Place], memory[Place], bytes[Place])...);
    } else {
      HostFn(HostParameter<P>::from(values[Place], memory[Place], bytes[Place])...);
    }
  }
};

}  // namespace detail

/// Declares the host function that computes what one launch of the kernel does. It is called once
/// for the whole grid, with copies of the arrays on the host. It takes the kernel's parameters:
/// `T*` for a pointer, std::span<T> for a DeviceSpan<T>, every other type unchanged. It takes a
/// `const LaunchShape&` before them if it needs the grid. It must neither throw nor launch.
///
/// `Within` is a type with `static constexpr Tolerance tolerance`, for results that differ by more
/// than the rounding of their type. Without it each array has its own tolerance
/// (core/tolerance.hpp).
///
/// Only an observer of checked launches calls it. Release builds do not reference it.
template <auto HostFn, class Within = detail::OwnTolerance>
struct reference : needs_detail::Need {
  static_assert(detail::FunctionTraits<decltype(HostFn)>::is_function,
                "warpsafe: reference<fn> takes a function of the host");
  template <class Parameters>
  static constexpr const detail::HostReference* its_reference =
      &detail::ReferenceOf<HostFn, Within, Parameters>::value;
  template <class Parameters>
  static constexpr bool its_reference_fits =
      detail::ReferenceOf<HostFn, Within, Parameters>::fits();
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
