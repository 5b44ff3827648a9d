// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Replaces libcublas.so: a library whose handle has the legacy default stream, and that launches
// the library's own kernel.

#include <cuda.h>

extern "C" {

int stand_in_scale(CUdeviceptr memory) {
  CUfunction function = nullptr;
  if (cuModuleGetFunction(&function, nullptr, "_ZN4demo4tileIfEEvPT_") != CUDA_SUCCESS) return -1;
  void* values[] = {&memory};
  return cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, values, nullptr);
}
/// Uses memory that the library owns and fills on another stream; the library orders that itself.
int stand_in_own(CUstream stream) {
  CUdeviceptr workspace = 0;
  if (cuMemAlloc(&workspace, 4096) != CUDA_SUCCESS) return -1;
  return cuMemsetD32Async(workspace, 0, 1024, stream) + stand_in_scale(workspace);
}

/// Launches with parameters that cannot be read. The stand-in's driver does not read them either.
int stand_in_garbage() {
  CUfunction function = nullptr;
  if (cuModuleGetFunction(&function, nullptr, "_ZN4demo4axpyEfPKfPfi") != CUDA_SUCCESS) return -1;
  void* values[] = {nullptr, reinterpret_cast<void*>(0x1230), values, values};
  auto** const wild = reinterpret_cast<void**>(0x1230);
  const auto launch = [&](void** each, void** extra) {
    return cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, each, extra);
  };
  return launch(values, nullptr) + launch(wild, nullptr) + launch(nullptr, wild);
}

/// Makes a call that this device refuses, and has another way.
int stand_in_try() {
  cuMemFree(0x1000);
  return 0;
}

/// Launches a kernel of a program's module, as a library launches its own. `early`: with
/// programmatic stream serialization.
int stand_in_dependent(CUfunction function, void** values, CUstream stream, int early) {
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = early;
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 64;
  config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cuLaunchKernelEx(&config, function, values, nullptr);
}

int stand_in_fill(CUdeviceptr memory, CUstream stream) {
  return cuMemsetD32Async(memory, 0, 1024, stream);
}

}  // extern "C"
