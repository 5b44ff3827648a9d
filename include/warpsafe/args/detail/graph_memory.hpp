// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/core/detail/process_lock.hpp>

#include <cstddef>
#include <cstdint>

// The memory that captures allocated, by its addresses. CUDA's runtime does not know it before its
// graph has run, and then has no device pointer to it for any other device, whatever access that
// has (two H200s, CUDA 13.0).

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Its owner has it, and lists it until the free.
struct GraphMemory {
  const MemoryOwner* owner = nullptr;  ///< nullptr: it is not listed
  std::size_t bytes = 0;
  GraphMemory* next = nullptr;
};

[[gnu::visibility("default")]] inline GraphMemory* graph_memory = nullptr;
[[gnu::visibility("default")]] inline ProcessLock graph_memory_lock{};

inline void list_graph_memory(GraphMemory& made) noexcept {
  const Locked lock(graph_memory_lock);
  made.next = graph_memory;
  __atomic_store_n(&graph_memory, &made, __ATOMIC_RELEASE);
}
inline void unlist_graph_memory(GraphMemory& gone) noexcept {
  if (gone.owner == nullptr) return;
  const Locked lock(graph_memory_lock);
  for (GraphMemory** at = &graph_memory; *at != nullptr; at = &(*at)->next) {
    if (*at != &gone) continue;
    __atomic_store_n(at, gone.next, __ATOMIC_RELEASE);
    return;
  }
}
enum class InGraphMemory : unsigned char { no, end, inside };
/// Where the address is in the memory of the buffers that captures allocated. Copies the device and
/// the access of that memory.
[[nodiscard]] inline InGraphMemory find_graph_memory(const void* address,
                                                     MemoryOwner& owner) noexcept {
  InGraphMemory place = InGraphMemory::no;
  if (__atomic_load_n(&graph_memory, __ATOMIC_ACQUIRE) == nullptr) return place;
  const Locked lock(graph_memory_lock);
  for (const GraphMemory* one = graph_memory; one != nullptr; one = one->next) {
    const auto begin = reinterpret_cast<std::uintptr_t>(one->owner->start);
    const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(address) - begin;
    if (distance > one->bytes) continue;
    // Another thread may launch the graph meanwhile, or change the rest of the owner.
    owner.of_device = __atomic_load_n(&one->owner->of_device, __ATOMIC_RELAXED);
    owner.accessed_from = one->owner->accessed_from;
    owner.knows_access = one->owner->knows_access;
    if (distance < one->bytes) return InGraphMemory::inside;
    place = InGraphMemory::end;
  }
  return place;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
