// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/kernel_table.hpp"
#include <warpsafe/core/limits.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/launch/check.hpp>
#include <warpsafe/tool_api.hpp>

#include <cstdint>

namespace warpsafe::watch {

/// One launch of the watched program, as requested from its runtime.
struct Launch {
  Kernel* kernel = nullptr;
  LaunchShape shape;      ///< dynamic shared memory with all bits that the program passed
  bool is_graph = false;  ///< a launch of a graph: no shape; only the runtime knows the error
  const void* function = nullptr;  ///< the runtime's handle; nullptr: unknown
  bool is_named = true;            ///< the handle has a kernel's name
  std::size_t parameters = 0;      ///< number of the kernel's parameters; 0: unknown
  const void* stream = nullptr;
  std::int32_t device = -1;
  std::int32_t stream_device = -1;  ///< device of the stream; -1: unknown
};

/// Returns why the runtime refused a launch: the first failure of the library's own checks, or the
/// runtime's own error if they find nothing. `now` are the kernel's attributes after the refusal,
/// with the resident blocks or clusters for a cooperative or cluster launch. `reported` is the
/// error for the runtime's status, at Stage::launch.
///
/// Launches that the runtime accepted are not checked.
[[nodiscard]] inline LaunchError judge(const Launch& launch, const KernelLimits& now,
                                       const DeviceLimits& device,
                                       const LaunchError& reported) noexcept {
  LaunchError found = reported;
  found.kernel = launch.kernel->name_view();
  found.stream = launch.stream;
  found.with_shape(launch.shape);
  found.device = launch.device;
  if (found.code == Errc::runtime_failed) found.code = Errc::launch_refused;
  // Earlier work failed; the runtime did not look at this launch.
  if (tool::reports_earlier_fault(reported)) return found;
  if (launch.is_graph) return found;
  LaunchError reason;
  bool fine = tool::validate_numbers(launch.shape, KernelNeeds{}, now, device, reason) &&
              tool::shared_is_opted_in(launch.shape, now, reason);
  if (fine && launch.stream_device >= 0 && launch.stream_device != launch.device) {
    fine = tool::refuse(reason, Errc::stream_wrong_device, Stage::validation,
                        static_cast<std::uint64_t>(launch.device),
                        static_cast<std::uint64_t>(launch.stream_device));
  }
  if (fine) return found;
  // The error has the check's reason, and the runtime's answer beside it.
  reason.with_device(device);
  reason.with_shape(launch.shape);
  reason.kernel = found.kernel;
  reason.stream = found.stream;
  reason.vendor = reported.vendor;
  reason.raw = reported.raw;
  reason.raw_name = reported.raw_name;
  reason.raw_text = reported.raw_text;
  return reason;
}

}  // namespace warpsafe::watch
