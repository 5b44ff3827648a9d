// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/watched_kernel.hpp"
#include "../stream/stream_place.hpp"
#include "../suspicion/order_watch.hpp"
#include "launch_pointers.hpp"
#include <warpsafe/backend/memory_access.hpp>

#include <vector>

namespace warpsafe::watch {

/// Passes a successful kernel launch to the OrderWatch. May throw std::bad_alloc.
inline void follow_launch(OrderWatch& order, const Kernel& kernel, const StreamPlace& at,
                          const LaunchParameters& values) {
  std::vector<debug::MemoryAccess> accesses;
  add_pointers(kernel, values, accesses);
  // Work that touches no known memory matters only on the legacy stream, where it orders other
  // work.
  if (accesses.empty() && at.order != StreamOrder::legacy) return;
  order.submitted({kernel.name_view(), true, 0, kernel.library, at}, accesses);
}

}  // namespace warpsafe::watch
