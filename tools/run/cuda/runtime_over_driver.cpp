// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Implements the functions of CUDA's runtime that the CUDA backend calls for the watch, over the
// program's driver. The program has a runtime of its own, of any release, or none; the library must
// not bring a second runtime with its own state. The functions are visible only inside this library
// (exports.map). Codes and attributes of runtime and driver have the same numbers (CUDA Runtime
// API, "Data types used by CUDA Runtime"; CUDA Driver API, "CUresult").

#include "driver.hpp"

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include <cstddef>

using warpsafe::watch::call_driver;
using warpsafe::watch::Driver;

namespace {

cudaError_t as_runtime(CUresult status) { return static_cast<cudaError_t>(status); }

/// Error codes that only the runtime has.
const char* own_name(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidSymbol:
      return "cudaErrorInvalidSymbol";
    case cudaErrorInvalidMemcpyDirection:
      return "cudaErrorInvalidMemcpyDirection";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidDeviceFunction:
      return "cudaErrorInvalidDeviceFunction";
    case cudaErrorInsufficientDriver:
      return "cudaErrorInsufficientDriver";
    default:
      return "an error of the CUDA runtime";
  }
}
const char* own_text(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidSymbol:
      return "invalid device symbol";
    case cudaErrorInvalidMemcpyDirection:
      return "invalid copy direction for memcpy";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorInvalidDeviceFunction:
      return "invalid device function";
    case cudaErrorInsufficientDriver:
      return "CUDA driver version is insufficient for CUDA runtime version";
    default:
      return "no text in the driver";
  }
}

static_assert(static_cast<int>(cudaErrorInvalidValue) == CUDA_ERROR_INVALID_VALUE);
static_assert(static_cast<int>(cudaErrorIllegalAddress) == CUDA_ERROR_ILLEGAL_ADDRESS);
static_assert(static_cast<int>(cudaErrorLaunchFailure) == CUDA_ERROR_LAUNCH_FAILED);
static_assert(static_cast<int>(cudaErrorNotReady) == CUDA_ERROR_NOT_READY);
static_assert(static_cast<int>(cudaErrorStreamCaptureIsolation) ==
              CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
static_assert(static_cast<int>(cudaDevAttrMaxThreadsPerBlock) ==
              CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
static_assert(static_cast<int>(cudaDevAttrClusterLaunch) == CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
static_assert(static_cast<int>(cudaDevAttrReservedSharedMemoryPerBlock) ==
              CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
static_assert(static_cast<int>(cudaDevAttrMemoryPoolsSupported) ==
              CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);

}  // namespace

extern "C" {

const char* CUDARTAPI cudaGetErrorName(cudaError_t error) {
  const char* name = nullptr;
  const auto code = static_cast<CUresult>(error);
  return call_driver(&Driver::error_name, code, &name) == CUDA_SUCCESS && name != nullptr
             ? name
             : own_name(error);
}
const char* CUDARTAPI cudaGetErrorString(cudaError_t error) {
  const char* text = nullptr;
  const auto code = static_cast<CUresult>(error);
  return call_driver(&Driver::error_text, code, &text) == CUDA_SUCCESS && text != nullptr
             ? text
             : own_text(error);
}
/// The driver keeps no last error. The runtime's belongs to the program, and the watch does not
/// read it.
cudaError_t CUDARTAPI cudaPeekAtLastError() { return cudaSuccess; }

cudaError_t CUDARTAPI cudaDriverGetVersion(int* version) {
  return as_runtime(call_driver(&Driver::driver_version, version));
}
/// The program's runtime version is unknown; 0 means unknown.
cudaError_t CUDARTAPI cudaRuntimeGetVersion(int* version) {
  *version = 0;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGetDeviceCount(int* count) {
  return as_runtime(call_driver(&Driver::device_count, count));
}
cudaError_t CUDARTAPI cudaGetDevice(int* device) {
  return as_runtime(call_driver(&Driver::context_device, device));
}
cudaError_t CUDARTAPI cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return as_runtime(call_driver(&Driver::device_attribute, value,
                                static_cast<CUdevice_attribute>(attribute), device));
}
cudaError_t CUDARTAPI cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return as_runtime(call_driver(&Driver::memory_info, free_bytes, total_bytes));
}
/// Only the name is filled in.
cudaError_t CUDARTAPI cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  *properties = {};
  return as_runtime(call_driver(&Driver::device_name, properties->name,
                                static_cast<int>(sizeof properties->name), device));
}

cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t stream) {
  return as_runtime(call_driver(&Driver::stream_synchronize, stream));
}
cudaError_t CUDARTAPI cudaStreamQuery(cudaStream_t stream) {
  return as_runtime(call_driver(&Driver::stream_query, stream));
}
cudaError_t CUDARTAPI cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  CUstreamCaptureStatus found = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult answer = call_driver(&Driver::stream_capturing, stream, &found);
  *status = static_cast<cudaStreamCaptureStatus>(found);
  return as_runtime(answer);
}
cudaError_t CUDARTAPI cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  auto native = static_cast<CUstreamCaptureMode>(*mode);
  const CUresult answer = call_driver(&Driver::exchange_capture_mode, &native);
  *mode = static_cast<cudaStreamCaptureMode>(native);
  return as_runtime(answer);
}

#if CUDART_VERSION >= 12050
// The backend then calls the functions above, which are the driver's already.
cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion(const char*, void**, unsigned,
                                                       unsigned long long,
                                                       cudaDriverEntryPointQueryResult*) {
  return cudaErrorNotSupported;
}
#endif

// The backend's tables for the debug tools contain these functions too. Only tools that read a
// launch's data or record events around it call them. The watch does neither, because it adds
// nothing to the program's streams.
cudaError_t CUDARTAPI cudaSetDevice(int) { return cudaErrorNotSupported; }
cudaError_t CUDARTAPI cudaDeviceSynchronize() { return cudaErrorNotSupported; }
cudaError_t CUDARTAPI cudaStreamCreateWithPriority(cudaStream_t*, unsigned, int) {
  return cudaErrorNotSupported;
}
cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t) { return cudaErrorNotSupported; }
cudaError_t CUDARTAPI cudaEventCreateWithFlags(cudaEvent_t*, unsigned) {
  return cudaErrorNotSupported;
}
cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t) { return cudaErrorNotSupported; }
cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaErrorNotSupported; }
cudaError_t CUDARTAPI cudaEventSynchronize(cudaEvent_t) { return cudaErrorNotSupported; }
cudaError_t CUDARTAPI cudaEventQuery(cudaEvent_t) { return cudaErrorNotSupported; }
cudaError_t CUDARTAPI cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t) {
  return cudaErrorNotSupported;
}
cudaError_t CUDARTAPI cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind,
                                      cudaStream_t) {
  return cudaErrorNotSupported;
}
cudaError_t CUDARTAPI cudaPointerGetAttributes(cudaPointerAttributes*, const void*) {
  return cudaErrorNotSupported;
}
cudaError_t CUDARTAPI cudaProfilerStart() { return cudaErrorNotSupported; }
cudaError_t CUDARTAPI cudaProfilerStop() { return cudaErrorNotSupported; }

}  // extern "C"
