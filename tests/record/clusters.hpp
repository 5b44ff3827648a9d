// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Launches with attributes, clusters first.
#pragma once

#include "kernel_lines.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

namespace record {

inline cudaLaunchAttribute cluster_attribute(unsigned x, unsigned y, unsigned z) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = x;
  attribute.val.clusterDim.y = y;
  attribute.val.clusterDim.z = z;
  return attribute;
}

inline cudaLaunchAttribute plain_attribute(cudaLaunchAttributeID id, int value) {
  cudaLaunchAttribute attribute{};
  attribute.id = id;
  attribute.val.cooperative = value;  // the int members of the union begin at the same byte
  return attribute;
}

inline void ex_line(const char* name, dim3 grid, dim3 block, std::size_t shared,
                    std::vector<cudaLaunchAttribute> attributes, const char* words) {
  Arguments arguments;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  const cudaError_t status = cudaLaunchKernelExC(&config, function_of(name), arguments.list);
  note(status, "cudaLaunchKernelExC(%s, grid %s, block %s, shared %zu, %s)", name,
       text_of(grid).c_str(), text_of(block).c_str(), shared, words);
  if (status == cudaSuccess) {
    const cudaError_t done = cudaDeviceSynchronize();
    if (done != cudaSuccess) note(done, "cudaDeviceSynchronize()");
  }
}

inline void cluster_line(const char* name, dim3 grid, dim3 block, std::size_t shared,
                         dim3 cluster) {
  ex_line(name, grid, block, shared, {cluster_attribute(cluster.x, cluster.y, cluster.z)},
          ("cluster " + text_of(cluster)).c_str());
}

