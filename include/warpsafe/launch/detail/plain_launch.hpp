// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/kernel/detail/argument_facts.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/launch/detail/kernel_slots.hpp>
#include <warpsafe/launch/detail/launch_errors.hpp>
#include <warpsafe/launch/launch_config.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// A launch without checks: the one call of the backend, and its error.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Whether a launch without checks needs the kernel's slots: for dynamic shared memory, and for an
/// early begin.
template <class Config>
inline constexpr bool needs_slots =
    Config::template has<PartKind::shared> || Config::template has<PartKind::dependent>;

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
                                                     const Name& kernel, const char* file,
                                                     const char* function, unsigned line) noexcept {
  LaunchError error;
  launch_failed(status, shape_of(shaped), Located<B>(stream, {file, function, line}), kernel,
                error);
  return failure<void>(error);
}

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

/// Stores an address by an instruction of its own: g++ takes more to combine two for one store.
[[gnu::always_inline]] inline void store_apart(void*& place, const void* address) noexcept {
  static_cast<void* volatile&>(place) = const_cast<void*>(address);
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
  (store_apart(pointers[count++], __builtin_addressof(values)), ...);
  if constexpr (Plain && requires { &Calls::launch_plain; }) {
    return Calls::launch_plain(entry, shape, pointers, stream.native());
  } else if constexpr (Plain) {
    return Calls::launch(entry, shape, pointers, stream.native());
  } else {
    return launch_with_attributes<Calls>(entry, shape, stream, slots, pointers);
  }
}

/// The window (CallScope) of one argument, as LaunchWindows has it.
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

/// A launch without checks: makes the one call of the backend; its status is the result. `slots`
/// are those of the kernel if the configuration's type needs them, else nullptr. The kernel is
/// passed as data, so that launches of all kernels with the same types share this.
template <class Calls, class B, bool Copies, class C, class Slots, class... P, class... A>
[[nodiscard, gnu::always_inline]] inline result<void> launch_unchecked(
    const Located<B, Copies>& at, const C& config, const KernelEntry& kernel, const Name& name,
    Slots slots, TypeList<P...>, const A&... arguments) noexcept {
  constexpr bool plain = is_plain<config_of<C>>;
  if constexpr (is_result<C>) {
    if (!config.has_value()) [[unlikely]] {
      // Copies, so that the success path takes the address of neither.
      const Located<B> here(at.stream, at.site);
      const LaunchError error = UnwrapWithTryOrValue::error_in(config);
      return refused_configuration(error, here, name);
    }
  }
  if (value_of(config).empty()) return success();
  const auto& shaped = value_of(config).numbers(ForDispatch{});
  const KernelEntry entry = kernel;
  const decltype(at.stream) stream = at.stream;  // in memory, for launch_refused
  const LaunchShape& shape = shape_of(shaped);
  int status = 0;
  if constexpr (!std::is_null_pointer_v<Slots>) {
    // A plain launch has its slots for the shared memory alone.
    if (plain || shape.dynamic_shared != 0) {
      status = slots->allow_dynamic_shared(entry, stream.device().value(), shape.dynamic_shared);
    }
  }
  if (status == 0) {
    if constexpr (RecordsCallers<B>) {
      const std::uint64_t windows[] = {window_of<P>(arguments)..., 0};
      const CallScope<B> here(at.site, name, windows);
      status = pass_values<Calls, plain>(entry, shape, stream, slots,
                                         convert_argument<P, true>(arguments)...);
    } else {
      status = pass_values<Calls, plain>(entry, shape, stream, slots,
                                         convert_argument<P, true>(arguments)...);
    }
  }
  if (status != 0) [[unlikely]] {
    return launch_refused(status, shaped, stream, name, at.site.file, at.site.function,
                          at.site.line);
  }
  if constexpr ((is_view<A> || ...)) {
    return record_uses(stream, at.site, owner_of(arguments)...);
  }
  return success();
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
