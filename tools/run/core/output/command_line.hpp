// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/kernel_name.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <string>

namespace warpsafe::watch {

/// Returns the program and its arguments in one line, cut after 1000 bytes; "" if it cannot be
/// read.
[[nodiscard]] inline std::string command_line() {
  const int file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  char text[1000];
  const ssize_t size = ::read(file, text, sizeof text);
  ::close(file);
  std::string all(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  while (!all.empty() && all.back() == '\0') all.pop_back();
  for (char& letter : all) {
    if (letter == '\0') letter = ' ';
  }
  return single_line(all);
}

}  // namespace warpsafe::watch
