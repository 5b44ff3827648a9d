// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Control of the stand-in for the CUDA runtime: a shared library that programs built by nvcc with
// `-cudart shared` load in place of libcudart.so.13, so that they run on a machine without a GPU or
// a driver. Its rules are code, its numbers come from tests/stand_in/cuda/h200.transcript, and a
// test runs tests/record/record_cuda.cu on it and compares every line with that transcript.
//
// It records every call. It performs copies and fills in host memory, runs host functions on
// separate threads, and models streams and events accordingly. It executes no kernel.
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

/// One kernel launch, even a refused one, but not one that an injected failure or a lost context
/// stopped before the runtime checked it. The pointers stay valid until the next reset.
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

/// The attributes of a kernel in the device code. In an override, -1 keeps the present value; in a
/// result it means "not declared".
struct StandInCudaKernelInfo {
  int static_shared_bytes;    ///< bytes per block
  int local_bytes;            ///< bytes per thread
  int constant_bytes;         ///< bytes
  int registers;              ///< per thread
  int max_threads_per_block;  ///< of __launch_bounds__
  int cluster_x;              ///< of __cluster_dims__, 0 for none
  int cluster_y;
  int cluster_z;
  /// The architecture that the code's PTX was made for, which the driver compiled for the device:
  /// 80 for compute_80. 0: the code was compiled for the image's own architecture.
  int ptx_version = 0;
};

/// Forgets every call, launch, injected failure, override and fault. Restores the transcript's
/// devices; every thread gets device 0 and an empty last-error slot. Existing streams, events and
/// allocations stay usable; held streams are released.
void stand_in_cuda_reset(void);

/// @pre count is 0 to 64. Every device is like the transcript's device 0 until changed.
void stand_in_cuda_set_device_count(int count);
/// Changes the value that cudaDeviceGetAttribute returns, the field of cudaDeviceProp that follows
/// from it, and the limits of launches.
void stand_in_cuda_set_attribute(int device, cudaDeviceAttr attribute, int value);
void stand_in_cuda_set_device_name(int device, const char* name);
/// Sets the bytes that cudaMemGetInfo reports. An allocation of more than `free_bytes` is refused.
void stand_in_cuda_set_memory(int device, std::uint64_t free_bytes, std::uint64_t total_bytes);
/// Whether cudaDeviceCanAccessPeer says yes for two devices; yes at first and after a reset. If
/// not, cudaDeviceEnablePeerAccess fails, and cudaMemPoolSetAccess succeeds all the same.
void stand_in_cuda_set_peers(int possible);
/// The versions in CUDA's coding: 13000 is 13.0.
void stand_in_cuda_set_versions(int driver, int runtime);

/// Makes the k-th next call of `function` (1 is the next one) return `code` and do nothing.
/// `function` is the name as in StandInCudaCall. Several failures may be pending for one function.
void stand_in_cuda_fail(const char* function, unsigned k, cudaError_t code);
/// Puts a code into the calling thread's last-error slot.
void stand_in_cuda_plant_last_error(cudaError_t code);
/// The calling thread's last-error slot. The read is not recorded.
cudaError_t stand_in_cuda_last_error(void);
/// Makes every later launch of the kernel fault with `code`: the device's context is lost when the
/// kernel's turn in the stream comes. cudaSuccess undoes this.
void stand_in_cuda_fault_kernel(const char* kernel, cudaError_t code);
/// An error of work in flight on the device. If `sticky`, the context is lost, and every call that
/// needs the context returns the code. Otherwise the next synchronising call returns the code once.
void stand_in_cuda_post_async_error(int device, cudaError_t code, int sticky);

/// Makes later work of the stream wait, as after a kernel that does not end. Queries return
/// cudaErrorNotReady, and a synchronisation waits.
void stand_in_cuda_hold(cudaStream_t stream);
/// Releases a held stream, also a destroyed one. If several had this handle, releases all of them.
void stand_in_cuda_release(cudaStream_t stream);

std::uint64_t stand_in_cuda_call_count(void);
/// @return 0, or -1 if `index` is out of range.
int stand_in_cuda_call(std::uint64_t index, StandInCudaCall* call);
/// How often `function` was called since the reset.
std::uint64_t stand_in_cuda_count(const char* function);
std::uint64_t stand_in_cuda_launch_count(void);
/// @return 0, or -1 if `index` is out of range.
int stand_in_cuda_launch(std::uint64_t index, StandInCudaLaunch* launch);
/// The number of streams, events, allocations, graphs, captures and libraries that still exist.
std::uint64_t stand_in_cuda_live_objects(void);
/// The number of streams and events through which calls search: those that exist, and destroyed
/// streams with work.
std::uint64_t stand_in_cuda_kept_streams(void);

/// Makes a host function launchable without device code, for programs that nvcc did not compile.
/// Arguments are laid out as declared; the declaration is copied.
void stand_in_cuda_declare_kernel(const void* host_function, const char* name,
                                  const StandInCudaArgument* arguments, std::size_t count,
                                  const StandInCudaKernelInfo* info);
/// Overrides the device code's attributes for all kernels of that (mangled) name until the next
/// reset. @return 0, or -1 if there is no such kernel.
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
