// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cxxabi.h>

#include <cstddef>
#include <cstdlib>
#include <string>

namespace warpsafe::watch {

/// Letters of a kernel's name in texts: a template of templates has thousands, and the numbers that
/// follow the name are what the text is for.
inline constexpr std::size_t longest_name = 240;

/// A kernel's name as its source has it, without return type and parameters: "scale<float>" of
/// "_Z5scaleIfEvPfi". One that is not mangled stays as it is; a long one is cut, with "..." at its
/// end.
[[nodiscard]] inline std::string kernel_name(const char* mangled) {
  if (mangled == nullptr || *mangled == '\0') return "(unnamed)";
  std::string name = mangled;
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  if (text != nullptr && status == 0) name = text;
  std::free(text);
  // The parameters: from the last '(' that belongs to a ')' at the end. "(anonymous namespace)" and
  // "operator()" are not at the end.
  if (name != mangled && !name.empty() && name.back() == ')') {
    std::size_t depth = 0;
    for (std::size_t i = name.size(); i-- != 0;) {
      if (name[i] == ')') ++depth;
      if (name[i] == '(' && --depth == 0) {
        if (i != 0) name.resize(i);
        break;
      }
    }
    // A template has its return type in front: up to the last space outside of all brackets.
    std::size_t inside = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (name[i] == '<' || name[i] == '(') ++inside;
      if ((name[i] == '>' || name[i] == ')') && inside != 0) --inside;
      if (name[i] == ' ' && inside == 0) start = i + 1;
    }
    name.erase(0, start);
  }
  if (name.size() > longest_name) {
    name.resize(longest_name - 3);
    name += "...";
  }
  return name;
}

}  // namespace warpsafe::watch
