// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "copy_sizes.hpp"
#include "dependent_watch.hpp"
#include "legacy_use.hpp"
#include "order_watch.hpp"

namespace warpsafe::watch {

/// Legal actions that are often mistakes. They are reported only at exit and as suspicions, because
/// a program may intend them.
struct Suspicions {
  LegacyUse legacy;
  CopySizes copies;
  OrderWatch order;
  DependentWatch dependent;

  /// `caller` is passed to the OrderWatch.
  explicit Suspicions(const Caller& caller) : order(caller) {}
  /// Calls `report(text)` for each suspicion.
  template <class Report>
  void each(const Report& report) {
    order.each(report);
    dependent.each(report);
    legacy.each(report);
    copies.each(report);
  }
};

}  // namespace warpsafe::watch
