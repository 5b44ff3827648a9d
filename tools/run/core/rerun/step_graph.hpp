// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// A node of a graph, in words.
struct StepNode {
  void* handle = nullptr;
  std::string what{};          ///< "kernel 'axpy'", "a copy"
  std::string shape{};         ///< of a kernel's launch; else empty
  std::vector<void*> after{};  ///< the nodes that come before it
};
/// The nodes of an executable graph.
struct StepGraph {
  std::vector<StepNode> nodes{};
  std::string why{};        ///< why they cannot be launched one by one; empty: they can
  bool is_changed = false;  ///< the nodes' words are not up to date

  /// Puts each node behind those that come before it, and leaves out those in `idle`, which do
  /// nothing.
  void sort(const std::vector<void*>& idle) {
    std::map<const void*, std::size_t> numbers;
    for (std::size_t i = 0; i < nodes.size(); ++i) numbers[nodes[i].handle] = i;
    std::vector<std::size_t> missing(nodes.size());
    std::vector<std::vector<std::size_t>> behind(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      missing[i] = nodes[i].after.size();
      for (const void* const one : nodes[i].after) {
        if (const auto found = numbers.find(one); found != numbers.end()) {
          behind[found->second].push_back(i);
        }
      }
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (missing[i] == 0) order.push_back(i);
    }
    for (std::size_t at = 0; at < order.size(); ++at) {
      for (const std::size_t next : behind[order[at]]) {
        if (--missing[next] == 0) order.push_back(next);
      }
    }
    if (order.size() != nodes.size()) {
      why = "the runtime does not tell their order";
      return;
    }
    std::vector<StepNode> sorted;
    for (const std::size_t one : order) {
      if (std::find(idle.begin(), idle.end(), nodes[one].handle) == idle.end()) {
        sorted.push_back(std::move(nodes[one]));
      }
    }
    nodes = std::move(sorted);
  }
};

}  // namespace warpsafe::watch
