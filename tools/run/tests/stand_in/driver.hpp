// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cuda.h>
#include <cupti.h>

/// The receiver of the driver stand-in's callbacks: none, until a CUPTI subscribes.
using StandInTell = void (*)(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
extern StandInTell stand_in_tell;

/// The calls that the driver's stand-in reports.
struct StandInCall {
  CUpti_driver_api_trace_cbid id;
  const char* name;
};
/// The calls that the runtime's stand-in reports.
struct StandInRuntimeCall {
  CUpti_runtime_api_trace_cbid id;
  const char* name;
};
inline constexpr StandInRuntimeCall stand_in_runtime_calls[] = {
    {CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, "cudaMalloc_v3020"},
    {CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020, "cudaFree_v3020"},
    {CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020, "cudaMemcpy_v3020"},
    {CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020, "cudaSetDevice_v3020"},
    {CUPTI_RUNTIME_TRACE_CBID_cudaFuncSetAttribute_v9000, "cudaFuncSetAttribute_v9000"},
    {CUPTI_RUNTIME_TRACE_CBID_cudaPointerGetAttributes_v4000, "cudaPointerGetAttributes_v4000"}};

inline constexpr StandInCall stand_in_calls[] = {
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel"},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, "cuLaunchKernelEx"},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode_v2, "cuGraphAddKernelNode_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags"},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy, "cuGraphExecDestroy"},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphDestroy, "cuGraphDestroy"},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2, "cuGraphExecUpdate_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, "cuGraphLaunch"},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled, "cuGraphNodeSetEnabled"},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWriteValue32_v2, "cuStreamWriteValue32_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, "cuStreamSynchronize"},
    {CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, "cuCtxSynchronize_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamCreate, "cuStreamCreate"},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy_v2, "cuStreamDestroy_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, "cuMemAlloc_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, "cuMemFree_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemGetAddressRange_v2, "cuMemGetAddressRange_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync, "cuMemAllocAsync"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync, "cuMemAllocFromPoolAsync"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync, "cuMemFreeAsync"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2, "cuMemcpyHtoD_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, "cuMemcpyHtoDAsync_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2, "cuMemcpyDtoH_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2, "cuMemcpyDtoHAsync_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemAllocHost_v2, "cuMemAllocHost_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost, "cuMemFreeHost"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async, "cuMemsetD32Async"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemsetD2D8Async, "cuMemsetD2D8Async"},
    {CUPTI_DRIVER_TRACE_CBID_cuEventCreate, "cuEventCreate"},
    {CUPTI_DRIVER_TRACE_CBID_cuEventDestroy_v2, "cuEventDestroy_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuEventRecord, "cuEventRecord"},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent, "cuStreamWaitEvent"},
    {CUPTI_DRIVER_TRACE_CBID_cuEventQuery, "cuEventQuery"},
    {CUPTI_DRIVER_TRACE_CBID_cuEventElapsedTime, "cuEventElapsedTime"},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, "cuStreamBeginCapture_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, "cuStreamEndCapture"},
    {CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction, "cuModuleGetFunction"},
    {CUPTI_DRIVER_TRACE_CBID_cuModuleGetGlobal_v2, "cuModuleGetGlobal_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuModuleUnload, "cuModuleUnload"},
    {CUPTI_DRIVER_TRACE_CBID_cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess"}};
