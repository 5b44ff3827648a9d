// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// One node of a graph, as far as its order matters.
struct OrderedNode {
  std::string what;                        ///< "a copy of 4096 bytes", "node 'demo::scale'"
  std::vector<std::size_t> after{};        ///< the nodes that it waits for
  std::uintptr_t written = 0;              ///< the allocation that it writes completely; 0: none
  std::vector<std::uintptr_t> received{};  ///< the allocations of which a kernel has an address
};

/// Returns the pairs of a node that writes a whole allocation and a kernel that receives an address
/// in it, without a path between the two. They may run at the same time. A graph may have thousands
/// of such pairs, of which the first hundred are enough.
[[nodiscard]] inline std::vector<std::pair<std::size_t, std::size_t>> unordered_nodes(
    const std::vector<OrderedNode>& nodes) {
  std::vector<std::vector<std::size_t>> before(nodes.size());
  std::vector<std::vector<std::size_t>> behind(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::size_t one : nodes[i].after) {
      before[i].push_back(one);
      behind[one].push_back(i);
    }
  }
  const auto reach = [&](std::size_t from, const std::vector<std::vector<std::size_t>>& next,
                         std::vector<bool>& seen) {
    std::vector<std::size_t> open{from};
    while (!open.empty()) {
      const std::size_t one = open.back();
      open.pop_back();
      for (const std::size_t other : next[one]) {
        if (seen[other]) continue;
        seen[other] = true;
        open.push_back(other);
      }
    }
  };
  constexpr std::size_t most = 100;
  std::set<std::uintptr_t> received;
  for (const OrderedNode& one : nodes) received.insert(one.received.begin(), one.received.end());
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t writer = 0; writer < nodes.size(); ++writer) {
    if (received.count(nodes[writer].written) == 0) continue;
    std::vector<bool> ordered(nodes.size());
    reach(writer, before, ordered);
    reach(writer, behind, ordered);
    for (std::size_t kernel = 0; kernel < nodes.size(); ++kernel) {
      if (ordered[kernel] || kernel == writer) continue;
      for (const std::uintptr_t one : nodes[kernel].received) {
        if (one != nodes[writer].written) continue;
        found.emplace_back(writer, kernel);
        if (found.size() == most) return found;
        break;
      }
    }
  }
  return found;
}

}  // namespace warpsafe::watch
