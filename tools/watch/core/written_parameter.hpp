// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cxxabi.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

namespace warpsafe::watch {

/// No parameter.
inline constexpr std::size_t no_parameter = ~std::size_t{0};

namespace detail {

/// Whether a parameter of that type, as a demangler writes it, can hold no pointer. The handle of a
/// surface, through which a kernel may write as well, is an unsigned long long.
[[nodiscard]] inline bool is_number(std::string_view type) noexcept {
  for (const std::string_view one :
       {"bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int",
        "unsigned int", "long", "unsigned long", "long long", "float", "double"}) {
    if (type == one) return true;
  }
  return false;
}
/// "float*", "void*", but not "float const*", "float**" or "void (*)(int)".
[[nodiscard]] inline bool is_plain_pointer(std::string_view type) noexcept {
  return type.size() > 1 && type.back() == '*' && type.find('(') == std::string_view::npos &&
         type.find('*') + 1 == type.size();
}
[[nodiscard]] inline bool is_const_pointer(std::string_view type) noexcept {
  constexpr std::string_view end = " const*";
  return is_plain_pointer(type) && type.size() > end.size() &&
         type.substr(type.size() - end.size()) == end;
}

}  // namespace detail

/// The number of the parameter through which a kernel must write, by its mangled name, or
/// `no_parameter`: a kernel has no result, so where all it is given are numbers, pointers to const
/// and one other pointer, that one is what it writes. Where a parameter could hide a pointer, or
/// there are several, nothing is known.
[[nodiscard]] inline std::size_t written_parameter(const char* mangled) {
  if (mangled == nullptr) return no_parameter;
  int status = 0;
  char* const demangled = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  const std::string name = demangled != nullptr && status == 0 ? demangled : "";
  std::free(demangled);
  if (name.empty() || name.back() != ')') return no_parameter;
  // The parameters: from the '(' that belongs to the ')' at the end.
  std::size_t begin = name.size();
  for (std::size_t depth = 0; begin-- != 0;) {
    if (name[begin] == ')') ++depth;
    if (name[begin] == '(' && --depth == 0) break;
  }
  std::size_t written = no_parameter;
  std::size_t number = 0;
  std::size_t inside = 0;
  std::size_t start = begin + 1;
  for (std::size_t i = start; i < name.size(); ++i) {
    const bool last = i + 1 == name.size();
    if (last || (name[i] == ',' && inside == 0)) {
      std::string_view type(name.data() + start, i - start);
      if (!type.empty() && type.front() == ' ') type.remove_prefix(1);
      if (detail::is_plain_pointer(type) && !detail::is_const_pointer(type)) {
        if (written != no_parameter) return no_parameter;
        written = number;
      } else if (!detail::is_number(type) && !detail::is_const_pointer(type)) {
        return no_parameter;
      }
      ++number;
      start = i + 1;
    } else if (name[i] == '<' || name[i] == '(') {
      ++inside;
    } else if ((name[i] == '>' || name[i] == ')') && inside != 0) {
      --inside;
    }
  }
  return written;
}

}  // namespace warpsafe::watch
