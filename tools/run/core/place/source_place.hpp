// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace warpsafe::watch {

/// A place in the program's host code, as far as it is known.
struct SourcePlace {
  std::string function;      ///< in one line; empty: unknown
  std::string file;          ///< the source file's path; empty: unknown
  std::uint32_t line = 0;    ///< 0: unknown
  std::string object;        ///< file name of the program or the shared object
  std::uint64_t offset = 0;  ///< address in that object, which addr2line understands

  /// Whether it is in the function that nvcc makes for `<<<>>>`, perhaps inlined into its caller.
  [[nodiscard]] bool is_stub() const noexcept {
    constexpr std::string_view suffix = ".cudafe1.stub.c";
    return function.find("__device_stub_") != std::string::npos ||
           (file.size() > suffix.size() &&
            file.compare(file.size() - suffix.size(), suffix.size(), suffix) == 0);
  }
  /// "load at src/main.cpp:42", "load of libapp.so+0x1234", "app+0x1234".
  [[nodiscard]] std::string text() const {
    if (line != 0) {
      return (function.empty() ? std::string() : function + " at ") + file + ':' +
             std::to_string(line);
    }
    char number[32];
    std::snprintf(number, sizeof number, "+0x%llx", static_cast<unsigned long long>(offset));
    return (function.empty() ? std::string() : function + " of ") + object + number;
  }
};

}  // namespace warpsafe::watch
