// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../platform.hpp"
#include "../stream/known_streams.hpp"
#include "judge.hpp"
#include <warpsafe/core/limits.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/tool_api.hpp>

#include <algorithm>

namespace warpsafe::watch {

/// Explains why the runtime refused a launch with that status (see judge). Queries the runtime for
/// the device's limits and the kernel's current limits. Fills in the number of the kernel's
/// parameters, and the parts of the launch's shape that the kernel was compiled with. @pre
/// launch.kernel is not nullptr
[[nodiscard]] inline LaunchError explain(const Platform& platform, KnownStreams& streams,
                                         Launch& launch, int status) {
  const tool::BackendCalls& calls = *platform.calls;
  DeviceLimits device;
  if (calls.limits_of(launch.device, device) != 0) device = {};
  device.device = launch.device;
  limits::put_floors(device, *calls.floor);
  device.name = calls.device_name(launch.device);
  const LaunchError reported = calls.error(status, {}, {}, Stage::launch, launch.device);
  Kernel now;
  now.named_parameters = launch.kernel->named_parameters;
  if (launch.kernel->is_described()) {
    now.parameters = launch.kernel->parameters;
    now.limits = launch.kernel->limits;
    std::copy_n(launch.kernel->cluster, 3, now.cluster);
  }
  // The runtime reads a handle unchecked, so it is passed on only if the status is about something
  // else: the handle may be no kernel, or its context may be gone.
  const bool may_be_no_kernel = platform.may_be_no_kernel(status);
  if (launch.function != nullptr && !may_be_no_kernel && !tool::reports_earlier_fault(reported)) {
    platform.describe(launch.function, launch.device, &launch, now);
  }
  launch.parameters = now.parameters.empty() ? now.named_parameters : now.parameters.size();
  launch.shape.non_portable_cluster = now.non_portable_cluster;
  if (!launch.shape.has_cluster && now.cluster[0] != 0) {
    launch.shape.has_cluster = true;
    std::copy_n(now.cluster, 3, launch.shape.cluster);
  }
  launch.stream_device = streams.device_of(launch.stream);
  LaunchError error = judge(launch, now.limits, device, reported);
  if (may_be_no_kernel && !launch.is_named && error.code == Errc::launch_refused) {
    error.code = Errc::not_a_kernel;
  }
  return error;
}

}  // namespace warpsafe::watch
