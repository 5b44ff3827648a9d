// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpsafe {

/// A name that lives as long as the program. It is not zero-terminated. It replaces
/// std::string_view because <string_view> alone adds a third to the compile time of a small `.cu`.
/// It is an aggregate so that it can stay uninitialised inside a LaunchError that nobody reads.
struct Name {
  const char* data;
  std::size_t size;

  /// The name in a zero-terminated text of static lifetime; empty for nullptr.
  [[nodiscard]] static constexpr Name of(const char* text) noexcept {
    Name name{text, 0};
    if (text != nullptr) {
      while (text[name.size] != '\0') ++name.size;
    }
    return name;
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return size == 0; }

  friend constexpr bool operator==(const Name& a, const Name& b) noexcept {
    if (a.size != b.size) return false;
    for (std::size_t i = 0; i < a.size; ++i) {
      if (a.data[i] != b.data[i]) return false;
    }
    return true;
  }
};

}  // namespace warpsafe
