// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <string_view>

namespace warpsafe::watch {

/// What CUPTI calls the function, "cuLaunchKernel_ptsz", without what tells versions and default
/// streams apart.
struct CallName {
  std::string_view base;
  bool per_thread = false;  ///< stream 0 is the thread's own
  int version = 1;

  [[nodiscard]] static CallName of(std::string_view name) noexcept {
    CallName found;
    for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
      if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix) {
        name.remove_suffix(suffix.size());
        found.per_thread = true;
      }
    }
    // "_v2" of the driver's, "_v13000" of the runtime's.
    const std::size_t at = name.rfind("_v");
    if (at != std::string_view::npos && at + 2 < name.size() &&
        name.find_first_not_of("0123456789", at + 2) == std::string_view::npos) {
      found.version = 0;
      for (const char digit : name.substr(at + 2)) found.version = 10 * found.version + digit - '0';
      name = name.substr(0, at);
      for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
        if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix) {
          name.remove_suffix(suffix.size());
          found.per_thread = true;
        }
      }
    }
    found.base = name;
    return found;
  }
};

}  // namespace warpsafe::watch
