// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/kernel_table.hpp"
#include "../report/counted.hpp"

#include <cstdint>
#include <string>

namespace warpsafe::watch {

/// Counts launches on the legacy default stream in a program that also uses other streams.
/// Thread-safe.
class LegacyUse {
 public:
  /// Records a launch; `legacy`: it is on the legacy default stream.
  void launched(Kernel& kernel, bool legacy) noexcept {
    if (!legacy) {
      // Reads first, because otherwise all threads would write the same cache line.
      if (!__atomic_load_n(&others_in_use_, __ATOMIC_RELAXED)) {
        __atomic_store_n(&others_in_use_, true, __ATOMIC_RELAXED);
      }
      return;
    }
    if (!__atomic_load_n(&others_in_use_, __ATOMIC_RELAXED)) return;
    __atomic_add_fetch(&launches_, 1, __ATOMIC_RELAXED);
    Kernel* first = nullptr;
    __atomic_compare_exchange_n(&first_, &first, &kernel, false, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
  }
  /// Calls `report(text)` if there were such launches.
  template <class Report>
  void each(const Report& report) const {
    const Kernel* const first = __atomic_load_n(&first_, __ATOMIC_ACQUIRE);
    if (first == nullptr) return;
    report("suspicion: " +
           counted(__atomic_load_n(&launches_, __ATOMIC_RELAXED), "launch", "launches") +
           " on the legacy default stream while other streams were in use, first '" + first->name +
           "': blocking streams and this one wait for each other, non-blocking streams do not");
  }

 private:
  bool others_in_use_ = false;
  std::uint64_t launches_ = 0;
  Kernel* first_ = nullptr;
};

}  // namespace warpsafe::watch
