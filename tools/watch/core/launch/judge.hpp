// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/kernel_table.hpp"
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/launch/check.hpp>
#include <warpsafe/launch/validate.hpp>

#include <cstdint>

namespace warpsafe::watch {

/// One launch of the watched program, as its runtime was asked for it.
struct Launch {
  Kernel* kernel = nullptr;
  LaunchShape shape;      ///< its dynamic shared memory with all bits that the program gave
  bool is_graph = false;  ///< a graph's: no shape, and nothing but the runtime knows what is wrong
  const void* function = nullptr;  ///< the runtime's handle; nullptr: not known
  const void* stream = nullptr;
  std::int32_t device = -1;
  std::int32_t stream_device = -1;  ///< whose the stream is; -1: not known
};

/// Why the runtime refused a launch: the library's own checks over what is known of it, and where
/// they find nothing, what the runtime said. `now` are the kernel's attributes as they are after
/// the refusal, with what fits at once for a cooperative launch or a cluster. `told` is the error
/// that the runtime's status stands for, at Stage::launch.
///
/// Nothing is checked of a launch that the runtime took: what it accepts is no error.
[[nodiscard]] inline LaunchError judge(const Launch& launch, const KernelLimits& now,
                                       const DeviceLimits& device,
                                       const LaunchError& reported) noexcept {
  LaunchError found = reported;
  found.kernel = launch.kernel->name_view();
  found.stream = launch.stream;
  found.with_shape(launch.shape);
  found.device = launch.device;
  if (found.code == Errc::runtime_failed) found.code = Errc::launch_refused;
  // What was running before failed: this launch was never looked at.
  if (warpsafe::detail::reports_earlier_fault(reported)) return found;
  if (launch.is_graph) return found;
  LaunchError reason;
  bool fine =
      warpsafe::detail::validate_numbers(launch.shape, KernelNeeds{}, now, device, reason) &&
      warpsafe::detail::shared_is_opted_in(launch.shape, now, reason);
  if (fine && launch.stream_device >= 0 && launch.stream_device != launch.device) {
    fine = warpsafe::detail::refuse(reason, Errc::stream_wrong_device, Stage::validation,
                                    static_cast<std::uint64_t>(launch.device),
                                    static_cast<std::uint64_t>(launch.stream_device));
  }
  if (fine) return found;
  // The same launch with a reason: its numbers, and the runtime's answer beside them.
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
