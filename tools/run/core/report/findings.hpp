// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "finding.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// The findings of a run, in the order in which they happened, each with its number of times.
/// Thread-safe.
class Findings {
 public:
  /// The number of a finding that is not in the list.
  static constexpr std::size_t none = ~std::size_t{0};

  /// Adds a finding, or counts one that is equal in all but the driver's log. Returns its number.
  /// May throw std::bad_alloc.
  std::size_t add(Finding made) {
    const std::lock_guard lock(mutex_);
    count(made.kind, 1);
    std::string key = made.subject + '\n' + made.title + made.details;
    for (const SourcePlace& one : made.places) key += '\n' + one.text();
    const auto known = numbers_.find(key);
    if (known != numbers_.end()) {
      ++all_[known->second].count;
      return known->second;
    }
    if (all_.size() == most) {
      ++left_out_;
      return none;
    }
    numbers_.emplace(std::move(key), all_.size());
    all_.push_back(std::move(made));
    return all_.size() - 1;
  }
  /// Counts the finding with that number again.
  void again(std::size_t number, Finding::Kind kind) {
    const std::lock_guard lock(mutex_);
    count(kind, 1);
    if (number < all_.size()) ++all_[number].count;
  }
  /// Counts a finding whose text was not made.
  void count(Finding::Kind kind, std::uint64_t times) noexcept {
    if (kind == Finding::Kind::note) {
      __atomic_add_fetch(&notes_, times, __ATOMIC_RELAXED);
    } else if (kind == Finding::Kind::call) {
      __atomic_add_fetch(&calls_, times, __ATOMIC_RELAXED);
    }
  }
  [[nodiscard]] std::uint64_t failed_calls() const noexcept {
    return __atomic_load_n(&calls_, __ATOMIC_RELAXED);
  }
  [[nodiscard]] std::uint64_t notes() const noexcept {
    return __atomic_load_n(&notes_, __ATOMIC_RELAXED);
  }
  /// Returns how many findings are not in `all`.
  [[nodiscard]] std::uint64_t left_out() {
    const std::lock_guard lock(mutex_);
    return left_out_;
  }
  /// Returns a copy. May throw std::bad_alloc.
  [[nodiscard]] std::vector<Finding> all() {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  static constexpr std::size_t most = 1000;

  std::mutex mutex_;
  std::vector<Finding> all_;
  std::map<std::string, std::size_t> numbers_;
  std::uint64_t left_out_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t notes_ = 0;
};

}  // namespace warpsafe::watch
