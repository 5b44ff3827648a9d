// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// A sequence of ordered actions: a stream, or a thread of the host.
using Strand = std::uint32_t;

/// A point's place on its strand.
struct Epoch {
  Strand strand;
  std::uint32_t tick;  ///< rises along the strand, from 1
};

/// A vector clock: the tick of the newest known point of each strand, 0 if there is none. A tree
/// whose parts are shared with copies: two clocks that differ in one strand share all but one
/// path. Clocks that share parts must not be used by two threads at once.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock& other) noexcept : root_(shared(other.root_)) {}
  Clock(Clock&& other) noexcept : root_(std::exchange(other.root_, nullptr)) {}
  Clock& operator=(Clock other) noexcept {
    std::swap(root_, other.root_);
    return *this;
  }
  ~Clock() { drop(root_); }

  [[nodiscard]] bool knows(const Epoch& epoch) const noexcept {
    const Node* at = root_;
    if (at == nullptr || beyond(at->level, epoch.strand)) return false;
    while (at != nullptr && at->level != 0) at = at->below[digit(at->level, epoch.strand)];
    return at != nullptr && at->ticks[epoch.strand % ticks_each] >= epoch.tick;
  }
  /// Raises one strand's tick.
  void raise(const Epoch& epoch) {
    if (root_ == nullptr) root_ = new Node(0);
    while (beyond(root_->level, epoch.strand)) root_ = new Node(root_->level + 1, root_);
    Node** at = &root_;
    for (std::uint32_t level = root_->level; level != 0; --level) {
      at = &own(*at)->below[digit(level, epoch.strand)];
      if (*at == nullptr) *at = new Node(level - 1);
    }
    std::uint32_t& tick = own(*at)->ticks[epoch.strand % ticks_each];
    if (tick < epoch.tick) tick = epoch.tick;
  }
  /// Raises all ticks to those of `other`.
  void raise(const Clock& other) {
    if (other.root_ == nullptr) return;
    while (root_ != nullptr && root_->level < other.root_->level) {
      root_ = new Node(root_->level + 1, root_);
    }
    Node** at = &root_;
    while (*at != nullptr && (*at)->level > other.root_->level) at = &own(*at)->below[0];
    join(*at, other.root_);
  }
  /// Whether both share everything. Two clocks of equal ticks may not.
  [[nodiscard]] bool same(const Clock& other) const noexcept { return root_ == other.root_; }
  /// Adds the addresses of the clock's parts, for tests.
  void collect_parts(std::set<const void*>& parts) const { collect(root_, parts); }

 private:
  static constexpr std::uint32_t ticks_each = 32;
  static constexpr std::uint32_t below_each = 16;
  /// Level 0 has ticks, and each other level the parts of the level below.
  struct Node {
    explicit Node(std::uint32_t its_level, Node* first = nullptr) noexcept
        : level(its_level), below{first} {
      if (level == 0) std::fill_n(ticks, ticks_each, 0U);
    }
    std::uint32_t users = 1;
    std::uint32_t level;
    union {
      std::uint32_t ticks[ticks_each];
      Node* below[below_each];
    };
  };

  [[nodiscard]] static constexpr std::uint32_t digit(std::uint32_t level, Strand strand) noexcept {
    return (strand >> (4 * level + 1)) % below_each;  // 5 bits at level 0, then 4 at each
  }
  [[nodiscard]] static constexpr bool beyond(std::uint32_t level, Strand strand) noexcept {
    return level < 7 && strand >> (4 * level + 5) != 0;
  }
  static Node* shared(Node* node) noexcept {
    if (node != nullptr) ++node->users;
    return node;
  }
  static void drop(Node* node) noexcept {
    if (node == nullptr || --node->users != 0) return;
    for (std::uint32_t i = 0; node->level != 0 && i < below_each; ++i) drop(node->below[i]);
    delete node;
  }
  /// Makes `node` a part of this clock alone.
  static Node* own(Node*& node) {
    if (node->users == 1) return node;
    auto* const copy = new Node(*node);
    copy->users = 1;
    for (std::uint32_t i = 0; copy->level != 0 && i < below_each; ++i) shared(copy->below[i]);
    drop(std::exchange(node, copy));
    return copy;
  }
  /// Whether no tick of `b` is above that of `a`. Both are on one level.
  [[nodiscard]] static bool covers(const Node* a, const Node* b) noexcept {
    if (a == b || b == nullptr) return true;
    if (a == nullptr) return false;
    const bool leaf = b->level == 0;
    for (std::uint32_t i = 0; i < (leaf ? ticks_each : below_each); ++i) {
      if (leaf ? a->ticks[i] < b->ticks[i] : !covers(a->below[i], b->below[i])) return false;
    }
    return true;
  }
  /// Takes over from `with` what is above `into`. Shares instead of copying where one has all.
  static void join(Node*& into, Node* with) {
    if (covers(into, with)) return;
    const bool leaf = with->level == 0;
    if (into == nullptr || (leaf && covers(with, into))) {
      drop(std::exchange(into, shared(with)));
      return;
    }
    own(into);
    for (std::uint32_t i = 0; i < (leaf ? ticks_each : below_each); ++i) {
      if (!leaf) join(into->below[i], with->below[i]);
      if (leaf && into->ticks[i] < with->ticks[i]) into->ticks[i] = with->ticks[i];
    }
  }
  static void collect(const Node* node, std::set<const void*>& parts) {
    if (node == nullptr || !parts.insert(node).second || node->level == 0) return;
    for (const Node* part : node->below) collect(part, parts);
  }

  Node* root_ = nullptr;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
