// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../report/counted.hpp"
#include "call_stack.hpp"
#include "stream_work.hpp"
#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/race/race_checker.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// What an OrderWatch has found, in words: of a library's work and other work, each pair of names
/// once. Not thread-safe.
class OrderSuspicions {
 public:
  /// `caller`: of `second`. `ordered(writer, other)`: whether some launch of the kernel `writer`
  /// comes before the point `other`.
  template <class Ordered>
  void add(const debug::Race& race, const StreamWork& first, StreamWork second,
           const Caller& caller, const Ordered& ordered) {
    const bool first_writes = race.first_access.kind == debug::AccessKind::write;
    const bool second_writes = race.second_access.kind == debug::AccessKind::write;
    // One kernel that several streams give the same pointer takes its own part of the memory by
    // another parameter.
    if (first.is_kernel && second.is_kernel && first.what.data == second.what.data) {
      shared_out_.insert(first.what.data);
      return;
    }
    if (!known_.emplace(first.what.data, second.what.data).second) return;
    if (!second.is_kernel) second.library = caller.library();
    if (*first.library == '\0' && *second.library == '\0') return;
    // A kernel that fills one part after another, of which the library waits for one.
    if (first.is_kernel && first_writes && ordered(first, race.second)) return;
    if (second.is_kernel && second_writes && ordered(second, race.first)) return;
    std::string text = "suspicion: nothing orders " + first.text() + " and then " + second.text();
    text += first_writes && second_writes ? ", which write the same memory"
            : first_writes                ? ": the first writes memory that the second is given"
                                          : ": the second writes memory that the first was given";
    text += "; record an event after the first and let the other stream wait for it";
    if (*second.library != '\0') {
      text += ", or give the handle of " + std::string(second.library) + " the first one's stream";
    }
    // A kernel's name says whose it is.
    if (!second.is_kernel) add_functions(text, "the second", caller.functions());
    const bool is_sought = !first.is_kernel && found_.size() < most_sought;
    sought_ += is_sought ? 1 : 0;
    found_.push_back({std::move(text), writer(first, first_writes), writer(second, second_writes),
                      is_sought ? first : StreamWork{}});
  }
  /// Whether it is not known yet who made the first call of some pair. It was made when nobody knew
  /// of a second, and who makes another like it will do.
  [[nodiscard]] bool seeks_callers() const noexcept { return sought_ != 0; }
  /// `work` is given its stream by `caller`.
  void repeated(const StreamWork& work, const Caller& caller) {
    std::string functions;  // one call may be like the first of many pairs: it is asked once
    bool asked = false;
    const std::size_t last = std::min(found_.size(), most_sought);
    for (std::size_t i = 0; i < last; ++i) {
      Found& one = found_[i];
      const StreamWork& first = one.is_sought;
      if (first.what.data == nullptr || first.what.data != work.what.data ||
          first.bytes != work.bytes || first.at.order != work.at.order ||
          first.at.handle != work.at.handle) {
        continue;
      }
      if (!std::exchange(asked, true)) functions = caller.functions();
      add_functions(one.text, "one like the first", functions);
      one.is_sought = {};
      --sought_;
    }
  }
  /// Calls `report(text)` for each.
  template <class Report>
  void each(const Report& report) const {
    std::size_t reported = 0;
    for (const Found& one : found_) {
      if (shared_out_.count(one.first_writer) != 0 || shared_out_.count(one.second_writer) != 0) {
        continue;
      }
      if (++reported <= most_reported) report(one.text);
    }
    if (reported > most_reported) {
      report("suspicion: and " + counted(reported - most_reported, "other pair", "other pairs") +
             " that nothing orders");
    }
  }

 private:
  static constexpr std::size_t most_reported = 10;
  static constexpr std::size_t most_sought = 2 * most_reported;
  struct Found {
    std::string text;
    const char* first_writer;  ///< the name of the kernel that writes; nullptr: none
    const char* second_writer;
    StreamWork is_sought;  ///< the first, where its caller is not known yet
  };
  static void add_functions(std::string& text, const char* which, const std::string& functions) {
    if (!functions.empty()) text += std::string("; ") + which + " was called by " + functions;
  }
  [[nodiscard]] static const char* writer(const StreamWork& work, bool writes) noexcept {
    return work.is_kernel && writes ? work.what.data : nullptr;
  }

  std::set<std::pair<const char*, const char*>> known_;
  std::set<const char*> shared_out_;
  std::vector<Found> found_;
  std::size_t sought_ = 0;
};

}  // namespace warpsafe::watch
