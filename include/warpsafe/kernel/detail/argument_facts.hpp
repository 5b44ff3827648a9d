// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/backend/detail/given_memory.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>
#include <warpsafe/kernel/kernel.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

// What the types of an argument and of its parameter say, as constant data. The code that works on
// it is compiled once for all launches of a program.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// What an argument knows about the memory that it points to.
struct ArgumentSource {
  MemoryOwner* owner;   ///< nullptr: none
  std::uint64_t count;  ///< of elements; unknown_extent if the argument's type has no size
};

/// The source of an argument for a pointer parameter. The size is known for a DeviceView, trust(p,
/// n), an adapted type with size(), and one whose device_pointer_traits have count().
template <class A>
[[nodiscard]] ArgumentSource source_of(const void* address) noexcept {
  const A& argument = *static_cast<const A*>(address);
  std::uint64_t count = unknown_extent;
  if constexpr (is_trusted_span<A>) {
    count = argument.size().negative ? 0 : argument.size().magnitude;
  } else if constexpr (HasCount<A> || HasSize<A>) {
    count = size_behind(argument);
  }
  return {checked_owner_of(argument), count};
}

/// What a launch knows about one argument from its type and its parameter's: a constant, which all
/// launches with this argument share.
struct ArgumentFacts {
  /// Writes the parameter to `value`. nullptr if the argument's own bytes are the parameter.
  void (*convert)(const void* argument, void* value) noexcept;
  /// nullptr if the parameter reaches no memory and the argument has no owner, and for a
  /// DeviceSpan, whose number of elements follows its address.
  ArgumentSource (*source)(const void* argument) noexcept;
  /// nullptr if the parameter has no padding.
  void (*clear_padding)(void* value) noexcept;
  std::uint32_t size;       ///< bytes of the parameter
  std::uint32_t alignment;  ///< bytes
  /// Bytes of one element behind the argument of a raw pointer; 0: as the parameter's type says.
  std::uint32_t element_bytes;
  ValueChecks checks;
  bool has_owner;
  bool reaches_memory;  ///< the parameter begins with the address of memory
  bool is_span;         ///< the parameter is a DeviceSpan: an address, then the number of elements
  /// The memory inside the parameter, a structure that may hold addresses; nullptr: there is none.
  InnerMemory (*inner)() noexcept;
};

template <class P, class A>
void convert_to_parameter(const void* argument, void* value) noexcept {
  ::new (value) P(convert_argument<P>(*static_cast<const A*>(argument)));
}

/// Clears the padding of a value: old contents of memory there could look like an address.
/// Compilers without the builtin leave it as it is.
template <class P>
void clear_padding([[maybe_unused]] void* value) noexcept {
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
  __builtin_clear_padding(static_cast<P*>(value));
#endif
#endif
}

template <class P, class A>
constexpr std::uint32_t element_bytes_behind() noexcept {
  if constexpr (std::is_pointer_v<P>) {
    if constexpr (DevicePointer<A>) {
      using Pointer = decltype(device_pointer_traits<A>::get(std::declval<const A&>()));
      using Element = std::remove_pointer_t<Pointer>;
      if constexpr (std::is_void_v<Element>) {
        return 1;
      } else if constexpr (requires { sizeof(Element); }) {
        return sizeof(Element);
      }
    }
  }
  return 0;
}

template <class P, class A>
constexpr ArgumentFacts make_argument_facts() noexcept {
  ArgumentFacts facts{};
  facts.size = sizeof(P);
  facts.alignment = alignof(P);
  facts.element_bytes = element_bytes_behind<P, A>();
  facts.checks = value_checks<P, A>;
  constexpr bool has_owner = is_view<A> || holds_owner<A>;
  constexpr bool reaches = reaches_memory<P> && !std::is_same_v<A, std::nullptr_t>;
  facts.has_owner = has_owner;
  facts.reaches_memory = reaches;
  facts.is_span = is_device_span<P>;
  facts.inner = inner_memory_of<P>();
  if constexpr (!is_passed_in_place<P, A>()) facts.convert = &convert_to_parameter<P, A>;
  // Compilers clear no padding of a std::pair, which is formally not trivially copyable.
  if constexpr (__is_trivially_copyable(P) && std::is_class_v<P> &&
                !std::has_unique_object_representations_v<P>) {
    facts.clear_padding = &clear_padding<P>;
  }
  if constexpr ((reaches && !is_device_span<A>) || has_owner) facts.source = &source_of<A>;
  return facts;
}
template <class P, class A>
inline constexpr ArgumentFacts argument_facts = make_argument_facts<P, A>();

/// What a launch knows about its arguments from their types.
struct ArgumentTypes {
  const ArgumentFacts* const* facts;
  const std::uint32_t* checked;  ///< the places of the arguments whose values are checked
  std::uint32_t count;
  std::uint32_t checked_count;
  bool has_owners;
  bool all_in_place;       ///< no argument is converted
  bool has_inner = false;  ///< memory inside a structure
};

template <class Parameters, class... A>
struct ArgumentTable;
template <class... P, class... A>
struct ArgumentTable<TypeList<P...>, A...> {
  static constexpr const ArgumentFacts* facts[sizeof...(P) + 1] = {&argument_facts<P, A>...,
                                                                   nullptr};
  static constexpr std::uint32_t checked_count =
      (static_cast<std::uint32_t>(value_checks<P, A>.any_or_size()) + ... + 0U);
  struct Places {
    std::uint32_t all[checked_count + 1];
  };
  static constexpr Places checked = [] {
    Places places{};
    [[maybe_unused]] std::uint32_t place = 0;
    [[maybe_unused]] std::uint32_t count = 0;
    ((places.all[count] = place++,
      count += static_cast<std::uint32_t>(value_checks<P, A>.any_or_size())),
     ...);
    return places;
  }();
  static constexpr ArgumentTypes types{facts,
                                       checked.all,
                                       sizeof...(P),
                                       checked_count,
                                       ((is_view<A> || holds_owner<A>) || ...),
                                       (is_passed_in_place<P, A>() && ...),
                                       (has_inner_memory<P>() || ...)};
  // From the types alone: with -fsanitize=null g++ takes no comparison of an address with nullptr
  // for a constant.
  /// The largest alignment of a parameter that is not passed in place.
  static constexpr std::size_t padding = [] {
    std::size_t most = 0;
    ((most = is_passed_in_place<P, A>() || alignof(P) < most ? most : alignof(P)), ...);
    return most;
  }();
  /// Bytes of these parameters, each at its alignment.
  static constexpr std::size_t bytes = [] {
    std::size_t all = 0;
    ((all = is_passed_in_place<P, A>() ? all : place_after(all, alignof(P)) + sizeof(P)), ...);
    return all;
  }();
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
