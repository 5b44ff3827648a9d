// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// Included first if the tests are compiled as HIP for NVIDIA's platform (tests/gpu/run --hip). HIP
// 5.7's headers for it use names that CUDA 13 has removed, or whose signature it has changed. This
// header defines them again, so that HIP's headers compile unchanged. The library calls none of
// them.

#include <cuda.h>
#include <cuda_runtime.h>

#if CUDART_VERSION >= 13000

/// The members that CUDA 13 removed from cudaDeviceProp. They stay 0; query
/// them with cudaDeviceGetAttribute.
struct DevicePropOfCuda12 : cudaDeviceProp {
  int clockRate, memoryClockRate, computeMode, cooperativeMultiDeviceLaunch,
      kernelExecTimeoutEnabled;
};

inline cudaMemLocation location_of_device(int device) {
  cudaMemLocation location{};
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device;
  return location;
}
inline cudaError_t cudaMemAdvise(const void* memory, std::size_t bytes, cudaMemoryAdvise advice,
                                 int device) {
  return cudaMemAdvise(memory, bytes, advice, location_of_device(device));
}
inline cudaError_t cudaMemPrefetchAsync(const void* memory, std::size_t bytes, int device,
                                        cudaStream_t stream) {
  return cudaMemPrefetchAsync(memory, bytes, location_of_device(device), 0, stream);
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, std::size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                               const cudaGraphNode_t* to, std::size_t count) {
  return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                     std::size_t* count) {
  return cudaGraphGetEdges(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                std::size_t* count) {
  return cudaGraphNodeGetDependencies(node, nodes, nullptr, count);
}
inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                  std::size_t* count) {
  return cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count);
}
inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                       std::size_t count, unsigned flags) {
  return cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
}
inline CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status,
                                          cuuint64_t* id, CUgraph* graph, const CUgraphNode** nodes,
                                          std::size_t* count) {
  return cuStreamGetCaptureInfo(stream, status, id, graph, nodes, nullptr, count);
}
inline CUresult cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device) {
  return cuCtxCreate(context, nullptr, flags, device);
}
/// CUDA 13 has removed launches over several devices, so this returns an error.
inline cudaError_t cudaLaunchCooperativeKernelMultiDevice(void*, unsigned, unsigned) {
  return cudaErrorNotSupported;
}

#define cudaDeviceProp DevicePropOfCuda12
#define cudaDevAttrCooperativeMultiDeviceLaunch cudaDevAttrReserved96
#include <hip/hip_runtime.h>
#undef cudaDeviceProp
#undef cudaDevAttrCooperativeMultiDeviceLaunch

#endif
