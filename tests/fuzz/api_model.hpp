// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

// A plain sequential model of streams, memory, events, captures and graphs: each operation runs
// when it is submitted. It says which calls the documented rules accept, and what memory then
// holds. It shares no code with the library.

namespace warpsafe::fuzz {

using Word = std::uint32_t;

struct MCapture;
struct MResources;

struct MStream {
  int device = 0;
  int holders = 0;
  bool gone = false;
  MCapture* capture = nullptr;  ///< which it takes part in
  std::set<std::size_t> tail;   ///< the nodes that its next node waits for
};
struct MMemory {
  MStream* stream = nullptr;
  int holders = 0;
  bool freed = false;
  std::vector<Word> words;
};
/// Elements of memory; nullptr: an empty view of no buffer.
struct MView {
  MMemory* memory = nullptr;
  std::size_t offset = 0;
  std::size_t size = 0;
  bool closed = false;  ///< of a buffer that was closed or moved from
  [[nodiscard]] bool freed() const { return closed || (memory != nullptr && memory->freed); }
  [[nodiscard]] Word& at(std::size_t i) const { return memory->words[offset + i]; }
};
struct MNode {
  enum Kind { kernel, copy, fill } kind;
  std::function<void()> run;
  std::set<std::size_t> after;
};
using MNodes = std::vector<MNode>;
/// What a graph and its instances keep alive, and the memory of its kernels.
struct MResources {
  std::vector<MMemory*> kept;
  std::vector<std::shared_ptr<MResources>> others;
  std::vector<MMemory*> used;
  std::function<void(MMemory*)> release;
  MResources() = default;
  MResources(const MResources&) = delete;
  MResources& operator=(const MResources&) = delete;
  ~MResources() {
    for (MMemory* const memory : kept) release(memory);
  }
  [[nodiscard]] bool has_freed() const {
    return std::any_of(used.begin(), used.end(), [](const MMemory* one) { return one->freed; });
  }
};
struct MCapture {
  MStream* origin = nullptr;
  std::vector<MStream*> forks;  ///< the other streams that take part, which it keeps
  bool relaxed = false;
  bool open = true;
  bool broken = false;
  MNodes nodes;
  std::shared_ptr<MResources> resources;
};
struct MEvent {
  bool there = false;
  MCapture* capture = nullptr;  ///< in which it was recorded
  std::set<std::size_t> tail;
};
struct MGraph {
  bool there = false;
  int device = 0;
  MNodes nodes;
  std::shared_ptr<MResources> resources;
};
struct MExec {
  bool there = false;
  int device = 0;
  MNodes nodes;
  std::shared_ptr<MResources> resources;
  MStream* last = nullptr;
};

/// The rules. A function that returns bool says whether the call is accepted, and does it then.
class Model {
 public:
  /// Device 0 may access the memory of device 1, and not the other way round.
  [[nodiscard]] static bool can_access(int device, int memory) {
    return device == memory || device == 0;
  }

  MStream* new_stream(int device) {
    streams_.emplace_back().device = device;
    return retain(&streams_.back());
  }
  [[nodiscard]] bool has_streams_on(int device) const {
    return std::any_of(streams_.begin(), streams_.end(),
                       [&](const MStream& one) { return one.device == device && !one.gone; });
  }
  MStream* retain(MStream* stream) {
    if (stream != nullptr) ++stream->holders;
    return stream;
  }
  void release(MStream* stream) {
    if (stream == nullptr || --stream->holders != 0) return;
    stream->gone = true;
  }

  /// Memory of `words` elements; nullptr if that is refused.
  MMemory* allocate(MStream* stream, std::size_t words) {
    if (stream == nullptr) return nullptr;
    retry_frees();
    if (words != 0 && stream->capture != nullptr) {
      stream->capture->broken = true;  // this runtime has no allocations in graphs
      return nullptr;
    }
    memories_.emplace_back();
    MMemory& made = memories_.back();
    made.stream = retain(stream);
    made.words.resize(words);
    return retain(&made);
  }
  /// An allocation that no device has the memory for.
  void ask_for_too_much(MStream* stream) {
    retry_frees();
    if (stream->capture != nullptr) stream->capture->broken = true;
  }
  MMemory* retain(MMemory* memory) {
    if (memory != nullptr) ++memory->holders;
    return memory;
  }
  void release(MMemory* memory) {
    if (memory == nullptr || --memory->holders != 0) return;
    free_or_postpone(memory);
  }

  /// Whether work may be submitted to the stream.
  [[nodiscard]] static bool usable(const MStream* stream) {
    return stream != nullptr && (stream->capture == nullptr || !stream->capture->broken);
  }
  /// Runs the operation, or adds it to the stream's capture. @pre usable
  void submit(MStream* stream, MNode::Kind kind, std::function<void()> run) {
    MCapture* const capture = stream->capture;
    if (capture == nullptr) return run();
    capture->nodes.push_back({kind, std::move(run), stream->tail});
    stream->tail = {capture->nodes.size() - 1};
  }
  /// Whether the host may wait for, or query, this stream or event.
  [[nodiscard]] bool may_wait(const MCapture* of_argument) const {
    return of_argument == nullptr &&
           std::none_of(captures_.begin(), captures_.end(),
                        [](const MCapture& one) { return one.open && !one.relaxed; });
  }

