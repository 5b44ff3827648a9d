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
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// Turns the races of an OrderWatch into texts. A pair must contain a library's work, unless `own`
/// pairs are suspected; each pair of names is reported once. Not thread-safe.
class OrderSuspicions {
 public:
  explicit OrderSuspicions(bool own) : own_(own) {}
  [[nodiscard]] bool suspects_own() const noexcept { return own_; }
  /// Call for each address that a kernel receives, before its races. If several streams pass one
  /// kernel the same address, each launch takes its own part of the memory by another parameter,
  /// or all of them only read it.
  void received(const StreamWork& kernel, std::uintptr_t address) {
    if (!own_) return;
    const auto [at, is_new] = streams_.emplace(std::pair(kernel.what.data, address), kernel.at.key);
    if (!is_new && at->second != kernel.at.key) several_.insert(at->first);
    if (streams_.size() > most_addresses) streams_.clear();
  }
  /// `caller` is the caller of `second`. `ordered(writer, other)` returns whether any launch of the
  /// kernel `writer` comes before the point `other`.
  template <class Ordered>
  void add(const debug::Race& race, const StreamWork& first, StreamWork second,
           const Caller& caller, const Ordered& ordered) {
    const bool first_writes = race.first_access.kind == debug::AccessKind::write;
    const bool second_writes = race.second_access.kind == debug::AccessKind::write;
    // If several streams pass one kernel the same pointer, each launch takes its own part of the
    // memory by another parameter.
    // A free is of all parts.
    const bool frees = own_ && (is_pool_call(first) || is_pool_call(second));
    if (first.is_kernel && second.is_kernel && first.what.data == second.what.data) {
      shared_out_.insert(first.what.data);
      return;
    }
    if (!known_.emplace(first.what.data, second.what.data).second) return;
    if (!second.is_kernel) second.library = caller.library(HostStack::here());
    const bool own = *first.library == '\0' && *second.library == '\0';
    if (own && !own_) return;
    // The kernel fills the memory part by part, and the library waits for one of the parts.
    if (first.is_kernel && first_writes && ordered(first, race.second)) return;
    if (second.is_kernel && second_writes && ordered(second, race.first)) return;
    std::string text = "suspicion: nothing orders " + first.text() + " before " + second.text();
    text += first_writes && second_writes ? ": both write the same memory"
            : first_writes                ? ": the first operation writes memory that is passed "
                                            "to the second"
                                          : ": the second operation writes memory that is passed "
                                            "to the first";
    if (own && (is_free(first) || is_free(second))) {
      text += "; the memory may be handed out again";
    }
    text +=
        "; record an event after the first operation and make the stream of the second wait "
        "for it";
    if (*second.library != '\0') {
      text += ", or set the " + std::string(second.library) + " handle to the stream of the first";
    }
    // A kernel's name already identifies its owner.
    if (!second.is_kernel) add_functions(text, "the second", caller.functions(HostStack::here()));
    const bool is_sought = !first.is_kernel && found_.size() < most_sought;
    sought_ += is_sought ? 1 : 0;
    found_.push_back({std::move(text), writer(first, first_writes), writer(second, second_writes),
                      is_sought ? first : StreamWork{}, first.stack, second.stack,
                      address_of(first, race.first_access), address_of(second, race.second_access),
                      frees});
  }
  /// Returns whether the caller of some pair's first call is still unknown. When that call was
  /// made, nothing was suspected; the caller of the next similar call serves instead.
  [[nodiscard]] bool seeks_callers() const noexcept { return sought_ != 0; }
  /// `caller` submits `work`, which may resemble the first call of a pair.
  void repeated(const StreamWork& work, const Caller& caller) {
    std::string functions;  // the stack is read once, even if many pairs match
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
      if (!std::exchange(asked, true)) functions = caller.functions(HostStack::here());
      add_functions(one.text, "a later call like the first", functions);
      one.is_sought = {};
      --sought_;
    }
  }
  /// Calls `report(text)` for each suspicion.
  template <class Report, class Place>
  void each(const Report& report, const Place& place) const {
    std::size_t reported = 0;
    for (const Found& one : found_) {
      if (!one.frees &&
          (several_.count(one.first_address) != 0 || several_.count(one.second_address) != 0)) {
        continue;
      }
      if (!one.frees &&
          (shared_out_.count(one.first_writer) != 0 || shared_out_.count(one.second_writer) != 0)) {
        continue;
      }
      if (++reported > most_reported) continue;
      std::string text = one.text;
      add_place(text, "the first", one.first_stack, one.first_address, place);
      add_place(text, "the second", one.second_stack, one.second_address, place);
      report(text);
    }
    if (reported > most_reported) {
      report("suspicion: " + counted(reported - most_reported, "more pair", "more pairs") +
             " without an order");
    }
  }

 private:
  /// A kernel's name, and an address that it receives.
  using Address = std::pair<const char*, std::uintptr_t>;
  static constexpr std::size_t most_addresses = std::size_t{1} << 16;
  static constexpr std::size_t most_reported = 10;
  static constexpr std::size_t most_sought = 2 * most_reported;
  struct Found {
    std::string text;
    const char* first_writer;  ///< name of the writing kernel; nullptr: none
    const char* second_writer;
    StreamWork is_sought;  ///< the first call, while its caller is unknown
    std::shared_ptr<const HostStack> first_stack;
    std::shared_ptr<const HostStack> second_stack;
    Address first_address;
    Address second_address;
    bool frees;
  };
  [[nodiscard]] static Address address_of(const StreamWork& work,
                                          const debug::MemoryAccess& access) noexcept {
    return work.is_kernel ? Address{work.what.data, access.begin} : Address{};
  }
  [[nodiscard]] static bool is_free(const StreamWork& work) noexcept {
    return !work.is_kernel &&
           std::string_view(work.what.data, work.what.size).find("Free") != std::string_view::npos;
  }
  [[nodiscard]] static bool is_pool_call(const StreamWork& work) noexcept {
    return is_free(work) ||
           (!work.is_kernel && std::string_view(work.what.data, work.what.size).find("Alloc") !=
                                   std::string_view::npos);
  }
  template <class Place>
  static void add_place(std::string& text, const char* which,
                        const std::shared_ptr<const HostStack>& stack, const Address& of,
                        const Place& place) {
    if (stack == nullptr) return;
    const std::string_view kernel = of.first == nullptr ? "" : of.first;
    const std::string words = place(*stack, kernel);
    if (!words.empty()) text += std::string("; ") + which + " is submitted in " + words;
  }
  static void add_functions(std::string& text, const char* which, const std::string& functions) {
    if (!functions.empty()) text += std::string("; ") + which + " comes from " + functions;
  }
  [[nodiscard]] static const char* writer(const StreamWork& work, bool writes) noexcept {
    return work.is_kernel && writes ? work.what.data : nullptr;
  }

  bool own_;
  std::map<Address, const void*> streams_;  // the stream that passed it first
  std::set<Address> several_;
  std::set<std::pair<const char*, const char*>> known_;
  std::set<const char*> shared_out_;
  std::vector<Found> found_;
  std::size_t sought_ = 0;
};

}  // namespace warpsafe::watch
