// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What CCCL's cuda::launch needs beside tests/release/do_nothing_runtime.cpp, as a libcuda.so.1 of
// its own: it asks the driver for its functions by name.

#include <cuda.h>
#include <cuda_runtime_api.h>

// Read at run time, so that no compiler knows that launches succeed.
static volatile int launch_status = 0;

extern "C" {

// Every function of the driver: takes anything, does nothing.
CUresult cuNothing() { return static_cast<CUresult>(launch_status); }
CUresult cuGetProcAddress_v2(const char*, void** function, int, cuuint64_t,
                             CUdriverProcAddressQueryResult* result) {
  *function = reinterpret_cast<void*>(cuNothing);
  if (result != nullptr) *result = CU_GET_PROC_ADDRESS_SUCCESS;
  return CUDA_SUCCESS;
}
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void*) {
  *function = nullptr;
  return static_cast<cudaError_t>(launch_status);
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
}
