// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/debug/data/data_filters.hpp>
#include <warpsafe/debug/start.hpp>

// The switches that look at the data of launches, as set_log_level is for the log: over what the
// environment asked for. Not while other threads launch.

namespace warpsafe::debug {

namespace detail {

inline void set_filter(LaunchFilter DataFilters::*which, const char* launches) noexcept {
  start_if_first();
  DataFilters& filters = DataFilters::get();
  (filters.*which).set(launches);
  filters.apply();
  note_switches();
}

}  // namespace detail

/// Runs the host's reference (reference.hpp) instead of these launches' kernels, as
/// WARPSAFE_REFERENCE does: "axpy,softmax:skip:count", "all"; nullptr: none.
inline void set_reference(const char* launches) noexcept {
  detail::set_filter(&detail::DataFilters::reference, launches);
}
/// Runs the host's reference besides, and compares, as WARPSAFE_SHADOW does.
inline void set_shadow(const char* launches) noexcept {
  detail::set_filter(&detail::DataFilters::shadow, launches);
}
/// Writes inputs and outputs of these launches into folders inside `folder`, as WARPSAFE_TRACE does
/// into "warpsafe-trace". The text of `folder` is kept by its address.
inline void set_trace(const char* launches, const char* folder = "warpsafe-trace") noexcept {
  detail::DataFilters::get().folder = folder;
  detail::set_filter(&detail::DataFilters::trace, launches);
}

}  // namespace warpsafe::debug
