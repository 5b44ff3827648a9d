// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The functions of HIP's runtime that a launch needs. They do nothing, like those of CUDA in
// tests/release/do_nothing_runtime.cpp.

#include <hip/hip_runtime_api.h>

// Read at run time, so that no compiler knows that launches succeed.
volatile int launch_status = 0;

extern "C" {

hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t) {
  return static_cast<hipError_t>(launch_status);
}
hipError_t hipLaunchCooperativeKernel(const void*, dim3, dim3, void**, unsigned, hipStream_t) {
  return static_cast<hipError_t>(launch_status);
}
hipError_t hipGetDeviceCount(int*) { return hipErrorNoDevice; }
hipError_t hipPeekAtLastError() { return static_cast<hipError_t>(launch_status); }
const char* hipGetErrorName(hipError_t) { return "name"; }
const char* hipGetErrorString(hipError_t) { return "text"; }
hipError_t hipFuncSetAttribute(const void*, hipFuncAttribute, int) { return hipSuccess; }

// Functions that hipcc's own code calls before main and in `<<<>>>`.
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t, hipStream_t) {
  return static_cast<hipError_t>(launch_status);
}
hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*) {
  return static_cast<hipError_t>(launch_status);
}
void** __hipRegisterFatBinary(const void*) { return nullptr; }
void __hipUnregisterFatBinary(void**) {}
void __hipRegisterFunction(void**, const void*, char*, const char*, unsigned, void*, void*, void*,
                           void*, int*) {}
}
