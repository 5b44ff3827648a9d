// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <functional>

// What programs and the stand-in for NCCL need of the stand-in for CUDA's driver: streams, which
// are threads that run one task after the other, and events, with the driver's own names and codes.

extern "C" {
int cuStreamCreate(void** stream, unsigned flags);
int cuStreamDestroy_v2(void* stream);
int cuStreamGetId(void* stream, unsigned long long* number);
int cuStreamSynchronize(void* stream);
int cuStreamIsCapturing(void* stream, int* status);
int cuStreamGetCtx(void* stream, void** context);
int cuStreamBeginCapture_v2(void* stream, int mode);
int cuStreamEndCapture(void* stream, void** graph);
int cuCtxGetCurrent(void** context);
int cuCtxGetId(void* context, unsigned long long* number);
int cuCtxPushCurrent_v2(void* context);
int cuCtxPopCurrent_v2(void** context);
int cuEventCreate(void** event, unsigned flags);
int cuEventRecord(void* event, void* stream);
int cuEventQuery(void* event);
int cuEventElapsedTime(float* milliseconds, void* begin, void* end);
int cuThreadExchangeStreamCaptureMode(int* mode);
int cuModuleLoadData(void** module, const void* image);
int cuModuleGetFunction(void** function, void* module, const char* name);
int cuLaunchKernel(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, void* stream, void** arguments, void** extra);
int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned flags);
int cuMemHostGetDevicePointer_v2(unsigned long long* device, void* memory, unsigned);
int cuMemGetAddressRange_v2(unsigned long long* base, std::size_t* size, unsigned long long);
int cuPointerGetAttribute(void* value, int attribute, unsigned long long address);
int cuCtxGetDevice(int* device);
int cuDeviceGetAttribute(int* value, int attribute, int device);
int cuDriverGetVersion(int* version);
}

/// Appends a task to a stream. A stream that captures counts it, and drops it: cuStreamEndCapture
/// gives the number in place of a graph.
void stand_in_enqueue(void* stream, std::function<void()> task);
/// How many calls of contexts, captures and events there were: of all threads, and of this one.
long stand_in_calls();
long stand_in_calls_of_thread();
/// From now on a query of an event never returns, as behind a call that holds the driver's lock.
void stand_in_block_queries();
/// The driver refuses code from now on, as one without a compiler for PTX does.
void stand_in_refuse_code();
/// The memory from here on, less than a page, is another device's.
void stand_in_give_to_other_device(const void* memory);
/// The context has another number from now on, as one that was made anew.
void stand_in_renew_context();
/// Code is loaded only after the second call: the driver waits for the device.
void stand_in_hold_code(bool holds);
