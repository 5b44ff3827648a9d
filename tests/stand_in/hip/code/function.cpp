// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "function.hpp"

#include <algorithm>
#include <climits>
#include <limits>

namespace stand_in_hip {
namespace {

const CodeKernel* code_in(const CodeObject& object, const std::string& name) {
  for (const CodeKernel& kernel : object.kernels) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

const CodeKernel* code_for(const Kernel& kernel, const Device& device) {
  if (kernel.binary == nullptr) return &kernel.declared;
  const CodeKernel* any = nullptr;
  for (const CodeObject& object : kernel.binary->objects) {
    const CodeKernel* found = code_in(object, kernel.name);
    if (found != nullptr && object.architecture == device.architecture) return found;
    if (any == nullptr) any = found;
  }
  return runtime().require_matching_code ? nullptr : any;
}

void apply(int override_value, int& value) {
  if (override_value >= 0) value = override_value;
}

std::size_t aligned(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

Device& current_device() {
  Runtime& r = runtime();
  return r.devices[static_cast<std::size_t>(r.thread().device)];
}

/// clr hip_module.cpp:206: all LDS that the kernel's own variables leave.
int available_dynamic_shared(const Function& function, int device) {
  const Device& d = runtime().devices[static_cast<std::size_t>(device)];
  return d.attribute(hipDeviceAttributeMaxSharedMemoryPerBlock) - function.info.static_shared_bytes;
}

// Function::getStatFuncAttr, clr hip_global.cpp:167.
void fill(const Function& function, int device, hipFuncAttributes& attributes) {
  const Device& d = runtime().devices[static_cast<std::size_t>(device)];
  const int version = d.attribute(hipDeviceAttributeComputeCapabilityMajor) * 10 +
                      d.attribute(hipDeviceAttributeComputeCapabilityMinor);
  attributes.binaryVersion = rules().has_code_version ? version : 2;
  attributes.ptxVersion = rules().has_code_version ? version : 30;
  attributes.cacheModeCA = 0;
  attributes.constSizeBytes = static_cast<std::size_t>(rules().const_bytes);
  attributes.localSizeBytes = static_cast<std::size_t>(function.info.private_bytes);
  const auto set = function.kernel->max_dynamic_shared.find(device);
  attributes.maxDynamicSharedSizeBytes = set != function.kernel->max_dynamic_shared.end()
                                             ? set->second
                                             : available_dynamic_shared(function, device);
  attributes.maxThreadsPerBlock = function.info.max_threads_per_block;
  attributes.numRegs = function.info.vector_registers;
  attributes.preferredShmemCarveout = 0;
  attributes.sharedSizeBytes = static_cast<std::size_t>(function.info.static_shared_bytes);
}

hipError_t max_active_blocks_of(int* blocks, const Function& function, int block_size,
                                std::size_t dynamic_shared) {
  Occupancy result;
  const hipError_t status =
      occupancy(current_device(), function.info, block_size, dynamic_shared, false, result);
  *blocks = result.blocks_per_multiprocessor;
  return status;
}

// clr hip_platform.cpp:556.
hipError_t max_active_blocks(int* blocks, const void* host_function, int block_size,
                             std::size_t dynamic_shared) {
  if (blocks == nullptr) return hipErrorInvalidValue;
  Function function;
  if (find_function(host_function, runtime().thread().device, function) != hipSuccess) {
    return rules().unknown_occupancy;
  }
  return max_active_blocks_of(blocks, function, block_size, dynamic_shared);
}

}  // namespace

hipError_t find_code(Kernel& kernel, int device, Function& found) {
  Runtime& r = runtime();
  const CodeKernel* code = code_for(kernel, r.devices[static_cast<std::size_t>(device)]);
  if (code == nullptr) return hipErrorInvalidKernelFile;
  found.kernel = &kernel;
  found.arguments = &code->arguments;
  found.info = code->info;
  if (kernel.overridden) {
    apply(kernel.override_info.static_shared_bytes, found.info.static_shared_bytes);
    apply(kernel.override_info.private_bytes, found.info.private_bytes);
    apply(kernel.override_info.vector_registers, found.info.vector_registers);
    apply(kernel.override_info.scalar_registers, found.info.scalar_registers);
    apply(kernel.override_info.max_threads_per_block, found.info.max_threads_per_block);
    apply(kernel.override_info.wavefront_size, found.info.wavefront_size);
  }
  return hipSuccess;
}

hipError_t find_function(const void* host_function, int device, Function& found) {
  Runtime& r = runtime();
  const auto registered = r.kernels.find(host_function);
  if (registered == r.kernels.end()) return hipErrorInvalidSymbol;
  return find_code(registered->second, device, found);
}

hipError_t occupancy(const Device& device, const StandInHipKernelInfo& kernel, int block_size,
                     std::size_t dynamic_shared_bytes, bool potential, Occupancy& result) {
  const int device_limit = device.attribute(hipDeviceAttributeMaxThreadsPerBlock);
  if (!potential) {
    if (block_size <= 0) return hipErrorInvalidValue;
    if (block_size > device_limit) return hipSuccess;  // line 350: zero blocks fit
  } else if (block_size > device_limit || block_size <= 0) {
    block_size = device_limit;
  }
  const auto wavefront = static_cast<std::size_t>(std::max(kernel.wavefront_size, 1));
  const std::size_t max_waves = device.major() <= 9 ? 8 : 16;  // per SIMD, line 367
  auto registers = static_cast<std::size_t>(device.vector_registers_per_simd);
  auto granularity = static_cast<std::size_t>(device.vector_register_granularity);
  if (device.major() >= 10 && wavefront == 64) {  // line 376
    registers /= 2;
    granularity /= 2;
  }
  std::size_t waves = max_waves;
  if (kernel.vector_registers > 0) {
    waves = registers / aligned(static_cast<std::size_t>(kernel.vector_registers), granularity);
  }
  if (waves == 0) return hipErrorUnknown;  // line 389
  if (kernel.scalar_registers > 0 && device.major() < 10) {
    // 800 scalar registers per SIMD, in sixteens: clr rocdevice.cpp:1879, hip_platform.cpp:395.
    waves = std::min(waves, 800 / aligned(static_cast<std::size_t>(kernel.scalar_registers), 16));
  }
  const auto simds = static_cast<std::size_t>(device.simds_per_multiprocessor);
  const int threads = static_cast<int>(simds * std::min(max_waves, waves) * wavefront);
  int by_shared = INT_MAX;
  const std::size_t shared =
      static_cast<std::size_t>(kernel.static_shared_bytes) + dynamic_shared_bytes;
  if (shared != 0) {
    const int available = device.attribute(hipDeviceAttributeMaxSharedMemoryPerBlock);
    by_shared = static_cast<int>(static_cast<std::size_t>(available) / shared);
  }
  const int block = static_cast<int>(aligned(static_cast<std::size_t>(block_size), wavefront));
  result.blocks_per_multiprocessor = std::min(threads / block, by_shared);
  result.best_block_size = std::min(threads, block);
  result.blocks_per_grid = device.attribute(hipDeviceAttributeMultiprocessorCount) *
                           std::min(threads / result.best_block_size, by_shared);
  return hipSuccess;
}

}  // namespace stand_in_hip

using namespace stand_in_hip;

extern "C" {

// clr hip_module.cpp:171 and hip_platform.cpp:922: for an unknown function this returns invalid
// symbol, and a launch returns invalid device function.
hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* host_function) {
  return api("hipFuncGetAttributes", [&](CallNote&) {
    if (attributes == nullptr) return hipErrorInvalidValue;
    if (host_function == nullptr) return rules().null_attributes;
    const int device = runtime().thread().device;
    Function function;
    const hipError_t status = find_function(host_function, device, function);
    if (status != hipSuccess) return status;
    fill(function, device, *attributes);
    return hipSuccess;
  });
}

// clr hip_module.cpp:179. The maximum is stored and reported, and no launch checks it.
hipError_t hipFuncSetAttribute(const void* host_function, hipFuncAttribute attribute, int value) {
  return api("hipFuncSetAttribute", [&](CallNote&) {
    if (!rules().sets_attributes) return hipSuccess;
    if (host_function == nullptr) return hipErrorInvalidDeviceFunction;
    if (attribute < 0 || attribute > hipFuncAttributeMax) return hipErrorInvalidValue;
    const int device = runtime().thread().device;
    Function function;
    if (find_function(host_function, device, function) != hipSuccess) {
      return hipErrorInvalidDeviceFunction;
    }
    if (attribute == hipFuncAttributeMaxDynamicSharedMemorySize) {
      if (value < 0 || value > available_dynamic_shared(function, device)) {
        return hipErrorInvalidValue;
      }
      function.kernel->max_dynamic_shared[device] = value;
    }
    if (attribute == hipFuncAttributePreferredSharedMemoryCarveout && (value < -1 || value > 100)) {
      return hipErrorInvalidValue;
    }
    return hipSuccess;
  });
}

// clr hip_module.cpp:111.
hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attribute, hipFunction_t handle) {
  return api("hipFuncGetAttribute", [&](CallNote&) {
    if (value == nullptr) return hipErrorInvalidValue;
    if (handle == nullptr) return rules().null_function_attribute;
    Kernel* kernel = module_function(handle);
    if (kernel == nullptr) return hipErrorInvalidHandle;
    const int device = runtime().thread().device;
    Function function;
    if (find_code(*kernel, device, function) != hipSuccess) return hipErrorInvalidDeviceFunction;
    hipFuncAttributes all{};
    fill(function, device, all);
    switch (attribute) {
      case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = static_cast<int>(all.sharedSizeBytes);
        return hipSuccess;
      case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = all.maxThreadsPerBlock;
        return hipSuccess;
      case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = rules().const_bytes;
        return hipSuccess;
      case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = static_cast<int>(all.localSizeBytes);
        return hipSuccess;
      case HIP_FUNC_ATTRIBUTE_NUM_REGS:
        *value = all.numRegs;
        return hipSuccess;
      case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = all.ptxVersion;
        return hipSuccess;
      case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = all.binaryVersion;
        return hipSuccess;
      case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = available_dynamic_shared(function, device);  // line 158: not what was set
        return hipSuccess;
      case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = 0;
        return hipSuccess;
      default:
        return hipErrorInvalidValue;
    }
  });
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host_function,
                                                        int block_size,
                                                        std::size_t dynamic_shared) {
  return api("hipOccupancyMaxActiveBlocksPerMultiprocessor", [&](CallNote&) {
    return max_active_blocks(blocks, host_function, block_size, dynamic_shared);
  });
}

// clr hip_platform.cpp:581.
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                 const void* host_function,
                                                                 int block_size,
                                                                 std::size_t dynamic_shared,
                                                                 unsigned flags) {
  return api("hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", [&](CallNote&) {
    if (rules().checks_occupancy_flags && flags > 1 && blocks != nullptr)
      return hipErrorInvalidValue;
    return max_active_blocks(blocks, host_function, block_size, dynamic_shared);
  });
}

