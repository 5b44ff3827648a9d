// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Functions that other libraries' launches need in addition to
// tests/release/do_nothing_runtime.cpp. They are a separate libcuda.so.1, because CCCL's launch
// looks the driver's functions up by name.

#include <cuda.h>
#include <cuda_runtime_api.h>

// Read at run time, so that no compiler knows that launches succeed.
static volatile int launch_status = 0;

extern "C" {

// Replaces every driver function: accepts any arguments and does nothing.
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
cudaError_t cudaGetLastError() { return static_cast<cudaError_t>(launch_status); }

// For cuda-api-wrappers, whose launch makes its stream's context current.
CUresult cuCtxPushCurrent_v2(CUcontext) { return static_cast<CUresult>(launch_status); }
CUresult cuCtxPopCurrent_v2(CUcontext*) { return static_cast<CUresult>(launch_status); }
// Functions that the rest of its headers can call.
CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "text";
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int*, CUdevice_attribute, CUdevice) { return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return CUDA_SUCCESS; }
CUresult cuFuncGetAttribute(int*, CUfunction_attribute, CUfunction) { return CUDA_SUCCESS; }
CUresult cuLaunchKernelEx(const CUlaunchConfig*, CUfunction, void**, void**) {
  return static_cast<CUresult>(launch_status);
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int*, CUfunction, int, size_t,
                                                              unsigned) {
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int*, int*, CUfunction, CUoccupancyB2DSize,
                                                   size_t, int, unsigned) {
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy_v2(CUstream) { return CUDA_SUCCESS; }

// For alpaka, whose launch makes its queue's device current.
cudaError_t cudaSetDevice(int) { return static_cast<cudaError_t>(launch_status); }
// Functions that create and destroy its devices and queues.
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  properties->multiProcessorCount = 132;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t*, size_t*) { return cudaSuccess; }
cudaError_t cudaDeviceReset() { return cudaSuccess; }
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = reinterpret_cast<cudaStream_t>(64);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
}
