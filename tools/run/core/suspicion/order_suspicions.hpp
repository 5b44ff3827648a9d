// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../report/counted.hpp"
#include "call_stack.hpp"
#include "pool_blocks.hpp"
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
  /// A pair without an order, before it is known who submitted its second part.
  struct Pair {
    StreamWork first;
    StreamWork second;
    MemoryAccess first_access;
    MemoryAccess second_access;
  };
  /// Returns whether the race is of a new pair that may be a mistake. `ordered(writer, other)`
  /// returns whether a launch of the kernel `writer` that may write another part comes before the
  /// point `other`.
  template <class Ordered>
  [[nodiscard]] bool is_new(const debug::Race& race, const StreamWork& first,
                            const StreamWork& second, const Ordered& ordered) {
    // If several streams pass one kernel the same pointer, each launch takes its own part of the
    // memory by another parameter.
    if (first.is_kernel && second.is_kernel && first.what.data == second.what.data) {
      shared_out_.insert(first.what.data);
      return false;
    }
    if (!known_.emplace(first.what.data, second.what.data).second) return false;
    // The kernel fills the memory part by part, and the library waits for one of the parts.
    return !(first.is_kernel && writes(race.first_access) && ordered(first, race.second)) &&
           !(second.is_kernel && writes(race.second_access) && ordered(second, race.first));
  }
  /// `functions` are those that submitted the second part, if it is no kernel.
  void add(const Pair& pair, const std::string& functions) {
    const auto& [first, second, first_access, second_access] = pair;
    const bool own = *first.library == '\0' && *second.library == '\0';
    if (own && !own_) return;
    // A free is of all parts, and so is a copy or a fill of the whole memory.
    const bool frees = own_ && (is_pool_call(first) || is_pool_call(second) || first.covers != 0 ||
                                second.covers != 0);
    const bool first_writes = writes(first_access);
    const bool second_writes = writes(second_access);
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
    } else if (*first.library != '\0') {
      text += ", or set the " + std::string(first.library) + " handle to the stream of the second";
    }
    // A kernel's name already identifies its owner.
    if (!second.is_kernel) add_functions(text, "the second", functions);
    const bool is_sought = !first.is_kernel && found_.size() < most_sought;
    sought_ += is_sought ? 1 : 0;
    found_.push_back({std::move(text), writer(first, first_writes), writer(second, second_writes),
                      is_sought ? first : StreamWork{}, first.stack, second.stack,
                      address_of(first, first_access), address_of(second, second_access), frees,
                      first.after, second.after});
  }
  /// Adds a pair of operations on memory that a pool of the program has handed out again.
  void add(const PoolBlocks::Pair& pair, const StreamWork& first, const StreamWork& second) {
    static constexpr const char* allocation = "a pool's allocation";
    const PoolBlock& before = *pair.before;
    const char* const what = pair.is_allocation ? allocation : second.what.data;
    if (!own_ || !known_.emplace(first.what.data, what).second) return;
    StreamWork allocated = second;
    allocated.what = Name::of(allocation);
    allocated.is_kernel = false;
    allocated.bytes = pair.after->bytes;
    std::string text = "suspicion: nothing orders " + first.text() + " before " +
                       (pair.is_allocation ? allocated : second).text();
    text += pair.is_free ? ": the first operation uses this memory"
                         : ": a pool has freed the memory of the first, and handed it out again";
    if (pair.is_free) {
      text += "; before the free, make its stream wait for an event after the first";
    } else if (PoolBlocks::is_same(first.at, before.owner)) {
      text += "; make the stream of the second wait for an event after the first";
    } else {
      text += "; before the free, make " + owner_of(before) +
              " wait for an event after the first, or in PyTorch call the tensor's record_stream";
    }
    Found found{};
    found.text = std::move(text);
    found.first_stack = first.stack;
    found.second_stack = pair.is_allocation ? nullptr : second.stack;
    found.first_address = {first.is_kernel ? first.what.data : nullptr, before.begin};
    found.second_address = {second.is_kernel ? second.what.data : nullptr, pair.after->begin};
    found.frees = true;
    found.first_after = first.after;
    found.second_after = pair.is_allocation ? "" : second.after;
    found.before = pair.before;
    if (!pair.is_free) found.after = pair.after;
    found_.push_back(std::move(found));
  }
  /// Returns whether the caller of some pair's first call is still unknown. When that call was
  /// made, nothing was suspected; the caller of the next similar call serves instead.
  [[nodiscard]] bool seeks_callers() const noexcept { return sought_ != 0; }
  /// Returns whether `work` resembles the first call of a pair whose caller is sought.
  [[nodiscard]] bool resembles(const StreamWork& work) const {
    const std::size_t last = std::min(found_.size(), most_sought);
    return std::any_of(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(last),
                       [&](const Found& one) { return is_like(one.is_sought, work); });
  }
  /// `functions` submitted `work`, which resembles the first call of a pair.
  void repeated(const StreamWork& work, const std::string& functions) {
    const std::size_t last = std::min(found_.size(), most_sought);
    for (std::size_t i = 0; i < last; ++i) {
      Found& one = found_[i];
      if (!is_like(one.is_sought, work)) continue;
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
      add_place(text, "the first", one.first_stack, one.first_after, one.first_address, place);
      add_place(text, "the second", one.second_stack, one.second_after, one.second_address, place);
      add_block(text, "; the memory is ", one.before, place);
      add_block(text, ", and then ", one.after, place);
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
    const char* first_after;
    const char* second_after;
    std::shared_ptr<const PoolBlock> before{};  ///< memory of a pool, as the first operation has it
    std::shared_ptr<const PoolBlock> after{};   ///< as the pool has allocated it again
  };
  [[nodiscard]] static bool is_like(const StreamWork& sought, const StreamWork& work) noexcept {
    return sought.what.data != nullptr && sought.what.data == work.what.data &&
           sought.bytes == work.bytes && sought.at.order == work.at.order &&
           sought.at.handle == work.at.handle;
  }
  [[nodiscard]] static bool writes(const MemoryAccess& access) noexcept {
    return access.kind == AccessKind::write;
  }
  [[nodiscard]] static Address address_of(const StreamWork& work,
                                          const MemoryAccess& access) noexcept {
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
                        const std::shared_ptr<const HostStack>& stack, const char* after,
                        const Address& of, const Place& place) {
    if (stack == nullptr) return;
    const std::string_view kernel = of.first == nullptr ? "" : of.first;
    const std::string words = place(*stack, kernel);
    // A place without a line is a function of Python's libraries, if the program is in Python.
    if (*after != '\0' && (words.empty() || words.find("+0x") != words.npos)) {
      text += std::string("; ") + which + " follows the allocation in " + after;
      return;
    }
    if (!words.empty()) text += std::string("; ") + which + " is submitted in " + words;
  }
  /// "; the memory is 4096 bytes for stream 0x55d0c8, allocated in step at train.py:12"
  template <class Place>
  static void add_block(std::string& text, const char* begin,
                        const std::shared_ptr<const PoolBlock>& block, const Place& place) {
    if (block == nullptr) return;
    text += begin + std::to_string(block->bytes) + " bytes for " + owner_of(*block);
    const std::string where = *block->where != '\0'     ? std::string(block->where)
                              : block->stack != nullptr ? place(*block->stack, std::string_view())
                                                        : std::string();
    if (!where.empty()) text += ", allocated in " + where;
  }
  [[nodiscard]] static std::string owner_of(const PoolBlock& block) {
    return block.owner.order == StreamOrder::legacy ? "the legacy default stream"
                                                    : "stream " + text_of(block.owner.handle);
  }
  static void add_functions(std::string& text, const char* which, const std::string& functions) {
    if (!functions.empty()) text += std::string("; ") + which + " comes from " + functions;
  }
  [[nodiscard]] static const char* writer(const StreamWork& work, bool writes) noexcept {
    return work.is_kernel && writes ? work.what.data : nullptr;
  }

  bool own_;
  std::map<Address, std::uint64_t> streams_;  // the stream that passed it first
  std::set<Address> several_;
  std::set<std::pair<const char*, const char*>> known_;
  std::set<const char*> shared_out_;
  std::vector<Found> found_;
  std::size_t sought_ = 0;
};

}  // namespace warpsafe::watch
