// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/debug/data/launch_filter.hpp>
#include <warpsafe/debug/journal/log.hpp>

#include <cstdlib>

namespace warpsafe::debug::detail {

/// Which launches' data is looked at: what WARPSAFE_REFERENCE, WARPSAFE_SHADOW and WARPSAFE_TRACE
/// ask for, until a program asks for something else (data_switches.hpp).
struct DataFilters {
  LaunchFilter reference;
  LaunchFilter shadow;
  LaunchFilter trace;
  const char* folder = "warpsafe-trace";  ///< where dumps go

  [[nodiscard]] static DataFilters& get() noexcept {
    static DataFilters read = ask();
    return read;
  }
  /// After one was turned: launches ask for their data, or do not.
  void apply() const noexcept {
    __atomic_store_n(&looks_at_data, reference.on() || shadow.on() || trace.on(), __ATOMIC_RELAXED);
  }

 private:
  [[gnu::cold]] static DataFilters ask() noexcept {
    DataFilters found;
    found.reference.set(std::getenv("WARPSAFE_REFERENCE"));
    found.shadow.set(std::getenv("WARPSAFE_SHADOW"));
    found.trace.set(std::getenv("WARPSAFE_TRACE"));
    return found;
  }
};

}  // namespace warpsafe::debug::detail
