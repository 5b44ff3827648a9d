// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "copy_sizes.hpp"
#include "legacy_use.hpp"
#include "order_watch.hpp"

namespace warpsafe::watch {

/// What is legal, and often a mistake. Told at exit alone, as a suspicion: a program may mean it.
struct Suspicions {
  LegacyUse legacy;
  CopySizes copies;
  OrderWatch order;

  /// `caller` is the OrderWatch's.
  explicit Suspicions(const Caller& caller) : order(caller) {}
  /// Calls `report(text)` for each.
  template <class Report>
  void each(const Report& report) {
    order.each(report);
    legacy.each(report);
    copies.each(report);
  }
};

}  // namespace warpsafe::watch