inline void clusters() {
  section("cluster launches");
  launch_line("cluster_2", 2, 32, 0);
  launch_line("cluster_2", 3, 32, 0);
  launch_line("cluster_2", 0, 32, 0);
  launch_line("cluster_2", 2, 2048, 0);
  launch_line("cluster_2_2", dim3(2, 2), 32, 0);
  launch_line("cluster_2_2", dim3(2, 3), 32, 0);
  launch_line("cluster_16", 16, 32, 0);
  cluster_line("empty", 4, 32, 0, dim3(1));
  cluster_line("empty", 4, 32, 0, dim3(2));
  cluster_line("empty", 3, 32, 0, dim3(2));
  cluster_line("empty", 6, 32, 0, dim3(3));
  cluster_line("empty", 8, 32, 0, dim3(8));
  cluster_line("empty", 9, 32, 0, dim3(9));
  cluster_line("empty", 16, 32, 0, dim3(16));
  cluster_line("empty", 32, 32, 0, dim3(32));
  cluster_line("empty", dim3(4, 4), 32, 0, dim3(2, 4));
  cluster_line("empty", dim3(4, 4), 32, 0, dim3(4, 4));
  cluster_line("empty", dim3(4, 3), 32, 0, dim3(2, 2));
  cluster_line("empty", dim3(4, 4, 3), 32, 0, dim3(2, 2, 2));
  cluster_line("empty", 4, 32, 0, dim3(0, 0, 0));
  cluster_line("empty", 4, 32, 0, dim3(0, 1, 1));
  cluster_line("empty", 4, 32, 0, dim3(2, 0, 1));
  cluster_line("empty", 0, 32, 0, dim3(2));
  cluster_line("empty", 4, 2048, 0, dim3(2));
  cluster_line("empty", 4, 1024, 0, dim3(2));
  cluster_line("bound_256", 4, 512, 0, dim3(2));
  cluster_line("dynamic", 4, 32, 49153, dim3(2));
  cluster_line("cluster_2", 4, 32, 0, dim3(2));
  cluster_line("cluster_2", 4, 32, 0, dim3(4));
  set_function("empty", 14, 1);
  set_function("cluster_16", 14, 1);
  function_line("cluster_16", reinterpret_cast<const void*>(&cluster_16));
  launch_line("cluster_16", 16, 32, 0);
  launch_line("cluster_16", 8, 32, 0);
  launch_line("cluster_16", 17, 32, 0);
  cluster_line("empty", 9, 32, 0, dim3(9));
  cluster_line("empty", 16, 32, 0, dim3(16));
  cluster_line("empty", 16, 1024, 0, dim3(16));
  cluster_line("empty", 17, 32, 0, dim3(17));
  cluster_line("empty", 32, 32, 0, dim3(32));
  set_function("empty", 14, 0);
  cluster_line("empty", 16, 32, 0, dim3(16));

  set_function("bound_1024", 10, 1);
  function_line("bound_1024", reinterpret_cast<const void*>(&bound_1024));
  launch_line("bound_1024", 2, 32, 0);
  cluster_line("bound_1024", 2, 32, 0, dim3(2));
  set_function("bound_1024", 10, 0);

  section("launch attributes");
  ex_line("empty", 1, 32, 0, {}, "no attribute");
  ex_line("empty", 0, 32, 0, {}, "no attribute");
  ex_line("empty", 1, 2048, 0, {}, "no attribute");
  ex_line("bound_256", 1, 512, 0, {}, "no attribute");
  ex_line("dynamic", 1, 32, 49153, {}, "no attribute");
  ex_line("empty", 264, 1024, 0, {plain_attribute(cudaLaunchAttributeCooperative, 1)},
          "cooperative 1");
  ex_line("empty", 265, 1024, 0, {plain_attribute(cudaLaunchAttributeCooperative, 1)},
          "cooperative 1");
  ex_line("empty", 265, 1024, 0, {plain_attribute(cudaLaunchAttributeCooperative, 0)},
          "cooperative 0");
  ex_line("empty", 0, 1024, 0, {plain_attribute(cudaLaunchAttributeCooperative, 1)},
          "cooperative 1");
  ex_line("empty", 4, 32, 0,
          {plain_attribute(cudaLaunchAttributeCooperative, 1), cluster_attribute(2, 1, 1)},
          "cooperative 1, cluster 2,1,1");
  ex_line("empty", 3, 32, 0,
          {plain_attribute(cudaLaunchAttributeCooperative, 1), cluster_attribute(2, 1, 1)},
          "cooperative 1, cluster 2,1,1");
  ex_line("empty", 4, 32, 0, {cluster_attribute(2, 1, 1), cluster_attribute(4, 1, 1)},
          "cluster 2,1,1, cluster 4,1,1");
  for (int priority : {0, -1, -5, -6, 1, -100}) {
    ex_line("empty", 1, 32, 0, {plain_attribute(cudaLaunchAttributePriority, priority)},
            ("priority " + std::to_string(priority)).c_str());
  }
  for (int value : {0, 1, 2}) {
    ex_line("empty", 1, 32, 0,
            {plain_attribute(cudaLaunchAttributeProgrammaticStreamSerialization, value)},
            ("programmatic serialization " + std::to_string(value)).c_str());
  }
  ex_line("empty", 1, 32, 0, {plain_attribute(cudaLaunchAttributeIgnore, 0)}, "ignore");
  ex_line("empty", 1, 32, 0, {plain_attribute(unlisted<cudaLaunchAttributeID>(99), 1)},
          "attribute 99");
  ex_line("empty", 1, 32, 0, {plain_attribute(cudaLaunchAttributeMemSyncDomain, 1)},
          "memory domain 1");
  ex_line("empty", 1, 32, 0,
          {plain_attribute(cudaLaunchAttributePreferredSharedMemoryCarveout, 50)}, "carveout 50");
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 1;
  const cudaError_t status =
      cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(&not_a_kernel), nullptr);
  note(status, "cudaLaunchKernelExC(host function)");
}

inline void null_attributes() {
  section("launch with null attributes");
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 1;
  config.numAttrs = 1;
  const cudaError_t status =
      cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(&empty), nullptr);
  note(status, "cudaLaunchKernelExC(empty, 1 attribute at null)");
}

}  // namespace record
