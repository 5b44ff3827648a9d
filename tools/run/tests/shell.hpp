// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

struct Ran {
  int status = 0;
  std::string out;  ///< standard output and standard error
};

inline Ran shell(const std::string& command) {
  Ran ran;
  std::FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) std::abort();
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) ran.out += part.data();
  ran.status = ::pclose(pipe);
  return ran;
}
