// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <utility>
#include <vector>

namespace warpsafe::debug {

/// What is known of the vendor's own objects (streams, events, graphs), by their addresses. A few
/// at a time: it looks from the first to the last.
template <class T>
class AddressList {
 public:
  /// What is known of `key`, or nullptr. Valid until the next change.
  [[nodiscard]] T* find(const void* key) noexcept {
    for (auto& [known, value] : known_) {
      if (known == key) return &value;
    }
    return nullptr;
  }
  /// The same, as a value; `otherwise` for what is not known.
  [[nodiscard]] T get(const void* key, T otherwise) const {
    for (const auto& [known, value] : known_) {
      if (known == key) return value;
    }
    return otherwise;
  }
  void put(const void* key, T value) {
    if (T* const known = find(key)) {
      *known = std::move(value);
    } else {
      known_.emplace_back(key, std::move(value));
    }
  }
  void erase(const void* key) {
    std::erase_if(known_, [&](const auto& known) { return known.first == key; });
  }
  void clear() noexcept { known_.clear(); }

 private:
  std::vector<std::pair<const void*, T>> known_;
};

}  // namespace warpsafe::debug
