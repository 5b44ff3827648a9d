// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/launch/detail/checked_launch.hpp>
#include <warpsafe/launch/detail/launch_arguments.hpp>
#include <warpsafe/launch/detail/launch_diagnostics.hpp>
#include <warpsafe/launch/launch_config.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstddef>
#include <type_traits>

// The errors of a launch. Each is made out of line.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The dimensions of a launch, from a LaunchShape or a configuration.
[[nodiscard]] constexpr const LaunchShape& shape_of(const LaunchShape& shape) noexcept {
  return shape;
}
template <class Config>
[[nodiscard, gnu::always_inline]] constexpr LaunchShape shape_of(const Config& config) noexcept {
  return config.shape();
}

/// launch_failed for a launch without checks.
///
/// The parameters taken by reference lie in memory. That costs a launch one store for each value
/// known only at run time, and none for a value in a type. A value kept in registers across the
/// call would cost three instructions.
template <class B, class Shaped>
[[WARPSAFE_DETAIL_RARE]] result<void> launch_refused(int status, const Shaped& shaped,
                                                     const basic_stream_ref<B>& stream,
                                                     const char* kernel, std::size_t kernel_size,
                                                     const char* file, const char* function,
                                                     unsigned line) noexcept {
  LaunchError error;
  launch_failed(status, shape_of(shaped), Located<B>(stream, {file, function, line}),
                {kernel, kernel_size}, error);
  return failure<void>(error);
}

// A launch whose types are right.

/// Launches a shape with attributes.
template <class Calls, class B, class Slots>
[[nodiscard]] int launch_with_attributes(const KernelEntry& entry, LaunchShape shape,
                                         basic_stream_ref<B> stream, [[maybe_unused]] Slots slots,
                                         void** args) noexcept {
  if constexpr (!std::is_null_pointer_v<Slots>) {
    if (shape.programmatic) {
      const int status = slots->settle_dependence(entry, stream.device().value(), shape);
      if (status != 0) return status;
    }
  }
  return Calls::launch(entry, shape, args, stream.native());
}

/// Passes the values to the backend, each with the bytes of its parameter's type.
template <class Calls, bool Plain, class B, class Slots, class... V>
[[nodiscard, gnu::always_inline]] inline int pass_values(const KernelEntry& entry,
                                                         const LaunchShape& shape,
                                                         basic_stream_ref<B> stream, Slots slots,
                                                         const V&... values) noexcept {
  // One element more than values: an array has at least one, and an element without an initialiser
  // is not zeroed.
  void* pointers[sizeof...(V) + 1];
  [[maybe_unused]] std::size_t count = 0;
  ((pointers[count++] = const_cast<void*>(static_cast<const void*>(&values))), ...);
  if constexpr (Plain && requires { &Calls::launch_plain; }) {
    return Calls::launch_plain(entry, shape, pointers, stream.native());
  } else if constexpr (Plain) {
    return Calls::launch(entry, shape, pointers, stream.native());
  } else {
    return launch_with_attributes<Calls>(entry, shape, stream, slots, pointers);
  }
}

/// As tell_windows, for one argument.
template <class P, class A>
[[nodiscard]] std::uint64_t window_of(const A& argument) noexcept {
  if constexpr (is_device_span<P>) {
    return convert_argument<P>(argument).size() * sizeof(typename P::element_type);
  } else if constexpr (points_to_mutable<P> && (is_trusted_span<A> || HasCount<A> || HasSize<A>)) {
    const std::uint64_t count = source_of<A>(&argument).count;
    std::uint64_t each = element_bytes_behind<P, A>();
    if constexpr (requires { sizeof(typename P::element_type); }) {
      each = sizeof(typename P::element_type);
    }
    if (each != 0 && count != unknown_extent) return count * each;
  }
  return unknown_extent;
}

/// A launch without checks: makes the one call of the backend; its status is the result. `shaped`
/// is the LaunchConfig or a LaunchShape. `slots` are those of the kernel if the type allows dynamic
/// shared memory or an early begin, else nullptr. `Plain`: the type has no option that needs a
/// launch attribute. The kernel is passed as data, so that launches of all kernels with the same
/// types share this.
template <class Calls, bool Plain, class B, bool Copies, class Shaped, class Slots, class... P,
          class... A>
