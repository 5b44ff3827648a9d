// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "cubin.hpp"
#include "stand_in_cuda.hpp"
#include "streams.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace stand_in_cuda {

/// How a runtime function behaves around its own work.
struct CallKind {
  bool needs_context = true;  ///< a lost context's error replaces the call
  bool synchronises = false;  ///< an asynchronous error surfaces here
  bool sets_slot = true;      ///< an error goes into the last-error slot
};
inline constexpr CallKind plain{};
inline constexpr CallKind waits{true, true, true};
inline constexpr CallKind contextless{false, false, true};

struct Device {
  struct Answer {
    cudaError_t status;
    int value;
  };
  std::string name;
  std::map<int, Answer> attributes;
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;
  cudaError_t context_error = cudaSuccess;  ///< sticky
  cudaError_t async_error = cudaSuccess;    ///< the next synchronisation returns it, once
  std::vector<int> cluster_groups;  ///< multiprocessors of each group that can hold clusters
  std::set<int> peers;              ///< whose memory this device may access (cudaMalloc's)
  std::set<int> pool_readers;       ///< the devices that may access this device's pool

  int attribute(cudaDeviceAttr id) const {
    const auto found = attributes.find(static_cast<int>(id));
    return found == attributes.end() ? 0 : found->second.value;
  }
};

/// A kernel as it was registered, declared, or found in a library.
struct Kernel : Handled<cudaKernel_t> {
  struct Settings {
    int max_dynamic = -1;  ///< bytes; -1 is the default
    int carveout = -1;
    bool non_portable = false;
    int scheduling = 0;
    dim3 cluster{0, 0, 0};  ///< of a kernel that was compiled without one
  };
  std::string name;
  const void* host_function = nullptr;
  KernelCode code;
  KernelCode original;
  std::map<int, Settings> settings;  ///< by device
};
/// The kernels that one image brought, by name.
struct Library : Handled<cudaLibrary_t> {
  std::map<std::string, Kernel*> kernels;
};

/// A launch with the storage that its record points to.
struct LaunchRecord {
  StandInCudaLaunch launch{};
  std::string function;
  std::string kernel;
  std::vector<unsigned char> bytes;
  std::vector<StandInCudaArgument> arguments;
};

struct CallRecord {
  std::string function;
  std::string arguments;
  std::uint64_t sequence = 0;
  cudaError_t result = cudaSuccess;
  int device = 0;
};

struct Allocation {
  std::size_t bytes = 0;
  cudaMemoryType type = cudaMemoryTypeDevice;
  int device = 0;
  bool mapped = false;                ///< pages of the stand-in, to be released
  bool pooled = false;                ///< stream-ordered allocation
  bool of_all = false;                ///< mapped for several devices, which are then all
  bool of_graph = false;              ///< a node of a graph allocates it
  bool is_missing = false;            ///< that node has not run, or the graph has freed it since
  bool is_left = false;               ///< a launch has allocated it, and nobody has freed it
  bool lost_its_exec = false;         ///< is_left, and the graph that the launch ran is destroyed
  std::weak_ptr<const void> graph{};  ///< of that node
  std::set<int> readers{};            ///< the pool_readers as that node was made
  /// Number of the stream in whose order it is freed, while that work has not run; 0: it is not
  /// freed. An allocation in the order of this stream gets the memory at once, as from CUDA's pool
  /// (H200).
  std::uint64_t freed_by = 0;
  std::uint64_t number = 0;  ///< of the allocation, never used again; its address is
};

struct InjectedFailure {
  std::string function;
  unsigned calls_left;
  cudaError_t code;
};

/// A thread's own part of the runtime.
struct ThreadState {
  std::uint64_t epoch = 0;  ///< the reset that the rest belongs to
  int device = 0;
  cudaError_t last_error = cudaSuccess;
  cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
  bool null_is_per_thread = false;  ///< inside a `_ptsz` function
  std::map<int, Stream*> per_thread_streams;
  struct Configuration {
    dim3 grid;
    dim3 block;
    std::size_t shared;
    cudaStream_t stream;
  };
  std::vector<Configuration> configurations;  ///< pushed by <<<>>>
};

/// All of the stand-in's state, behind one lock.
class Runtime {
 public:
  Runtime();

  std::mutex mutex;
  std::condition_variable changed;  ///< a Mark was reached
  std::uint64_t epoch = 1;

  std::vector<Device> devices;
  bool has_peers = true;  ///< cudaDeviceCanAccessPeer says yes
  int driver_version = 0;
  int runtime_version = 0;
  int least_priority = 0;
  int greatest_priority = 0;
  const std::map<int, std::pair<std::string, std::string>>* errors;  ///< name and text by code
  std::map<std::string, cudaError_t> faults;                         ///< by kernel

