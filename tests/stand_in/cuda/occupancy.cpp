// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// How many blocks and clusters of a kernel a device holds.
#include "kernel_on.hpp"

#include <algorithm>

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

// With clusters, a multiprocessor of an H200 holds at most this many blocks, according to its
// transcript.
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

int KernelOn::blocks_per_multiprocessor(std::int64_t threads, std::uint32_t dynamic_bytes) const {
  // The launch bound is ignored, as in the runtime.
  if (threads > device_->attribute(cudaDevAttrMaxThreadsPerBlock)) return 0;
  const std::int64_t warp = device_->attribute(cudaDevAttrWarpSize);
  const std::int64_t warps = (threads + warp - 1) / warp;
  const std::int64_t all_warps = device_->attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / warp;
  std::int64_t blocks = device_->attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
  blocks = std::min(blocks, all_warps / warps);
  blocks = std::min(blocks, warps_that_registers_allow() / warps);
  if (dynamic_bytes > max_dynamic()) return 0;
  const std::int64_t shared =
      round_up(std::int64_t{info().static_shared_bytes} + dynamic_bytes +
                   device_->attribute(cudaDevAttrReservedSharedMemoryPerBlock),
               shared_unit);
  blocks =
      std::min(blocks, device_->attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / shared);
  return static_cast<int>(blocks);
}

int KernelOn::active_clusters(int size, std::int64_t threads, std::uint32_t dynamic_bytes) const {
  const int blocks = std::min(blocks_per_multiprocessor(threads, dynamic_bytes), cluster_blocks);
  int clusters = 0;
  for (const int group : device_->cluster_groups) {
    if (group >= size) clusters += group * blocks / size;
  }
  return clusters;
}

dim3 KernelOn::cluster() const {
  if (info().cluster_x == 0) return settings_->cluster;
  return dim3(static_cast<unsigned>(info().cluster_x), static_cast<unsigned>(info().cluster_y),
              static_cast<unsigned>(info().cluster_z));
}

int KernelOn::max_cluster() const {
  if (device_->attribute(cudaDevAttrClusterLaunch) == 0) return 0;
  return settings_->non_portable ? largest_cluster : portable_cluster;
}

}  // namespace stand_in_cuda

using namespace stand_in_cuda;

namespace {

cudaError_t occupancy(int* blocks, const void* function, int threads, std::size_t dynamic_bytes) {
  if (blocks == nullptr) return cudaErrorInvalidValue;
  Kernel* kernel = nullptr;
  const cudaError_t status = runtime().find_kernel(function, &kernel);
  if (status != cudaSuccess) return status;
  if (threads <= 0) return cudaErrorInvalidValue;
  *blocks = KernelOn(*kernel, runtime().thread().device)
                .blocks_per_multiprocessor(threads, bytes_as_taken(dynamic_bytes));
  return cudaSuccess;
}

}  // namespace

extern "C" {

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
               // The reserved part of each block is not subtracted, as in the runtime.
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
    const dim3 own = kernel.cluster();
    std::int64_t size = std::int64_t{own.x} * own.y * own.z;
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
    *clusters = kernel.active_clusters(static_cast<int>(size), threads,
                                       bytes_as_taken(config->dynamicSmemBytes));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                                 const cudaLaunchConfig_t* config) {
  const std::string dims =
      config == nullptr ? "" : text_of(config->gridDim) + ' ' + text_of(config->blockDim);
  return api("cudaOccupancyMaxPotentialClusterSize", text(function, dims), plain, [&](auto&) {
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
    const std::uint32_t bytes = bytes_as_taken(config->dynamicSmemBytes);
    while (*size > 0 && kernel.active_clusters(*size, threads, bytes) == 0) *size /= 2;
    return cudaSuccess;
  });
}

}  // extern "C"
