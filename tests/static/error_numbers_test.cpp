// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The numbers of the errors never change: programs store and compare those of std::error_code.

#include <warpsafe/core/name.hpp>
#include <warpsafe/error/errc.hpp>

#include <iterator>

namespace {

using warpsafe::Errc;
using warpsafe::Name;

struct Number {
  int number;
  const char* name;
};

// A new error is added at the end, with the next number. No line is changed or taken out.
constexpr Number pinned[] = {
    {1, "size_zero"},
    {2, "size_negative"},
    {3, "size_overflow"},
    {4, "bytes_overflow"},
    {5, "size_mismatch"},
    {6, "size_not_multiple"},
    {7, "grid_zero"},
    {8, "grid_too_large"},
    {9, "block_zero"},
    {10, "block_axis_too_large"},
    {11, "block_too_large"},
    {12, "dimension_negative"},
    {13, "axis_threads_too_many"},
    {14, "index_overflow"},
    {15, "kernel_threads_exceeded"},
    {16, "block_not_multiple"},
    {17, "warp_size_mismatch"},
    {18, "not_a_kernel"},
    {19, "no_kernel_image"},
    {20, "shared_negative"},
    {21, "shared_overflow"},
    {22, "shared_too_large"},
    {23, "shared_not_opted_in"},
    {24, "shared_missing"},
    {25, "cluster_not_divisor"},
    {26, "cluster_too_large"},
    {27, "cluster_unsupported"},
    {28, "cooperative_unsupported"},
    {29, "cooperative_too_large"},
    {30, "argument_negative"},
    {31, "argument_host_pointer"},
    {32, "argument_misaligned"},
    {33, "stream_wrong_device"},
    {34, "stream_null"},
    {35, "stream_capturing"},
    {36, "device_invalid"},
    {37, "no_device"},
    {38, "module_unreadable"},
    {39, "module_invalid"},
    {40, "module_wrong_device"},
    {41, "kernel_not_found"},
    {42, "signature_mismatch"},
    {43, "capture_broken"},
    {44, "capture_unjoined"},
    {45, "capture_merged"},
    {46, "capture_isolation"},
    {47, "captured_event"},
    {48, "capture_unmatched"},
    {49, "capture_wrong_thread"},
    {50, "graph_update_refused"},
    {51, "graph_memory_freed"},
    {52, "handle_stream_changed"},
    {53, "handle_busy"},
    {54, "handle_pointer_mode"},
    {55, "handle_moved"},
    {56, "handle_partly_bound"},
    {57, "library_failed"},
    {58, "reference_differs"},
    {59, "pending_taken"},
    {60, "launch_refused"},
    {61, "execution_failed"},
    {62, "device_check_failed"},
    {63, "pending_error"},
    {64, "wait_timed_out"},
    {65, "out_of_memory"},
    {66, "unsupported"},
    {67, "runtime_failed"},
    {68, "barrier_divergence"},
    {69, "part_outside"},
    {70, "copy_overlaps"},
    {71, "memory_closed"},
    {72, "argument_empty"},
    {73, "memory_wrong_device"},
    {74, "event_moved"},
    {75, "device_not_chosen"},
    {76, "occupancy_mismatch"},
    {77, "graph_moved"},
    {78, "events_reversed"},
    {79, "priority_range"},
    {80, "module_moved"},
    {81, "handle_owned"},
};

constexpr Number rows[] = {
#define WARPSAFE_ERROR(number, name, meaning, reason) \
  {static_cast<int>(Errc::name) == (number) ? (number) : 0, #name},
#include <warpsafe/error/detail/launch_rows.hpp>
#include <warpsafe/error/detail/runtime_rows.hpp>
#undef WARPSAFE_ERROR
};

constexpr bool holds(const Number& wanted) {
  for (const Number& row : rows) {
    if (row.number == wanted.number) return Name::of(row.name) == Name::of(wanted.name);
  }
  return false;
}
constexpr bool all_hold() {
  for (const Number& one : pinned) {
    if (!holds(one)) return false;
  }
  return true;
}
constexpr bool is_in_order() {
  int last = 0;
  for (const Number& one : pinned) {
    if (one.number != ++last) return false;
  }
  return true;
}

static_assert(all_hold(),
              "the number of an error has changed, its row is gone, or Errc has another number");
static_assert(is_in_order(), "a new error takes the next number");
static_assert(std::size(rows) == std::size(pinned), "a new error goes to the end of the list too");

}  // namespace