  std::deque<Kernel> kernels;                      ///< outlive resets
  std::map<const void*, Kernel*> kernels_by_stub;  ///< and by handle
  std::map<const void*, Allocation> allocations;   ///< by first byte
  std::uint64_t allocations_made = 0;
  std::map<std::size_t, void*> freed_addresses;     ///< the last, by its bytes
  std::map<const void*, std::size_t> freed_memory;  ///< its bytes, until something else is there
  std::map<const void*, std::pair<const void*, std::size_t>> variables;  ///< by host shadow

  /// The living, and destroyed ones with work: each call walks them.
  std::list<Stream> streams;
  std::list<Event> events;
  std::uint64_t streams_made = 0;
  /// Destroyed objects stay.
  std::deque<Graph> graphs;
  std::deque<GraphExec> graph_execs;
  std::deque<Library> libraries;
  std::vector<std::shared_ptr<Capture>> captures;  ///< under way
  std::uint64_t captures_begun = 0;

  std::deque<CallRecord> calls;
  std::map<std::string, std::uint64_t> counts;
  std::deque<LaunchRecord> launches;
  std::vector<InjectedFailure> failures;

  void reset();
  void set_device_count(int count);
  ThreadState& thread();
  Device& device() { return devices[static_cast<std::size_t>(thread().device)]; }

  /// @return cudaSuccess and the kernel, or the runtime's error for another pointer
  cudaError_t find_kernel(const void* function, Kernel** kernel);
  Kernel* kernel_named(const std::string& name);
  /// The allocation that the pointer lies in, or the end.
  std::map<const void*, Allocation>::iterator allocation_of(const void* pointer);

  /// Whether the address is in memory that a kernel may not access: of a graph that has not run,
  /// or, if `or_freed`, memory that was freed. A device would use whatever is there.
  bool is_gone(std::uintptr_t address, bool or_freed);

  /// Of the current device.
  Stream& add_stream(Stream::Kind kind);
  /// The stream behind a handle; the special handles are the current device's. A handle that no
  /// stream has ends the process as it does on a real device, with a line on standard error.
  Stream& stream(cudaStream_t handle);

  /// Adds work to the stream, after its earlier work and after the work required by the legacy
  /// stream's rules, and runs it at once if nothing blocks it. @return a mark that is reached when
  /// the work is complete
  std::shared_ptr<Mark> submit(Stream& stream, std::function<void()> work,
                               std::shared_ptr<Mark> after = nullptr, bool on_own_thread = false);
  /// Runs all work that nothing blocks.
  void pump();
  /// Waits until the mark is reached; releases the lock meanwhile.
  void wait(std::unique_lock<std::mutex>& lock, std::shared_ptr<Mark> mark);

  std::size_t begin_call(const char* function, std::string arguments);
  bool injected(const std::string& function, cudaError_t* code);
  cudaError_t finish(std::size_t call, std::uint64_t call_epoch, CallKind kind, cudaError_t result);
};

Runtime& runtime();

/// The driver's function of this name, or nullptr if the stand-in has none.
void* driver_function(const std::string& name);

/// The arguments of a call as text.
template <class... Values>
std::string text(const Values&... values) {
  std::ostringstream out;
  const char* separator = "";
  ((out << separator << values, separator = ", "), ...);
  return out.str();
}

inline std::string text_of(dim3 d) {
  return '(' + std::to_string(d.x) + ',' + std::to_string(d.y) + ',' + std::to_string(d.z) + ')';
}

/// Lets other threads run, if they call too: they may do so between any two calls of this one.
void let_others_run();

/// The frame of every runtime function: lock, record, injected failure, lost context, body, last
/// error. @param body takes the lock, for a body that waits, and returns the runtime's answer
template <class Body>
cudaError_t api(const char* function, std::string arguments, CallKind kind, Body&& body) {
  let_others_run();
  Runtime& r = runtime();
  std::unique_lock lock(r.mutex);
  const std::uint64_t epoch = r.epoch;
  const std::size_t call = r.begin_call(function, std::move(arguments));
  cudaError_t result = cudaSuccess;
  if (!r.injected(r.calls[call].function, &result)) {
    if (r.devices.empty()) {
      result = kind.needs_context ? cudaErrorNoDevice : body(lock);
    } else if (kind.needs_context && r.device().context_error != cudaSuccess) {
      result = r.device().context_error;
    } else {
      try {
        result = body(lock);
      } catch (const std::bad_alloc&) {
        result = cudaErrorMemoryAllocation;
      }
    }
  }
  return r.finish(call, epoch, kind, result);
}

/// While an object lives, the thread's null streams mean its per-thread default stream, and calls
/// carry the name of the per-thread entry point.
class PerThreadDefault {
 public:
  PerThreadDefault() { set(true); }
  ~PerThreadDefault() { set(false); }
  PerThreadDefault(const PerThreadDefault&) = delete;
  PerThreadDefault& operator=(const PerThreadDefault&) = delete;

 private:
  static void set(bool value) {
    const std::lock_guard lock(runtime().mutex);
    runtime().thread().null_is_per_thread = value;
  }
};

}  // namespace stand_in_cuda
