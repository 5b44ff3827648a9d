// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Registration, attributes and occupancy of kernels.
#include "kernels.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace stand_in_cuda {
namespace {

// The allocation units of compute capability 9.0, from the toolkit's cuda_occupancy.h.
constexpr std::int64_t register_unit = 256;  // registers, per warp
constexpr std::int64_t shared_unit = 128;    // bytes, per block
constexpr int partitions = 4;  // of a multiprocessor, each with its share of the registers

// The programming guide, section "Thread Block Clusters": at most 8 blocks are portable. The H200
// takes 16 when the kernel allows more.
constexpr int portable_cluster = 8;
constexpr int largest_cluster = 16;

// Of clusters, a multiprocessor of an H200 holds at most this many blocks: so says its transcript.
constexpr int cluster_blocks = 8;

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

int KernelOn::warps_that_registers_allow() const {
  const std::int64_t warp = device_->attribute(cudaDevAttrWarpSize);
  const std::int64_t per_warp = round_up(std::max(info().registers, 1) * warp, register_unit);
  const std::int64_t per_partition =
      device_->attribute(cudaDevAttrMaxRegistersPerMultiprocessor) / partitions;
  return static_cast<int>(per_partition / per_warp * partitions);
}

int KernelOn::max_threads() const {
  int threads = device_->attribute(cudaDevAttrMaxThreadsPerBlock);
  if (info().max_threads_per_block > 0) threads = std::min(threads, info().max_threads_per_block);
  return std::min(threads, warps_that_registers_allow() * device_->attribute(cudaDevAttrWarpSize));
}

std::int64_t KernelOn::max_dynamic() const {
  if (settings_->max_dynamic >= 0) return settings_->max_dynamic;
  return device_->attribute(cudaDevAttrMaxSharedMemoryPerBlock) - info().static_shared_bytes;
}

std::int64_t KernelOn::max_opt_in() const {
  return device_->attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - info().static_shared_bytes;
}

int KernelOn::blocks_per_multiprocessor(std::int64_t threads, std::size_t dynamic_bytes) const {
  // The launch bound is not looked at: so does the runtime.
  if (threads > device_->attribute(cudaDevAttrMaxThreadsPerBlock)) return 0;
  const std::int64_t warp = device_->attribute(cudaDevAttrWarpSize);
  const std::int64_t warps = (threads + warp - 1) / warp;
  const std::int64_t all_warps = device_->attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / warp;
  std::int64_t blocks = device_->attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
  blocks = std::min(blocks, all_warps / warps);
  blocks = std::min(blocks, warps_that_registers_allow() / warps);
  if (static_cast<std::int64_t>(dynamic_bytes) > max_dynamic()) return 0;
  const std::int64_t shared =
      round_up(info().static_shared_bytes + static_cast<std::int64_t>(dynamic_bytes) +
                   device_->attribute(cudaDevAttrReservedSharedMemoryPerBlock),
               shared_unit);
  blocks =
      std::min(blocks, device_->attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / shared);
  return static_cast<int>(blocks);
}

int KernelOn::active_clusters(int size, std::int64_t threads, std::size_t dynamic_bytes) const {
  const int blocks = std::min(blocks_per_multiprocessor(threads, dynamic_bytes), cluster_blocks);
  int clusters = 0;
  for (const int group : device_->cluster_groups) {
    if (group >= size) clusters += group * blocks / size;
  }
  return clusters;
}

int KernelOn::max_cluster() const {
  return settings_->non_portable ? largest_cluster : portable_cluster;
}

namespace {

Kernel& add_kernel(const std::string& name, const void* host_function, const KernelCode& code) {
  Runtime& r = runtime();
  Kernel& kernel = r.kernels.emplace_back();
  kernel.name = name;
  kernel.host_function = host_function;
  kernel.code = code;
  kernel.original = code;
  if (host_function != nullptr) r.kernels_by_stub[host_function] = &kernel;
  r.kernels_by_stub[&kernel] = &kernel;  // the kernel handle
  return kernel;
}

struct FatBinaryWrapper {
  int magic;
  int version;
  const unsigned char* data;
  void* unused;
};
constexpr int wrapper_magic = 0x466243b1;

struct FatBinary {
  std::map<std::string, KernelCode> kernels;
};

std::map<std::string, KernelCode> kernels_of(const void* code) {
  FatBinaryWrapper wrapper;
  std::memcpy(&wrapper, code, sizeof wrapper.magic);
  if (wrapper.magic != wrapper_magic)
    return kernels_of_image(static_cast<const unsigned char*>(code));
  std::memcpy(&wrapper, code, sizeof wrapper);
  return kernels_of_image(wrapper.data);
}

struct Library {
  std::map<std::string, Kernel*> kernels;
};

cudaError_t occupancy(int* blocks, const void* function, int threads, std::size_t dynamic_bytes) {
  if (blocks == nullptr) return cudaErrorInvalidValue;
  Kernel* kernel = nullptr;
  const cudaError_t status = runtime().find_kernel(function, &kernel);
  if (status != cudaSuccess) return status;
  if (threads <= 0) return cudaErrorInvalidValue;
  *blocks = KernelOn(*kernel, runtime().thread().device)
                .blocks_per_multiprocessor(threads, dynamic_bytes);
  return cudaSuccess;
}

}  // namespace
}  // namespace stand_in_cuda