  [[nodiscard]] bool wait(MStream* stream, const MEvent& event) {
    if (stream == nullptr || !event.there) return false;
    if (event.capture != nullptr && !event.capture->open) return false;
    if (!usable(stream)) return false;
    MCapture*& mine = stream->capture;
    if (event.capture == nullptr) {
      if (mine != nullptr) mine->broken = true;  // it would wait for work outside
      return mine == nullptr;
    }
    if (mine != nullptr && mine != event.capture) {
      mine->broken = event.capture->broken = true;
      return false;
    }
    if (mine == nullptr) {
      stream->tail.clear();
      event.capture->forks.push_back(retain(stream));
    }
    mine = event.capture;
    stream->tail.insert(event.tail.begin(), event.tail.end());
    return true;
  }

  MCapture* begin(MStream* stream, bool relaxed) {
    if (stream == nullptr || stream->capture != nullptr) return nullptr;
    captures_.emplace_back();
    MCapture& made = captures_.back();
    made.origin = retain(stream);
    made.relaxed = relaxed;
    made.resources = resources();
    stream->tail.clear();
    stream->capture = &made;
    return &made;
  }
  /// Ends the capture. Returns whether it makes a graph.
  bool end(MCapture& capture) {
    bool good = !capture.broken;
    std::vector<bool> reached(capture.nodes.size(), false);
    for (const std::size_t node : capture.origin->tail) reached[node] = true;
    for (std::size_t i = capture.nodes.size(); i-- != 0;) {
      good = good && reached[i];
      for (const std::size_t node : capture.nodes[i].after) reached[node] = true;
    }
    capture.open = false;
    for (MStream& stream : streams_) {
      if (stream.capture != &capture) continue;
      stream.capture = nullptr;
      stream.tail.clear();
    }
    for (MStream* const fork : capture.forks) release(fork);
    capture.forks.clear();
    retry_frees();
    return good;
  }
  /// After `end`, when the handle has gone.
  void drop(MCapture& capture) {
    capture.resources = nullptr;
    release(std::exchange(capture.origin, nullptr));
  }

  [[nodiscard]] bool update(MExec& exec, const MGraph& graph) {
    if (!exec.there || !graph.there || exec.nodes.size() != graph.nodes.size()) return false;
    for (std::size_t i = 0; i < exec.nodes.size(); ++i) {
      if (exec.nodes[i].kind != graph.nodes[i].kind) return false;
      if (exec.nodes[i].after != graph.nodes[i].after) return false;
    }
    exec.nodes = graph.nodes;
    give_up(exec);
    exec.resources = graph.resources;
    return true;
  }
  [[nodiscard]] bool launch(MExec& exec, MStream* stream) {
    if (!exec.there || stream == nullptr || stream->capture != nullptr) return false;
    if (exec.resources->has_freed()) return false;
    for (const MNode& node : exec.nodes) node.run();
    retain(stream);
    release(std::exchange(exec.last, stream));
    return true;
  }
  void close(MExec& exec) {
    if (!exec.there) return;
    give_up(exec);
    exec.there = false;
    exec.nodes.clear();
    release(std::exchange(exec.last, nullptr));
  }
  [[nodiscard]] std::shared_ptr<MResources> resources() {
    auto made = std::make_shared<MResources>();
    made->release = [this](MMemory* memory) { release(memory); };
    return made;
  }
  [[nodiscard]] std::size_t words_in_use() const {
    std::size_t all = 0;
    for (const MMemory& one : memories_) all += one.freed ? 0 : one.words.size();
    return all;
  }

 private:
  void give_up(MExec& exec) {
    // Work that is being captured may still need what a launch on that stream kept.
    if (exec.last != nullptr && exec.last->capture != nullptr && exec.resources != nullptr &&
        (!exec.resources->kept.empty() || !exec.resources->others.empty())) {
      exec.last->capture->resources->others.push_back(exec.resources);
    }
    exec.resources = nullptr;
  }
  void free_or_postpone(MMemory* memory) {
    if (!memory->words.empty() && memory->stream->capture != nullptr) {
      postponed_.push_back(memory);
      return;
    }
    memory->freed = true;
    release(memory->stream);
  }
  void retry_frees() {
    for (MMemory* const memory : std::exchange(postponed_, {})) free_or_postpone(memory);
  }

  std::deque<MStream> streams_;
  std::deque<MMemory> memories_;
  std::deque<MCapture> captures_;
  std::vector<MMemory*> postponed_;
};

}  // namespace warpsafe::fuzz
