// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "demangled.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpsafe::watch {

/// Returns the types of a kernel's parameters in the demangler's spelling, "float const*", from its
/// mangled name. Returns an empty list if the name shows none.
[[nodiscard]] inline std::vector<std::string> parameter_types(const char* mangled) {
  std::vector<std::string> types;
  const std::string name = demangled(mangled);
  if (name.empty() || name.back() != ')') return types;
  // Finds the parameters: the '(' that matches the ')' at the end.
  std::size_t begin = name.size();
  for (std::size_t depth = 0; begin-- != 0;) {
    if (name[begin] == ')') ++depth;
    if (name[begin] == '(' && --depth == 0) break;
  }
  std::size_t inside = 0;
  std::size_t start = begin + 1;
  for (std::size_t i = start; i < name.size(); ++i) {
    const bool last = i + 1 == name.size();
    if (last || (name[i] == ',' && inside == 0)) {
      if (name[start] == ' ') ++start;
      if (i != start) types.push_back(name.substr(start, i - start));
      start = i + 1;
    } else if (name[i] == '<' || name[i] == '(') {
      ++inside;
    } else if ((name[i] == '>' || name[i] == ')') && inside != 0) {
      --inside;
    }
  }
  return types;
}

/// Returns the size in bytes of a number type in the demangler's spelling, or 0 if it is no number
/// type.
[[nodiscard]] inline std::size_t number_bytes(std::string_view type) noexcept {
  struct Number {
    std::string_view name;
    std::size_t bytes;
  };
  constexpr Number numbers[] = {{"bool", 1},
                                {"char", 1},
                                {"signed char", 1},
                                {"unsigned char", 1},
                                {"short", 2},
                                {"unsigned short", 2},
                                {"int", 4},
                                {"unsigned int", 4},
                                {"float", 4},
                                {"long", 8},
                                {"unsigned long", 8},
                                {"long long", 8},
                                {"unsigned long long", 8},
                                {"double", 8}};
  for (const Number& one : numbers) {
    if (type == one.name) return one.bytes;
  }
  return 0;
}
/// Returns the alignment in bytes of a number type or of a vector type such as float4
/// (vector_types.h), or 0 if it is neither.
[[nodiscard]] inline std::size_t alignment_bytes(std::string_view type) noexcept {
  if (const std::size_t bytes = number_bytes(type); bytes != 0) return bytes;
  struct Vector {
    std::string_view name;
    std::size_t bytes;
  };
  constexpr Vector vectors[] = {{"char", 1},     {"uchar", 1},     {"short", 2}, {"ushort", 2},
                                {"int", 4},      {"uint", 4},      {"long", 8},  {"ulong", 8},
                                {"longlong", 8}, {"ulonglong", 8}, {"float", 4}, {"double", 8}};
  if (type.empty()) return 0;
  const char count = type.back();
  type.remove_suffix(1);
  for (const Vector& one : vectors) {
    if (type != one.name) continue;
    if (count == '1' || count == '3') return one.bytes;
    if (count == '2') return 2 * one.bytes;
    if (count == '4') return one.bytes < 4 ? 4 * one.bytes : 16;
  }
  return 0;
}
/// Returns the size in bytes of a number type or of a vector type such as float3, or 0 if it is
/// neither.
[[nodiscard]] inline std::size_t element_bytes(std::string_view type) {
  if (const std::size_t bytes = number_bytes(type); bytes != 0) return bytes;
  if (type.empty() || type.back() < '1' || type.back() > '4') return 0;
  // A vector of one number has the number's alignment.
  std::string one(type.substr(0, type.size() - 1));
  one += '1';
  return alignment_bytes(one) * static_cast<std::size_t>(type.back() - '0');
}
/// Returns true for "float*", "void*" and "float const*", false for "float**" and "void (*)(int)".
[[nodiscard]] inline bool is_plain_pointer(std::string_view type) noexcept {
  return type.size() > 1 && type.back() == '*' && type.find('(') == std::string_view::npos &&
         type.find('*') + 1 == type.size();
}
[[nodiscard]] inline bool is_const_pointer(std::string_view type) noexcept {
  constexpr std::string_view end = " const*";
  return is_plain_pointer(type) && type.size() > end.size() &&
         type.substr(type.size() - end.size()) == end;
}
/// Returns the number of pointers in a type like "std::array<float*, 3ul>", an array of nothing but
/// pointers; 0: another type.
[[nodiscard]] inline std::size_t pointers_in_array(std::string_view type) noexcept {
  const std::size_t open = type.find('<');
  const std::size_t comma = type.find("*, ");
  if (open == type.npos || comma == type.npos || comma < open || type.back() != '>') return 0;
  const std::size_t name = open >= 5 ? open - 5 : 0;
  const std::string_view kind = type.substr(name, open - name);
  if (kind != "array" && kind != "Array") return 0;
  if (!is_plain_pointer(type.substr(open + 1, comma - open))) return 0;
  std::size_t count = 0;
  std::size_t at = comma + 3;
  for (; type[at] >= '0' && type[at] <= '9' && count < 1024; ++at) {
    count = 10 * count + static_cast<std::size_t>(type[at] - '0');
  }
  const std::string_view suffix = type.substr(at);
  return suffix == ">" || suffix == "u>" || suffix == "l>" || suffix == "ul>" ? count : 0;
}

}  // namespace warpsafe::watch
