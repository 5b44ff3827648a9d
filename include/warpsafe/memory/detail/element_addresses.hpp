// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_call.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>
#include <warpsafe/kernel/detail/parameter.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

// Which words of an element are pointers, and whether the device can read what is there.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// A T whose bytes are all `mark`.
template <class T>
[[nodiscard]] T filled_with(unsigned char mark) noexcept {
  struct Bytes {
    alignas(T) unsigned char all[sizeof(T)];
  } bytes;
  std::memset(&bytes, mark, sizeof bytes);
  if constexpr (std::is_trivially_copyable_v<T>) {
    return std::bit_cast<T>(bytes);
  } else {
    return *std::launder(reinterpret_cast<T*>(&bytes));
  }
}
/// Converts to any pointer to an object or a function.
struct MarkedPointer {
  unsigned char mark;
  template <class T>
  operator T*() const noexcept {
    return filled_with<T*>(mark);
  }
};
/// Converts to the types of AnyMember, with zeros.
struct ZeroMember {
  unsigned char mark;  ///< as MarkedPointer; not used
  template <class T>
  requires(std::is_convertible_v<AnyMember, T>) operator T() const noexcept {
    return filled_with<T>(0);
  }
};
/// Converts to any union, and to any class that is no aggregate.
struct AnyClosed {
  template <class T>
  requires(std::is_union_v<T> || (std::is_class_v<T> && !std::is_aggregate_v<T>)) operator T()
      const noexcept;
};
/// Whether a member of the aggregate P is a pointer. A union and std::optional, which a pointer can
/// also initialise, are none: their bytes may mean something else, or nothing.
template <class P, std::size_t... Before, std::size_t... After>
constexpr bool takes_pointer(std::index_sequence<Before...> before,
                             std::index_sequence<After...> after) noexcept {
  return takes<P, MarkedPointer>(before, after) && !takes<P, AnyClosed>(before, after);
}

/// The words of a structure that pointers take, by their order.
template <class P>
using PointerWords = std::array<bool, sizeof(P) / sizeof(void*)>;

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-braces"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"  // behind the 64th
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma GCC diagnostic ignored "-Wconversion"  // std::optional prefers its constructor
#endif
/// The words of a P whose pointers are marked, and whose other members are zeros.
template <class P, std::size_t... Place>
[[nodiscard]] PointerWords<P> marked_words(std::index_sequence<Place...>) noexcept {
  constexpr unsigned char mark = 0xA5;
  constexpr std::size_t last = sizeof...(Place) - 1;
  alignas(P) unsigned char bytes[sizeof(P)]{};
  ::new (static_cast<void*>(bytes))
      P{std::conditional_t<takes_pointer<P>(indices<Place>, indices<last - Place>), MarkedPointer,
                           ZeroMember>{mark}...};
  const auto marked = filled_with<std::uintptr_t>(mark);
  PointerWords<P> words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uintptr_t word = 0;
    std::memcpy(&word, bytes + i * sizeof word, sizeof word);
    words[i] = word == marked;
  }
  return words;
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/// Which words of the aggregate P are pointers. Numbers, and the bytes between members, can look
/// like an address by chance. So can the bytes of a union or of a class that hides its members,
/// which are not examined. Nor are members after the 64th.
template <class P>
[[nodiscard]] PointerWords<P> pointer_words() noexcept {
  return marked_words<P>(indices<count_members<P>()>);
}

/// Whether the program has memory at an address.
[[nodiscard]] inline bool is_mapped(char* address) noexcept {
  const auto page = static_cast<std::uintptr_t>(::getpagesize());
  unsigned char in_core = 0;
  return ::mincore(address - reinterpret_cast<std::uintptr_t>(address) % page, 1, &in_core) == 0;
}
/// Errc::argument_host_pointer (value: the element's number, from 0) if a pointer in a table of
/// `count` elements has the address of host memory that the device cannot read. `is_pointer` tells
/// it of each of the `words` words of an element; nullptr: the elements are pointers. A pointer may
/// also be the end of a range of device memory. The first and the last page mark special cases and
/// are no memory. A pointer in a structure counts only if the program has memory there, because
/// programs keep flags in pointers. The driver is asked about the first `most_asked` pointers.
template <class B>
[[nodiscard, gnu::cold, gnu::noinline]] result<void> check_addresses(const void* table,
                                                                     std::size_t count,
                                                                     std::size_t words,
                                                                     const bool* is_pointer,
                                                                     call_site site) noexcept {
  constexpr std::size_t most_asked = 256;
  constexpr std::uintptr_t edge = 4096;
  const auto is_known = [](const char* memory) {
    MemoryKind kind{};
    int device = 0;
    return call<B, CheckLevel::full, &B::pointer_kind>(memory, kind, device) == 0 &&
           kind != MemoryKind::unregistered;
  };
  std::size_t asked = 0;
  for (std::size_t i = 0; i < count * words && asked < most_asked; ++i) {
    if (is_pointer != nullptr && !is_pointer[i % words]) continue;
    char* memory = nullptr;
    std::memcpy(&memory, static_cast<const char*>(table) + i * sizeof memory, sizeof memory);
    const auto word = reinterpret_cast<std::uintptr_t>(memory);
    ++asked;
    if (word < edge || word >= ~edge || (is_pointer != nullptr && !is_mapped(memory))) continue;
    if (is_known(memory) || is_known(memory - 1)) continue;
    LaunchError error = LaunchError::make(Errc::argument_host_pointer, Stage::validation, i / words,
                                          0, Axis::none, site);
    error.vendor = B::vendor;
    error.operation = Name::of("copy to device");
    return error;
  }
  return success();
}
/// Whether an element is a structure that may have a pointer. Larger ones are not examined: an
/// example of it is made on the stack.
template <class T>
constexpr bool is_structure_with_pointers() noexcept {
  if constexpr (std::is_class_v<T> && std::is_aggregate_v<T> && !is_device_copyable<T> &&
                sizeof(T) <= 4096) {
    return alignof(T) % sizeof(void*) == 0 && shows_address<T>();
  }
  return false;
}
/// Checks elements that are about to be copied to a device, at level full.
template <CheckLevel Level, class B, class T>
[[nodiscard]] result<void> check_elements(const T* elements, std::size_t count,
                                          call_site site) noexcept {
  if constexpr (Level == CheckLevel::full && std::is_pointer_v<T> &&
                !std::is_function_v<std::remove_pointer_t<T>>) {
    return check_addresses<B>(elements, count, 1, nullptr, site);
  } else if constexpr (Level == CheckLevel::full && is_structure_with_pointers<T>()) {
    const PointerWords<T> words = pointer_words<T>();
    return check_addresses<B>(elements, count, words.size(), words.data(), site);
  } else {
    static_cast<void>(elements);
    static_cast<void>(count);
    static_cast<void>(site);
    return success();
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