[[nodiscard, gnu::always_inline]] inline result<void> dispatch(const Located<B, Copies>& at,
                                                               const Shaped& shaped,
                                                               const KernelEntry& kernel, Name name,
                                                               Slots slots, TypeList<P...>,
                                                               const A&... arguments) noexcept {
  const KernelEntry entry = kernel;
  const decltype(at.stream) stream = at.stream;  // in memory, for launch_refused
  const LaunchShape& shape = shape_of(shaped);
  int status = 0;
  if constexpr (!std::is_null_pointer_v<Slots>) {
    // A plain launch has its slots for the shared memory alone.
    if (Plain || shape.dynamic_shared != 0) {
      status = slots->template allow_dynamic_shared<CheckLevel::off>(entry, stream.device().value(),
                                                                     shape.dynamic_shared);
    }
  }
  if (status == 0) {
    if constexpr (RecordsCallers<B>) {
      const CallScope<B> here(at.site, name);
      const std::uint64_t windows[] = {window_of<P>(arguments)..., 0};
      host::launch_windows() = windows;
      status = pass_values<Calls, Plain>(entry, shape, stream, slots,
                                         convert_argument<P, true>(arguments)...);
      host::launch_windows() = nullptr;
    } else {
      status = pass_values<Calls, Plain>(entry, shape, stream, slots,
                                         convert_argument<P, true>(arguments)...);
    }
  }
  if (status != 0) [[unlikely]] {
    return launch_refused(status, shaped, stream, name.data, name.size, at.site.file,
                          at.site.function, at.site.line);
  }
  if constexpr ((is_view<A> || ...)) {
    if (open_captures() != nullptr ||
        (is_of_another_stream(arguments, StreamAccess::given_number(stream)) || ...)) [[unlikely]] {
      return record_uses(stream, at.site.file, at.site.function, at.site.line,
                         owner_of(arguments)...);
    }
  }
  return success();
}

/// Whether no option in the configuration's type needs a launch attribute.
template <class Config>
inline constexpr bool is_plain =
    !(Config::template has<PartKind::cluster> || Config::template has<PartKind::cooperative> ||
      Config::template has<PartKind::priority> || Config::template has<PartKind::dependent>);

/// Whether a configuration of the type may have a problem of its own.
template <class Config>
inline constexpr bool may_have_problem =
    Config::template has<PartKind::shared> || Config::template has<PartKind::cluster> ||
    Config::template has<PartKind::priority> || is_strided_grid<typename Config::grid_type>;
/// Puts the configuration's own problem, for a kernel on a device, into `error`.
template <class Config>
[[gnu::cold, gnu::noinline]] void find_problem(const Config& config, Name kernel, int device,
                                               LaunchError& error) noexcept {
  ::new (static_cast<void*>(&error)) LaunchError(config.problem());
  if constexpr (is_strided_grid<typename Config::grid_type>) {
    if (error.code == Errc{}) config.grid().check_cap(kernel, device, config.shape(), error);
  }
}

/// What a launch knows from the types of its kernel, configuration and arguments.
template <class B, class Calls, class K, class Config, class Parameters, class... A>
struct TypesOf {
  template <PartKind Kind>
  static constexpr bool has = Config::template has<Kind>;
  using Table = ArgumentTable<Parameters, A...>;
  static constexpr bool resides = has<PartKind::cluster> || has<PartKind::cooperative>;

  static constexpr auto options() noexcept -> decltype(LaunchTypes<B, Calls>::check_options) {
    if constexpr (resides || K::needs.portable) {
      return &check_options<B, Calls, resides, K::needs.portable>;
    }
    return nullptr;
  }
  static constexpr auto prepare() noexcept -> decltype(LaunchTypes<B, Calls>::prepare) {
    if constexpr (has<PartKind::shared> || has<PartKind::dependent>) {
      return &prepare_options<Calls, has<PartKind::shared>, has<PartKind::dependent>>;
    }
    return nullptr;
  }
  static constexpr auto call() noexcept -> decltype(LaunchTypes<B, Calls>::launch) {
    if constexpr (is_plain<Config> && requires { &Calls::launch_plain; }) {
      return &Calls::launch_plain;
    } else {
      return &Calls::launch;
    }
  }
  static constexpr auto check() noexcept -> decltype(LaunchTypes<B, Calls>::check_arguments) {
    if constexpr (Table::types.has_owners || Table::types.has_checks || Table::types.has_inner) {
      return &check_arguments_of<B, Table::types.has_owners, Table::types.has_checks,
                                 Table::types.has_inner>;
    }
    return nullptr;
  }
  static constexpr auto record() noexcept -> decltype(LaunchTypes<B, Calls>::record_owners) {
    if constexpr (Table::types.has_owners) return &record_owners<B>;
    return nullptr;
  }
  static constexpr LaunchTypes<B, Calls> types{kernel_facts<K>, Table::types, check(), record(),
                                               options(),       prepare(),    call()};
};

