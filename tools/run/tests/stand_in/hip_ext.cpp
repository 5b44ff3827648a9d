// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Functions that AMD's libraries of several releases call, implemented with other functions of the
// runtime.

#include "hip/ext_launch.hpp"

#include <hip/hip_runtime_api.h>
#include <pthread.h>

#include <cstddef>
#include <cstdint>

hipError_t hipExtModuleLaunchKernel(hipFunction_t function, std::uint32_t threads_x,
                                    std::uint32_t threads_y, std::uint32_t threads_z,
                                    std::uint32_t block_x, std::uint32_t block_y,
                                    std::uint32_t block_z, std::size_t bytes, hipStream_t stream,
                                    void** parameters, void** extra, hipEvent_t, hipEvent_t,
                                    std::uint32_t) {
  return hipModuleLaunchKernel(function, threads_x / block_x, threads_y / block_y,
                               threads_z / block_z, block_x, block_y, block_z,
                               static_cast<unsigned>(bytes), stream, parameters, extra);
}
hipError_t ext_module_launch_kernel(hipFunction_t function, std::uint32_t threads_x,
                                    std::uint32_t threads_y, std::uint32_t threads_z,
                                    std::uint32_t block_x, std::uint32_t block_y,
                                    std::uint32_t block_z, std::size_t bytes, hipStream_t stream,
                                    void** parameters, void** extra, hipEvent_t started,
                                    hipEvent_t stopped, std::uint32_t flags) {
  return hipExtModuleLaunchKernel(function, threads_x, threads_y, threads_z, block_x, block_y,
                                  block_z, bytes, stream, parameters, extra, started, stopped,
                                  flags);
}
extern "C" {
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void* from, std::size_t bytes,
                              hipStream_t stream) {
  return hipMemcpyAsync(to, from, bytes, hipMemcpyHostToDevice, stream);
}
hipError_t hipMemsetD32Async(hipDeviceptr_t memory, int, std::size_t count, hipStream_t stream) {
  pthread_testcancel();
  return hipMemsetAsync(memory, 0, count * 4, stream);
}
}
