// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "copy_sizes.hpp"
#include "dependent_watch.hpp"
#include "freed_use.hpp"
#include "legacy_use.hpp"
#include "order_watch.hpp"
#include "placed_texts.hpp"
#include "unawaited_copies.hpp"
#include "unwritten_copies.hpp"

#include <string>
#include <string_view>

namespace warpsafe::watch {

/// Legal actions that are often mistakes. They are reported only at exit and as suspicions, because
/// a program may intend them.
struct Suspicions {
  LegacyUse legacy;
  CopySizes copies;
  OrderWatch order;
  DependentWatch dependent;
  FreedUse freed;
  UnawaitedCopies unawaited;
  UnwrittenCopies unwritten;
  PlacedTexts graphs;

  /// `caller` and `races` are passed to the OrderWatch.
  explicit Suspicions(const Caller& caller, bool races = false) : order(caller, races) {}
  template <class Report>
  void each(const Report& report) {
    each(report, [](const HostStack&, std::string_view) { return std::string(); });
  }
  /// Calls `report(text)` for each suspicion. `place(stack, kernel)` returns the words for a place
  /// in the program, or "".
  template <class Report, class Place>
  void each(const Report& report, const Place& place) {
    order.each(report, place);
    dependent.each(report);
    freed.each(report, place);
    unawaited.each(report, place);
    unwritten.each(report, place);
    graphs.each(report, place);
    legacy.each(report);
    copies.each(report, place);
  }
};

}  // namespace warpsafe::watch
