// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/element_type.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/stream/detail/waiting.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// A launch's arguments without their types, for an open capture and for the debug tools that look
// at data. One function per launch makes them, out of line.

namespace warpsafe::detail {

inline constexpr std::uint64_t unknown_extent = ~std::uint64_t{0};

/// The device memory that an argument points to.
struct ArgumentMemory {
  const void* begin;    ///< nullptr: none
  std::uint64_t bytes;  ///< unknown_extent if the argument's type has no size
};
/// The type of a parameter, or of the elements of the memory that it points to.
struct ElementInfo {
  ElementType type;
  std::uint32_t bytes;  ///< of one element
};

struct LaunchArguments {
  const KernelEntry& entry;
  const LaunchShape& shape;
  void* stream;
  void* const* values;           ///< the address of each parameter's value
  const ArgumentMemory* memory;  ///< of each
  const ElementInfo* elements;   ///< of each
  const HostReference* reference;
  const BackendCalls& calls;
};
struct ArgumentReader {
  void (*read)(void* context, const LaunchArguments& arguments) noexcept;
  void* context;
};

template <class T>
constexpr ElementInfo element_info() noexcept {
  // Not for void, nor for a type that is only declared here.
  if constexpr (requires { sizeof(T); } && std::is_object_v<T>) {
    return {element_type<std::remove_cv_t<T>>, static_cast<std::uint32_t>(sizeof(T))};
  } else {
    return {ElementType::bytes, 1};
  }
}
template <class P>
struct Reached {
  using type = P;
};
template <class T>
struct Reached<T*> {
  using type = T;
};
template <class P>
requires(is_device_memory<P>) struct Reached<P> {
  using type = typename P::element_type;
};

/// The number of elements behind an argument for a pointer parameter, if the argument's type knows
/// it: DeviceView, trust(p, n), an adapted type with size(), or one whose device_pointer_traits
/// have count().
template <class A>
[[nodiscard]] std::uint64_t count_behind(const A& argument) noexcept {
  if constexpr (is_trusted_span<A>) {
    return argument.size().negative ? 0 : argument.size().magnitude;
  } else if constexpr (requires { device_pointer_traits<A>::count(argument); }) {
    return static_cast<std::uint64_t>(device_pointer_traits<A>::count(argument));
  } else if constexpr (requires { requires std::is_integral_v<decltype(argument.size())>; }) {
    return static_cast<std::uint64_t>(argument.size());
  } else {
    return unknown_extent;
  }
}

template <class P, class A>
[[nodiscard]] ArgumentMemory memory_behind(const P& value, const A& argument) noexcept {
  if constexpr (is_device_span<P>) {
    return {value.pointer().get(), value.size() * sizeof(typename P::element_type)};
  } else if constexpr (is_device_memory<P>) {
    const void* begin = nullptr;  // the first member of such a type
    __builtin_memcpy(&begin, &value, sizeof begin);
    const std::uint64_t count = begin == nullptr ? 0 : count_behind(argument);
    constexpr std::uint64_t size = element_info<typename P::element_type>().bytes;
    return {begin, count == unknown_extent ? count : count * size};
  } else if constexpr (reaches_memory<P> && !std::is_same_v<A, std::nullptr_t>) {
    const auto* const begin = device_pointer_traits<A>::get(argument);
    const std::uint64_t count = begin == nullptr ? 0 : count_behind(argument);
    constexpr std::uint64_t size = element_info<std::remove_pointer_t<decltype(begin)>>().bytes;
    return {begin, count == unknown_extent ? count : count * size};
  } else {
    static_cast<void>(value);
    static_cast<void>(argument);
    return {nullptr, 0};
  }
}

/// The reference function of a kernel that declares one (reference.hpp), or nullptr.
template <class K>
constexpr const HostReference* reference_of() noexcept {
  if constexpr (requires { K::host_reference; }) {
    return K::host_reference;
  } else {
    return nullptr;
  }
}

/// Clears the padding of a value: old contents of memory there could look like an address.
/// Compilers without the builtin leave it as it is.
template <class P>
void clear_padding([[maybe_unused]] P& value) noexcept {
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
  if constexpr (std::is_class_v<P>) __builtin_clear_padding(&value);
#endif
#endif
}

/// Passes a launch's arguments to `reader`.
template <class B, class K, class... P, class... A>
[[gnu::cold, gnu::noinline]] void show_arguments(const ArgumentReader& reader, void* stream,
                                                 const K& kernel, const LaunchShape& shape,
                                                 TypeList<P...>, const A&... arguments) noexcept {
  static constexpr ElementInfo elements[sizeof...(P) + 1] = {
      element_info<typename Reached<P>::type>()..., {}};
  const KernelEntry entry = kernel.entry();
  const auto show = [&](P... values) {
    (clear_padding(values), ...);
    void* pointers[sizeof...(P) + 1] = {const_cast<void*>(static_cast<const void*>(&values))...};
    const ArgumentMemory memory[sizeof...(P) + 1] = {memory_behind(values, arguments)..., {}};
    reader.read(reader.context, {entry, shape, stream, pointers, memory, elements,
                                 reference_of<K>(), backend_calls<B>});
  };
  show(convert_argument<P>(arguments)...);
}

}  // namespace warpsafe::detail