// clr hip_platform.cpp:442.
hipError_t hipOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size,
                                             const void* host_function, std::size_t dynamic_shared,
                                             int block_size_limit) {
  return api("hipOccupancyMaxPotentialBlockSize", [&](CallNote&) {
    if (grid_size == nullptr || block_size == nullptr) return hipErrorInvalidValue;
    Function function;
    if (find_function(host_function, runtime().thread().device, function) != hipSuccess) {
      return rules().unknown_occupancy;
    }
    Occupancy result;
    const hipError_t status =
        occupancy(current_device(), function.info, block_size_limit, dynamic_shared, true, result);
    if (status != hipSuccess) return status;
    *block_size = result.best_block_size;
    *grid_size = result.blocks_per_grid;
    return hipSuccess;
  });
}

// clr hip_platform.cpp, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor.
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, hipFunction_t handle,
                                                              int block_size,
                                                              std::size_t dynamic_shared) {
  return api("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", [&](CallNote&) {
    if (blocks == nullptr) return hipErrorInvalidValue;
    Kernel* kernel = module_function(handle);
    if (kernel == nullptr) return runtime().undefined(hipErrorInvalidDeviceFunction);
    Function function;
    const hipError_t found = find_code(*kernel, runtime().thread().device, function);
    return found != hipSuccess ? found
                               : max_active_blocks_of(blocks, function, block_size, dynamic_shared);
  });
}

}  // extern "C"
