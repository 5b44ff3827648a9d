// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "agents.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>

namespace soft_hsa {

/// Memory that the runtime knows.
struct Allocation {
  enum class Kind { pool, locked, imported, image };
  void* base;
  std::size_t bytes;
  Kind kind;
  Agent* owner;
  std::uint32_t flags;               ///< of its pool
  std::uint64_t heap_offset = 0;     ///< in the owner's heap file, for a GPU's pool
  unsigned locks = 1;                ///< how often a locked range was locked
  std::set<const Agent*> reaches{};  ///< agents with access, besides the owner
};

/// All allocations. Never destroyed: the runtime frees memory while the process ends.
struct Memory {
  std::mutex lock;
  std::map<std::uintptr_t, Allocation> allocations;
  std::map<const Agent*, std::size_t> used;

  /// The allocation that contains the address, or null. @pre lock is held
  Allocation* find(const void* address);
};
Memory& memory();

std::size_t used_bytes(const Agent& agent);

/// The file behind a GPU's memory, so that another process can map it; -1 if it cannot be made.
/// @pre memory().lock is held
int heap_file(const Agent& agent);

/// Memory for a code object's segments, which counts as the agent's. Null if there is none.
std::byte* allocate_image(Agent& agent, std::size_t bytes);
void free_image(std::byte* base, std::size_t bytes);

}  // namespace soft_hsa
