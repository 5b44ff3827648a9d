// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_ptr.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/detail/pretty_name.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/kernel/needs.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if !defined(__CUDACC__) && !defined(__HIPCC__)
#include <warpsafe/backend/detail/host_thread.hpp>
#else
namespace warpsafe::host {
// The host backend defines it. In a device compiler's translation unit, only the tables of
// functions (host::named) use it.
template <auto Fn, class... P>
struct [[gnu::visibility("hidden")]] ThreadLoop;
}  // namespace warpsafe::host
#endif

namespace warpsafe {

template <class T>
class DeviceSpan;

namespace detail {

template <class... Types>
struct TypeList {
  static constexpr int size = static_cast<int>(sizeof...(Types));
};

template <class Function>
struct FunctionTraits {
  static constexpr bool is_function = false;
};
template <class Return, class... Parameters>
struct FunctionTraits<Return (*)(Parameters...)> {
  static constexpr bool is_function = true;
  using parameters = TypeList<Parameters...>;
  static constexpr bool returns_void = std::is_void_v<Return>;
#if defined(__CUDACC__) || defined(__HIPCC__)
  static constexpr Provenance provenance = Provenance::device;
#else
  // Only WARPSAFE_KERNEL_EXTERN declares `const void`: a device's kernel.
  static constexpr Provenance provenance =
      std::is_const_v<Return> ? Provenance::external : Provenance::host;
#endif
};
template <class Return, class... Parameters>
struct FunctionTraits<Return (*)(Parameters...) noexcept>
    : FunctionTraits<Return (*)(Parameters...)> {};

template <class T>
inline constexpr bool is_device_span = false;
template <class T>
inline constexpr bool is_device_span<DeviceSpan<T>> = true;

template <class P>
inline constexpr bool reaches_memory = std::is_pointer_v<P> || is_device_memory<P>;
template <class P>
constexpr bool reaches_mutable_memory() noexcept {
  if constexpr (is_device_memory<P>) {
    return !std::is_const_v<typename P::element_type>;
  } else {
    return std::is_pointer_v<P> && !std::is_const_v<std::remove_pointer_t<P>>;
  }
}
template <class P>
inline constexpr bool points_to_mutable = reaches_mutable_memory<P>();

/// The parameters P as a backend sees them.
template <class... P>
inline constexpr ParameterInfo parameter_infos[sizeof...(P) + 1] = {
    {static_cast<std::uint32_t>(sizeof(P)), static_cast<std::uint32_t>(alignof(P)),
     reaches_memory<P>, points_to_mutable<P>}...,
    {}};

/// A kernel as a backend sees it. Its visibility is hidden, because its key is the kernel: two
/// shared objects with kernels of the same name need two entries.
template <auto Fn, class Parameters>
struct [[gnu::visibility("hidden")]] EntryOf;
template <auto Fn, class... P>
struct [[gnu::visibility("hidden")]] EntryOf<Fn, TypeList<P...>> {
  template <Provenance Where>
  static constexpr auto invoke() noexcept->void (*)(const void*, void**) {
    if constexpr (Where == Provenance::host) {
      return &host::ThreadLoop<Fn, P...>::run;
    } else {
      return nullptr;
    }
  }
  // Constant data: compilers fold the cast, although the standard does not call it constant.
  template <Provenance Where>
  static inline const KernelEntry entry{reinterpret_cast<const void*>(Fn), invoke<Where>(),
                                        parameter_infos<P...>, sizeof...(P)};
};

/// The properties of a kernel that do not depend on its function. Functions and functors share
/// them.
template <Provenance Where, class Parameters, class... Needs>
struct KernelDeclaration {
  static_assert((is_need<Needs> && ...),
                "warpsafe: after the function, kernel<…> takes needs: max_threads<256>, "
                "needs_shared<float>, grid_stride_kernel, …");
  using parameters = Parameters;
  using shared_type = typename SharedNeed<Needs...>::type;
  /// The calls of backend B that take this kernel's function: B's own, except for kernels loaded by
  /// name.
  template <class B>
  using calls = B;
  static constexpr Provenance provenance = Where;
  static constexpr KernelNeeds needs = collect_needs<Needs...>();
  static constexpr std::uint32_t items = (Needs::its_items * ... * 1U);
  static constexpr bool is_grid_stride = (Needs::its_grid_stride || ... || false);
  static constexpr bool waits_for_predecessor = (Needs::its_waits || ... || false);
  static_assert((Needs::template its_reference_fits<Parameters> && ... && true));
  /// The kernel's reference function on the host, or nullptr.
  static constexpr const HostReference* host_reference = find_reference<Parameters, Needs...>();
};

}  // namespace detail

/// A kernel with its declared needs. Write `kernel<fn, needs…>`.
template <Provenance Where, auto Fn, class... Needs>
struct BasicKernel
    : detail::KernelDeclaration<Where, typename detail::FunctionTraits<decltype(Fn)>::parameters,
                                Needs...> {
  static_assert(detail::FunctionTraits<decltype(Fn)>::returns_void,
                "warpsafe: a kernel returns void");
  /// The key of the caches: the function itself, whatever needs are declared here.
  using entry_type = detail::EntryOf<Fn, typename detail::FunctionTraits<decltype(Fn)>::parameters>;

  /// The function's name as the compiler writes it, with its namespace. g++, and nvcc with g++, add
  /// the template arguments.
  [[nodiscard, gnu::always_inline]] static constexpr Name name() noexcept {
    return detail::name_of<Fn>;
  }
  [[nodiscard, gnu::always_inline]] static constexpr const KernelEntry& entry() noexcept {
    return entry_type::template entry<Where>;
  }
};

namespace detail {

template <auto Fn, class... Needs>
consteval auto make_kernel() noexcept {
  using Traits = FunctionTraits<decltype(Fn)>;
  static_assert(Traits::is_function,
                "warpsafe: kernel<fn> takes a function: kernel<axpy>, kernel<scale<float>>");
  return BasicKernel<Traits::provenance, Fn, Needs...>{};
}

}  // namespace detail

/// A kernel by its function. Select an overload with `kernel<overload<void(float*, int)>(scale)>`.
template <auto Fn, class... Needs>
static constexpr auto kernel = detail::make_kernel<Fn, Needs...>();

/// The overload of a function with this signature.
template <class Signature>
[[nodiscard]] consteval Signature* overload(std::type_identity_t<Signature>* function) noexcept {
  return function;
}

namespace detail {
template <class T>
inline constexpr bool is_functor_kernel = false;  // true for FunctorKernel (functor.hpp)
template <class T>
inline constexpr bool is_module_kernel = false;  // true for basic_module_kernel (module.hpp)
template <Provenance Where, auto Fn, class... Needs>
inline constexpr bool is_kernel<BasicKernel<Where, Fn, Needs...>> = true;
}  // namespace detail

}  // namespace warpsafe
