// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Control of the stand-in for AMD's HIP runtime: a shared library that programs built by hipcc load
// in place of libamdhip64.so, so that they run on a machine without a GPU. It returns
// what the runtime's source returns, records every call, and executes no kernel.
//
// Its rules for the releases 5.2, 5.7 and 6.4 were recorded: the transcripts in hip/ hold what
// AMD's own libraries answered on a machine without a GPU, above a software agent, and tests replay
// them. What a transcript does not ask, and all of release 7, was read in these sources. NOTHING
// HERE WAS RUN ON AMD HARDWARE.
//   clr      ROCm/clr at f9f995c6d0aecec28debd3db0f41df0c15ec003d (between 6.3 and 6.4), hipamd/src
//   clr-5.7  ROCm/clr, branch rocm-5.7.x at 1949b1621, hipamd/src
//   sys-7    ROCm/rocm-systems, projects/clr/hipamd/src, after 7.0: hip_module.cpp at 0249402,
//            hip_platform.cpp at 0136004, hip_internal.hpp at 03f4303, hip_stream.cpp at 02bb78c,
//            hip_error.cpp at 1044212, hip_event.cpp at 06d4c70; and AMD's page "HIP API 7.0
//            changes"
// Each rule that was read names the file and line that it follows. What differs between releases is
// in the table of hip/release.cpp. Where AMD's runtime ends the process or never returns, the
// stand-in writes a line that says so and ends the process with that signal (SIGALRM for a call
// that never returns). Where the source of release 7 leaves the behaviour undefined, it returns a
// code and counts the use (undefined_uses).
//
// All functions here may be called from any thread; reset() must not run while a HIP call does.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

