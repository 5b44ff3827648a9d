// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

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
  [[nodiscard, gnu::always_inline]] constexpr bool empty() const noexcept { return size == 0; }

  friend constexpr bool operator==(const Name& a, const Name& b) noexcept {
    if (a.size != b.size) return false;
    for (std::size_t i = 0; i < a.size; ++i) {
      if (a.data[i] != b.data[i]) return false;
    }
    return true;
  }
};

/// The source line of a call. Every public function that can fail takes a call_site as a defaulted
/// argument, so that an error names the caller's line without a macro. It is an aggregate so that
/// it can stay uninitialised inside a LaunchError that nobody reads. std::source_location is not
/// used: it is missing in clang 14 and wrong in clang 15.
struct call_site {
  const char* file;
  const char* function;
  unsigned line;

  /// As a default argument: the place of the call.
  [[nodiscard]] static constexpr call_site current(const char* in_file = __builtin_FILE(),
                                                   const char* in_function = __builtin_FUNCTION(),
                                                   unsigned at_line = __builtin_LINE()) noexcept {
    return {in_file, in_function, at_line};
  }
  friend constexpr bool operator==(const call_site&, const call_site&) = default;
};

namespace detail {
/// FNV-1a.
[[nodiscard]] constexpr std::uint64_t hash_of(Name name) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::size_t i = 0; i < name.size; ++i) {
    hash = (hash ^ static_cast<unsigned char>(name.data[i])) * 0x100000001b3U;
  }
  return hash;
}
}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
