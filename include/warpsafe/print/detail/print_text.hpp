// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/pretty_name.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <type_traits>
#include <utility>

// Helpers of the headers in print/.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {
namespace detail {

/// Whether an enumeration's values are printed as the names of its enumerators.
template <class Enum>
inline constexpr bool is_printed_by_name = false;

/// The name of the enumerator with that value, without its scopes. Empty if there is no such
/// enumerator: the compiler then writes a cast.
template <auto Value>
[[nodiscard]] constexpr Name enumerator_of() noexcept {
  const Name all = name_of<Value>;
  std::size_t start = all.size;
  while (start != 0 && all.data[start - 1] != ':') --start;
  const bool cast = all.data[0] <= '9';  // it begins with a bracket, a sign or a digit
  return cast ? Name{} : Name{all.data + start, all.size - start};
}

/// Enumerators below this value are known by name.
inline constexpr std::size_t named_enumerators = 128;

template <class Enum, std::size_t... Value>
[[nodiscard]] Name name_of_enumerator(Enum value, std::index_sequence<Value...>) noexcept {
  static constexpr Name names[] = {enumerator_of<static_cast<Enum>(Value)>()...};
  const auto number = static_cast<std::size_t>(value);
  return number < sizeof...(Value) ? names[number] : Name{};
}

inline void put(std::ostream& out, Name text) {
  out.write(text.data, static_cast<std::streamsize>(text.size));
}
/// Prints an address as gdb does: 0x0 for nullptr.
inline void put_address(std::ostream& out, const void* address) {
  char buffer[24];
  TextBuffer text(buffer, sizeof buffer);
  text << address;
  out << buffer;
}
inline void put_axes(std::ostream& out, const std::uint32_t (&axes)[3]) {
  out << '(' << axes[0] << ',' << axes[1] << ',' << axes[2] << ')';
}
template <class T>
void put_elements(std::ostream& out, std::size_t count, const T* address) {
  out << count << " elements of " << sizeof(T) << " bytes at ";
  put_address(out, address);
}

}  // namespace detail

/// Prints the enumerator's name (`block_too_large`), or the number if there is no enumerator.
template <class Enum>
requires detail::is_printed_by_name<Enum> std::ostream& operator<<(std::ostream& out, Enum value) {
  constexpr std::size_t count =
      std::is_same_v<std::underlying_type_t<Enum>, bool> ? 2 : detail::named_enumerators;
  const Name name = detail::name_of_enumerator(value, std::make_index_sequence<count>());
  if (name.empty()) return out << static_cast<int>(value);
  detail::put(out, name);
  return out;
}
/// Prints the text.
inline std::ostream& operator<<(std::ostream& out, const Name& text) {
  detail::put(out, text);
  return out;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
