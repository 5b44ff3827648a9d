// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace stand_in_cuda {

/// A point in a stream's work.
struct Mark {
  bool reached = false;
  std::chrono::steady_clock::time_point time;  ///< when it was reached
};

struct Operation {
  std::function<void()> work;
  std::vector<std::shared_ptr<Mark>> after;
  std::shared_ptr<Mark> mark;
  bool on_own_thread = false;  ///< host functions: they may block
};

struct Stream;

/// A node of a graph: what a replay does. Edges are kept only while it is captured.
struct Node {
  enum class Kind { other, kernel, copy, fill };
  Node() = default;
  template <class Work>
  requires(!std::is_same_v<std::decay_t<Work>, Node>) Node(  // NOLINT: what is done is a node
      Work&& its_work, Kind its_kind = Kind::other)
      : work(std::forward<Work>(its_work)), kind(its_kind) {}
  void operator()() const { work(); }
  std::function<void()> work;
  Kind kind = Kind::other;
};

struct Graph {
  std::vector<Node> nodes;
  bool alive = true;
};

struct GraphExec {
  std::vector<Node> nodes;
  bool alive = true;
};

/// An open capture. Nodes are numbered in the order of their capture, which is one of their legal
/// orders.
struct Capture {
  unsigned long long id = 0;
  Stream* origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  bool invalidated = false;
  bool ended = false;
  std::vector<Node> nodes;
  std::vector<std::set<std::size_t>> before;  ///< of each node, all nodes that come before it
};

struct Stream {
  enum class Kind { legacy, per_thread, made };
  Kind kind = Kind::made;
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  bool alive = true;
  bool running = false;  ///< a host function of this stream runs
  std::deque<Operation> pending;
  std::shared_ptr<Mark> last;  ///< of the latest operation
  std::shared_ptr<Mark> hold;  ///< of a hold under way
  std::shared_ptr<Capture> capture;
  std::set<std::size_t> captured_before;      ///< nodes that come before the next captured node
  std::vector<cudaGraphNode_t> dependencies;  ///< the last result of cudaStreamGetCaptureInfo

  bool blocking() const { return kind != Kind::legacy && (flags & cudaStreamNonBlocking) == 0; }
  bool busy() const { return last != nullptr && !last->reached; }
  cudaStream_t handle() { return reinterpret_cast<cudaStream_t>(this); }
};

struct Event {
  unsigned flags = 0;
  int device = 0;
  bool alive = true;
  std::shared_ptr<Mark> mark;        ///< null until recorded
  std::shared_ptr<Capture> capture;  ///< of the latest record, if that was captured
  std::set<std::size_t> captured_before;

  cudaEvent_t handle() { return reinterpret_cast<cudaEvent_t>(this); }
};

}  // namespace stand_in_cuda
