// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The kernels that the questions launch. Their names are not mangled, because a module's kernels
// are found by name.
#pragma once

#include "machine.hpp"

#include <cstdint>
#include <string>

extern "C" {

__global__ void plain(float* to, int n) {
  if (threadIdx.x == 0 && n == 12345) *to = 1;
}

__global__ void __launch_bounds__(256) bounded(float* to) {
  if (threadIdx.x == 1000) *to = 1;
}

__global__ void statically(float* to) {
  __shared__ float room[8192];  // 32 KiB
  room[threadIdx.x] = to[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = room[1023 - threadIdx.x];
}

__global__ void dynamically(float* to) {
  extern __shared__ float dynamic_room[];
  dynamic_room[threadIdx.x] = to[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = dynamic_room[1023 - threadIdx.x];
}

__global__ void nothing() {}

}  // extern "C"

__device__ int device_variable = 7;

namespace record {

inline void host_function(float*, int) {}

inline float* memory = nullptr;  // 1 MiB on device 0

template <class Kernel>
const void* address(Kernel* kernel) {
  return reinterpret_cast<const void*>(kernel);
}

struct Arguments {
  int n = 1;
  void* pointers[2] = {&memory, &n};
};

template <class Kernel>
hipError_t launch(Kernel* kernel, dim3 grid, dim3 block, std::size_t shared = 0,
                  hipStream_t stream = nullptr) {
  Arguments arguments;
  return hipLaunchKernel(address(kernel), grid, block, arguments.pointers, shared, stream);
}

template <class Kernel>
hipError_t cooperative(Kernel* kernel, dim3 grid, dim3 block, unsigned shared = 0,
                       hipStream_t stream = nullptr) {
  Arguments arguments;
  return hipLaunchCooperativeKernel(address(kernel), grid, block, arguments.pointers, shared,
                                    stream);
}

/// The file with this program's kernels: the program's own name with ".hsaco".
inline std::string image() {
  char self[4096] = "";
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return "";
  return std::string(self) + ".hsaco";
}

inline hipModule_t module() {
  static hipModule_t made = [] {
    hipModule_t loaded = nullptr;
    if (hipModuleLoad(&loaded, image().c_str()) != hipSuccess)
      std::fprintf(stderr, "no module %s\n", image().c_str());
    return loaded;
  }();
  return made;
}

inline hipFunction_t module_function(const char* name = "plain") {
  hipFunction_t found = nullptr;
  if (hipModuleGetFunction(&found, module(), name) != hipSuccess)
    std::fprintf(stderr, "no kernel %s\n", name);
  return found;
}

inline hipError_t module_launch(hipFunction_t function, dim3 grid, dim3 block, unsigned shared = 0,
                                hipStream_t stream = nullptr) {
  Arguments arguments;
  return hipModuleLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared,
                               stream, arguments.pointers, nullptr);
}

inline hipStream_t stream() {
  hipStream_t made = nullptr;
  if (hipStreamCreate(&made) != hipSuccess) std::abort();
  return made;
}

inline hipStream_t dead_stream() {
  const hipStream_t made = stream();
  static_cast<void>(hipStreamDestroy(made));
  return made;
}

inline hipStream_t invalid_stream() {
  return reinterpret_cast<hipStream_t>(std::uintptr_t{0x1234560});
}

inline hipEvent_t event() {
  hipEvent_t made = nullptr;
  if (hipEventCreate(&made) != hipSuccess) std::abort();
  return made;
}

inline hipEvent_t dead_event() {
  const hipEvent_t made = event();
  static_cast<void>(hipEventDestroy(made));
  return made;
}

/// hipLaunchHostFunc, which release 5.2 declares and does not have.
inline hipError_t host_call(hipStream_t s, void (*function)(void*)) {
  using Call = hipError_t (*)(hipStream_t, void (*)(void*), void*);
  const auto call = find_in_release<Call>("hipLaunchHostFunc");
  if (call != nullptr) return call(s, function, nullptr);
  say("not in this release");
  return hipSuccess;
}

inline hipStream_t on_other_device() {
  static_cast<void>(hipSetDevice(1));
  const hipStream_t made = stream();
  static_cast<void>(hipSetDevice(0));
  return made;
}

}  // namespace record
