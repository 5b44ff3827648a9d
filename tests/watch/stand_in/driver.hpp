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
inline constexpr StandInCall stand_in_calls[] = {
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel"},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, "cuLaunchKernelEx"},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode_v2, "cuGraphAddKernelNode_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags"},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy, "cuGraphExecDestroy"},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, "cuGraphLaunch"},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, "cuStreamSynchronize"},
    {CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, "cuCtxSynchronize_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamCreate, "cuStreamCreate"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, "cuMemAlloc_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, "cuMemFree_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2, "cuMemcpyHtoD_v2"},
    {CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async, "cuMemsetD32Async"},
    {CUPTI_DRIVER_TRACE_CBID_cuEventCreate, "cuEventCreate"},
    {CUPTI_DRIVER_TRACE_CBID_cuEventRecord, "cuEventRecord"},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent, "cuStreamWaitEvent"}};
