// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Agents and what they answer about themselves. The runtime drops a GPU without a word if the GPU
// does not have exactly one ISA, fine and coarse pools, a group segment and HDP registers;
// AMD_LOG_LEVEL=4 tells which query failed.
#include "agents.hpp"

#include "answer.hpp"
#include "memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>

namespace soft_hsa {
namespace {

std::deque<Agent>* make_agents() {
  auto* const made = new std::deque<Agent>;
  const auto host_bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page_bytes;
  Agent& cpu = made->emplace_back();
  cpu.index = -1;
  cpu.gpu = nullptr;
  for (const unsigned flags : {unsigned{HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED},
                               unsigned{HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED} |
                                   unsigned{HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT},
                               unsigned{HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED}}) {
    cpu.pools.push_back({&cpu, HSA_AMD_SEGMENT_GLOBAL, flags, host_bytes});
  }
  int index = 0;
  for (const Gpu& its : settings().gpus) {
    Agent& gpu = made->emplace_back();
    gpu.index = index++;
    gpu.gpu = &its;
    for (const unsigned flags : {unsigned{HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED},
                                 unsigned{HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED}}) {
      gpu.pools.push_back({&gpu, HSA_AMD_SEGMENT_GLOBAL, flags, its.memory_bytes});
    }
    gpu.pools.push_back({&gpu, HSA_AMD_SEGMENT_GROUP, 0, its.model->group_bytes});
  }
  return made;
}

std::string isa_name(const Agent& agent) {
  return agent.gpu == nullptr ? "" : "amdgcn-amd-amdhsa--" + agent.gpu->target;
}

/// What the CPU and a GPU answer alike.
hsa_status_t common_info(const Agent& agent, unsigned attribute, void* value) {
  const bool gpu = agent.gpu != nullptr;
  switch (attribute) {
    case HSA_AGENT_INFO_NAME:
      return give_text(value,
                       gpu ? agent.gpu->target.substr(0, agent.gpu->target.find(':')) : "CPU", 64);
    case HSA_AGENT_INFO_VENDOR_NAME:
      return give_text(value, gpu ? "AMD" : "CPU", 64);
    case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
      return give_text(value, gpu ? agent.gpu->model->product : "CPU", 64);
    case HSA_AMD_AGENT_INFO_UUID: {
      char text[24];
      std::snprintf(text, sizeof text, "%s-%016x", gpu ? "GPU" : "CPU",
                    0x50f7a000U + static_cast<unsigned>(agent.index + 1));
      return give_text(value, text, 21);
    }
    case HSA_AGENT_INFO_FEATURE:
      return give<std::uint32_t>(value, gpu ? HSA_AGENT_FEATURE_KERNEL_DISPATCH : 0);
    case HSA_AGENT_INFO_PROFILE:
      return give<std::uint32_t>(value, gpu ? HSA_PROFILE_BASE : HSA_PROFILE_FULL);
    case HSA_AGENT_INFO_DEVICE:
      return give<std::uint32_t>(value, gpu ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU);
    case HSA_AGENT_INFO_NODE:
    case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID:
      return give<std::uint32_t>(value, static_cast<std::uint32_t>(agent.index + 1));
    case HSA_AGENT_INFO_EXTENSIONS:
      std::memset(value, 0, 128);
      return HSA_STATUS_SUCCESS;
    case HSA_AGENT_INFO_VERSION_MAJOR:
    case HSA_AGENT_INFO_VERSION_MINOR:
      return give<std::uint16_t>(value, 1);
    case HSA_AMD_AGENT_INFO_BDFID:
      return give<std::uint32_t>(value, static_cast<std::uint32_t>(agent.index + 1) << 8);
    case HSA_AMD_AGENT_INFO_DOMAIN:
      return give<std::uint32_t>(value, 0);
    case HSA_AMD_AGENT_INFO_CACHELINE_SIZE:
      return give<std::uint32_t>(value, 64);
    case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS:
      return give(value, !gpu);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

// Attributes that release 5.2's headers do not name.
constexpr unsigned memory_available = 0xA015, timestamp_frequency = 0xA016, asic_family = 0xA107,
                   microcode = 0xA108, copy_engines = 0xA10A, link_engines = 0xA10B, iommu = 0xA110,
                   dies = 0xA111, nearest_cpu = 0xA113, memory_properties = 0xA114,
                   scratch_limit_max = 0xA116, scratch_limit_now = 0xA117;

/// Numbers of the model.
hsa_status_t model_info(const Agent& agent, unsigned attribute, void* value) {
  const Model& model = *agent.gpu->model;
  switch (attribute) {
    case HSA_AGENT_INFO_WAVEFRONT_SIZE:
      return give(value, model.wavefront);
    case HSA_AGENT_INFO_CACHE_SIZE: {
      const std::uint32_t bytes[4] = {model.cache_bytes[0], model.cache_bytes[1],
                                      model.cache_bytes[2], 0};
      std::memcpy(value, bytes, sizeof bytes);
      return HSA_STATUS_SUCCESS;
    }
    case HSA_AMD_AGENT_INFO_CHIP_ID:
    case asic_family:
      return give(value, model.chip_id);
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
      return give(value, model.compute_units);
    case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY:
      return give(value, model.clock_mhz);
    case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
      return give(value, model.memory_clock_mhz);
    case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
      return give(value, model.memory_bits);
    case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
      return give(value, model.waves_per_unit);
    case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
      return give(value, model.simds_per_unit);
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
      return give(value, model.shader_engines);
    case HSA_AMD_AGENT_INFO_ASIC_REVISION:
    case microcode:
    case dies:
      return give<std::uint32_t>(value, 1);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/// What every GPU has; the numbers are ROCr's (amd_gpu_agent.cpp, GpuAgent::GetInfo).
hsa_status_t gpu_info(const Agent& agent, unsigned attribute, void* value) {
  switch (attribute) {
    case HSA_AGENT_INFO_WORKGROUP_MAX_DIM: {
      const std::uint16_t most[3] = {1024, 1024, 1024};
      std::memcpy(value, most, sizeof most);
      return HSA_STATUS_SUCCESS;
    }
    case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
      return give<std::uint32_t>(value, 1024);
    case HSA_AGENT_INFO_GRID_MAX_DIM:
      return give(value, hsa_dim3_t{UINT32_MAX, UINT32_MAX, UINT32_MAX});
    case HSA_AGENT_INFO_GRID_MAX_SIZE:
      return give<std::uint32_t>(value, UINT32_MAX);
    case HSA_AGENT_INFO_QUEUES_MAX:
      return give<std::uint32_t>(value, 128);
    case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
      return give<std::uint32_t>(value, 64);
    case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
      return give<std::uint32_t>(value, 131072);
    case HSA_AGENT_INFO_QUEUE_TYPE:
      return give<std::uint32_t>(value, HSA_QUEUE_TYPE_MULTI);
    case HSA_AMD_AGENT_INFO_HDP_FLUSH:
      return give(value, hsa_amd_hdp_flush_t{});
    case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES:
      return give(value, true);
    case memory_available:
      return give<std::uint64_t>(value, agent.gpu->memory_bytes - used_bytes(agent));
    case timestamp_frequency:
      return give<std::uint64_t>(value, 1000000000);
    case copy_engines:
      return give<std::uint32_t>(value, 2);
    case link_engines:
      return give<std::uint32_t>(value, 0);
    case iommu:
      return give(value, false);
    case nearest_cpu:
      return give(value, handle_of(agents()[0]));
    case memory_properties:
      std::memset(value, 0, 8);
      return HSA_STATUS_SUCCESS;
    case scratch_limit_max:
    case scratch_limit_now:
      return give<std::uint64_t>(value, 0);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

}  // namespace

std::deque<Agent>& agents() {
  static auto* const made = make_agents();
  return *made;
}

}  // namespace soft_hsa

using namespace soft_hsa;

extern "C" {

hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t, void*), void* data) {
  for (const Agent& agent : agents()) {
    const hsa_status_t status = callback(handle_of(agent), data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_agent_get_info(hsa_agent_t handle, hsa_agent_info_t attribute, void* value) {
  const Agent& agent = agent_of(handle);
  const auto number = static_cast<unsigned>(attribute);
  hsa_status_t status = common_info(agent, number, value);
  if (status == HSA_STATUS_SUCCESS) return status;
  if (agent.gpu == nullptr) {
    // ROCr has these for the CPU too, which runs no kernels.
    if (number == HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT) {
      return give(value, static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_ONLN)));
    }
    return unknown(__func__, number);
  }
  status = model_info(agent, number, value);
  if (status != HSA_STATUS_SUCCESS) status = gpu_info(agent, number, value);
  return status == HSA_STATUS_SUCCESS ? status : unknown(__func__, number);
}

hsa_status_t hsa_agent_iterate_isas(hsa_agent_t agent, hsa_status_t (*callback)(hsa_isa_t, void*),
                                    void* data) {
  return callback({agent.handle}, data);
}

hsa_status_t hsa_isa_get_info_alt(hsa_isa_t isa, hsa_isa_info_t attribute, void* value) {
  const std::string name = isa_name(*reinterpret_cast<const Agent*>(isa.handle));
  if (attribute == HSA_ISA_INFO_NAME_LENGTH) {
    return give(value, static_cast<std::uint32_t>(name.size()));
  }
  if (attribute == HSA_ISA_INFO_NAME) {
    std::memcpy(value, name.data(), name.size());
    return HSA_STATUS_SUCCESS;
  }
  return unknown(__func__, static_cast<unsigned>(attribute));
}

hsa_status_t hsa_amd_agent_iterate_memory_pools(
    hsa_agent_t agent, hsa_status_t (*callback)(hsa_amd_memory_pool_t, void*), void* data) {
  for (const Pool& pool : agent_of(agent).pools) {
    const hsa_status_t status = callback({reinterpret_cast<std::uint64_t>(&pool)}, data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t handle,
                                          hsa_amd_memory_pool_info_t attribute, void* value) {
  const Pool& pool = pool_of(handle);
  const bool global = pool.segment == HSA_AMD_SEGMENT_GLOBAL;
  constexpr unsigned location = 17, recommended_granule = 18;  // named by later headers
  switch (static_cast<unsigned>(attribute)) {
    case HSA_AMD_MEMORY_POOL_INFO_SEGMENT:
      return give<std::uint32_t>(value, pool.segment);
    case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS:
      return give(value, pool.flags);
    case HSA_AMD_MEMORY_POOL_INFO_SIZE:
    case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE:
      return give(value, pool.bytes);
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED:
      return give(value, global);
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT:
    case recommended_granule:
      return give<std::size_t>(value, global ? page_bytes : 0);
    case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL:
      return give(value, pool.agent->gpu == nullptr);
    case location:
      return give<std::uint32_t>(value, pool.agent->gpu == nullptr ? 0 : 1);
  }
  return unknown(__func__, static_cast<unsigned>(attribute));
}

hsa_status_t hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent, hsa_amd_memory_pool_t handle,
                                                hsa_amd_agent_memory_pool_info_t attribute,
                                                void* value) {
  const Pool& pool = pool_of(handle);
  const bool own = pool.agent == &agent_of(agent);
  const bool group = pool.segment == HSA_AMD_SEGMENT_GROUP;
  switch (static_cast<unsigned>(attribute)) {
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS: {
      auto access = HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT;
      if (own) access = HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT;
      if (!own && group) access = HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
      return give<std::uint32_t>(value, access);
    }
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS:
      return give<std::uint32_t>(value, own ? 0 : 1);
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO: {
      if (own) return HSA_STATUS_SUCCESS;
      hsa_amd_memory_pool_link_info_t link{};
      link.min_latency = link.max_latency = 1;
      link.atomic_support_32bit = link.atomic_support_64bit = link.coherent_support = true;
      link.link_type = HSA_AMD_LINK_INFO_TYPE_PCIE;
      link.numa_distance = 20;
      return give(value, link);
    }
  }
  return unknown(__func__, static_cast<unsigned>(attribute));
}

}  // extern "C"
