// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

namespace warpsafe {

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

}  // namespace warpsafe
