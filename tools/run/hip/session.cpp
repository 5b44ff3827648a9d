// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The watch behind the functions that this library defines before the runtime's (entry.hpp).

#include "../../common/held_signals.hpp"
#include "../core/call/pool_calls.hpp"
#include "../core/call/stream_calls.hpp"
#include "../core/end/watch_the_end.hpp"
#include "../core/forked_child.hpp"
#include "../core/report/standard_error.hpp"
#include "../core/stream/captures.hpp"
#include "../core/unnoticed.hpp"
#include "../core/watcher.hpp"
#include "describe.hpp"
#include "entry.hpp"
#include "hip_memory.hpp"
#include "launch_calls.hpp"
#include "libraries.hpp"
#include "step_graph.hpp"
#include <warpsafe/backend/hip/hip_backend.hpp>
#include <warpsafe/tool_api.hpp>

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace warpsafe::watch {
namespace {

[[nodiscard]] bool is_capturing(const void* stream) noexcept {
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  return hipStreamIsCapturing(static_cast<hipStream_t>(const_cast<void*>(stream)), &status) ==
             hipSuccess &&
         status != hipStreamCaptureStatusNone;
}

/// Turns the program's calls into calls of the watch.
struct Session {
  Session(const Platform& platform, Options options) : watcher(platform, std::move(options)) {}
  Watcher watcher;
  Captures captures{&is_capturing};
  HipLaunchCalls launches{watcher, captures};
  LaunchWaits waits{watcher};
  GraphSteps steps{watcher, waits, hip_graph_steps};
  std::mutex graphs_mutex;
  std::set<const void*> graphs;  ///< with executable graphs in `steps`
  StreamCalls calls{watcher, captures,
                    [](std::uintptr_t memory) noexcept { return HipMemory::get().kind_of(memory); },
                    []() noexcept { return has_library(hip_libraries); }};
  PoolCalls pools{watcher, captures};
};

Session* session_in_use = nullptr;

/// The calling thread is the watch's own.
void mark_inside() noexcept;

void watch_end(const Options& options) noexcept {
  watch_the_end(
      options,
      [](const End& end) noexcept {
        mark_inside();
        session_in_use->watcher.ends(end);
      },
      [](int status) noexcept { return session_in_use->watcher.exit_status(status); });
}

/// Returns nullptr if there is no memory for the session.
Session* session() noexcept {
  static const bool begun = [] {
    try {
      StandardError::begin();
      static const Platform platform =
          platform_of<hip_backend>(&describe_kernel, hip_caller, nullptr, &watch_end);
      session_in_use =
          new Session(platform, Options::parse(tool::read_environment("WARPSAFE_RUN")));
      // The first call loads the unwinder.
      static_cast<void>(HostStack::here());
      std::atexit([] { session_in_use->watcher.finish(); });
      ForkedChild::expect();
      return true;
    } catch (...) {
      return false;
    }
  }();
  return begun ? session_in_use : nullptr;
}

/// State of a thread of the program.
struct ThreadState {
  bool inside = false;  ///< inside a call
  bool launching = false;
  std::int32_t device = 0;
  ObservedLaunch launch;
  ObservedWait wait;
};
constinit thread_local ThreadState mine{};

/// Runs at the end of exit().
[[gnu::destructor]] void end_of_exit() {
  if (session_in_use == nullptr) return;
  session_in_use->watcher.end_files();
  end_with(session_in_use->watcher.exit_status(-1));
}

void mark_inside() noexcept { mine.inside = true; }

[[nodiscard]] std::int32_t current_device() noexcept {
  int device = 0;
  return hipGetDevice(&device) == hipSuccess ? device : 0;
}

/// Runs `body` on a thread of its own after a failed call. The last error belongs to a thread, so
/// the watch's own queries must not replace the program's.
template <class Body>
void aside(std::int32_t device, const Body& body) noexcept {
  try {
    const NoSignals held;
    std::thread([&] {
      mine.inside = true;
      static_cast<void>(hipSetDevice(device));
      body();
    }).join();
  } catch (...) {  // no thread could be started: the watch does not report the failure
    return;
  }
}

/// The same, but on the program's thread if the stream is its own default stream. Then the body's
/// queries become the thread's last error, which is cleared if there was none.
template <class Body>
void aside_for(const void* stream, std::int32_t device, const Body& body) noexcept {
  if (stream != per_thread_handle()) return aside(device, body);
  const bool had_error = hipPeekAtLastError() != hipSuccess;
  body();
  static constinit NextFunction next("hipGetLastError");
  if (!had_error) static_cast<void>(call_next(next.get()));
}

}  // namespace

bool enter() {
  if (mine.inside || ForkedChild::here()) return false;
  const Unnoticed unnoticed;
  if (session() == nullptr) return false;
  mine.inside = true;
  return true;
}
void leave() noexcept { mine.inside = false; }

void not_watched(Call call, hipError_t status) {
  if (!ForkedChild::here()) [[likely]]
    return;
  const Unnoticed unnoticed;
  ForkedChild::called(call, status != hipSuccess);
}

void begins(const StreamCall& of) {
  const Unnoticed unnoticed;
  mine.device = current_device();
  StreamCall here = of;
  here.device = mine.device;
  session()->calls.begin(mine.wait, here);
}
void ended(const StreamCall& of, hipError_t status) {
  const Unnoticed unnoticed;
  StreamCall here = of;
  here.device = mine.device;
  ObservedWait& seen = mine.wait;
  if (weight_of(of.call, status, false) != CallWeight::quiet) {
    const HostStack stack = HostStack::here();
    aside(mine.device, [&] { session()->calls.end(seen, here, status, false, &stack); });
  } else {
    session()->calls.end(seen, here, status);
  }
}
void begins(const HipLaunch& of) {
  const Unnoticed unnoticed;
  mine.device = current_device();
  mine.launching = session()->launches.begin(mine.launch, of, mine.device);
  ObservedLaunch& seen = mine.launch;
  if (!mine.launching || !seen.waits) return;
  const HostStack stack = HostStack::here();
  aside_for(seen.launch.stream, mine.device, [&] {
    if (session()->waits.is_capturing(session()->captures, seen.launch.stream)) return;
    session()->waits.before(seen, stack);
    if (of.is_graph) session()->steps.begin(seen, const_cast<void*>(of.graph), stack);
  });
}
void ended(const HipLaunch& of, hipError_t status) {
  if (!mine.launching) return;
  const Unnoticed unnoticed;
  ObservedLaunch& seen = mine.launch;
  if (status == hipSuccess) {
    session()->launches.end(seen, of, status);
    if (!seen.waits) return;
    const HostStack stack = HostStack::here();
    aside_for(seen.launch.stream, mine.device, [&] {
      if (of.is_graph) {
        session()->steps.end(seen, const_cast<void*>(of.graph), true, stack);
      } else {
        session()->waits.after(seen, stack);
      }
    });
  } else {
    const HostStack stack = HostStack::here();
    aside(mine.device, [&] {
      if (seen.waits && of.is_graph) {
        session()->steps.end(seen, const_cast<void*>(of.graph), false, stack);
      }
      session()->launches.end(seen, of, status, &stack);
    });
  }
}

void stubs_reused() noexcept {
  if (session_in_use != nullptr) session_in_use->watcher.kernels().forget_handles();
}

void made_graph(hipGraphExec_t made, hipGraph_t graph) {
  const Unnoticed unnoticed;
  // All graphs have one name.
  if (!session()->steps.wants("graph")) return;
  aside(current_device(), [&]() noexcept {
    try {
      session()->steps.instantiated(made, step_graph(graph));
      const std::lock_guard lock(session()->graphs_mutex);
      session()->graphs.insert(graph);
    } catch (...) {  // out of memory: the graph is launched whole
      return;
    }
  });
}
void executable_destroyed(hipGraphExec_t graph) {
  const Unnoticed unnoticed;
  session()->steps.destroyed(graph);
  session()->watcher.suspicions().order.work_destroyed(graph);
}
void node_destroyed(hipGraphNode_t node) {
  const Unnoticed unnoticed;
  session()->steps.node_destroyed(node);
}
bool keeps_graph(hipGraph_t graph) {
  const Unnoticed unnoticed;
  const std::lock_guard lock(session()->graphs_mutex);
  return session()->graphs.find(graph) != session()->graphs.end();
}

void made(hipStream_t stream, unsigned flags) {
  const Unnoticed unnoticed;
  if (ForkedChild::here() || session() == nullptr) return;
  try {
    session()->watcher.streams().made(stream, current_device(),
                                      (flags & hipStreamNonBlocking) != 0);
  } catch (...) {  // out of memory: the stream gives no hints
    return;
  }
}
void destroying(hipStream_t stream) {
  const Unnoticed unnoticed;
  if (ForkedChild::here() || session() == nullptr) return;
  session()->watcher.streams().destroyed(stream);
}

void has_memory(const void* memory, std::size_t bytes, MemoryKind kind) {
  const Unnoticed unnoticed;
  if (ForkedChild::here()) return;
  try {
    HipMemory::get().add(memory, bytes, kind);
  } catch (...) {  // out of memory: copies of it count as waits
    return;
  }
}
void has_no_memory(const void* memory) {
  const Unnoticed unnoticed;
  if (ForkedChild::here()) return;
  try {
    HipMemory::get().erase(memory);
  } catch (...) {  // a broken lock
    return;
  }
}

/// Calls `body(pools)` unless the watch itself makes the call. A program without work for the
/// runtime has nothing to order.
template <class Body>
static void tell_pools(const Body& body) {
  if (session_in_use == nullptr || !session_in_use->pools.on() || !enter()) return;
  {
    const Unnoticed unnoticed;
    body(session_in_use->pools);
  }
  leave();
}

}  // namespace warpsafe::watch

// The functions that pools/warpsafe_pool.h looks for.
extern "C" [[gnu::visibility("default")]] void warpsafe_pool_allocated(const void* memory,
                                                                       std::size_t bytes,
                                                                       void* stream,
                                                                       const char* where) {
  warpsafe::watch::tell_pools([&](warpsafe::watch::PoolCalls& pools) {
    pools.allocated(memory, bytes, stream, warpsafe::watch::current_device(), where);
  });
}
extern "C" [[gnu::visibility("default")]] void warpsafe_pool_freed(const void* memory,
                                                                   void* stream) {
  warpsafe::watch::tell_pools([&](warpsafe::watch::PoolCalls& pools) {
    pools.freed(memory, stream, warpsafe::watch::current_device());
  });
}
extern "C" [[gnu::visibility("default")]] void warpsafe_pool_returned(const void* memory) {
  warpsafe::watch::tell_pools([&](warpsafe::watch::PoolCalls& pools) { pools.returned(memory); });
}
