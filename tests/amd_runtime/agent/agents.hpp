// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "settings.hpp"

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstddef>
#include <cstdint>
#include <deque>

namespace soft_hsa {

struct Agent;

/// A kind of memory of one agent.
struct Pool {
  Agent* agent;
  hsa_amd_segment_t segment;
  std::uint32_t flags;
  std::size_t bytes;
};

/// The CPU, or a GPU.
struct Agent {
  int index;       ///< of a GPU; -1 for the CPU
  const Gpu* gpu;  ///< null for the CPU
  std::deque<Pool> pools;
};

/// The CPU first, then the GPUs. Never destroyed.
std::deque<Agent>& agents();

inline Agent& agent_of(hsa_agent_t handle) { return *reinterpret_cast<Agent*>(handle.handle); }
inline hsa_agent_t handle_of(const Agent& agent) {
  return {reinterpret_cast<std::uint64_t>(&agent)};
}
inline Pool& pool_of(hsa_amd_memory_pool_t handle) {
  return *reinterpret_cast<Pool*>(handle.handle);
}

}  // namespace soft_hsa
