// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/kernel_table.hpp"
#include "../report/counted.hpp"

#include <cstdint>
#include <string>

namespace warpsafe::watch {

/// Launches on the legacy default stream of a program that uses other streams too. Thread-safe.
class LegacyUse {
 public:
  /// A launch; `legacy`: on that stream.
  void launched(Kernel& kernel, bool legacy) noexcept {
    if (!legacy) {
      // Read first: all threads write the same line otherwise.
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
  /// Calls `report(text)` if there were any.
  template <class Report>
  void each(const Report& report) const {
    const Kernel* const first = __atomic_load_n(&first_, __ATOMIC_ACQUIRE);
    if (first == nullptr) return;
    report("suspicion: " +
           counted(__atomic_load_n(&launches_, __ATOMIC_RELAXED), "launch", "launches") +
           " on the legacy default stream while other streams were in use, first '" + first->name +
           "': it waits for blocking streams, and non-blocking ones do not wait for it");
  }

 private:
  bool others_in_use_ = false;
  std::uint64_t launches_ = 0;
  Kernel* first_ = nullptr;
};

}  // namespace warpsafe::watch
