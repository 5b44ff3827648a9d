// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpsafe::ranks {

/// A line of a script that is being run.
struct ScriptFrame {
  std::string file;
  std::string function;
  std::int32_t line = 0;  ///< from 1
  /// Whether the line belongs to an installed package, such as PyTorch, or to Python itself. These
  /// pass calls of the program on.
  bool is_installed = false;

  [[nodiscard]] static bool is_installed_file(std::string_view file) noexcept {
    for (const char* part : {"/site-packages/", "/dist-packages/", "/lib/python3", "<frozen "}) {
      if (file.find(part) != std::string_view::npos) return true;
    }
    return false;
  }
};

}  // namespace warpsafe::ranks
