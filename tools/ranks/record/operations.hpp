// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>

namespace warpsafe::ranks {

/// The collectives of NCCL, RCCL and MPI. A record holds the number; the process' file of names has
/// the list, so that a reader of another version knows the names.
enum class Operation : std::uint16_t {
  all_reduce,
  broadcast,
  reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  gather,
  scatter,
  barrier,
  scan,
  exclusive_scan,
  split,
  duplicate,
  last
};
inline constexpr const char* operation_names[] = {
    "all_reduce", "broadcast", "reduce", "all_gather",     "reduce_scatter", "all_to_all", "gather",
    "scatter",    "barrier",   "scan",   "exclusive_scan", "split",          "duplicate"};
static_assert(sizeof operation_names / sizeof *operation_names ==
              static_cast<unsigned>(Operation::last));

}  // namespace warpsafe::ranks
