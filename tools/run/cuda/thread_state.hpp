// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/launch/observed_launch.hpp"
#include "../core/report/observed_wait.hpp"
#include "known_call.hpp"

#include <cuda.h>

#include <cstdint>

namespace warpsafe::watch {

/// State of a thread of the program. Calls of the driver do not nest.
struct ThreadState {
  // The members that every call reads are adjacent.
  bool inside = false;  ///< inside the watch: driver calls are its own
  bool launching = false;
  bool in_runtime = false;       ///< inside a runtime launch
  bool driver_answered = false;  ///< the driver received that launch
  std::uint32_t context = ~0U;   ///< context whose device is in the next member
  std::int32_t device = 0;
  std::uint64_t runtime_shared = 0;  ///< dynamic shared memory as passed to the runtime, in bytes
  bool new_function = false;         ///< the launch's function was not launched before
  unsigned log_position = 0;         ///< position in the driver's log up to which it was read
  ObservedLaunch launch;
  ObservedWait wait;
  std::uint64_t allocations = 0;  ///< that had ended when the thread's free began
  std::uintptr_t guarded = 0;    ///< of a call that the guard changed: the zone, or the kept memory
  CUgraph kept_graph = nullptr;  ///< the graph that a call keeps instead of destroying it
  const KnownCall* runtime_call = nullptr;  ///< the runtime's call that the thread is in
  char log[256] = "";  ///< what the driver's log says about a failure inside of that call

  /// Returns the calling thread's state. Not inline: a compiler would look it up at each use, which
  /// costs a call in a library that is loaded late.
  [[nodiscard]] static ThreadState& get() noexcept;
};

}  // namespace warpsafe::watch
