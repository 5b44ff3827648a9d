// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../place/host_stack.hpp"

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// Suspicions that need nothing but a place in the program when it ends. Thread-safe.
class PlacedTexts {
 public:
  /// `text` ends with what the place follows: "; it is launched in ". Each text is kept once, and
  /// at most ten are. May throw std::bad_alloc.
  void add(std::string text, const HostStack& stack) {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, at] : found_) {
      if (known == text) return;
    }
    if (found_.size() < most) found_.emplace_back(std::move(text), stack);
  }
  /// Calls `report(text)` for each. `place(stack, kernel)` returns the words for a place in the
  /// program, or "".
  template <class Report, class Place>
  void each(const Report& report, const Place& place) {
    const std::lock_guard lock(mutex_);
    for (const auto& [text, stack] : found_) {
      const std::string where = place(stack, std::string_view());
      const std::size_t end = where.empty() ? text.rfind(';') : text.size();
      report("suspicion: " + text.substr(0, end) + where);
    }
  }

 private:
  static constexpr std::size_t most = 10;

  std::mutex mutex_;
  std::vector<std::pair<std::string, HostStack>> found_;
};

}  // namespace warpsafe::watch
