// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/call/memory_kind.hpp"
#include "../core/call/stream_call.hpp"
#include "hip_launch.hpp"
#include "next.hpp"
#include <warpsafe/core/name.hpp>

#include <hip/hip_runtime_api.h>

#include <cstddef>

// Building blocks of the functions that this library defines before the runtime's. Only a thread's
// outermost call is reported to the watch, because the runtime and the watch also call these
// functions.

namespace warpsafe::watch {

/// Returns whether the thread enters the runtime here and the watch is active.
[[nodiscard]] bool enter();
void leave() noexcept;

/// Call when a call that is not watched has returned.
void not_watched(Call call, hipError_t status);

/// Between `enter` and `leave`: call before the runtime receives the call, and after it has
/// returned.
void begins(const StreamCall& of);
void ended(const StreamCall& of, hipError_t status);
void begins(const HipLaunch& of);
void ended(const HipLaunch& of, hipError_t status);

/// Call if a kernel's handle has become another kernel's.
void stubs_reused() noexcept;
/// Call after the runtime has created a stream, and before it destroys one.
void made(hipStream_t stream, unsigned flags);
void destroying(hipStream_t stream);
/// Call when an executable graph was made, and before one, or a node of a graph, is destroyed.
void made_graph(hipGraphExec_t made, hipGraph_t graph);
void executable_destroyed(hipGraphExec_t graph);
void node_destroyed(hipGraphNode_t node);
/// Returns whether the graph must not be destroyed, because the nodes of an executable graph are
/// named by its own.
[[nodiscard]] bool keeps_graph(hipGraph_t graph);
/// Records memory that the program or a library has received or given up.
void has_memory(const void* memory, std::size_t bytes, MemoryKind kind);
void has_no_memory(const void* memory);

/// `call()` makes the program's call and writes what it creates into `of`.
///
/// A thread that the program cancels may end inside the runtime. So no frame below this one is
/// noexcept or has anything to destroy: this library has an unwinder of its own (-static-libgcc),
/// which must not meet the C library's. The state of the thread ends with the thread.
template <class What, class Call>
hipError_t watched(const What& of, const Call& call) {
  if (!enter()) {
    const hipError_t status = call();
    not_watched(of.call, status);
    return status;
  }
  begins(of);
  const hipError_t status = call();
  ended(of, status);
  leave();
  return status;
}

[[nodiscard]] inline StreamCall call_of(Call call, const char* name) noexcept {
  StreamCall of;
  of.call = call;
  of.name = Name::of(name);
  return of;
}
[[nodiscard]] inline StreamCall call_on(Call call, const char* name, hipStream_t stream,
                                        bool per_thread = false) noexcept {
  StreamCall of = call_of(call, name);
  of.stream = stream;
  of.per_thread = per_thread;
  return of;
}

}  // namespace warpsafe::watch

/// `WARPSAFE_WATCH(Call::wait_device, hipCtxSynchronize, (), )` defines a function of which the
/// watch needs only the role. The last two arguments are its parameters as declared, and their
/// names.
#define WARPSAFE_WATCH(call, function, parameters, ...)                                  \
  [[gnu::visibility("default")]] hipError_t function parameters {                        \
    return warpsafe::watch::watched(warpsafe::watch::call_of(call, #function), [&] {     \
      static constinit warpsafe::watch::NextFunction warpsafe_next(#function);           \
      return warpsafe::watch::call_next(warpsafe_next.get() __VA_OPT__(, ) __VA_ARGS__); \
    });                                                                                  \
  }
