// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/launch/launch_order.hpp"
#include "../core/launch/observed_launch.hpp"
#include "../core/stream/captures.hpp"
#include "../core/stream/stream_names.hpp"
#include "../core/watcher.hpp"
#include "hip_kernels.hpp"
#include "hip_launch.hpp"

#include <cstdint>
#include <string>

namespace warpsafe::watch {

/// Handles HIP's launches of kernels and graphs.
class HipLaunchCalls {
 public:
  HipLaunchCalls(Watcher& watcher, Captures& captures) : watcher_(watcher), captures_(captures) {}

  /// Call before the runtime receives the launch. Returns false if the launch cannot be reported,
  /// because there is no memory for it.
  bool begin(ObservedLaunch& seen, const HipLaunch& of, std::int32_t device) noexcept {
    Launch launch;
    launch.stream = name_of(of.stream, of.per_thread);
    launch.device = device;
    launch.is_graph = of.is_graph;
    launch.function = of.function;
    if (!launch.is_graph) launch.shape = shape_of(of);
    std::string name = "graph";
    launch.kernel = watcher_.lookup().kernel(of.function, device, [&] {
      if (!launch.is_graph) name = HipKernels::get().name(of.function);
      return name.c_str();
    });
    if (launch.kernel == nullptr) return false;
    watcher_.suspicions().legacy.launched(*launch.kernel, launch.stream == nullptr);
    watcher_.launching(seen, launch);
    return true;
  }
  /// Call when the runtime has returned; `status` 0 means success.
  /// `stack` is the program's; nullptr: that of the calling thread.
  void end(ObservedLaunch& seen, const HipLaunch& of, int status,
           const HostStack* stack = nullptr) noexcept {
    if (status != 0) {
      const LaunchParameters values{of.parameters, of.extra};
      return watcher_.launch_refused(seen, status, {&values, stack, {}});
    }
    if (captures_.is_capturing(seen.launch.stream)) return watcher_.not_launched(seen);
    watcher_.launched(seen, status);
    if (watcher_.follow() == Watcher::Follow::arguments) [[unlikely]]
      keep_arguments(seen, of);
    if (watcher_.follows_order()) follow(seen, of);
  }

 private:
  [[nodiscard]] static LaunchShape shape_of(const HipLaunch& of) noexcept {
    LaunchShape shape;
    const std::uint32_t blocks[] = {of.grid.x, of.grid.y, of.grid.z};
    const std::uint32_t threads[] = {of.block.x, of.block.y, of.block.z};
    for (int axis = 0; axis < 3; ++axis) {
      shape.grid[axis] = blocks[axis];
      shape.block[axis] = threads[axis];
    }
    shape.dynamic_shared = of.bytes;
    shape.cooperative = of.cooperative;
    return shape;
  }
  [[gnu::cold, gnu::noinline]] void keep_arguments(const ObservedLaunch& seen,
                                                   const HipLaunch& of) noexcept {
    if (of.is_graph) return;
    try {
      watcher_.arguments().keep(seen.record.sequence, *seen.launch.kernel,
                                {of.parameters, of.extra});
    } catch (...) {  // out of memory: a fault's report says less
      return;
    }
  }
  /// Passes the launch and the memory that it touches to the OrderWatch.
  void follow(const ObservedLaunch& seen, const HipLaunch& of) noexcept {
    const Kernel& kernel = *seen.launch.kernel;
    OrderWatch& order = watcher_.suspicions().order;
    try {
      const StreamPlace at =
          place_of(of.stream, of.per_thread, seen.launch.device, watcher_.streams());
      if (of.started != nullptr) order.recorded(of.started, at);
      if (of.is_graph) {
        // The memory that its kernels touch is unknown. The launch waits for the graph's previous
        // launch.
        order.submitted({kernel.name_view(), true, 0, "", at}, {}, of.graph);
      } else {
        follow_launch(watcher_.suspicions(), seen.launch, at, {of.parameters, of.extra});
      }
      if (of.stopped != nullptr) order.recorded(of.stopped, at);
    } catch (...) {  // out of memory: no suspicions
      order.give_up();
    }
  }

  Watcher& watcher_;
  Captures& captures_;
};

}  // namespace warpsafe::watch
