// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_ptr.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/detail/arithmetic.hpp>
#include <warpsafe/core/detail/pretty_name.hpp>
#include <warpsafe/core/element_type.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>
#if !defined(__CUDA_ARCH__)  // only the host's code reads what is inside of a parameter
#include <warpsafe/kernel/detail/inner_memory.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {
// backend/detail/host_thread.hpp, which kernel code and the host backend include. In a device
// compiler's translation unit, only the tables of functions (host::named) use it.
template <auto Fn, class... P>
struct ThreadLoop;
}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {
struct HostReference;
}

namespace needs_detail {
/// The values of a need that declares nothing. A need (needs.hpp) derives from it and sets its own.
struct Need {
  using shared_type = void;
#define WARPSAFE_KERNEL_NEED(type, name, joined) static constexpr type its_##name{};
#include <warpsafe/core/limit_rows.hpp>
#undef WARPSAFE_KERNEL_NEED
  static constexpr bool its_grid_stride = false;
  static constexpr std::uint32_t its_items = 1;  ///< of a thread; 0: an item has a block
  static constexpr bool its_waits = false;
  /// The reference function of a kernel with these parameters, or nullptr (reference.hpp).
  template <class Parameters>
  static constexpr const detail::HostReference* its_reference = nullptr;
  template <class Parameters>
  static constexpr bool its_reference_fits = true;
};
}  // namespace needs_detail

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
  static constexpr bool is_noexcept = false;
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
    : FunctionTraits<Return (*)(Parameters...)> {
  static constexpr bool is_noexcept = true;
};

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

template <class P>
constexpr ElementType element_in() noexcept {
  if constexpr (is_device_memory<P>) return element_in<typename P::element_type*>();
  using T = std::remove_cv_t<std::remove_pointer_t<P>>;
  if constexpr (std::is_arithmetic_v<T>) return element_type<T>;
  return ElementType::bytes;
}

/// The parameters P as a backend sees them.
template <class... P>
inline constexpr ParameterInfo parameter_infos[sizeof...(P) + 1] = {
    {static_cast<std::uint32_t>(sizeof(P)), static_cast<std::uint32_t>(alignof(P)),
     reaches_memory<P>, points_to_mutable<P>, element_in<P>(),
#if !defined(__CUDA_ARCH__)
     inner_memory_of<P>(), matrix_element_bytes<P>()
#endif
    }...,
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

template <class T>
inline constexpr bool is_need = std::is_base_of_v<needs_detail::Need, T>;

constexpr std::uint64_t largest(std::uint64_t a, std::uint64_t b) noexcept { return a > b ? a : b; }

/// The least common multiple of two numbers; 0 means "none".
constexpr std::uint64_t common_multiple(std::uint64_t a, std::uint64_t b) noexcept {
  if (a == 0 || b == 0) return a + b;
  std::uint64_t both = a;
  while (both % b != 0) both += a;
  return both;
}

/// The first reference among the needs, or nullptr.
template <class Parameters, class... Needs>
constexpr const HostReference* find_reference() noexcept {
  const HostReference* found = nullptr;
  ((found = found != nullptr ? found : Needs::template its_reference<Parameters>), ...);
  return found;
}

/// The largest index of a kernel without a declared index type: the largest int.
inline constexpr std::uint64_t assumed_index_max = 0x7fffffffU;

template <class... Needs>
[[nodiscard]] constexpr KernelNeeds collect_needs() noexcept {
  KernelNeeds all;
#define WARPSAFE_KERNEL_NEED(type, name, joined) \
  ((all.name = static_cast<type>(joined(all.name, Needs::its_##name))), ...);
#include <warpsafe/core/limit_rows.hpp>
#undef WARPSAFE_KERNEL_NEED
  all.index_assumed = all.index_max == 0;
  if (all.index_assumed) all.index_max = assumed_index_max;
  return all;
}

/// The T of needs_shared<T>, or void.
template <class... Needs>
struct SharedNeed {
  using type = void;
};
template <class First, class... Rest>
struct SharedNeed<First, Rest...> {
  using type = std::conditional_t<std::is_void_v<typename First::shared_type>,
                                  typename SharedNeed<Rest...>::type, typename First::shared_type>;
};

/// The properties of a kernel that do not depend on its function. Functions and functors share
/// them.
template <Provenance Where, class Parameters, class... Needs>
struct KernelDeclaration {
  static_assert((is_need<Needs> && ...),
                "warpsafe: after the function, kernel<…> takes needs: max_threads<256>, "
                "needs_shared<float>, grid_stride_kernel, …");
  /// Templates that do not need the function take this type, so that the compiler instantiates them
  /// once for all kernels with these parameters and needs.
  using declaration = KernelDeclaration;
  using parameters = Parameters;
  using shared_type = typename SharedNeed<Needs...>::type;
  /// The calls of backend B that take this kernel's function: B's own, except for kernels loaded by
  /// name.
  template <class B>
  using calls = B;
  static constexpr Provenance provenance = Where;
  static constexpr KernelNeeds needs = collect_needs<Needs...>();
  static constexpr std::uint32_t items = (Needs::its_items * ... * 1U);
  static constexpr bool is_grid_stride = (Needs::its_grid_stride || ...);
  static constexpr bool waits_for_predecessor = (Needs::its_waits || ...);
  static_assert((Needs::template its_reference_fits<Parameters> && ...));
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
  [[nodiscard, gnu::always_inline]] static constexpr const Name& name() noexcept {
    return detail::name_of<Fn>;
  }
  [[nodiscard, gnu::always_inline]] static constexpr const KernelEntry& entry() noexcept {
    return entry_type::template entry<Where>;
  }
  /// Diagnoses a call. The return type is deduced, so that this is the first error.
  template <class... A>
  constexpr auto operator()(const A&...) const noexcept {
    static_assert(Fn == nullptr,
                  "warpsafe: a kernel is not called; pass its arguments to launch after it: "
                  "launch(stream, grid, kernel<fn>, arguments...)");
  }
};

namespace detail {

template <auto Fn, class... Needs>
consteval auto make_kernel() noexcept {
  using Traits = FunctionTraits<decltype(Fn)>;
  static_assert(Traits::is_function,
                "warpsafe: kernel<fn> takes a function: kernel<axpy>, kernel<scale<float>>");
  // CUDA C++ Programming Guide, "Function execution space specifiers"; nvcc 13: "An exception
  // specification is not allowed for a __global__ function". hipcc takes one.
  static_assert(Traits::provenance != Provenance::host || !Traits::is_noexcept,
                "warpsafe: a kernel is not noexcept: nvcc compiles no __global__ function with an "
                "exception specification; remove it");
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
template <Provenance Where, class Parameters, class... Needs>
inline constexpr bool is_kernel<KernelDeclaration<Where, Parameters, Needs...>> = true;
}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
