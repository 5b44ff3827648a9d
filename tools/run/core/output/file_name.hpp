// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../../common/launchers.hpp"
#include <warpsafe/debug/environment.hpp>
#include <warpsafe/tool_api.hpp>

#include <unistd.h>

#include <cstddef>
#include <string>

namespace warpsafe::watch {

/// Returns the process's rank as its launcher says it; "" if none does.
[[nodiscard]] inline std::string process_rank() {
  for (const ranks::Launcher& launcher : ranks::launchers) {
    const char* const value = tool::read_environment(launcher.rank);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}
[[nodiscard]] inline std::string host_name() {
  char name[256] = "";
  if (::gethostname(name, sizeof name - 1) != 0) return {};
  return name;
}
/// Replaces %p by the process, %h by the host, %r by the rank (0 if there is none) and %% by %. A
/// rank or a host is part of a file's name only, so '/' in it becomes '_'.
[[nodiscard]] inline std::string expand_file_name(const std::string& name) {
  std::string made;
  const auto add = [&](std::string part) {
    for (char& letter : part) {
      if (letter == '/') letter = '_';
    }
    made += part;
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char next = name[i] == '%' && i + 1 < name.size() ? name[i + 1] : '\0';
    if (next != 'p' && next != 'h' && next != 'r' && next != '%') {
      made += name[i];
      continue;
    }
    ++i;
    if (next == 'p') made += std::to_string(::getpid());
    if (next == 'h') add(host_name());
    if (next == 'r') {
      const std::string rank = process_rank();
      add(rank.empty() ? "0" : rank);
    }
    if (next == '%') made += '%';
  }
  return made;
}

}  // namespace warpsafe::watch