using namespace stand_in_cuda;

extern "C" {

void** __cudaRegisterFatBinary(void* fat_binary) {
  // Lives as long as the program: libraries are unloaded in an order that is not ours.
  return reinterpret_cast<void**>(new FatBinary{kernels_of(fat_binary)});
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void**) {}

char __cudaInitModule(void**) { return 1; }

void __cudaRegisterFunction(void** fat_binary, const char* host_function, char*, const char* name,
                            int, uint3*, uint3*, dim3*, dim3*, int*) {
  const std::lock_guard lock(runtime().mutex);
  const auto& kernels = reinterpret_cast<FatBinary*>(fat_binary)->kernels;
  const auto found = kernels.find(name);
  add_kernel(name, host_function, found == kernels.end() ? KernelCode{} : found->second);
}

void __cudaRegisterVar(void**, char* host_variable, char*, const char*, int, std::size_t bytes, int,
                       int) {
  const std::lock_guard lock(runtime().mutex);
  runtime().variables[host_variable] = {std::calloc(1, bytes), bytes};
}

void __cudaRegisterManagedVar(void**, void** host_pointer, char*, const char*, int,
                              std::size_t bytes, int, int) {
  *host_pointer = std::calloc(1, bytes);
}

void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  const std::lock_guard lock(runtime().mutex);
  Kernel* found = nullptr;
  const cudaError_t status = runtime().find_kernel(function, &found);
  *kernel = reinterpret_cast<cudaKernel_t>(found);
  return status;
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return api("cudaGetKernel", text(function), plain, [&](auto&) {
    if (kernel == nullptr) return cudaErrorInvalidValue;
    Kernel* found = nullptr;
    if (runtime().find_kernel(function, &found) != cudaSuccess)
      return cudaErrorInvalidDeviceFunction;
    *kernel = reinterpret_cast<cudaKernel_t>(found);
    return cudaSuccess;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* handle, const void* function) {
  return api("cudaGetFuncBySymbol", text(function), plain, [&](auto&) {
    if (handle == nullptr) return cudaErrorInvalidValue;
    Kernel* found = nullptr;
    const cudaError_t status = runtime().find_kernel(function, &found);
    if (status != cudaSuccess) return status;
    *handle = reinterpret_cast<cudaFunction_t>(found);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return api("cudaFuncGetName", text(function), plain, [&](auto&) {
    if (name == nullptr) return cudaErrorInvalidValue;
    Kernel* found = nullptr;
    const cudaError_t status = runtime().find_kernel(function, &found);
    if (status != cudaSuccess) return status;
    *name = found->name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return api("cudaFuncGetAttributes", text(function), plain, [&](auto&) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    Kernel* found = nullptr;
    const cudaError_t status = runtime().find_kernel(function, &found);
    if (status != cudaSuccess) return status;
    const KernelOn kernel(*found, runtime().thread().device);
    *attributes = {};
    attributes->sharedSizeBytes = static_cast<std::size_t>(kernel.info().static_shared_bytes);
    attributes->constSizeBytes = static_cast<std::size_t>(kernel.info().constant_bytes);
    attributes->localSizeBytes = static_cast<std::size_t>(kernel.info().local_bytes);
    attributes->maxThreadsPerBlock = kernel.max_threads();
    attributes->numRegs = kernel.info().registers;
    attributes->ptxVersion = found->code.architecture;
    attributes->binaryVersion = found->code.architecture;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(kernel.max_dynamic());
    attributes->preferredShmemCarveout = kernel.settings().carveout;
    attributes->clusterDimMustBeSet = kernel.info().cluster_x > 0 ? 1 : 0;
    attributes->requiredClusterWidth = kernel.info().cluster_x;
    attributes->requiredClusterHeight = kernel.info().cluster_y;
    attributes->requiredClusterDepth = kernel.info().cluster_z;
    attributes->clusterSchedulingPolicyPreference = kernel.settings().scheduling;
    attributes->nonPortableClusterSizeAllowed = kernel.settings().non_portable ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return api("cudaFuncSetAttribute", text(function, static_cast<int>(attribute), value), plain,
             [&](auto&) {
               Kernel* found = nullptr;
               const cudaError_t status = runtime().find_kernel(function, &found);
               if (status != cudaSuccess) return status;
               const KernelOn kernel(*found, runtime().thread().device);
               switch (static_cast<int>(attribute)) {
                 case cudaFuncAttributeMaxDynamicSharedMemorySize:
                   if (value < 0 || value > kernel.max_opt_in()) return cudaErrorInvalidValue;
                   kernel.settings().max_dynamic = value;
                   return cudaSuccess;
                 case cudaFuncAttributePreferredSharedMemoryCarveout:
                   if (value < -1 || value > 100) return cudaErrorInvalidValue;
                   kernel.settings().carveout = value;
                   return cudaSuccess;
                 case cudaFuncAttributeRequiredClusterWidth:
                   return value == kernel.info().cluster_x ? cudaSuccess : cudaErrorInvalidValue;
                 case cudaFuncAttributeNonPortableClusterSizeAllowed:
                   kernel.settings().non_portable = value != 0;
                   return cudaSuccess;
                 case cudaFuncAttributeClusterSchedulingPolicyPreference:
                   kernel.settings().scheduling = value;
                   return cudaSuccess;
                 default:
                   return cudaErrorInvalidValue;
               }
             });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int threads, std::size_t dynamic_bytes) {
  return api("cudaOccupancyMaxActiveBlocksPerMultiprocessor",
             text(function, threads, dynamic_bytes), plain,
             [&](auto&) { return occupancy(blocks, function, threads, dynamic_bytes); });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int threads, std::size_t dynamic_bytes, unsigned int flags) {
  return api("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
             text(function, threads, dynamic_bytes, flags), plain, [&](auto&) {
               if (flags > cudaOccupancyDisableCachingOverride) return cudaErrorInvalidValue;
               return occupancy(blocks, function, threads, dynamic_bytes);
             });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function,
                                                      int blocks, int threads) {
  return api("cudaOccupancyAvailableDynamicSMemPerBlock", text(function, blocks, threads), plain,
             [&](auto&) {
               if (bytes == nullptr || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
               Kernel* found = nullptr;
               const cudaError_t status = runtime().find_kernel(function, &found);
               if (status != cudaSuccess) return status;
               const KernelOn kernel(*found, runtime().thread().device);
               const Device& device = kernel.device();
               if (blocks > kernel.blocks_per_multiprocessor(threads, 0))
                 return cudaErrorInvalidValue;
               const std::int64_t share =
                   device.attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / blocks /
                   shared_unit * shared_unit;
               // The reserved part of each block is not taken off: so does the runtime.
               const std::int64_t left = share - kernel.info().static_shared_bytes;
               *bytes = static_cast<std::size_t>(std::min(left, kernel.max_dynamic()));
               return cudaSuccess;
             });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
  return api("cudaOccupancyMaxActiveClusters", text(function), plain, [&](auto&) {
    if (clusters == nullptr || config == nullptr) return cudaErrorInvalidValue;
    Kernel* found = nullptr;
    const cudaError_t status = runtime().find_kernel(function, &found);
    if (status != cudaSuccess) return status;
    const KernelOn kernel(*found, runtime().thread().device);
    std::int64_t size = std::int64_t{found->code.info.cluster_x} * found->code.info.cluster_y *
                        found->code.info.cluster_z;
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      if (config->attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
      const auto& asked = config->attrs[i].val.clusterDim;
      size = std::int64_t{asked.x} * asked.y * asked.z;
      if (size == 0) return cudaErrorInvalidClusterSize;
    }
    if (size == 0) {  // no cluster asked for: none is active
      *clusters = 0;
      return cudaSuccess;
    }
    if (size > portable_cluster && !kernel.settings().non_portable)
      return cudaErrorInvalidClusterSize;
    const std::int64_t threads =
        std::int64_t{config->blockDim.x} * config->blockDim.y * config->blockDim.z;
    *clusters = kernel.active_clusters(static_cast<int>(size), threads, config->dynamicSmemBytes);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                                 const cudaLaunchConfig_t* config) {
  return api("cudaOccupancyMaxPotentialClusterSize", text(function), plain, [&](auto&) {
    if (size == nullptr || config == nullptr) return cudaErrorInvalidValue;
    Kernel* found = nullptr;
    const cudaError_t status = runtime().find_kernel(function, &found);
    if (status != cudaSuccess) return status;
    const KernelOn kernel(*found, runtime().thread().device);
    const std::int64_t threads =
        std::int64_t{config->blockDim.x} * config->blockDim.y * config->blockDim.z;
    const std::int64_t blocks =
        std::int64_t{config->gridDim.x} * config->gridDim.y * config->gridDim.z;
    if (threads == 0 || blocks == 0) return cudaErrorInvalidValue;
    *size = kernel.max_cluster();
    while (*size > 0 && kernel.active_clusters(*size, threads, config->dynamicSmemBytes) == 0)
      *size /= 2;
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**,
                                unsigned int, cudaLibraryOption*, void**, unsigned int) {
  return api("cudaLibraryLoadData", text(code), plain, [&](auto&) {
    if (library == nullptr || code == nullptr) return cudaErrorInvalidValue;
    auto* const made = new Library;
    for (const auto& [name, kernel] : kernels_of(code)) {
      made->kernels[name] = &add_kernel(name, nullptr, kernel);
    }
    *library = reinterpret_cast<cudaLibrary_t>(made);
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return api("cudaLibraryUnload", text(library), plain, [&](auto&) {
    if (library == nullptr) return cudaErrorInvalidResourceHandle;
    auto* const gone = reinterpret_cast<Library*>(library);
    for (const auto& [name, kernel] : gone->kernels) runtime().kernels_by_stub.erase(kernel);
    delete gone;
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return api("cudaLibraryGetKernel", text(library, name == nullptr ? "null" : name), plain,
             [&](auto&) {
               if (kernel == nullptr || name == nullptr) return cudaErrorInvalidValue;
               if (library == nullptr) return cudaErrorInvalidResourceHandle;
               const auto& kernels = reinterpret_cast<Library*>(library)->kernels;
               const auto found = kernels.find(name);
               if (found == kernels.end()) return cudaErrorSymbolNotFound;
               *kernel = reinterpret_cast<cudaKernel_t>(found->second);
               return cudaSuccess;
             });
}

cudaError_t cudaLibraryGetKernelCount(unsigned int* count, cudaLibrary_t library) {
  return api("cudaLibraryGetKernelCount", text(library), plain, [&](auto&) {
    if (count == nullptr || library == nullptr) return cudaErrorInvalidValue;
    *count = static_cast<unsigned>(reinterpret_cast<Library*>(library)->kernels.size());
    return cudaSuccess;
  });
}

void stand_in_cuda_declare_kernel(const void* host_function, const char* name,
                                  const StandInCudaArgument* arguments, std::size_t count,
                                  const StandInCudaKernelInfo* info) {
  const std::lock_guard lock(runtime().mutex);
  KernelCode code;
  code.arguments.assign(arguments, arguments + count);
  code.has_arguments = true;
  for (const StandInCudaArgument& each : code.arguments) {
    code.argument_bytes = std::max<std::size_t>(code.argument_bytes, each.offset + each.size);
  }
  const Device& device = runtime().devices.at(0);
  code.architecture = device.attribute(cudaDevAttrComputeCapabilityMajor) * 10 +
                      device.attribute(cudaDevAttrComputeCapabilityMinor);
  if (info != nullptr) code.info = *info;
  add_kernel(name, host_function, code);
}

int stand_in_cuda_override_kernel(const char* name, const StandInCudaKernelInfo* info) {
  const std::lock_guard lock(runtime().mutex);
  int result = -1;
  const auto put = [](int& field, int value) {
    if (value != -1) field = value;
  };
  for (Kernel& kernel : runtime().kernels) {
    if (kernel.name != name) continue;
    StandInCudaKernelInfo& present = kernel.code.info;
    put(present.static_shared_bytes, info->static_shared_bytes);
    put(present.local_bytes, info->local_bytes);
    put(present.constant_bytes, info->constant_bytes);
    put(present.registers, info->registers);
    put(present.max_threads_per_block, info->max_threads_per_block);
    put(present.cluster_x, info->cluster_x);
    put(present.cluster_y, info->cluster_y);
    put(present.cluster_z, info->cluster_z);
    result = 0;
  }
  return result;
}

int stand_in_cuda_kernel_info(const char* name, StandInCudaKernelInfo* info) {
  const std::lock_guard lock(runtime().mutex);
  const Kernel* const kernel = runtime().kernel_named(name);
  if (kernel == nullptr) return -1;
  *info = kernel->code.info;
  return 0;
}

}  // extern "C"
