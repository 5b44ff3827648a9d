// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/status.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpsafe::host {

/// The calls of the host backend that are counted and can be made to fail.
enum class Call : std::uint8_t {
  peek_last_error,
  launch,
  device_count,
  current_device,
  set_device,
  device_synchronize,
  memory_info,
  limits_of,
  attributes_of,
  raise_dynamic_shared,
  resident_blocks,
  max_cluster_blocks,
  stream_create,
  stream_destroy,
  stream_synchronize,
  stream_query,
  stream_device,
  stream_capturing,
  stream_wait,
  event_create,
  event_destroy,
  event_record,
  event_synchronize,
  event_query,
  event_elapsed,
  allocate,
  deallocate,
  host_allocate,
  host_deallocate,
  copy,
  copy_2d,
  fill,
  copy_peer,
  has_memory_pools,
  allocate_unordered,
  allocate_managed,
  deallocate_unordered,
  exchange_capture_mode,
  pointer_kind,
  capture_begin,
  capture_end,
  capture_info,
  graph_destroy,
  graph_nodes,
  graph_instantiate,
  graph_exec_destroy,
  graph_launch,
  graph_update,
  can_access,
};

/// Whether a call only reads facts that no work changes. A scheduler runs nothing before
/// this call, so that a seed gives the same run whatever checks are on.
[[nodiscard]] constexpr bool is_pure_query(Call call) noexcept {
  switch (call) {
    case Call::peek_last_error:
    case Call::device_count:
    case Call::current_device:
    case Call::set_device:
    case Call::limits_of:
    case Call::memory_info:
    case Call::attributes_of:
    case Call::raise_dynamic_shared:
    case Call::resident_blocks:
    case Call::max_cluster_blocks:
    case Call::stream_device:
    case Call::stream_capturing:
    case Call::capture_info:
    case Call::exchange_capture_mode:
    case Call::has_memory_pools:
    case Call::pointer_kind:
    case Call::can_access:
      return true;
    default:
      return false;
  }
}

/// Counts calls and injects the failures that a test asked for. Not thread-safe; its owner locks.
class CallBook {
 public:
  /// Counts one call. Returns the status that it must fail with, or 0.
  [[nodiscard]] int enter(Call call) {
    ++made_[static_cast<std::size_t>(call)];
    return due(faults_, call);
  }
  /// The status that the kernel being launched must fail with when it runs, or 0.
  [[nodiscard]] int kernel_fault() { return due(kernel_faults_, Call::launch); }

  void fail_next(Call call, unsigned nth, HostStatus status) {
    faults_.push_back({call, nth, raw(status)});
  }
  void fail_kernel(unsigned nth, HostStatus status) {
    kernel_faults_.push_back({Call::launch, nth, raw(status)});
  }
  [[nodiscard]] std::uint64_t made(Call call) const noexcept {
    return made_[static_cast<std::size_t>(call)];
  }

 private:
  struct Fault {
    Call call;
    unsigned calls_left;
    int status;
  };
  [[nodiscard]] static int due(std::vector<Fault>& faults, Call call) {
    int status = 0;
    for (auto fault = faults.begin(); fault != faults.end();) {
      if (fault->call == call && --fault->calls_left == 0) {
        if (status == 0) status = fault->status;
        fault = faults.erase(fault);
      } else {
        ++fault;
      }
    }
    return status;
  }

  std::array<std::uint64_t, 256> made_{};  // by Call, which has 8 bits
  std::vector<Fault> faults_;
  std::vector<Fault> kernel_faults_;
};

}  // namespace warpsafe::host