extern "C" {

/// The releases whose behaviour differs. The layout of structs and the values of enumerations are
/// not modelled: they are those of the HIP headers that the stand-in was compiled with.
enum StandInHipRelease {
  STAND_IN_HIP_5_2,  ///< as 5.2.3
  STAND_IN_HIP_5_7,  ///< as 5.7.1
  STAND_IN_HIP_6_4,  ///< as 6.4.3; the default, unless the variable STAND_IN_HIP_RELEASE names one
                     ///< of "5.2", "5.7", "6.4" and "7"
  STAND_IN_HIP_7     ///< as sys-7, not recorded
};

/// One recorded call of a HIP function.
struct StandInHipCall {
  const char* function;    ///< the function's name; lives as long as the library
  std::uint64_t sequence;  ///< 1 for the first call after a reset
  hipError_t result;
  hipStream_t stream;   ///< the stream as passed, null for calls without one
  int device;           ///< the calling thread's current device
  std::uint64_t bytes;  ///< size allocated or copied, 0 for calls without one
};

/// One kernel argument in the parameter block.
struct StandInHipArgument {
  std::uint32_t offset;  ///< bytes from the start of the block
  std::uint32_t size;    ///< bytes
};

/// One kernel launch, refused ones included. The pointers stay valid until the next reset.
struct StandInHipLaunch {
  const char* function;       ///< the HIP function that launched
  const char* kernel;         ///< mangled name as registered; "" if the kernel is unknown
  const void* host_function;  ///< the host-side handle; null for a module's kernel
  std::uint64_t sequence;     ///< of the call in the list of calls
  hipError_t result;
  dim3 grid;   ///< blocks
  dim3 block;  ///< threads
  std::uint64_t dynamic_shared_bytes;
  std::uint64_t static_shared_bytes;  ///< of the kernel's own variables; 0 if it is unknown
  hipStream_t stream;                 ///< as passed
  int device;                         ///< the device that the launch would run on
  int cooperative;                    ///< 1 for cooperative launches
  int captured;                       ///< 1 if it went into a graph under capture and did not run
  int replayed;                       ///< 1 if it ran as a node of a launched graph
  int arguments_known;  ///< 1 if the layout was known, from the code object or a declaration
  const unsigned char* argument_bytes;  ///< the parameter block; padding bytes are zero
  std::uint64_t argument_byte_count;
  const StandInHipArgument* arguments;
  std::uint64_t argument_count;
};

/// The attributes of a kernel in the code object. A field of -1 in an override keeps the present
/// value.
struct StandInHipKernelInfo {
  int static_shared_bytes;    ///< .group_segment_fixed_size
  int private_bytes;          ///< .private_segment_fixed_size, per thread
  int vector_registers;       ///< .vgpr_count
  int scalar_registers;       ///< .sgpr_count
  int max_threads_per_block;  ///< .max_flat_workgroup_size
  int wavefront_size;         ///< .wavefront_size
};

/// Forgets every call, launch, injected failure, override, stream, event and allocation. Models one
/// gfx90a device, the default release and immediate completion; every thread's last error is
/// success again. Registered code objects and declared kernels stay, with their original
/// attributes.
void stand_in_hip_reset(void);

void stand_in_hip_set_release(StandInHipRelease release);
/// Whether AMD's library of that release lacks the function: 1, or 0. A program that needs such a
/// function does not start there; here a call of it ends the process.
int stand_in_hip_lacks(const char* function);

/// @pre count is 0 to 64. New devices are copies of device 0's preset, gfx90a.
void stand_in_hip_set_device_count(int count);
/// @param architecture "gfx90a", "gfx942", "gfx1100", or "gfx000", for which no program has code.
/// @return 0, or -1 for an unknown one.
int stand_in_hip_set_device_preset(int device, const char* architecture);
/// Also changes the corresponding field of hipGetDeviceProperties.
void stand_in_hip_set_attribute(int device, hipDeviceAttribute_t attribute, int value);
/// Whether hipDeviceCanAccessPeer says yes for two devices; yes at first and after a reset.
void stand_in_hip_set_peers(int possible);
/// Lets the end of a broken capture return success and an empty graph, as some releases do; not at
/// first, nor after a reset.
void stand_in_hip_forgive_broken_captures(int forgive);
void stand_in_hip_set_device_name(int device, const char* name);
/// Sets the bytes that hipMemGetInfo reports. The program's allocations lower the free part, and an
/// allocation of more than that is refused. @pre free_bytes is at most total_bytes
void stand_in_hip_set_memory(int device, std::uint64_t free_bytes, std::uint64_t total_bytes);
/// With 1, a kernel without code for its device's architecture fails as on the real runtime. With 0
/// (the default) any code object works, so that one gfx90a build can test every device's limits.
void stand_in_hip_require_matching_code(int required);

/// Makes the k-th next call of the function (1 is the next one) return the code and do nothing.
void stand_in_hip_fail(const char* function, unsigned k, hipError_t code);
/// Plants a code in the calling thread's last-error slot.
void stand_in_hip_plant_last_error(hipError_t code);
/// The calling thread's last-error slot. The read is not recorded, and changes nothing.
hipError_t stand_in_hip_last_error(void);
/// An error of work in flight: the next synchronising call of any thread returns it. In release
/// 7 every later call returns it too; earlier releases forget it (the real ones end the process on
/// a memory fault, clr rocclr/device/rocm/rocdevice.cpp:2981, which a test cannot survive).
void stand_in_hip_post_async_error(hipError_t code);
/// With 1, copies, fills and host functions on streams wait in submission order until a call
/// synchronises, and queries return hipErrorNotReady until then. With 0 (default) they run at once.
void stand_in_hip_set_deferred(int deferred);

std::uint64_t stand_in_hip_call_count(void);
/// @return 0, or -1 if index is out of range.
int stand_in_hip_call(std::uint64_t index, StandInHipCall* call);
/// How often the function was called since the reset.
std::uint64_t stand_in_hip_count(const char* function);
std::uint64_t stand_in_hip_launch_count(void);
/// @return 0, or -1 if index is out of range.
int stand_in_hip_launch(std::uint64_t index, StandInHipLaunch* launch);
/// Calls that release 7's source leaves undefined, such as one on a destroyed stream.
std::uint64_t stand_in_hip_undefined_uses(void);
/// The number of streams, events, allocations, graphs and modules that still exist.
std::uint64_t stand_in_hip_live_objects(void);

/// Makes a host function launchable without a code object: for programs built by a host compiler.
/// Arguments are laid out one after the other at their alignment: a copy of the kernel's
/// parameters.
void stand_in_hip_declare_kernel(const void* host_function, const char* name,
                                 const StandInHipArgument* arguments, std::size_t count,
                                 const StandInHipKernelInfo* info);
/// Overrides a kernel's attributes until the next reset.
/// @return 0, or -1 for an unknown kernel.
int stand_in_hip_override_kernel(const void* host_function, const StandInHipKernelInfo* info);
/// @return 0, or -1 for an unknown kernel.
int stand_in_hip_kernel_info(const void* host_function, StandInHipKernelInfo* info);

}  // extern "C"

namespace stand_in_hip {

/// All launches since the reset.
inline std::vector<StandInHipLaunch> launches() {
  std::vector<StandInHipLaunch> all(stand_in_hip_launch_count());
  for (std::size_t i = 0; i < all.size(); ++i) static_cast<void>(stand_in_hip_launch(i, &all[i]));
  return all;
}

/// All calls since the reset.
inline std::vector<StandInHipCall> calls() {
  std::vector<StandInHipCall> all(stand_in_hip_call_count());
  for (std::size_t i = 0; i < all.size(); ++i) static_cast<void>(stand_in_hip_call(i, &all[i]));
  return all;
}

/// The launch's argument as a value. @pre index is below argument_count and T has its size.
template <class T>
T argument(const StandInHipLaunch& launch, std::size_t index) {
  T value;
  std::memcpy(&value, launch.argument_bytes + launch.arguments[index].offset, sizeof value);
  return value;
}

}  // namespace stand_in_hip
