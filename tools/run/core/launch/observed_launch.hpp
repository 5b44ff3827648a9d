// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "judge.hpp"
#include <warpsafe/core/launch_record.hpp>

#include <cstdint>

namespace warpsafe::watch {

/// A launch while the program is inside the runtime's call.
struct ObservedLaunch {
  Launch launch;
  LaunchRecord record{};
  std::uint64_t begun = 0;
  std::uint64_t ordinal = 0;  ///< among the launches of its kernel; only with --rerun
  bool waits = false;         ///< a run of --rerun waits after it
};

}  // namespace warpsafe::watch
