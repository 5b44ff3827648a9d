// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "demangled.hpp"
#include <warpsafe/tool_api.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace warpsafe::watch {

/// Maximum length of a kernel's name in texts. A template of templates has thousands of letters,
/// which would hide the numbers after the name.
inline constexpr std::size_t longest_name = 240;

/// Returns a text from outside in one line, with control characters as \xNN. All texts of the
/// watch, also those that the library does not write, then show it as it is.
[[nodiscard]] inline std::string single_line(std::string_view text) {
  std::string shown(4 * text.size() + 1, '\0');
  tool::TextBuffer out(shown.data(), shown.size());
  out.one_line({text.data(), text.size()});
  shown.resize(out.size());
  return shown;
}

/// Returns a demangled name without return type and parameters.
[[nodiscard]] inline std::string without_parameters(std::string name) {
  // Finds the parameters: the '(' that matches a ')' at the end. "(anonymous namespace)" and
  // "operator()" are not at the end.
  if (name.empty() || name.back() != ')') return name;
  std::size_t depth = 0;
  for (std::size_t i = name.size(); i-- != 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) {
      if (i != 0) name.resize(i);
      break;
    }
  }
  // A template's name begins with its return type, up to the last space outside all brackets.
  std::size_t inside = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<' || name[i] == '(') ++inside;
    if ((name[i] == '>' || name[i] == ')') && inside != 0) --inside;
    if (name[i] == ' ' && inside == 0) start = i + 1;
  }
  // A forged name can end in a space.
  if (start < name.size()) name.erase(0, start);
  return name;
}
/// Cuts a long name, which then ends with "...".
[[nodiscard]] inline std::string without_excess(std::string name) {
  if (name.size() <= longest_name) return name;
  std::size_t end = longest_name - 3;
  // The rest of a letter in UTF-8 goes as well, and a part of \xNN.
  while (end != 0 && (static_cast<unsigned char>(name[end]) & 0xc0U) == 0x80) --end;
  for (std::size_t back = 1; back <= 3 && back <= end; ++back) {
    if (name[end - back] == '\\') end -= back;
  }
  name.resize(end);
  return name + "...";
}

/// Returns a kernel's name as in its source, without return type and parameters: "scale<float>" for
/// "_Z5scaleIfEvPfi". A name that is not mangled is returned unchanged, and so is one that would be
/// too long (demangled.hpp). A long name is cut and ends with "...".
[[nodiscard]] inline std::string kernel_name(const char* mangled) {
  if (mangled == nullptr || *mangled == '\0') return "(unnamed)";
  std::string name = demangled(mangled);
  name = name.empty() ? mangled : without_parameters(std::move(name));
  // Escapes make a text longer, so the cut comes after them. What is cut in any case is not
  // escaped.
  return without_excess(single_line(std::string_view(name).substr(0, longest_name + 1)));
}

}  // namespace warpsafe::watch
