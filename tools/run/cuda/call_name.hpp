// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <string_view>

namespace warpsafe::watch {

/// CUPTI's name of a function, "cuLaunchKernel_ptsz", without the suffixes for versions and default
/// streams.
struct CallName {
  std::string_view base;
  bool per_thread = false;  ///< stream 0 means the thread's own stream
  int version = 1;

  [[nodiscard]] static CallName of(std::string_view name) noexcept {
    CallName found;
    for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
      if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix) {
        name.remove_suffix(suffix.size());
        found.per_thread = true;
      }
    }
    // The driver's suffix is "_v2", the runtime's "_v13000".
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
