// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Pools, locked host memory, access of agents, and what is known about a pointer. A GPU's memory is
// a file in memory that grows and has holes, so a GPU can have more memory than the machine.
#include "memory.hpp"

#include "answer.hpp"
#include "soft_hsa.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <new>

namespace soft_hsa {
namespace {

struct Heap {
  int file = -1;
  std::uint64_t end = 0;  // offsets are not used again
};

std::map<const Agent*, Heap>& heaps() {
  static auto* const made = new std::map<const Agent*, Heap>;
  return *made;
}

void* map_anonymous(std::size_t bytes) {
  void* const base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return base == MAP_FAILED ? nullptr : base;
}

/// @pre memory().lock is held
void* map_from_heap(const Agent& agent, std::size_t bytes, std::uint64_t& offset) {
  const int file = heap_file(agent);
  if (file < 0) return nullptr;
  Heap& heap = heaps()[&agent];
  offset = heap.end;
  if (ftruncate(file, static_cast<off_t>(heap.end + bytes)) != 0) return nullptr;
  void* const base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file,
                          static_cast<off_t>(offset));
  if (base == MAP_FAILED) return nullptr;
  heap.end += bytes;
  return base;
}

void release(const Allocation& allocation) {
  munmap(allocation.base, allocation.bytes);
  if (allocation.kind != Allocation::Kind::pool || allocation.owner->gpu == nullptr) return;
  static_cast<void>(
      fallocate(heaps()[allocation.owner].file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                static_cast<off_t>(allocation.heap_offset), static_cast<off_t>(allocation.bytes)));
}

}  // namespace

Memory& memory() {
  static auto* const made = new Memory;
  return *made;
}

Allocation* Memory::find(const void* address) {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  const auto after = allocations.upper_bound(number);
  if (after == allocations.begin()) return nullptr;
  Allocation& before = std::prev(after)->second;
  const bool inside = number < reinterpret_cast<std::uintptr_t>(before.base) + before.bytes;
  return inside ? &before : nullptr;
}

std::size_t used_bytes(const Agent& agent) {
  const std::lock_guard hold(memory().lock);
  return memory().used[&agent];
}

int heap_file(const Agent& agent) {
  Heap& heap = heaps()[&agent];
  if (heap.file < 0) heap.file = memfd_create("soft_hsa", MFD_CLOEXEC);
  return heap.file;
}

std::byte* allocate_image(Agent& agent, std::size_t bytes) {
  void* const base = map_anonymous(whole_pages(bytes));
  if (base == nullptr) return nullptr;
  const std::lock_guard hold(memory().lock);
  memory().allocations[reinterpret_cast<std::uintptr_t>(base)] = {
      base, whole_pages(bytes), Allocation::Kind::image, &agent,
      HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED};
  return static_cast<std::byte*>(base);
}
void free_image(std::byte* base, std::size_t bytes) {
  const std::lock_guard hold(memory().lock);
  memory().allocations.erase(reinterpret_cast<std::uintptr_t>(base));
  munmap(base, whole_pages(bytes));
}

}  // namespace soft_hsa

using namespace soft_hsa;

