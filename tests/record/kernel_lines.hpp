// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The kernels by name, and the lines that several sections write about them.
#pragma once

#include "kernels.hpp"
#include "line.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace record {

struct NamedKernel {
  const char* name;
  const void* function;
};

// Without the `fault_` kernels: only child processes pass these to the runtime.
inline const std::vector<NamedKernel>& kernels() {
  static const std::vector<NamedKernel> all = {
      {"empty", reinterpret_cast<const void*>(&empty)},
      {"bound_256", reinterpret_cast<const void*>(&bound_256)},
      {"bound_1024", reinterpret_cast<const void*>(&bound_1024)},
      {"bound_64_min_8", reinterpret_cast<const void*>(&bound_64_min_8)},
      {"bound_100", reinterpret_cast<const void*>(&bound_100)},
      {"arguments", reinterpret_cast<const void*>(&arguments)},
      {"static_1k", reinterpret_cast<const void*>(&static_1k)},
      {"static_40k", reinterpret_cast<const void*>(&static_40k)},
      {"static_48k", reinterpret_cast<const void*>(&static_48k)},
      {"dynamic", reinterpret_cast<const void*>(&dynamic)},
      {"many_registers", reinterpret_cast<const void*>(&many_registers)},
      {"registers_64", reinterpret_cast<const void*>(&registers_64)},
      {"local_array", reinterpret_cast<const void*>(&local_array)},
      {"constant_user", reinterpret_cast<const void*>(&constant_user)},
      {"cluster_2", reinterpret_cast<const void*>(&cluster_2)},
      {"cluster_2_2", reinterpret_cast<const void*>(&cluster_2_2)},
      {"cluster_16", reinterpret_cast<const void*>(&cluster_16)},
  };
  return all;
}

inline const void* function_of(const char* name) {
  for (const NamedKernel& kernel : kernels()) {
    if (std::strcmp(kernel.name, name) == 0) return kernel.function;
  }
  std::fprintf(stderr, "no kernel '%s' in the table\n", name);
  std::exit(2);
}

inline void not_a_kernel() {}

inline void function_line(const char* name, const void* function) {
  cudaFuncAttributes a{};
  const cudaError_t status = cudaFuncGetAttributes(&a, function);
  note(
      status,
      "cudaFuncGetAttributes(%s) shared=%zu const=%zu local=%zu max_threads=%d registers=%d ptx=%d binary=%d cache_mode_ca=%d "
      "max_dynamic=%d carveout=%d cluster_must=%d cluster=%d,%d,%d scheduling=%d non_portable=%d",
      name, a.sharedSizeBytes, a.constSizeBytes, a.localSizeBytes, a.maxThreadsPerBlock, a.numRegs,
      a.ptxVersion, a.binaryVersion, a.cacheModeCA, a.maxDynamicSharedSizeBytes,
      a.preferredShmemCarveout, a.clusterDimMustBeSet, a.requiredClusterWidth,
      a.requiredClusterHeight, a.requiredClusterDepth, a.clusterSchedulingPolicyPreference,
      a.nonPortableClusterSizeAllowed);
}

inline void set_function(const char* name, int attribute, int value) {
  const cudaError_t status =
      cudaFuncSetAttribute(function_of(name), static_cast<cudaFuncAttribute>(attribute), value);
  note(status, "cudaFuncSetAttribute(%s, attribute %d, %d)", name, attribute, value);
}

inline std::string text_of(dim3 d) {
  return std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z);
}

// Every kernel that is launched with arguments takes at most four, and does nothing when the first
// is null.
struct Arguments {
  void* pointer = nullptr;
  void* zero[3] = {nullptr, nullptr, nullptr};
  void* list[4] = {&pointer, &zero[0], &zero[1], &zero[2]};
};

inline void* device_memory = nullptr;  // for the kernels that write: 120 * 1024 floats

// `dynamic` is launched with less shared memory than it would write, so it gets null and does
// nothing.
inline void* memory_for(const char* name) {
  return std::strcmp(name, "dynamic") == 0 ? nullptr : device_memory;
}

inline void launch_line(const char* name, dim3 grid, dim3 block, std::size_t shared,
                        cudaStream_t stream = nullptr, const char* where = "legacy") {
  Arguments arguments;
  arguments.pointer = memory_for(name);
  const cudaError_t status =
      cudaLaunchKernel(function_of(name), grid, block, arguments.list, shared, stream);
  note(status, "cudaLaunchKernel(%s, grid %s, block %s, shared %zu, stream %s)", name,
       text_of(grid).c_str(), text_of(block).c_str(), shared, where);
  if (status == cudaSuccess) {
    const cudaError_t done = cudaDeviceSynchronize();
    if (done != cudaSuccess) note(done, "cudaDeviceSynchronize()");
  }
}

}  // namespace record
