// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "line.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>

namespace record {

inline void error_table() {
  section("errors");
  for (int code = 0; code < 1100; ++code) {
    const char* name = cudaGetErrorName(static_cast<cudaError_t>(code));
    const char* text = cudaGetErrorString(static_cast<cudaError_t>(code));
    if (std::strcmp(name, "unrecognized error code") == 0 && code != 1099) continue;
    note(cudaSuccess, "cudaGetErrorName(%d) name=%s text=%s", code, name, text);
  }
}

inline void devices() {
  section("devices");
  int value = 0;
  cudaError_t status = cudaGetDeviceCount(&value);
  note(status, "cudaGetDeviceCount() count=%d", value);
  const int count = value;
  status = cudaGetDeviceCount(nullptr);
  note(status, "cudaGetDeviceCount(null)");
  status = cudaRuntimeGetVersion(&value);
  note(status, "cudaRuntimeGetVersion() version=%d", value);
  status = cudaDriverGetVersion(&value);
  note(status, "cudaDriverGetVersion() version=%d", value);
  status = cudaGetDevice(&value);
  note(status, "cudaGetDevice() device=%d", value);
  status = cudaGetDevice(nullptr);
  note(status, "cudaGetDevice(null)");
  status = cudaSetDevice(0);
  note(status, "cudaSetDevice(0)");
  status = cudaSetDevice(-1);
  note(status, "cudaSetDevice(-1)");
  status = cudaSetDevice(count);
  note(status, "cudaSetDevice(count)");
  status = cudaGetDevice(&value);
  note(status, "cudaGetDevice() after refused sets device=%d", value);
  int low = -1;
  int high = -1;
  status = cudaDeviceGetStreamPriorityRange(&low, &high);
  note(status, "cudaDeviceGetStreamPriorityRange() least=%d greatest=%d", low, high);
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  status = cudaMemGetInfo(&free_bytes, &total_bytes);
  note(status, "cudaMemGetInfo() total=%zu free_is_less=%d", total_bytes,
       free_bytes < total_bytes ? 1 : 0);

  section("device attributes");
  for (int attribute = 0; attribute <= 160; ++attribute) {
    value = -12345;
    status = cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(attribute), 0);
    note(status, "cudaDeviceGetAttribute(%d, device 0) value=%d", attribute, value);
  }
  status = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, -1);
  note(status, "cudaDeviceGetAttribute(10, device -1)");
  status = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, count);
  note(status, "cudaDeviceGetAttribute(10, device count)");
  status = cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0);
  note(status, "cudaDeviceGetAttribute(null, 10, device 0)");

  section("device properties");
  cudaDeviceProp p{};
  status = cudaGetDeviceProperties(&p, 0);
  note(status, "cudaGetDeviceProperties(device 0) name=%s", p.name);
  note(status,
       "cudaGetDeviceProperties(device 0) totalGlobalMem=%zu totalConstMem=%zu memPitch=%zu",
       p.totalGlobalMem, p.totalConstMem, p.memPitch);
  note(status,
       "cudaGetDeviceProperties(device 0) major=%d minor=%d warpSize=%d multiProcessorCount=%d",
       p.major, p.minor, p.warpSize, p.multiProcessorCount);
  note(
      status,
      "cudaGetDeviceProperties(device 0) maxThreadsPerBlock=%d maxThreadsDim=%d,%d,%d maxGridSize=%d,%d,%d",
      p.maxThreadsPerBlock, p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2],
      p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
  note(
      status,
      "cudaGetDeviceProperties(device 0) sharedMemPerBlock=%zu optin=%zu perMultiprocessor=%zu reserved=%zu",
      p.sharedMemPerBlock, p.sharedMemPerBlockOptin, p.sharedMemPerMultiprocessor,
      p.reservedSharedMemPerBlock);
  note(
      status,
      "cudaGetDeviceProperties(device 0) regsPerBlock=%d regsPerMultiprocessor=%d maxThreadsPerMultiProcessor=%d maxBlocks=%d",
      p.regsPerBlock, p.regsPerMultiprocessor, p.maxThreadsPerMultiProcessor,
      p.maxBlocksPerMultiProcessor);
  note(
      status,
      "cudaGetDeviceProperties(device 0) cooperativeLaunch=%d clusterLaunch=%d concurrentKernels=%d unifiedAddressing=%d l2=%d",
      p.cooperativeLaunch, p.clusterLaunch, p.concurrentKernels, p.unifiedAddressing,
      p.l2CacheSize);
  note(
      status,
      "cudaGetDeviceProperties(device 0) managedMemory=%d concurrentManagedAccess=%d pageableMemoryAccess=%d memoryPools=%d",
      p.managedMemory, p.concurrentManagedAccess, p.pageableMemoryAccess, p.memoryPoolsSupported);
  status = cudaGetDeviceProperties(&p, count);
  note(status, "cudaGetDeviceProperties(device count)");
  status = cudaGetDeviceProperties(nullptr, 0);
  note(status, "cudaGetDeviceProperties(null)");
}

}  // namespace record
