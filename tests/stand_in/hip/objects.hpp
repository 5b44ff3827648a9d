// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The objects behind HIP's opaque handles.
#pragma once

#include "code/code_object.hpp"
#include "stand_in_hip.hpp"

#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace stand_in_hip {

/// A captured operation.
struct Node {
  std::function<hipError_t()> run;
  hipError_t refused = hipSuccess;  ///< what the graph's launch returns in its place
};

struct Graph {
  std::vector<Node> nodes;
  bool alive = true;
};

struct GraphExec {
  std::vector<Node> nodes;
  bool alive = true;
};

struct Stream {
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  bool alive = true;
  hipStreamCaptureStatus capture = hipStreamCaptureStatusNone;
  hipStreamCaptureMode capture_mode = hipStreamCaptureModeGlobal;
  std::thread::id capture_thread;
  Stream* capture_origin = nullptr;  ///< itself where the capture began
  bool joined = true;                ///< a forked stream whose work went back to its origin
  Graph* graph = nullptr;
  std::vector<hipGraphNode_t> tail;  ///< the nodes before its next captured node
  bool ended = false;                ///< invalidated, and its capture was ended

  bool is_in_capture() const { return alive && capture != hipStreamCaptureStatusNone && !ended; }
};

struct Event {
  int device = 0;
  unsigned flags = 0;
  bool alive = true;
  bool recorded = false;
  bool pending = false;              ///< recorded behind deferred work
  std::uint64_t time = 0;            ///< nanoseconds
  bool on_stream = false;            ///< last recorded on another stream than the null stream
  Stream* capture_stream = nullptr;  ///< the capturing stream it was recorded on
  std::vector<hipGraphNode_t> tail;  ///< and the nodes before it there
};

struct Allocation {
  std::size_t size = 0;  ///< bytes
  int device = 0;
  unsigned flags = 0;
  bool on_host = false;
  bool registered = false;  ///< by hipHostRegister: not ours to free
  bool managed = false;     ///< by hipMallocManaged
};

/// One registered fat binary.
struct CodeBinary {
  std::vector<CodeObject> objects;
  bool alive = true;
};

/// A kernel that a host function stands for.
struct Kernel {
  std::string name;
  CodeBinary* binary = nullptr;  ///< null for a declared one
  CodeKernel declared;           ///< used where there is no binary
  bool overridden = false;
  StandInHipKernelInfo override_info{};
  std::map<int, int> max_dynamic_shared;  ///< bytes by device, set by hipFuncSetAttribute
};

struct Variable {
  std::string name;
  std::size_t size = 0;
  std::vector<unsigned char> storage;
};

struct Module {
  CodeBinary binary;
  std::map<std::string, Kernel> functions;  ///< by kernel name; their addresses are handles
};

}  // namespace stand_in_hip
