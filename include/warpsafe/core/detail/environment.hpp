// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/name.hpp>

#include <cstdlib>

// The variables of the environment that change what a program does.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The value of an environment variable, or nullptr. Also nullptr in a program that runs with more
/// rights than its caller (setuid): the caller could otherwise make it write files or skip checks.
[[nodiscard, gnu::always_inline]] inline const char* read_environment(const char* name) noexcept {
  return ::secure_getenv(name);
}

/// The variables that only tools read.
inline constexpr Name environment_switches[] = {
    Name::of("WARPSAFE_LOG"),     Name::of("WARPSAFE_SYNC"),      Name::of("WARPSAFE_BREAK"),
    Name::of("WARPSAFE_TRACE"),   Name::of("WARPSAFE_REFERENCE"), Name::of("WARPSAFE_SHADOW"),
    Name::of("WARPSAFE_TIMEOUT"), Name::of("WARPSAFE_ON_ERROR")};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
