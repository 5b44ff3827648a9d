// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>
#include <string>

namespace warpsafe::watch {

/// Returns a number with its noun: "1 launch", "2 launches".
[[nodiscard]] inline std::string counted(std::uint64_t count, const char* one,
                                         const char* several) {
  return std::to_string(count) + ' ' + (count == 1 ? one : several);
}

}  // namespace warpsafe::watch
