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
[[nodiscard]] bool enter() noexcept;
void leave() noexcept;

/// Call when a call that is not watched has returned.
void not_watched(Call call, hipError_t status) noexcept;

/// Between `enter` and `leave`: call before the runtime receives the call, and after it has
/// returned.
void begins(const StreamCall& of) noexcept;
void ended(const StreamCall& of, hipError_t status) noexcept;
void begins(const HipLaunch& of) noexcept;
void ended(const HipLaunch& of, hipError_t status) noexcept;

/// Call after the runtime has created a stream, and before it destroys one.
void made(hipStream_t stream, unsigned flags) noexcept;
void destroying(hipStream_t stream) noexcept;
/// Records memory that the program or a library has received or given up.
void has_memory(const void* memory, std::size_t bytes, MemoryKind kind) noexcept;
void has_no_memory(const void* memory) noexcept;

/// A thread's outermost call.
class Outermost {
 public:
  Outermost() noexcept : watched_(enter()) {}
  Outermost(const Outermost&) = delete;
  Outermost& operator=(const Outermost&) = delete;
  ~Outermost() {
    if (watched_) leave();
  }
  [[nodiscard]] bool watched() const noexcept { return watched_; }

 private:
  bool watched_;
};

/// `call()` makes the program's call and writes what it creates into `of`.
template <class What, class Call>
hipError_t watched(const What& of, const Call& call) noexcept {
  const Outermost outer;
  if (!outer.watched()) {
    const hipError_t status = call();
    not_watched(of.call, status);
    return status;
  }
  begins(of);
  const hipError_t status = call();
  ended(of, status);
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
#define WARPSAFE_WATCH(call, function, parameters, ...)                              \
  [[gnu::visibility("default")]] hipError_t function parameters {                    \
    return warpsafe::watch::watched(warpsafe::watch::call_of(call, #function), [&] { \
      static void* const warpsafe_next = warpsafe::watch::find_next(#function);      \
      return warpsafe::watch::call_next(warpsafe_next __VA_OPT__(, ) __VA_ARGS__);   \
    });                                                                              \
  }
