// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/launch/observed_launch.hpp"
#include "../core/report/observed_wait.hpp"

#include <cstdint>

namespace warpsafe::watch {

/// What a thread of the program is in. Calls of the driver do not nest in each other.
struct ThreadState {
  // What each call looks at lies together.
  bool inside = false;  ///< in the watch: calls of the driver are the watch's own
  bool launching = false;
  bool in_runtime = false;       ///< in a launch of the runtime's
  bool driver_answered = false;  ///< which the driver has heard of
  std::uint32_t context = ~0U;   ///< whose device is the next
  std::int32_t device = 0;
  std::uint64_t runtime_shared = 0;  ///< dynamic shared memory as the runtime was given it, bytes
  ObservedLaunch launch;
  ObservedWait wait;

  /// The calling thread's. Not inline: a compiler would look it up at each use, which costs a call
  /// in a library that is loaded late.
  [[nodiscard]] static ThreadState& get() noexcept;
};

}  // namespace warpsafe::watch
