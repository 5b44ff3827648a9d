// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "clusters.hpp"

#include <cuda_runtime.h>

#include <cstddef>

namespace record {

inline void occupancy() {
  section("occupancy");
  for (const char* name :
       {"empty", "bound_256", "bound_64_min_8", "static_1k", "static_40k", "static_48k", "dynamic",
        "many_registers", "registers_64", "local_array"}) {
    for (int block : {0, -1, 1, 32, 33, 64, 96, 128, 192, 256, 257, 384, 512, 768, 1024, 1025}) {
      int blocks = -1;
      const cudaError_t status =
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_of(name), block, 0);
      note(status,
           "cudaOccupancyMaxActiveBlocksPerMultiprocessor(%s, block %d, shared 0) blocks=%d", name,
           block, blocks);
    }
    for (std::size_t bytes :
         {std::size_t{1}, std::size_t{128}, std::size_t{129}, std::size_t{1024}, std::size_t{6000},
          std::size_t{16384}, std::size_t{30000}, std::size_t{49152}, std::size_t{49153},
          std::size_t{100000}, std::size_t{115712}, std::size_t{115713}, std::size_t{232448},
          std::size_t{232449}, std::size_t{1000000}, std::size_t{4294967296},
          std::size_t{4294967297}}) {
      int blocks = -1;
      const cudaError_t status =
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_of(name), 64, bytes);
      note(status,
           "cudaOccupancyMaxActiveBlocksPerMultiprocessor(%s, block 64, shared %zu) blocks=%d",
           name, bytes, blocks);
    }
  }
  int blocks = -1;
  cudaError_t status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, reinterpret_cast<const void*>(&not_a_kernel), 64, 0);
  note(status, "cudaOccupancyMaxActiveBlocksPerMultiprocessor(host function)");
  status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      nullptr, reinterpret_cast<const void*>(&empty), 64, 0);
  note(status, "cudaOccupancyMaxActiveBlocksPerMultiprocessor(null, empty)");
  for (unsigned flags : {0U, 1U, 2U}) {
    blocks = -1;
    status = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, reinterpret_cast<const void*>(&empty), 128, 0, flags);
    note(
        status,
        "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(empty, block 128, shared 0, flags %u) blocks=%d",
        flags, blocks);
  }

  section("cluster occupancy");
  for (int allowed : {0, 1}) {
    set_function("empty", 14, allowed);
    set_function("dynamic", 14, allowed);
    set_function("dynamic", 8, 232448);
    for (unsigned cluster :
         {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 10U, 12U, 14U, 16U, 17U, 18U}) {
      cudaLaunchAttribute attribute = cluster_attribute(cluster, 1, 1);
      cudaLaunchConfig_t config{};
      config.gridDim = cluster * 2;
      config.attrs = &attribute;
      config.numAttrs = 1;
      struct Shape {
        const char* name;
        unsigned block;
        std::size_t shared;
      };
      for (const Shape& shape : {Shape{"empty", 1024, 0}, Shape{"empty", 32, 0},
                                 Shape{"dynamic", 128, 200000}, Shape{"dynamic", 128, 100000}}) {
        config.blockDim = shape.block;
        config.dynamicSmemBytes = shape.shared;
        int count = -1;
        status = cudaOccupancyMaxActiveClusters(&count, function_of(shape.name), &config);
        note(
            status,
            "cudaOccupancyMaxActiveClusters(%s, block %u, shared %zu, cluster %u, non_portable %d) clusters=%d",
            shape.name, shape.block, shape.shared, cluster, allowed, count);
      }
    }
    struct Potential {
      const char* name;
      unsigned grid;
      unsigned block;
      std::size_t shared;
    };
    for (const Potential& p :
         {Potential{"empty", 64, 32, 0}, Potential{"empty", 64, 1024, 0},
          Potential{"empty", 2, 32, 0}, Potential{"empty", 0, 32, 0}, Potential{"empty", 64, 0, 0},
          Potential{"empty", 64, 2048, 0}, Potential{"dynamic", 64, 32, 200000},
          Potential{"dynamic", 64, 32, 300000}}) {
      cudaLaunchConfig_t config{};
      config.gridDim = p.grid;
      config.blockDim = p.block;
      config.dynamicSmemBytes = p.shared;
      int size = -1;
      status = cudaOccupancyMaxPotentialClusterSize(&size, function_of(p.name), &config);
      note(
          status,
          "cudaOccupancyMaxPotentialClusterSize(%s, grid %u, block %u, shared %zu, non_portable %d) size=%d",
          p.name, p.grid, p.block, p.shared, allowed, size);
    }
  }
  set_function("empty", 14, 0);
  set_function("dynamic", 14, 0);
  set_function("dynamic", 8, 49152);
  cudaLaunchConfig_t config{};
  config.gridDim = 64;
  config.blockDim = 64;
  int count = -1;
  for (const char* name : {"cluster_2", "empty"}) {
    status = cudaOccupancyMaxActiveClusters(&count, function_of(name), &config);
    note(status, "cudaOccupancyMaxActiveClusters(%s, block 64, no attribute) clusters=%d", name,
         count);
  }
}

}  // namespace record
