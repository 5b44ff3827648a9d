// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../guard/memory_guard.hpp"
#include "../place/host_stack.hpp"
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace warpsafe::watch {

/// Copies to the host of memory that nobody wrote, as a MemoryGuard finds them. Thread-safe.
class UnwrittenCopies {
 public:
  /// `call` lives as long as the process. Copies of one allocation's kind are reported once. May
  /// throw std::bad_alloc.
  void found(Name call, std::size_t bytes, const UnwrittenBytes& what) {
    const HostStack stack = HostStack::here();  // without the lock
    const std::lock_guard lock(mutex_);
    for (const Found& one : found_) {
      if (one.call.data == call.data && one.what.made_at.is_same(what.made_at)) return;
    }
    if (found_.size() < most_found) found_.push_back({call, bytes, what, stack});
  }
  /// Calls `report(text)` for each copy. `place(stack, kernel)` returns the words for a place in
  /// the program, or "".
  template <class Report, class Place>
  void each(const Report& report, const Place& place) {
    const std::lock_guard lock(mutex_);
    for (const Found& one : found_) {
      const UnwrittenBytes& what = one.what;
      std::string text = "suspicion: " + std::string(one.call.data, one.call.size) + " copies " +
                         std::to_string(one.bytes) + " bytes to the host, and nobody wrote " +
                         std::to_string(what.count) + " of them: the first is byte " +
                         std::to_string(what.first) + " of an allocation of " +
                         std::to_string(what.bytes) + " bytes";
      add(text, "; the copy is made in ", place(one.stack, std::string_view()));
      add(text, "; the memory is allocated in ", place(what.made_at, std::string_view()));
      report(text);
    }
  }

 private:
  static constexpr std::size_t most_found = 10;
  struct Found {
    Name call;
    std::size_t bytes;
    UnwrittenBytes what;
    HostStack stack;
  };
  static void add(std::string& text, const char* words, const std::string& where) {
    if (!where.empty()) text += words + where;
  }

  std::mutex mutex_;
  std::vector<Found> found_;
};

}  // namespace warpsafe::watch