/// A kernel that is not loaded by name, as constant data. Hidden, as its EntryOf.
template <class B, class K>
struct [[gnu::visibility("hidden")]] KnownKernel {
  static_assert(sizeof(LaunchedKernel<B>) != 0);  // nvcc does not complete the type by itself
  static inline const LaunchedKernel<B> data{K::entry(), K::name(),
                                             KernelCache<B, typename K::entry_type>::slots, -1};
};
/// Whether `dispatch` needs the kernel's slots: for dynamic shared memory, and for an early begin.
template <class Config>
inline constexpr bool needs_slots =
    Config::template has<PartKind::shared> || Config::template has<PartKind::dependent>;
/// The slots of a kernel, for `dispatch`.
template <bool OptIn, class B, class K>
[[nodiscard, gnu::always_inline]] inline auto opt_in_slots(
    [[maybe_unused]] const K& kernel) noexcept {
  if constexpr (!OptIn) {
    return nullptr;
  } else if constexpr (requires { kernel.data.slots; }) {
    return kernel.data.slots;
  } else {
    return &kernel_slots<B>(kernel);
  }
}
template <class K>
inline constexpr bool is_loaded = requires(const K& kernel) {
  kernel.launched();
};
/// The kernel as data: a constant, unless it was loaded by name.
template <class B, class K>
[[nodiscard, gnu::always_inline]] inline decltype(auto) launched_kernel(
    [[maybe_unused]] const K& kernel) noexcept {
  if constexpr (is_loaded<K>) {
    return kernel.launched();
  } else if constexpr (requires { kernel.data; }) {
    return (kernel.data);
  } else {
    return (KnownKernel<B, K>::data);
  }
}

/// A kernel without its function. Compilers instantiate and optimise what takes it once for all
/// kernels with the same parameters and needs. `Data`: `const LaunchedKernel<B>&`, or PlainKernel.
template <class Declaration, class Data>
struct KernelByData : Declaration {
  Data data;
  [[nodiscard, gnu::always_inline]] const KernelEntry& entry() const noexcept { return data.entry; }
  [[nodiscard, gnu::always_inline]] Name name() const noexcept { return data.name; }
};
template <class Declaration, class Data>
inline constexpr bool is_kernel<KernelByData<Declaration, Data>> = true;
/// For a launch without checks. `Slots` is nullptr_t unless `needs_slots`.
template <class Slots>
struct PlainKernel {
  const KernelEntry& entry;
  Name name;
  Slots slots;
};
/// In place of a kernel whose launch a sentence has diagnosed.
struct Diagnosed {};
template <Provenance Where, class Parameters, class... Needs>
inline constexpr bool is_kernel<KernelDeclaration<Where, Parameters, Needs...>> = true;

/// Whether `without_function` diagnoses a launch with kernel K. What it does not, launch_on tells
/// apart or diagnoses.
template <class B, class C, class K>
inline constexpr bool is_diagnosed_early =
    is_launch_config<config_of<C>>&& is_launchable<B>&& requires {
  typename K::entry_type;
};

template <CheckLevel Level, class B, class C, class... A, class K>
[[nodiscard, gnu::always_inline]] inline decltype(auto) without_function(const K& kernel) noexcept {
  if constexpr (is_functor_kernel<K>) {
    using Entry = typename K::kernel_type;
    if constexpr (!is_diagnosed_early<B, C, Entry>) {
      return (kernel);
    } else if constexpr (!check_launch_types<B, config_of<C>, typename Entry::declaration,
                                             static_cast<int>(sizeof...(A)) + 1>()) {
      return Diagnosed{};
    } else if constexpr (!check_arguments<B, decltype(kernel.function), A...>(
                             typename Entry::parameters{},
                             std::make_index_sequence<sizeof...(A) + 1>{})) {
      return Diagnosed{};
    } else {
      return (kernel);
    }
  } else if constexpr (!(is_kernel<K> && is_diagnosed_early<B, C, K>)) {
    return (kernel);
  } else if constexpr (!check_launch_types<B, config_of<C>, typename K::declaration,
                                           static_cast<int>(sizeof...(A))>()) {
    return Diagnosed{};
  } else if constexpr (!check_arguments<B, A...>(typename K::parameters{},
                                                 std::index_sequence_for<A...>{})) {
    return Diagnosed{};
  } else if constexpr (Level != CheckLevel::off) {
    using Data = const LaunchedKernel<B>&;
    return KernelByData<typename K::declaration, Data>{{}, KnownKernel<B, K>::data};
  } else {
    const auto slots = opt_in_slots<needs_slots<config_of<C>>, B>(kernel);
    return KernelByData<typename K::declaration, PlainKernel<std::remove_const_t<decltype(slots)>>>{
        {}, {kernel.entry(), kernel.name(), slots}};
  }
}