extern "C" {

std::uint64_t soft_hsa_used_bytes(int device) {
  const auto place = static_cast<std::size_t>(device + 1);
  return device < 0 || place >= agents().size() ? 0 : used_bytes(agents()[place]);
}

hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t handle, std::size_t bytes,
                                          std::uint32_t, void** out) {
  Pool& pool = pool_of(handle);
  if (bytes == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (pool.segment != HSA_AMD_SEGMENT_GLOBAL || bytes > pool.bytes) {
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  bytes = whole_pages(bytes);
  Memory& all = memory();
  const std::lock_guard hold(all.lock);
  std::size_t& used = all.used[pool.agent];
  if (bytes > pool.bytes - used) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  std::uint64_t offset = 0;
  void* const base =
      pool.agent->gpu == nullptr ? map_anonymous(bytes) : map_from_heap(*pool.agent, bytes, offset);
  if (base == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  used += bytes;
  all.allocations[reinterpret_cast<std::uintptr_t>(base)] = {
      base, bytes, Allocation::Kind::pool, pool.agent, pool.flags, offset};
  *out = base;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_pool_free(void* base) {
  if (base == nullptr) return HSA_STATUS_SUCCESS;
  Memory& all = memory();
  const std::lock_guard hold(all.lock);
  const auto found = all.allocations.find(reinterpret_cast<std::uintptr_t>(base));
  if (found == all.allocations.end() || found->second.kind != Allocation::Kind::pool) {
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  all.used[found->second.owner] -= found->second.bytes;
  release(found->second);
  all.allocations.erase(found);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_agents_allow_access(std::uint32_t count, const hsa_agent_t* agents,
                                         const std::uint32_t*, const void* pointer) {
  if (count == 0 || agents == nullptr || pointer == nullptr) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  const std::lock_guard hold(memory().lock);
  Allocation* const found = memory().find(pointer);
  if (found == nullptr || found->base != pointer) return HSA_STATUS_ERROR;
  // Access is what this call says, not more than before.
  found->reaches.clear();
  for (std::uint32_t i = 0; i < count; ++i) found->reaches.insert(&agent_of(agents[i]));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_lock_to_pool(void* host, std::size_t bytes, hsa_agent_t* agents,
                                         int count, hsa_amd_memory_pool_t pool, std::uint32_t,
                                         void** out) {
  *out = nullptr;
  if (host == nullptr || bytes == 0 || pool_of(pool).agent->gpu != nullptr) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  const std::lock_guard hold(memory().lock);
  const auto [place, added] = memory().allocations.try_emplace(
      reinterpret_cast<std::uintptr_t>(host),
      Allocation{host, bytes, Allocation::Kind::locked, pool_of(pool).agent, pool_of(pool).flags});
  Allocation& range = place->second;
  if (!added) {
    if (range.kind != Allocation::Kind::locked) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    ++range.locks;
    range.bytes = std::max(range.bytes, bytes);
  }
  for (int i = 0; i < count; ++i) range.reaches.insert(&agent_of(agents[i]));
  *out = host;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_unlock(void* host) {
  const std::lock_guard hold(memory().lock);
  const auto found = memory().allocations.find(reinterpret_cast<std::uintptr_t>(host));
  if (found == memory().allocations.end() || found->second.kind != Allocation::Kind::locked) {
    return HSA_STATUS_SUCCESS;
  }
  if (--found->second.locks == 0) memory().allocations.erase(found);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_memory_register(void*, std::size_t) { return HSA_STATUS_SUCCESS; }
hsa_status_t hsa_memory_deregister(void*, std::size_t) { return HSA_STATUS_SUCCESS; }

hsa_status_t hsa_amd_pointer_info(const void* pointer, hsa_amd_pointer_info_t* info,
                                  void* (*allocate)(std::size_t), std::uint32_t* count,
                                  hsa_agent_t** agents_out) {
  if (info == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto size = std::min<std::uint32_t>(info->size, sizeof *info);
  hsa_amd_pointer_info_t answer{};
  answer.size = size;
  answer.type = HSA_EXT_POINTER_TYPE_UNKNOWN;
  const std::lock_guard hold(memory().lock);
  const Allocation* const found = memory().find(pointer);
  if (found != nullptr) {
    answer.type = HSA_EXT_POINTER_TYPE_HSA;
    if (found->kind == Allocation::Kind::locked) answer.type = HSA_EXT_POINTER_TYPE_LOCKED;
    if (found->kind == Allocation::Kind::imported) answer.type = HSA_EXT_POINTER_TYPE_IPC;
    answer.agentBaseAddress = answer.hostBaseAddress = found->base;
    answer.sizeInBytes = found->bytes;
    answer.agentOwner = handle_of(*found->owner);
    answer.global_flags = found->flags;
  }
  std::memcpy(info, &answer, size);
  if (count == nullptr) return HSA_STATUS_SUCCESS;
  *count = 0;
  if (found == nullptr || allocate == nullptr || agents_out == nullptr) return HSA_STATUS_SUCCESS;
  std::set<const Agent*> all = found->reaches;
  all.insert(found->owner);
  *agents_out = static_cast<hsa_agent_t*>(allocate(all.size() * sizeof(hsa_agent_t)));
  if (*agents_out == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  for (const Agent* const agent : all) (*agents_out)[(*count)++] = handle_of(*agent);
  return HSA_STATUS_SUCCESS;
}

}  // extern "C"
