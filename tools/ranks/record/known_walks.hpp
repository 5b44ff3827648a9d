// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "call_frame.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpsafe::ranks {

/// Walks of the stack, as a tree: a step's return address, the rule of its frame, and the steps
/// that followed. The steps of a walk lie side by side in memory. In a training, the caches hold
/// other data at each call, so what counts is how many places in memory are read.
template <class Result>
class KnownWalks {
 public:
  struct Step {
    void* address;
    FrameRule rule;
  };

  /// The result of the walk that begins with `call`; null: there was none. Like each walk, it reads
  /// only what the rules of the stack's own return addresses lead to.
  [[nodiscard]] Result* find(StackFrame call) noexcept {
    const auto first = first_.find(call.return_address);
    if (first == first_.end()) return nullptr;
    std::uint32_t at = first->second;
    while (nodes_[at].result == none) {
      if (!call.go_up(nodes_[at].step.rule)) return nullptr;
      at = nodes_[at].next;
      while (at != none && nodes_[at].step.address != call.return_address) at = nodes_[at].other;
      if (at == none) return nullptr;
    }
    return &results_[nodes_[at].result];
  }
  /// Adds a walk of at least one step, which `find` did not find.
  Result& add(const std::vector<Step>& walk, Result result) {
    if (nodes_.size() + walk.size() > most) clear();
    std::uint32_t* link = &first_.try_emplace(walk.front().address, none).first->second;
    std::uint32_t at = none;
    for (const Step& step : walk) {
      while (*link != none && nodes_[*link].step.address != step.address)
        link = &nodes_[*link].other;
      at = *link;
      if (at == none) {
        at = *link = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back({step, none, none, none});
      }
      link = &nodes_[at].next;
    }
    nodes_[at].result = static_cast<std::uint32_t>(results_.size());
    results_.push_back(std::move(result));
    return results_.back();
  }
  void clear() noexcept {
    first_.clear();
    nodes_.clear();
    results_.clear();
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::size_t most = 65536;  // two megabytes
  struct Node {
    Step step;
    std::uint32_t next;    ///< the first step that followed this one
    std::uint32_t other;   ///< another step that followed the one before
    std::uint32_t result;  ///< the walk ended here
  };

  std::unordered_map<void*, std::uint32_t> first_;
  std::vector<Node> nodes_;
  std::vector<Result> results_;
};

}  // namespace warpsafe::ranks
