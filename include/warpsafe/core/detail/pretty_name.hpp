// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>

#include <cstddef>

// The name of a kernel or functor, cut at compile time from the compiler's own description.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Whether an unnamed namespace starts at `begin`, as g++, clang++ or nvcc write it, before a "::".
constexpr bool is_anonymous(Name text, std::size_t begin) noexcept {
  constexpr Name nvcc = Name::of("_GLOBAL__N_");
  const char first = text.data[begin];
  if (first == '{' || first == '(') return true;
  return Name{text.data + begin, nvcc.size} == nvcc;  // which stops at the "::" of a shorter name
}

/// The text between "Fn = " and the end of that template argument. An unnamed namespace and
/// everything before it are left out, because each compiler spells it differently. A '\0' follows.
constexpr Name name_in(Name all) noexcept {
  const char* const pretty = all.data;
  // Compilers execute this for each kernel. From the end and without calls it takes few steps.
  std::size_t begin = all.size;
  while (begin >= 5 &&
         !(pretty[begin - 1] == ' ' && pretty[begin - 2] == '=' && pretty[begin - 3] == ' ' &&
           pretty[begin - 4] == 'n' && pretty[begin - 5] == 'F')) {
    --begin;
  }
  if (begin < 5) begin = 0;
  if (all.data[begin] == '&') ++begin;
  std::size_t component = begin;
  std::size_t end = begin;
  int depth = 0;
  while (end < all.size) {
    const char letter = all.data[end];
    if (depth == 0 && (letter == ';' || letter == ']')) break;
    if (letter == '<' || letter == '(' || letter == '[' || letter == '{') ++depth;
    if (letter == '>' || letter == ')' || letter == ']' || letter == '}') --depth;
    if (depth == 0 && letter == ':' && end + 1 < all.size && all.data[end + 1] == ':') {
      if (is_anonymous(all, component)) begin = end + 2;
      component = end + 2;
    }
    ++end;
  }
  return Name{all.data + begin, end - begin};
}

template <auto Fn>
constexpr Name cut_name() noexcept {
  return name_in({__PRETTY_FUNCTION__, sizeof __PRETTY_FUNCTION__ - 1});
}
template <class Fn>
constexpr Name cut_type_name() noexcept {
  return name_in({__PRETTY_FUNCTION__, sizeof __PRETTY_FUNCTION__ - 1});
}
// Constants, so that no object file contains the code that cuts the text.
template <auto Fn>
inline constexpr Name name_of = cut_name<Fn>();
template <class Fn>
inline constexpr Name type_name = cut_type_name<Fn>();

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
