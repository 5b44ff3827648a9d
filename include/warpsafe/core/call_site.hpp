// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

namespace warpsafe {

/// Where a call was written. Every public function that can fail takes one as a defaulted argument,
/// so that an error names the caller's line without a macro. An aggregate that stays uninitialised
/// inside a LaunchError that nobody reads. An own type, since std::source_location is missing in
/// clang 14 and wrong in clang 15.
struct call_site {
  const char* file;
  const char* function;
  unsigned line;

  /// The place of the call that this stands in as a default argument.
  [[nodiscard]] static constexpr call_site current(const char* in_file = __builtin_FILE(),
                                                   const char* in_function = __builtin_FUNCTION(),
                                                   unsigned at_line = __builtin_LINE()) noexcept {
    return {in_file, in_function, at_line};
  }
  friend constexpr bool operator==(const call_site&, const call_site&) = default;
};

}  // namespace warpsafe
