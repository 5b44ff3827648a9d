// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/race/stream_history.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace warpsafe::debug {

/// Values for the vendor's own objects (streams, events, graphs), by address. A linear search:
/// there are only a few at a time.
template <class T>
class AddressList {
 public:
  /// The value of `key`, or nullptr. Valid until the next change.
  [[nodiscard]] T* find(const void* key) noexcept {
    for (auto& [known, value] : known_) {
      if (known == key) return &value;
    }
    return nullptr;
  }
  /// A copy of the value of `key`; `otherwise` if there is none.
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

/// One operation of a captured graph.
struct CapturedNode {
  Action action;  ///< its column and points are those of a replay
  std::vector<MemoryAccess> accesses;
  std::vector<std::size_t> after;  ///< the numbers of the nodes that it waits for, in rising order
  /// The nodes of a chain wait for each other, one after another. A replay needs one strand for
  /// each chain.
  std::size_t chain = 0;
};
/// In the order of the capture, which respects the dependencies.
using CapturedNodes = std::vector<CapturedNode>;

/// The captured graphs, by the vendor's own streams, events and graphs. Only calls that the runtime
/// accepted are reported. Not thread-safe.
class CapturedGraphs {
 public:
  void capture_begins(const void* stream) {
    captures_.push_back({stream, {}, {}, {}});
    captures_.back().streams.put(stream, {});
  }
  /// `graph`: the result of the capture; nullptr if there is none. Only the stream that began a
  /// capture ends it.
  void capture_ends(const void* stream, const void* graph) {
    const auto capture = std::find_if(captures_.begin(), captures_.end(),
                                      [&](const Capture& open) { return open.origin == stream; });
    if (capture == captures_.end()) return;
    if (graph != nullptr) {
      const Nodes made = std::make_shared<const CapturedNodes>(std::move(capture->nodes));
      graphs_.put(graph, made);
    }
    captures_.erase(capture);
  }
  /// An operation on a stream. Returns whether the stream captures; the operation is then a node.
  bool add(const void* stream, const Action& action, std::span<const MemoryAccess> accesses) {
    Capture* const capture = capture_of(stream);
    if (capture == nullptr) return false;
    Tail& tail = *capture->streams.find(stream);
    append(*capture, {action, {accesses.begin(), accesses.end()}, std::move(tail)});
    tail = {capture->nodes.size() - 1};
    return true;
  }
  /// A record of an event. Returns whether it was captured; ordinary work does not see it then.
  bool record(const void* event, const void* stream) {
    forget_event(event);
    Capture* const capture = capture_of(stream);
    if (capture == nullptr) return false;
    capture->events.put(event, *capture->streams.find(stream));
    return true;
  }
  /// A stream waits for an event. Returns whether the event belongs to a capture, which the stream
  /// then joins.
  bool wait(const void* stream, const void* event) {
    for (Capture& capture : captures_) {
      const Tail* const mark = capture.events.find(event);
      if (mark == nullptr) continue;
      const Tail* const tail = capture.streams.find(stream);
      Tail both;
      if (tail != nullptr) {
        std::set_union(tail->begin(), tail->end(), mark->begin(), mark->end(),
                       std::back_inserter(both));
      } else {
        both = *mark;
      }
      capture.streams.put(stream, std::move(both));
      return true;
    }
    return false;
  }
  void forget_event(const void* event) {
    for (Capture& capture : captures_) capture.events.erase(event);
  }
  /// The captures of a destroyed stream never become graphs.
  void forget_stream(const void* stream) {
    std::erase_if(captures_, [&](const Capture& open) { return open.origin == stream; });
    for (Capture& capture : captures_) capture.streams.erase(stream);
  }

  /// `exec` does the work of `graph` from now on: it was instantiated from it, or updated.
  void set_nodes(const void* exec, const void* graph) {
    const Nodes* const nodes = graphs_.find(graph);
    if (nodes != nullptr) execs_.put(exec, *nodes);
  }
  void forget_graph(const void* graph) { graphs_.erase(graph); }
  void forget_exec(const void* exec) { execs_.erase(exec); }
  /// The nodes of a launch of `exec`. Empty for a graph that other code captured.
  [[nodiscard]] const CapturedNodes& nodes_of(const void* exec) {
    static const CapturedNodes none;
    const Nodes* const nodes = execs_.find(exec);
    return nodes == nullptr ? none : **nodes;
  }

 private:
  using Nodes = std::shared_ptr<const CapturedNodes>;
  /// The nodes that the next one waits for.
  using Tail = std::vector<std::size_t>;
  struct Capture {
    const void* origin;
    AddressList<Tail> streams;
    AddressList<Tail> events;
    CapturedNodes nodes;
    std::vector<std::size_t> chain_ends{};
  };

  [[nodiscard]] Capture* capture_of(const void* stream) noexcept {
    for (Capture& capture : captures_) {
      if (capture.streams.find(stream) != nullptr) return &capture;
    }
    return nullptr;
  }
  /// Appends a node to the chain that ends in one of the nodes that it waits for, or to a new
  /// chain.
  static void append(Capture& capture, CapturedNode node) {
    const auto end = std::find_first_of(capture.chain_ends.begin(), capture.chain_ends.end(),
                                        node.after.begin(), node.after.end());
    node.chain = static_cast<std::size_t>(end - capture.chain_ends.begin());
    if (end == capture.chain_ends.end()) {
      capture.chain_ends.push_back(capture.nodes.size());
    } else {
      *end = capture.nodes.size();
    }
    capture.nodes.push_back(std::move(node));
  }

  std::vector<Capture> captures_;
  AddressList<Nodes> graphs_;
  AddressList<Nodes> execs_;
};

}  // namespace warpsafe::debug
