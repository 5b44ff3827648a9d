// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/watched_kernel.hpp"
#include "../kernel/written_parameter.hpp"
#include "../stream/stream_place.hpp"
#include "../suspicion/order_watch.hpp"
#include "../suspicion/suspicions.hpp"
#include "judge.hpp"
#include "launch_pointers.hpp"
#include <warpsafe/backend/memory_access.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// Returns the used_pointers without those to the end of memory whose other parts the launch
/// receives: iterators pass it, and other memory may begin there. Pointers to const are kept, since
/// two inputs side by side are likelier than the two ends of one. May throw std::bad_alloc.
[[nodiscard]] inline std::vector<UsedPointer> pointers_without_ends(const Kernel& kernel,
                                                                    const LaunchParameters& values,
                                                                    OrderWatch& order) {
  std::vector<UsedPointer> pointers = used_pointers(kernel, values);
  const std::vector<UsedPointer> all = pointers;
  std::erase_if(pointers, [&](const UsedPointer& one) {
    if (one.use != PointerUse::may_write) return false;
    const auto [begin, bytes] = order.allocation_of(one.address - 1);
    return bytes != 0 && begin + bytes == one.address &&
           std::any_of(all.begin(), all.end(), [first = begin, &one](const UsedPointer& other) {
             return other.use == PointerUse::may_write && other.address >= first &&
                    other.address < one.address;
           });
  });
  return pointers;
}

/// Passes a successful kernel launch to the OrderWatch, and with --races to the FreedUse. May throw
/// std::bad_alloc.
inline void follow_launch(Suspicions& suspicions, const Launch& launch, const StreamPlace& at,
                          const LaunchParameters& values) {
  const Kernel& kernel = *launch.kernel;
  OrderWatch& order = suspicions.order;
  std::vector<MemoryAccess> accesses;
  std::vector<std::uintptr_t> words;  // for the blocks of pools
  std::uint64_t same = 0;
  std::uintptr_t written = 0;
  std::vector<std::uintptr_t> assumed;
  if (order.suspects_own() && *kernel.library == '\0') {
    const std::vector<UsedPointer> pointers = pointers_without_ends(kernel, values, order);
    add_signature(pointers, accesses);
    for (const UsedPointer& one : pointers) {
      const bool is_of_pool = order.has_pools() && one.is_certain && order.is_in_pool(one.address);
      if (is_of_pool) words.push_back(one.address);
      // The end of other memory, which iterators pass, may be the beginning of the freed one.
      if (one.is_certain && suspicions.freed.any() && !order.is_memory(one.address - 1)) {
        suspicions.freed.used({kernel.name_view(), true, 0, "", at}, one.address);
      }
    }
    if (!accesses.empty() && !may_read_an_index(kernel.types))
      same = number_of(kernel, launch.shape, values);
    for (const MemoryAccess& one : accesses) {
      if (one.kind == AccessKind::write) written = one.begin;
    }
    for (const UsedPointer& one : pointers) {
      if (one.use != PointerUse::may_write || !one.is_certain) continue;
      assumed.push_back(one.address);
      accesses.push_back({one.address, 1, AccessKind::read});
    }
  } else {
    add_pointers(kernel, values, accesses);
  }
  // Work that touches no known memory matters on the legacy stream, where it orders other work, and
  // after an allocation by a pool.
  if (accesses.empty() && words.empty() && at.order != StreamOrder::legacy &&
      !(order.has_pools() && order.pool_awaits(at))) {
    return;
  }
  order.submitted(
      {kernel.name_view(), true, 0, kernel.library, at, same, written, 0, std::move(assumed)},
      accesses, nullptr, words);
}

/// Passes a successful kernel launch to the DependentWatch. May throw std::bad_alloc.
inline void follow_dependence(Suspicions& suspicions, const Launch& launch, const StreamPlace& at,
                              const LaunchParameters& values) {
  const Kernel& kernel = *launch.kernel;
  DependentLaunch made{kernel.name_view(), *kernel.library != '\0', launch.shape.programmatic,
                       kernel.machine_code(), used_pointers(kernel, values)};
  std::erase_if(made.pointers,
                [&](const UsedPointer& one) { return !suspicions.order.is_memory(one.address); });
  suspicions.dependent.launched(at, std::move(made));
}

}  // namespace warpsafe::watch
