// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Implements the functions of HIP's runtime that the HIP backend calls for the watch and that are
// not watched themselves: each calls the program's own function. Otherwise the library would have
// to link libamdhip64, and would load it into every program. The functions are visible only inside
// this library (exports.map).

#include "next.hpp"

#include <cstddef>

extern "C" {

const char* hipGetErrorName(hipError_t error) {
  static constinit warpsafe::watch::NextFunction next("hipGetErrorName");
  void* const found = next.get();
  if (found == nullptr) return "hipErrorUnknown";
  return reinterpret_cast<decltype(&hipGetErrorName)>(found)(error);
}
const char* hipGetErrorString(hipError_t error) {
  static constinit warpsafe::watch::NextFunction next("hipGetErrorString");
  void* const found = next.get();
  if (found == nullptr) return "";
  return reinterpret_cast<decltype(&hipGetErrorString)>(found)(error);
}
hipError_t hipPeekAtLastError() {
  static constinit warpsafe::watch::NextFunction next("hipPeekAtLastError");
  void* const found = next.get();
  return found == nullptr ? hipSuccess : reinterpret_cast<decltype(&hipPeekAtLastError)>(found)();
}
hipError_t hipGetDevice(int* device) { return WARPSAFE_WATCH_NEXT(hipGetDevice, device); }
hipError_t hipSetDevice(int device) { return WARPSAFE_WATCH_NEXT(hipSetDevice, device); }
hipError_t hipGetDeviceCount(int* count) { return WARPSAFE_WATCH_NEXT(hipGetDeviceCount, count); }
hipError_t hipMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return WARPSAFE_WATCH_NEXT(hipMemGetInfo, free_bytes, total_bytes);
}
hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  return WARPSAFE_WATCH_NEXT(hipDeviceGet, device, ordinal);
}
hipError_t hipDeviceGetName(char* name, int size, hipDevice_t device) {
  return WARPSAFE_WATCH_NEXT(hipDeviceGetName, name, size, device);
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  return WARPSAFE_WATCH_NEXT(hipDeviceGetAttribute, value, attribute, device);
}
hipError_t hipDriverGetVersion(int* version) {
  return WARPSAFE_WATCH_NEXT(hipDriverGetVersion, version);
}
hipError_t hipRuntimeGetVersion(int* version) {
  return WARPSAFE_WATCH_NEXT(hipRuntimeGetVersion, version);
}
hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* function) {
  return WARPSAFE_WATCH_NEXT(hipFuncGetAttributes, attributes, function);
}
hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attribute,
                               hipFunction_t function) {
  return WARPSAFE_WATCH_NEXT(hipFuncGetAttribute, value, attribute, function);
}
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                        int threads, std::size_t bytes) {
  return WARPSAFE_WATCH_NEXT(hipOccupancyMaxActiveBlocksPerMultiprocessor, blocks, function,
                             threads, bytes);
}
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) {
  return WARPSAFE_WATCH_NEXT(hipStreamGetFlags, stream, flags);
}
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  return WARPSAFE_WATCH_NEXT(hipStreamIsCapturing, stream, status);
}
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  return WARPSAFE_WATCH_NEXT(hipThreadExchangeStreamCaptureMode, mode);
}
int hipGetStreamDeviceId(hipStream_t stream) {
  static constinit warpsafe::watch::NextFunction next("hipGetStreamDeviceId");
  void* const found = next.get();
  return found == nullptr ? -1 : reinterpret_cast<decltype(&hipGetStreamDeviceId)>(found)(stream);
}
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* memory) {
  return WARPSAFE_WATCH_NEXT(hipPointerGetAttributes, attributes, memory);
}

}  // extern "C"