#if defined(WARPSAFE_SEPARATE)
/// run_checked_launch of warpsafe/separate.cpp. A linker that misses it prints the name.
template <class B>
result<void> compile_warpsafe_separate_cpp_in_one_file_of_the_program(
    const Located<B>& at, const LaunchTypes<B, B>& types, const LaunchNumbers& numbers,
    const LaunchedKernel<B>& kernel, void** words) noexcept;
#endif

/// A launch with checks. Launches with the same types share it: a program has more launches than
/// signatures. Reads the numbers of the configuration, `config` or the value of that result.
template <class K, class B, class C, class Calls, class... A>
[[nodiscard, gnu::noinline]] result<void> launch_checked(const Located<B>& at, const C& config,
                                                         const LaunchedKernel<Calls>& kernel,
                                                         const A&... arguments) noexcept {
  using Config = config_of<C>;
  if constexpr (is_result<C>) {
    if (!config.has_value()) [[unlikely]]
      return refused_configuration(UnwrapWithTryOrValue::error_in(config), at, kernel.name);
  }
  const Config& given = value_of(config);
  if (given.empty()) return success();
  AddressedArguments<typename K::parameters, A...> addressed(arguments...);
  constexpr const auto& types = TypesOf<B, Calls, K, Config, typename K::parameters, A...>::types;
  LaunchShape shape = given.shape();
  shape.elements = covered_elements(given);
  if constexpr (is_safe_grid<typename Config::grid_type>) {
    shape.strides = is_strided_grid<typename Config::grid_type> && Config::grid_type::items == 1;
  }
  LaunchError problem;
  if constexpr (may_have_problem<Config>) {
    find_problem(given, kernel.name, at.stream.device().value(), problem);
  }
  const LaunchNumbers numbers{shape, may_have_problem<Config> ? &problem : nullptr};
#if defined(WARPSAFE_SEPARATE)
  if constexpr (std::is_same_v<B, Calls>) {
    return compile_warpsafe_separate_cpp_in_one_file_of_the_program(at, types, numbers, kernel,
                                                                    addressed.words());
  }
#endif
  return run_checked_launch(at, types, numbers, kernel, addressed.words());
}

/// Checks the types. Each mistake has a sentence of its own, and nothing after it is compiled.
template <CheckLevel Level, class B, bool Copies, class C, class K, class... A>
inline result<void> launch_on(const Located<B, Copies>& at, const C& config, const K& kernel,
                              const A&... arguments) noexcept {
  if constexpr (is_functor_kernel<K>) {
    using Entry = typename K::kernel_type;
    return launch_on<Level>(at, config,
                            without_function<Level, B, C, decltype(kernel.function), A...>(Entry{}),
                            kernel.function, arguments...);
  } else if constexpr (is_module_kernel<K>) {
    return launch_on<Level>(at, config, kernel.loaded(at.stream), arguments...);
  } else if constexpr (std::is_same_v<K, Diagnosed>) {
    return success();
  } else if constexpr (!check_launch_types<B, config_of<C>, K, static_cast<int>(sizeof...(A))>()) {
    return success();
  } else if constexpr (!check_arguments<B, A...>(typename K::parameters{},
                                                 std::index_sequence_for<A...>{})) {
    return success();
  } else {
    using Parameters = typename K::parameters;
    if constexpr (Level == CheckLevel::off) {
      if constexpr (is_result<C>) {
        if (!config.has_value()) [[unlikely]] {
          // Copies, so that the success path takes the address of neither.
          const Located<B> here(at.stream, at.site);
          const LaunchError error = UnwrapWithTryOrValue::error_in(config);
          return refused_configuration(error, here, kernel.name());
        }
      }
      if (value_of(config).empty()) return success();
      return dispatch<typename K::template calls<B>, is_plain<config_of<C>>>(
          at, value_of(config).numbers(ForDispatch{}), kernel.entry(), kernel.name(),
          opt_in_slots<needs_slots<config_of<C>>, B>(kernel), Parameters{}, arguments...);
    } else {
      return launch_checked<typename K::declaration>(at, config, launched_kernel<B>(kernel),
                                                     arguments...);
    }
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
