// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Control of the stand-in for the CUDA runtime: a shared library that programs built by nvcc with
// `-cudart shared` load in place of libcudart.so.13, so that they run on a machine without a GPU or
// a driver. Its rules are code, its numbers come from tests/stand_in/cuda/h200.transcript, and a
// test runs tests/record/record_cuda.cu on it and compares every answer with that transcript.
//
// It records every call. Copies and fills are carried out on host memory, host functions run on a
// thread of their own and streams and events follow from that; no kernel is executed.
//
// All functions here may be called from any thread.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

extern "C" {

/// One recorded call: of every function that a program calls by name, and of the launch behind
/// `<<<>>>`. The pointers stay valid until the next reset.
struct StandInCudaCall {
  const char* function;    ///< as the program called it, "cudaLaunchKernel_ptsz" for instance
  const char* arguments;   ///< as text
  std::uint64_t sequence;  ///< 1 for the first call after a reset
  cudaError_t result;      ///< of a call that waits: 0 until it returns
  int device;              ///< the calling thread's current device
};

/// One kernel argument in the parameter block.
struct StandInCudaArgument {
  std::uint32_t offset;  ///< bytes from the start of the block
  std::uint32_t size;    ///< bytes
};

/// One kernel launch, refused ones included; not one that an injected failure or a lost context
/// answered before the runtime looked at it. The pointers stay valid until the next reset.
struct StandInCudaLaunch {
  const char* function;  ///< the runtime function that launched, "cudaGraphLaunch" for a replay
  const char* kernel;    ///< mangled name as registered; "" if the kernel is unknown
  const void* host_function;  ///< the stub that was registered; null for a library's kernel
  std::uint64_t sequence;     ///< of the call in the list of calls
  cudaError_t result;
  dim3 grid;                           ///< blocks
  dim3 block;                          ///< threads
  std::uint64_t dynamic_shared_bytes;  ///< bytes
  cudaStream_t stream;  ///< as passed; cudaStreamPerThread where a `_ptsz` function was passed 0
  int device;           ///< the stream's device
  dim3 cluster;         ///< blocks; all 0 if none was asked for by attribute
  int cooperative;      ///< 1 for cooperative launches
  int priority;         ///< 0 unless asked for by attribute
  int programmatic_serialization;  ///< 1 if asked for by attribute
  int captured;                    ///< 1 if it went into a graph and did not run
  int arguments_known;             ///< 1 if the parameter layout was known and the list not null
  const unsigned char* argument_bytes;  ///< the parameter block; padding bytes are zero
  std::uint64_t argument_byte_count;
  const StandInCudaArgument* arguments;
  std::uint64_t argument_count;
};

/// What the device code says of a kernel. -1 keeps the present value in an override, and means "not
/// declared" in an answer.
struct StandInCudaKernelInfo {
  int static_shared_bytes;    ///< bytes per block
  int local_bytes;            ///< bytes per thread
  int constant_bytes;         ///< bytes
  int registers;              ///< per thread
  int max_threads_per_block;  ///< of __launch_bounds__
  int cluster_x;              ///< of __cluster_dims__, 0 for none
  int cluster_y;
  int cluster_z;
};

/// Forgets every call, launch, injected failure, override and fault; the transcript's devices
/// again, device 0 current on every thread, an empty last-error slot on every thread. Streams,
/// events and allocations of before stay usable; streams that were held are released.
void stand_in_cuda_reset(void);

/// @pre count is 0 to 64. Every device answers as the transcript's device 0 until changed.
void stand_in_cuda_set_device_count(int count);
/// Changes the answer of cudaDeviceGetAttribute, the field of cudaDeviceProp that comes from it,
/// and the limits that launches are held to.
void stand_in_cuda_set_attribute(int device, cudaDeviceAttr attribute, int value);
void stand_in_cuda_set_device_name(int device, const char* name);
/// Total and free memory in bytes, as cudaMemGetInfo tells; an allocation over `free` is refused.
void stand_in_cuda_set_memory(int device, std::uint64_t free_bytes, std::uint64_t total_bytes);
/// The versions in CUDA's coding: 13000 is 13.0.
void stand_in_cuda_set_versions(int driver, int runtime);

/// Makes the k-th next call of `function` (1 is the next one) return `code` and do nothing.
/// `function` is the name as in StandInCudaCall. Several may wait for one function.
void stand_in_cuda_fail(const char* function, unsigned k, cudaError_t code);
/// Puts a code into the calling thread's last-error slot.
void stand_in_cuda_plant_last_error(cudaError_t code);
/// The calling thread's last-error slot, without a record of the look.
cudaError_t stand_in_cuda_last_error(void);
/// Every later launch of the kernel ends in `code`, as a kernel that faults does: when its turn in
/// the stream comes the device's context is lost. cudaSuccess takes it back.
void stand_in_cuda_fault_kernel(const char* kernel, cudaError_t code);
/// An error of work in flight on the device. With `sticky` the context is lost and every call that
/// needs it returns the code; without, the next synchronising call returns it, once.
void stand_in_cuda_post_async_error(int device, cudaError_t code, int sticky);

/// Work that comes into the stream from now on waits, as behind a kernel that does not end; queries
/// return cudaErrorNotReady and a synchronisation waits.
void stand_in_cuda_hold(cudaStream_t stream);
/// Lets a held stream go on.
void stand_in_cuda_release(cudaStream_t stream);

std::uint64_t stand_in_cuda_call_count(void);
/// @return 0, or -1 if `index` is out of range.
int stand_in_cuda_call(std::uint64_t index, StandInCudaCall* call);
/// How often `function` was called since the reset.
std::uint64_t stand_in_cuda_count(const char* function);
std::uint64_t stand_in_cuda_launch_count(void);
/// @return 0, or -1 if `index` is out of range.
int stand_in_cuda_launch(std::uint64_t index, StandInCudaLaunch* launch);
/// Streams, events, allocations, graphs and captures made and not yet given back.
std::uint64_t stand_in_cuda_live_objects(void);

/// Makes a host function launchable without device code: for programs that no nvcc compiled.
/// Arguments are laid out as declared; what is declared is copied.
void stand_in_cuda_declare_kernel(const void* host_function, const char* name,
                                  const StandInCudaArgument* arguments, std::size_t count,
                                  const StandInCudaKernelInfo* info);
/// Changes what the device code is taken to say, for all kernels of that (mangled) name, until the
/// next reset. @return 0, or -1 if there is no such kernel.
int stand_in_cuda_override_kernel(const char* name, const StandInCudaKernelInfo* info);
/// @return 0, or -1 if there is no such kernel.
int stand_in_cuda_kernel_info(const char* name, StandInCudaKernelInfo* info);

}  // extern "C"

namespace stand_in_cuda {

/// All calls since the reset.
inline std::vector<StandInCudaCall> calls() {
  std::vector<StandInCudaCall> all;
  StandInCudaCall call{};
  while (stand_in_cuda_call(all.size(), &call) == 0) all.push_back(call);
  return all;
}

/// All launches since the reset.
inline std::vector<StandInCudaLaunch> launches() {
  std::vector<StandInCudaLaunch> all;
  StandInCudaLaunch launch{};
  while (stand_in_cuda_launch(all.size(), &launch) == 0) all.push_back(launch);
  return all;
}

/// The launch's argument as a value. @pre arguments_known, `index` is below argument_count and T
/// has its size.
template <class T>
T argument(const StandInCudaLaunch& launch, std::size_t index) {
  T value;
  std::memcpy(&value, launch.argument_bytes + launch.arguments[index].offset, sizeof value);
  return value;
}

}  // namespace stand_in_cuda
