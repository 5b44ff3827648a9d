// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Replaces librocblas.so: a library whose handle has the caller's stream, and that launches kernels
// from the library's module, as AMD's libraries do.

#include "hip/ext_launch.hpp"

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace {

hipFunction_t function_of(const char* name) {
  hipModule_t module = nullptr;
  hipFunction_t function = nullptr;
  if (hipModuleLoad(&module, WATCH_MODULE) != hipSuccess) return nullptr;
  // A library may search several modules.
  if (hipModuleGetFunction(&function, module, "of_another_module") == hipSuccess) return nullptr;
  return hipModuleGetFunction(&function, module, name) == hipSuccess ? function : nullptr;
}

}  // namespace

extern "C" {

/// Passes all parameters in one block, to a kernel whose name shows none of them. The library of
/// HIP 6.4 launches by another name.
int stand_in_scale_6(float* memory, hipStream_t stream, bool of_hip_6) {
  static const hipFunction_t function = function_of("tile_scale");
  struct {
    int count;
    float* memory;
  } block{1024, memory};
  std::size_t bytes = sizeof block;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &block, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   HIP_LAUNCH_PARAM_END};
  const auto launch = of_hip_6 ? &ext_module_launch_kernel : &hipExtModuleLaunchKernel;
  return launch(function, 1024, 1, 1, 256, 1, 1, 0, stream, nullptr, extra, nullptr, nullptr, 0);
}
int stand_in_scale(float* memory, hipStream_t stream) {
  return stand_in_scale_6(memory, stream, false);
}
/// Passes the address of each parameter, to a kernel whose name shows them.
int stand_in_dot(float* memory, float* result, hipStream_t stream) {
  static const hipFunction_t function = function_of("_ZN4demo3dotEiPKfPf");
  int count = 1024;
  void* each[] = {&count, &memory, &result};
  return hipModuleLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, stream, each, nullptr);
}
/// Uses memory that the library owns and fills on another stream; the library orders that itself.
int stand_in_own(hipStream_t filling, hipStream_t stream) {
  void* workspace = nullptr;
  if (hipMalloc(&workspace, 4096) != hipSuccess) return -1;
  return hipMemsetAsync(workspace, 0, 4096, filling) +
         stand_in_scale(static_cast<float*>(workspace), stream);
}

}  // extern "C"
