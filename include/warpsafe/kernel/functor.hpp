// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/pretty_name.hpp>
#include <warpsafe/kernel/device_functions.hpp>
#include <warpsafe/kernel/kernel.hpp>

#include <type_traits>

// Function objects as kernels: `launch(stream, config, functor(Scale{2.f}), dx.view(), n)` calls
// `Scale::operator()` on every thread, on the device or on the host backend.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {

/// The kernel behind every functor. It is not a WARPSAFE_KERNEL: a static function would give every
/// type that names it internal linkage. The tag distinguishes the host's function from a device
/// compiler's stub of the same name. Without it, the linker would merge the two in a program that
/// has both.
template <class F, class... P>
#if defined(__CUDACC__) || defined(__HIPCC__)
__global__ void functor_entry(F function, P... parameters) {
#else
[[gnu::abi_tag("warpsafe_host")]] void functor_entry(F function, P... parameters) {
#endif
  function(parameters...);
}

template <class CallOperator>
struct CallTraits {
  static_assert(
      !std::is_member_pointer_v<CallOperator>,
      "warpsafe: a functor's call operator must be const, because all threads call the same object");
  using parameters = TypeList<>;
};
template <class F, class Return, class... P>
struct CallTraits<Return (F::*)(P...) const> {
  static_assert(std::is_void_v<Return>, "warpsafe: a kernel returns void");
  using parameters = TypeList<P...>;
};
template <class F, class Return, class... P>
struct CallTraits<Return (F::*)(P...) const noexcept> : CallTraits<Return (F::*)(P...) const> {};

/// Whether F is a lambda that nvcc has wrapped in a class of its own (--extended-lambda).
template <class F>
#if defined(__CUDACC_EXTENDED_LAMBDA__)
inline constexpr bool is_wrapped_lambda = __nv_is_extended_device_lambda_closure_type(F) ||
                                          __nv_is_extended_host_device_lambda_closure_type(F);
#else
inline constexpr bool is_wrapped_lambda = false;
#endif
/// Whether nvcc's front end compiles this, and F is a lambda: no __global__ function takes one.
template <class F>
constexpr bool is_lambda_of_nvcc() noexcept {
#if defined(__CUDACC__) && !defined(__clang__)
  // The front end calls every lambda so. Its host compiler has other names, and does not run after
  // an error.
  constexpr Name begin = Name::of("lambda [");
  constexpr Name name = type_name<F>;
  return name.size > begin.size && Name{name.data, begin.size} == begin;
#else
  return false;
#endif
}
template <class F>
constexpr bool check_lambda() noexcept {
  static_assert(!is_wrapped_lambda<F>,
                "warpsafe: nvcc hides what this lambda captures; pass functor a structure with a "
                "call operator");
  return !is_wrapped_lambda<F>;
}
template <class F>
constexpr bool check_unwrapped_lambda() noexcept {
  static_assert(!is_lambda_of_nvcc<F>(),
                "warpsafe: with nvcc, a lambda cannot be a kernel; pass functor a structure with a "
                "call operator, whose members are what the lambda captures");
  return !is_lambda_of_nvcc<F>();
}

/// Stands in for an object that is not a functor, after the diagnosis.
struct NoFunctor {
  WARPSAFE_FN void operator()() const noexcept {}
};

/// The provenance of `functor_entry` with this compiler. It is part of every type that names the
/// function, so that a host's and a device's translation unit never share this type.
constexpr Provenance functor_provenance = FunctionTraits<void (*)()>::provenance;

template <Provenance Where, class F, class Parameters, class... Needs>
struct FunctorEntry;
template <Provenance Where, class F, class... P, class... Needs>
struct FunctorEntry<Where, F, TypeList<P...>, Needs...>
    : KernelDeclaration<Where, TypeList<F, P...>, Needs...> {
  using entry_type = EntryOf<functor_entry<F, P...>, TypeList<F, P...>>;

  [[nodiscard]] static constexpr Name name() noexcept { return type_name<F>; }
  [[nodiscard]] static constexpr const KernelEntry& entry() noexcept {
    return entry_type::template entry<Where>;
  }
};
template <Provenance Where, class F, class Parameters, class... Needs>
inline constexpr bool is_kernel<FunctorEntry<Where, F, Parameters, Needs...>> = true;

}  // namespace detail

/// A function object with its declared needs. Write `functor<needs…>(object)`. Its call operator
/// must be const, return void, and be marked WARPSAFE_FN; it must not be a template. The object
/// becomes the kernel's first parameter and follows the same rules as any other.
template <class F, class... Needs>
struct FunctorKernel {
  using kernel_type =
      detail::FunctorEntry<detail::functor_provenance, F,
                           typename detail::CallTraits<decltype(&F::operator())>::parameters,
                           Needs...>;
  F function;
};
template <class... Needs, class F>
requires requires { &F::operator(); }
[[nodiscard]] constexpr auto functor(const F& function) noexcept {
  if constexpr (detail::check_lambda<F>() && detail::check_unwrapped_lambda<F>()) {
    return FunctorKernel<F, Needs...>{function};
  } else {
    return FunctorKernel<detail::NoFunctor, Needs...>{};
  }
}

/// Diagnoses an object without a call operator, or with more than one.
template <class... Needs, class F>
requires(!requires { &F::operator(); }) constexpr auto functor(const F&) noexcept {
  static_assert(
      !detail::check_lambda<F>() || requires { &F::operator(); },
      "warpsafe: functor takes an object with one call operator that is neither a template nor overloaded; write out its parameter types, and pass a function as kernel<fn>");
  return FunctorKernel<detail::NoFunctor, Needs...>{};
}

namespace detail {
template <class F, class... Needs>
inline constexpr bool is_functor_kernel<FunctorKernel<F, Needs...>> = true;
}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
