// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "code/code_object.hpp"
#include "device.hpp"
#include "objects.hpp"
#include "release.hpp"
#include "stand_in_hip.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace stand_in_hip {

/// The data that a call's body can add to the record of the call.
struct CallNote {
  hipStream_t stream = nullptr;
  std::uint64_t bytes = 0;
  bool keeps_last_error = false;  ///< the runtime returns past its last-error slot
  bool synchronises = false;      ///< an asynchronous error surfaces here
};

/// A thread's own part of the runtime.
struct ThreadState {
  std::uint64_t epoch = 0;  ///< the reset that the rest belongs to
  int device = 0;
  hipError_t last_error = hipSuccess;
  hipStreamCaptureMode capture_mode = hipStreamCaptureModeGlobal;
  std::vector<Stream*> per_thread_streams;  ///< by device, for hipStreamPerThread
  struct Configuration {
    dim3 grid;
    dim3 block;
    std::size_t shared;
    hipStream_t stream;
  };
  std::vector<Configuration> configurations;  ///< pushed by <<<>>>
};

/// A launch with the storage that its record points to.
struct LaunchRecord {
  StandInHipLaunch launch{};
  std::vector<unsigned char> bytes;
  std::vector<StandInHipArgument> arguments;
  std::string kernel;
};

struct InjectedFailure {
  std::string function;
  unsigned calls_left;
  hipError_t code;
};

struct DeferredWork {
  Stream* stream;
  std::function<void()> work;
};

/// All of the stand-in's state, behind one lock.
class Runtime {
 public:
  std::recursive_mutex mutex;  // recursive: a host function may read the record
  std::uint64_t epoch = 1;
  StandInHipRelease release = STAND_IN_HIP_6_4;
  bool forgives_broken_captures = false;
  bool has_peers = true;                ///< hipDeviceCanAccessPeer says yes
  std::set<std::pair<int, int>> peers;  ///< device and peer, of hipDeviceEnablePeerAccess
  bool deferred = false;
  bool require_matching_code = false;
  bool freed_async = false;  ///< by hipFreeAsync
  std::vector<Device> devices;

  std::deque<std::unique_ptr<CodeBinary>> binaries;  ///< outlives resets
  std::map<const void*, Kernel> kernels;             ///< by host function; outlives resets
  std::map<const void*, Variable> variables;         ///< by host shadow; outlives resets
  std::map<const void*, std::unique_ptr<Module>> modules;

  /// Destroyed objects stay allocated, marked dead. Their addresses are never reused, so a use
  /// after destruction is always recognised.
  std::deque<Stream> streams;
  std::deque<Event> events;
  std::deque<Graph> graphs;
  std::deque<GraphExec> graph_execs;
  std::map<const void*, Allocation> allocations;  ///< by first byte
  std::deque<DeferredWork> deferred_work;

  std::deque<StandInHipCall> calls;
  std::map<std::string, std::uint64_t, std::less<>> counts;
  std::deque<LaunchRecord> launches;
  std::vector<InjectedFailure> failures;
  hipError_t async_error = hipSuccess;   ///< not yet seen by a synchronising call
  hipError_t sticky_error = hipSuccess;  ///< release 7: every call returns it
  std::uint64_t undefined_uses = 0;

  void reset();
  ThreadState& thread();

  /// Runs before the body. Returns the code to return instead of running the body, or success.
  hipError_t refusal(const char* function, bool needs_device);
  /// Runs after the body: surfaces asynchronous errors, records the call, writes the last-error
  /// slot.
  hipError_t finish(const char* function, hipError_t result, const CallNote& note);

  /// Runs everything deferred, in submission order: always a legal order.
  void drain();
  /// Runs the work now or, when deferred, at the next drain.
  void enqueue(Stream* stream, std::function<void()> work);

  hipError_t undefined(hipError_t code) {
    ++undefined_uses;
    return code;
  }
};

Runtime& runtime();

/// The frame of every HIP function: lock, record, injected failure, body, last error.
/// @param body takes a CallNote& and returns the runtime's answer
template <class Body>
hipError_t api(const char* function, Body&& body, bool needs_device = true) {
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  CallNote note;
  hipError_t result = r.refusal(function, needs_device);
  if (result == hipSuccess) {
    try {
      result = body(note);
    } catch (const std::bad_alloc&) {
      result = hipErrorOutOfMemory;
    }
  }
  return r.finish(function, result, note);
}

}  // namespace stand_in_hip
