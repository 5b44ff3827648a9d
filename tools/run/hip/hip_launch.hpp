// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/call/call.hpp"

#include <hip/hip_runtime_api.h>

#include <cstddef>

namespace warpsafe::watch {

/// One launch of a kernel or a graph, as the program requests it from HIP.
struct HipLaunch {
  static constexpr Call call = Call::launch;  ///< of a graph too
  const void* function = nullptr;             ///< the kernel's handle
  bool is_graph = false;
  const void* graph = nullptr;  ///< the executable graph
  dim3 grid{};
  dim3 block{};
  std::size_t bytes = 0;  ///< dynamic shared memory
  hipStream_t stream = nullptr;
  bool per_thread = false;  ///< stream 0 means the thread's own default stream
  bool cooperative = false;
  void** parameters = nullptr;   ///< address of each parameter
  void** extra = nullptr;        ///< HIP_LAUNCH_PARAM_BUFFER_POINTER etc.
  hipEvent_t started = nullptr;  ///< event recorded before the launch
  hipEvent_t stopped = nullptr;  ///< event recorded after the launch
};

}  // namespace warpsafe::watch
