// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The entry points of programs compiled with `--default-stream per-thread`.
#include "runtime.hpp"

using stand_in_cuda::PerThreadDefault;

extern "C" {

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream);

cudaError_t cudaMemcpy_ptds(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const PerThreadDefault null_is_per_thread;
  return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemcpyToSymbol_ptds(const void* symbol, const void* from, std::size_t count,
                                    std::size_t offset, cudaMemcpyKind kind) {
  const PerThreadDefault null_is_per_thread;
  return cudaMemcpyToSymbol(symbol, from, count, offset, kind);
}

cudaError_t cudaMemcpyFromSymbol_ptds(void* to, const void* symbol, std::size_t count,
                                      std::size_t offset, cudaMemcpyKind kind) {
  const PerThreadDefault null_is_per_thread;
  return cudaMemcpyFromSymbol(to, symbol, count, offset, kind);
}

cudaError_t cudaMemcpy2D_ptds(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind) {
  const PerThreadDefault null_is_per_thread;
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemset_ptds(void* to, int value, std::size_t bytes) {
  const PerThreadDefault null_is_per_thread;
  return cudaMemset(to, value, bytes);
}

cudaError_t cudaMemset2D_ptds(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height) {
  const PerThreadDefault null_is_per_thread;
  return cudaMemset2D(to, pitch, value, width, height);
}

cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t handle, cudaStream_t stream) {
  const PerThreadDefault null_is_per_thread;
  return cudaGraphLaunch(handle, stream);
}

cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t handle, cudaStreamCaptureMode mode) {
  const PerThreadDefault null_is_per_thread;
  return cudaStreamBeginCapture(handle, mode);
}

cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t handle, cudaGraph_t* graph) {
  const PerThreadDefault null_is_per_thread;
  return cudaStreamEndCapture(handle, graph);
}

cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                          unsigned long long* id, cudaGraph_t* graph,
                                          const cudaGraphNode_t** dependencies,
                                          const cudaGraphEdgeData** edges, std::size_t* count) {
  const PerThreadDefault null_is_per_thread;
  return cudaStreamGetCaptureInfo(handle, status, id, graph, dependencies, edges, count);
}

cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  const PerThreadDefault null_is_per_thread;
  return cudaStreamIsCapturing(handle, status);
}

cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char* symbol, void** function,
                                                  unsigned int version, unsigned long long flags,
                                                  cudaDriverEntryPointQueryResult* found) {
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(symbol, function, version, flags, found);
  if (*function == reinterpret_cast<void*>(&cudaStreamIsCapturing)) {
    *function = reinterpret_cast<void*>(&cudaStreamIsCapturing_ptsz);
  }
  return status;
}

cudaError_t cudaMemcpyAsync_ptsz(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                 cudaStream_t stream) {
  const PerThreadDefault null_is_per_thread;
  return cudaMemcpyAsync(to, from, bytes, kind, stream);
}

cudaError_t cudaMemcpy2DAsync_ptsz(void* to, std::size_t to_pitch, const void* from,
                                   std::size_t from_pitch, std::size_t width, std::size_t height,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  const PerThreadDefault null_is_per_thread;
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, stream);
}

cudaError_t cudaMemsetAsync_ptsz(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  const PerThreadDefault null_is_per_thread;
  return cudaMemsetAsync(to, value, bytes, stream);
}

cudaError_t cudaMemset2DAsync_ptsz(void* to, std::size_t pitch, int value, std::size_t width,
                                   std::size_t height, cudaStream_t stream) {
  const PerThreadDefault null_is_per_thread;
  return cudaMemset2DAsync(to, pitch, value, width, height, stream);
}

cudaError_t cudaStreamQuery_ptsz(cudaStream_t handle) {
  const PerThreadDefault null_is_per_thread;
  return cudaStreamQuery(handle);
}

cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t handle, int* device) {
  const PerThreadDefault null_is_per_thread;
  return cudaStreamGetDevice(handle, device);
}

cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t handle, unsigned int* flags) {
  const PerThreadDefault null_is_per_thread;
  return cudaStreamGetFlags(handle, flags);
}

cudaError_t cudaStreamGetId_ptsz(cudaStream_t handle, unsigned long long* id) {
  const PerThreadDefault null_is_per_thread;
  return cudaStreamGetId(handle, id);
}

cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t handle, int* priority) {
  const PerThreadDefault null_is_per_thread;
  return cudaStreamGetPriority(handle, priority);
}

cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
  const PerThreadDefault null_is_per_thread;
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream,
                                          unsigned int flags) {
  const PerThreadDefault null_is_per_thread;
  return cudaEventRecordWithFlags(event, stream, flags);
}

cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t handle, unsigned int flags) {
  const PerThreadDefault null_is_per_thread;
  return cudaStreamWaitEvent(stream, handle, flags);
}

cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t handle, cudaStreamCallback_t callback,
                                       void* data, unsigned int flags) {
  const PerThreadDefault null_is_per_thread;
  return cudaStreamAddCallback(handle, callback, data, flags);
}

cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t handle) {
  const PerThreadDefault null_is_per_thread;
  return cudaStreamSynchronize(handle);
}

cudaError_t cudaLaunchKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments,
                                  std::size_t shared, cudaStream_t stream) {
  const PerThreadDefault null_is_per_thread;
  return cudaLaunchKernel(function, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config, const void* function,
                                     void** arguments) {
  const PerThreadDefault null_is_per_thread;
  return cudaLaunchKernelExC(config, function, arguments);
}

cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t handle, cudaHostFn_t function, void* data) {
  const PerThreadDefault null_is_per_thread;
  return cudaLaunchHostFunc(handle, function, data);
}

cudaError_t cudaLaunchCooperativeKernel_ptsz(const void* function, dim3 grid, dim3 block,
                                             void** arguments, std::size_t shared,
                                             cudaStream_t stream) {
  const PerThreadDefault null_is_per_thread;
  return cudaLaunchCooperativeKernel(function, grid, block, arguments, shared, stream);
}

cudaError_t cudaMallocAsync_ptsz(void** pointer, std::size_t bytes, cudaStream_t stream) {
  const PerThreadDefault null_is_per_thread;
  return cudaMallocAsync(pointer, bytes, stream);
}

cudaError_t cudaFreeAsync_ptsz(void* pointer, cudaStream_t stream) {
  const PerThreadDefault null_is_per_thread;
  return cudaFreeAsync(pointer, stream);
}

cudaError_t cudaMallocFromPoolAsync_ptsz(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                         cudaStream_t stream) {
  const PerThreadDefault null_is_per_thread;
  return cudaMallocFromPoolAsync(pointer, bytes, pool, stream);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared, cudaStream_t stream) {
  const PerThreadDefault null_is_per_thread;
  return __cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

}  // extern "C"
