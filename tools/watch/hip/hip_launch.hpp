// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstddef>

namespace warpsafe::watch {

/// One launch, of a kernel or of a graph, as the program asks HIP for it.
struct HipLaunch {
  const void* function = nullptr;  ///< the kernel's handle
  bool is_graph = false;
  const void* graph = nullptr;  ///< the executable one
  dim3 grid{};
  dim3 block{};
  std::size_t bytes = 0;  ///< of dynamic shared memory
  hipStream_t stream = nullptr;
  bool per_thread = false;  ///< takes stream 0 for the thread's own
  bool cooperative = false;
  void** parameters = nullptr;   ///< where each lies
  void** extra = nullptr;        ///< HIP_LAUNCH_PARAM_BUFFER_POINTER and its kin
  hipEvent_t started = nullptr;  ///< recorded before it
  hipEvent_t stopped = nullptr;  ///< and after it
};

}  // namespace warpsafe::watch
