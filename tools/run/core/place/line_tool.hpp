// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../hidden_process.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// Runs addr2line, which reads an object's debug information.
struct LineTool {
  /// Returns what the tool at `path` prints about `addresses` of `object`: for each address a line
  /// "0x…", and then two lines, function and file:line, for each function that the compiler has
  /// inlined there. Returns "" if the tool fails or takes longer than three seconds.
  [[nodiscard]] static std::string ask(const std::string& path, const std::string& object,
                                       const std::vector<std::uint64_t>& addresses) {
    if (path.empty() || addresses.empty()) return {};
    std::vector<std::string> words = {path, "-a", "-f", "-C", "-i", "-e", object};
    for (const std::uint64_t one : addresses) words.push_back(hexadecimal(one));
    constexpr std::uint64_t patience = 3'000'000'000;
    return HiddenProcess::output(std::move(words), -1, patience, std::size_t{1} << 20);
  }

 private:
  [[nodiscard]] static std::string hexadecimal(std::uint64_t number) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
    return text;
  }
};

}  // namespace warpsafe::watch
