// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "handles.hpp"

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
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
  const void* allocates = nullptr;  ///< the memory that it allocates or frees
  const void* frees = nullptr;
  std::shared_ptr<void> handle;  ///< of a node of a capture or graph; not of an executable graph's
};

struct Graph : Handled<cudaGraph_t> {
  std::vector<Node> nodes;
};

struct GraphExec : Handled<cudaGraphExec_t> {
  std::vector<Node> nodes;
  bool frees_at_launch = false;  ///< cudaGraphInstantiateFlagAutoFreeOnLaunch
};

/// An open capture. Nodes are numbered in the order of their capture, which is one of their legal
/// orders.
struct Capture {
  unsigned long long id = 0;
  Stream* origin = nullptr;  ///< nullptr after a reset
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  bool invalidated = false;
  bool ended = false;
  std::vector<Node> nodes;
  std::vector<std::set<std::size_t>> before;  ///< of each node, all nodes that come before it
};

/// What is behind a stream's handle. The legacy stream of each device and the per-thread stream of
/// each thread and device have no handle of their own.
struct Stream : Handled<cudaStream_t> {
  enum class Kind { legacy, per_thread, made };
  Stream(Kind its_kind, int its_device, std::uint64_t its_number)
      : Handled(its_kind == Kind::made), kind(its_kind), device(its_device), number(its_number) {}
  Kind kind;
  int device;
  std::uint64_t number;  ///< never used again: cudaStreamGetId
  unsigned flags = 0;
  int priority = 0;
  bool running = false;  ///< a host function of this stream runs
  std::deque<Operation> pending;
  std::shared_ptr<Mark> last;  ///< of the latest operation
  std::shared_ptr<Mark> hold;  ///< of a hold under way
  std::shared_ptr<Capture> capture;
  bool begins_or_ends_capture = false;        ///< a thread is in that call
  std::set<std::size_t> captured_before;      ///< nodes that come before the next captured node
  std::vector<cudaGraphNode_t> dependencies;  ///< the last result of cudaStreamGetCaptureInfo

  bool blocking() const { return kind != Kind::legacy && (flags & cudaStreamNonBlocking) == 0; }
  bool busy() const { return last != nullptr && !last->reached; }
};

/// The value stands for a stream of the current device.
inline bool is_special(cudaStream_t handle) {
  return handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread;
}

struct Event : Handled<cudaEvent_t> {
  unsigned flags = 0;
  int device = 0;
  std::shared_ptr<Mark> mark;        ///< null until recorded
  std::shared_ptr<Capture> capture;  ///< of the latest record, if that was captured
  std::set<std::size_t> captured_before;
};

}  // namespace stand_in_cuda
