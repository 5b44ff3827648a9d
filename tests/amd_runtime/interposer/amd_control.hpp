// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Control of the interposer: a shared library between a test program and AMD's own libamdhip64,
// which runs on the software agent. It records each call, and can make one fail or answer for it.
//
// All functions here may be called from any thread; reset() must not run while a HIP call does.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

extern "C" {

/// One recorded call of a HIP function.
struct AmdCall {
  const char* function;    ///< the function's name; lives as long as the library
  std::uint64_t sequence;  ///< 1 for the first call after a reset
  hipError_t result;
  hipStream_t stream;   ///< the stream as passed, null for calls without one
  int device;           ///< the calling thread's current device
  std::uint64_t bytes;  ///< size allocated or copied, 0 for calls without one
};

/// One kernel argument in the parameter block.
struct AmdArgument {
  std::uint32_t offset;  ///< bytes from the start of the block
  std::uint32_t size;    ///< bytes
};

/// One kernel launch, refused ones included. The pointers stay valid until the next reset.
struct AmdLaunch {
  const char* function;       ///< the HIP function that launched
  const char* kernel;         ///< mangled name as registered; "" if the kernel is unknown
  const void* host_function;  ///< the host-side handle; null for a module's kernel
  std::uint64_t sequence;     ///< of the call in the list of calls
  hipError_t result;
  dim3 grid;   ///< blocks
  dim3 block;  ///< threads
  std::uint64_t dynamic_shared_bytes;
  hipStream_t stream;                   ///< as passed
  int device;                           ///< the device that the launch would run on
  int cooperative;                      ///< 1 for cooperative launches
  int captured;                         ///< 1 if it went into a graph under capture and did not run
  int arguments_known;                  ///< 1 if the layout was known from the code object
  const unsigned char* argument_bytes;  ///< the parameter block; padding bytes are zero
  std::uint64_t argument_byte_count;
  const AmdArgument* arguments;
  std::uint64_t argument_count;
};

/// The attributes of a kernel in the code object. A field of -1 in an override keeps the present
/// value.
struct AmdKernelInfo {
  int static_shared_bytes;    ///< .group_segment_fixed_size
  int private_bytes;          ///< .private_segment_fixed_size, per thread
  int vector_registers;       ///< .vgpr_count
  int scalar_registers;       ///< .sgpr_count
  int max_threads_per_block;  ///< .max_flat_workgroup_size
  int wavefront_size;         ///< .wavefront_size
};

/// Forgets every call, launch, injected failure and override, ends the captures that are left,
/// makes device 0 current, and shows one device. Every thread's last error is success again. The
/// runtime's own objects stay.
void amd_control_reset(void);

/// How many of the agent's devices the program sees, 0 included; at most as many as there are.
void amd_control_set_device_count(int count);
void amd_control_set_attribute(int device, hipDeviceAttribute_t attribute, int value);
/// Whether hipDeviceCanAccessPeer says yes for two devices; yes at first and after a reset.
void amd_control_set_peers(int possible);
/// With 0, the program has no code for the device: what asks for a kernel fails there, as in
/// release 6.4. Earlier releases end the process.
void amd_control_set_code(int device, int available);
/// Lets the end of a broken capture return success and an empty graph, as some releases do; not at
/// first, nor after a reset.
void amd_control_forgive_broken_captures(int forgive);
/// With 1, a success leaves the last-error slot alone, as in release 7. Earlier releases overwrite
/// it at each call. So does a question about an attribute or an address that an earlier release
/// does not know.
void amd_control_keep_last_error(int keep);

/// Makes the k-th next call of the function (1 is the next one) return the code and do nothing.
void amd_control_fail(const char* function, unsigned k, hipError_t code);
/// Plants a code in the calling thread's last-error slot.
void amd_control_plant_last_error(hipError_t code);
/// The calling thread's last-error slot. The read is not recorded, and changes nothing.
hipError_t amd_control_last_error(void);
/// An error of work in flight: the next synchronising call of any thread returns it. (The runtime
/// itself ends the process on a memory fault, which a test cannot survive.)
void amd_control_post_async_error(hipError_t code);
/// With 1, the devices' queues and copies wait until a call synchronises, and queries return
/// hipErrorNotReady until then. With 0 (default) they run at once.
void amd_control_set_deferred(int deferred);

std::uint64_t amd_control_call_count(void);
/// @return 0, or -1 if index is out of range.
int amd_control_call(std::uint64_t index, AmdCall* call);
/// How often the function was called since the reset.
std::uint64_t amd_control_count(const char* function);
std::uint64_t amd_control_launch_count(void);
/// @return 0, or -1 if index is out of range.
int amd_control_launch(std::uint64_t index, AmdLaunch* launch);
/// The number of streams, events, allocations, graphs and modules that the program has made and not
/// released.
std::uint64_t amd_control_live_objects(void);
/// Whether the calling thread is in a call of the runtime.
int amd_control_is_inside(void);
/// How many kernels of the program the device's queues have taken, the nodes of graphs included.
/// @pre the process has fewer than 65536
std::uint64_t amd_control_dispatches(int device);

/// Overrides a kernel's attributes until the next reset.
/// @return 0, or -1 for an unknown kernel.
int amd_control_override_kernel(const void* host_function, const AmdKernelInfo* info);

}  // extern "C"

namespace amd_control {

/// All launches since the reset.
inline std::vector<AmdLaunch> launches() {
  std::vector<AmdLaunch> all(amd_control_launch_count());
  for (std::size_t i = 0; i < all.size(); ++i) static_cast<void>(amd_control_launch(i, &all[i]));
  return all;
}

/// All calls since the reset.
inline std::vector<AmdCall> calls() {
  std::vector<AmdCall> all(amd_control_call_count());
  for (std::size_t i = 0; i < all.size(); ++i) static_cast<void>(amd_control_call(i, &all[i]));
  return all;
}

/// The launch's argument as a value. @pre index is below argument_count and T has its size.
template <class T>
T argument(const AmdLaunch& launch, std::size_t index) {
  T value;
  std::memcpy(&value, launch.argument_bytes + launch.arguments[index].offset, sizeof value);
  return value;
}

}  // namespace amd_control
