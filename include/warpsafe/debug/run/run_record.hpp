// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/core/observer.hpp>
#include <warpsafe/error/errc.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// A run of a program: what a RunRecorder records, and what files and timelines contain.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// Versions of a runtime, in its own numbering (CUDA: 1000 * major + 10 * minor).
struct RuntimeVersions {
  std::int32_t driver = 0;   ///< the newest version that the driver supports; 0: not known
  std::int32_t runtime = 0;  ///< of the runtime library; 0: not known
  std::int32_t toolkit = 0;  ///< of the headers that this was compiled with
};

/// Where a run took place: whatever may differ between two runs before any launch.
struct RunEnvironment {
  std::string started;     ///< UTC, as 2026-01-31T12:00:00Z
  std::string host;        ///< the machine's name
  std::string compiler;    ///< and its version
  std::int32_t level = 0;  ///< WARPSAFE_CHECKS
  Name backend{};
  RuntimeVersions versions;
  std::vector<DeviceLimits> devices;
  /// The environment variables that the runtimes and this library read, chosen by prefix.
  std::vector<std::pair<std::string, std::string>> variables;
};

/// One launch of a run. Times are nanoseconds since the run began. A launch that only the journal
/// knows has none.
struct RunLaunch {
  LaunchRecord record;
  std::uint64_t begun = 0;      ///< the call of the runtime began; 0: not known
  std::uint64_t ended = 0;      ///< the runtime had answered
  std::uint64_t gpu_begun = 0;  ///< the stream reached the launch; 0: no events
  std::uint64_t gpu_ended = 0;
  std::uint32_t thread =
      0;  ///< host threads are counted from 0 in the order of their first launches
};
struct RunWait {
  WaitRecord wait;
  std::uint32_t thread = 0;
};
struct RunError {
  Errc code{};
  std::string text;
  std::uint64_t at = 0;
  std::uint64_t sequence = 0;  ///< the launch's number; 0: none
  std::int32_t device = -1;
  const void* stream = nullptr;
  std::uint32_t thread = 0;
};

struct RunRecord {
  RunEnvironment environment;
  std::vector<RunLaunch> launches;  ///< in the order of their numbers
  std::vector<RunWait> waits;
  std::vector<RunError> errors;
  std::uint64_t lost = 0;   ///< launches of the process before the first launch here
  bool incomplete = false;  ///< something is missing, because there was no memory for it
};

[[nodiscard]] constexpr const char* state_name(LaunchState state) noexcept {
  switch (state) {
    case LaunchState::started:
      return "started";
    case LaunchState::submitted:
      return "submitted";
    case LaunchState::complete:
      return "complete";
    case LaunchState::refused:
      return "refused";
  }
  return "";
}
[[nodiscard]] constexpr const char* vendor_name(Vendor vendor) noexcept {
  switch (vendor) {
    case Vendor::nvidia:
      return "nvidia";
    case Vendor::amd:
      return "amd";
    case Vendor::host:
      return "host";
    case Vendor::unknown:
      break;
  }
  return "unknown";
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
